"""An entry of a JSON or YAML file that is to listen to another event: it goes to that event's list, its own bytes untouched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.catalog import matching
from hooktui.core import events, paths
from hooktui.edit import azure_event_change, json_entries
from hooktui.edit.change_plan import ChangePlan
from hooktui.edit.file_steps import CannotChange, write
from hooktui.edit.locate_entry import HOSTS, locate, read, require_not_connection

if TYPE_CHECKING:
    from hooktui.core.model import Hook


def listen(hook: Hook, event: str) -> ChangePlan:
    """The plan that has a hook listen to another event, in its format's spelling. Raises CannotChange.

    A matcher goes along between events of tools; on another event it would be compared with something else, and is left out.
    """
    require_not_connection(hook)
    if event not in hosts.spec(hook.format).events:
        raise CannotChange(f"{HOSTS[hook.format]} has no {event}.")
    stands = locate(hook)
    keeps = all((events.canonical(one) or one) in matching.WITH_TOOL for one in (hook.event_as_written, event))
    try:
        moved = azure_event_change.moved if hook.format == "azure" else json_entries.moved
        text = moved(stands.text, stands.path, event, keep_matcher=keeps)
        step = write(hook.file, text)
    except ValueError as error:
        raise CannotChange(f"{paths.short(hook.file)}: {error}.") from error
    beside = [one for one in read(text, hook) if one.entry_path[0] == stands.path[0]]  # in the same document
    result = [one for one in beside if one.event_as_written == event][-1]
    without = "" if keeps or not hook.tool else ", without its matcher"
    return ChangePlan(f"Move {hook.name} to {event}{without}", hook, (step,), result=result)
