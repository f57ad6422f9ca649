"""The events for which a person's hooks need a host to call hooktui."""

from __future__ import annotations

from hooktui.catalog import catalog
from hooktui.core import events


def needed(host_events: tuple[str, ...], project: str) -> tuple[str, ...]:
    """Those of a host's events to which a hook listens that `run` runs; with a gate, also those with which a turn begins."""
    found = catalog.load(project)
    wanted = {hook.event for hook in found.hooks if hook.format in found.settings.formats and hook.enabled}
    if events.GATE in wanted:
        wanted.update(events.TURN_STARTS)  # gate_limit counts within a turn (formats.md §2)
    return tuple(name for name in host_events if events.canonical(name) in wanted)
