"""Empty states: why a pane is empty, and which keys to press."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from hooktui.core.paths import short
from hooktui.screens.keys.hints import hint, key_in
from hooktui.screens.services.app_context import app_context

# For an empty log.
CONNECT_KEYS = (
    ("{demo}", "watch the demo: agents at work"),
    ("{connect}", "connect an agent program to hooktui"),
)


class Empty(Static):
    """A few lines in the middle of a pane, with clickable keys below."""

    auto_links = False  # keys look the same everywhere

    def __init__(self, text: str = "", keys: Sequence[tuple[str, str]] = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes="empty")
        self.show(text, keys)

    def show(self, text: str, keys: Sequence[tuple[str, str]] = ()) -> None:
        """Show a text, and keys with what each does; an action in braces becomes its key."""
        lines = [Content(text)]
        if keys:
            rows = [(key, hint(key), does) for key, does in keys]
            key_width, width = (max(len(row[part]) for row in rows) for part in (1, 2))
            lines += [
                Content(""),
                *(_line(key, f"{spelled:>{key_width}}", f"  {does:<{width}}") for key, spelled, does in rows),
            ]
        self.update(Content("\n").join(lines))


def _line(key: str, spelled: str, does: str) -> Content:
    """A key and what it does; a click presses the key."""
    line = Content.assemble((spelled, "$footer-key-foreground bold"), does)
    pressed = key_in(key)
    return line.stylize(Style.from_meta({"@click": f"app.simulate_key({pressed!r})"})) if pressed else line


def where_looked(nothing: Empty) -> str:
    """Where past sessions were looked for, in a sentence."""
    places = list(map(short, app_context(nothing).transcript_places))
    if not places:
        return "Transcripts are not read: [history] in the configuration."
    return f"Past sessions are read from transcripts; there are none in\n{', '.join(places)}."


_SAFE = "Agents are not blocked: decisions are spooled in a file beside the log until it works again."
_DOCTOR = (("hooktui doctor", "in a shell: find out what is wrong"),)


NO_MACHINES = "No machine ships its log to this database yet.\n\nOn a machine, `hooktui ship --once` sends its log."


def fleet_fault(fault: str) -> str:
    """Explain a fleet that cannot be read."""
    return f"Cannot read the fleet.\n\n{fault}\n\nAgents are not affected. hooktui asks the server again."


def explain_fault(nothing: Empty) -> bool:
    """Explain an unreadable log in an empty pane; whether there is anything to explain."""
    services = app_context(nothing)
    fault = services.log_monitor.fault
    if fault and services.fleet is not None:
        nothing.show(fleet_fault(fault))
    elif fault:
        nothing.show(f"Cannot read the log.\n\n{fault}.\n\n{_SAFE}", _DOCTOR)
    return bool(fault)


def explain_empty_log(nothing: Empty, text: str) -> None:
    """Show a text and how to fill the log of this machine, or how a fleet gets its first machine."""
    if app_context(nothing).fleet is None:
        nothing.show(text, CONNECT_KEYS)
    else:
        nothing.show(NO_MACHINES)
