"""What each sign on the screens means, for the help."""

from __future__ import annotations

from typing import NamedTuple


class Sign(NamedTuple):
    """A glyph, its colour and its meaning."""

    glyph: str
    style: str
    meaning: str


LEGEND = (
    Sign("●", "$success", "on; following; recording"),
    Sign("○", "$secondary", "off; a machine that is silent"),
    Sign("⊘", "$secondary", "replaced by a hook of the same name in the project"),
    Sign("◌", "$warning", "needs approval; skipped for the lack of it; depends on the event"),
    Sign("▲", "$warning", "a warning; a hook failed, timed out or was overruled"),
    Sign("✕", "$error", "an error; denied"),
    Sign("■", "$error", "a hook stopped the agent"),
    Sign("✔", "$success", "allowed; ran without a complaint; matches"),
    Sign("✎", "$accent", "a hook rewrote the input"),
    Sign("+", "$secondary", "a hook told the agent something; shows more"),
    Sign("?", "$accent", "the agent program asks; not recorded"),
    Sign("·", "$secondary", "nothing decided; an info"),
    Sign("…", "$secondary", "not run yet; still running"),
    Sign("∅", "$secondary", "skipped: did not match"),
    Sign("≡", "$secondary", "from the agent's transcript"),
    Sign("◆", "$accent", "a gate: the agent wanted to stop"),
    Sign("↻", "$warning", "a loop: the same call again and again"),
    Sign("↧", "$secondary", "how long a subagent worked"),
    Sign("└", "$secondary", "an event of the call above"),
    Sign("╭ ╰", "$secondary", "a subagent's events stand between them"),
    Sign("━ ┄", "$secondary", "a hook's time; one that the agent did not wait for; ▸ longer than the scale"),
    Sign("≠ ≈", "$secondary", "differs; nearly the same"),
    Sign("☑ ☐", "$secondary", "on or off"),
    Sign("•", "$accent", "not saved; holds a match of the search"),
    Sign("‖", "$secondary", "paused"),
    Sign("⏎", "$secondary", "a line break"),
    Sign("‹ ›", "$accent", "more tabs on that side"),
)
