"""Hook files with a list of entries that name their events, such as Kimi Code's `[[hooks]]` (`EntrySpec.event_key`)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hooktui.formats.json_hooks import json_events
from hooktui.formats.json_hooks.entry_fields import OFF_LIST, kind_of
from hooktui.formats.json_hooks.json_entry import Surroundings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hooktui.formats.file_notes import Notes
    from hooktui.formats.json_hooks.json_entry import EntrySite


def sites(file: EntrySite, notes: Notes, begin: Callable[[EntrySite], None]) -> Iterator[EntrySite]:
    """The entries that a file lists, then those that hooktui disabled, which are not `known` to the host.

    `file` has the root and what is common to all. `begin` is called with each entry before its event is resolved.
    """
    for name in ("hooks", OFF_LIST):
        value, is_on = file.node.members.get(name), name != OFF_LIST
        if value is not None and not isinstance(value.value, list):
            problem = f"{name} must be a list, not {kind_of(value.value)}"
            if is_on:
                notes.breaks_file(file.spec, problem, value.span)
            else:
                notes.error("wrong-type", problem, value.span)
        for index, item in enumerate(value.items if value else ()):
            site = replace(file, node=item, path=(*file.path, name, index), known=is_on)
            yield _named(site, notes, begin)


def _named(site: EntrySite, notes: Notes, begin: Callable[[EntrySite], None]) -> EntrySite:
    """An entry with the event that it names."""
    written = site.node.members.get(site.spec.entry.event_key)
    if written and type(written.value) is str:
        site = replace(site, written=written.value)
    begin(site)
    if not isinstance(site.node.value, dict):
        return site
    event = json_events.resolve_value(written, site.node, site.spec, notes, strict=site.known and site.spec.entry.strict)
    return replace(site, event=event.event, around=site.around + Surroundings(event.obstacles))
