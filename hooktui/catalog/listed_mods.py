"""The mods of Claude Code that can answer an event: functions in plugins, listed beside hooks with the type `mod`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core.model import Mod
from hooktui.core.text_sanitizer import one_line
from hooktui.formats.mods import handlers, mod_events

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hooktui.core.model import Hook

__all__ = ["BEFORE_CALL", "answering", "overruled_by"]
# A mod that answers one of these can let a call run that a hook denied (run, 2.1.332).
BEFORE_CALL = tuple(handlers.ALLOWING)


def answering(hooks: Iterable[Hook], *events: str) -> list[Hook]:
    """The mods that are loaded and can answer one of these events, as mods name them: `tool.check`, `classic.Stop`."""
    mods = [hook for hook in hooks if isinstance(hook.source, Mod) and hook.enabled and hook.source.gates]
    return [hook for hook in mods if any(mod_events.covers(hook.event_as_written, event) for event in events)]


def overruled_by(report: Mapping[str, Any]) -> str:
    """What let a denied call run, as the end of a sentence: ": sk may have allowed it"; "" if nothing is known.

    A debug log that names a mod counts for more than the mods that are listed.
    """
    if logged := report.get("debug_log"):
        return f": the debug log says {one_line(logged)}"
    names = " or ".join(map(one_line, report.get("may_have_allowed", ())))
    return f": {names} may have allowed it" if names else ""
