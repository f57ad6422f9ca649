"""Turn a hook off without losing it, so that its own host ignores it, and on again with the same bytes; or move its entry.

| format | off is |
|---|---|
| agenthooks | HOOK.md is renamed HOOK.md.off |
| claude, vscode, copilot | the entry moves to `off` beside the `hooks` of its group: no host reads that key |
| kimi | the entry moves to the list `hooks_off` beside `hooks` |
| azure | `enabled: false`; of a global hook `activationMode: onDemand` |
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

from hooktui import hosts
from hooktui.core import events, paths
from hooktui.core.model import AzureEntry, HookDirectory
from hooktui.edit.change_plan import ChangePlan, against_now
from hooktui.edit.file_entries import HOSTS, identity, locate, read, require_editable
from hooktui.edit.file_steps import ChangeRefusedError, Move, Write, content, write
from hooktui.formats import toml_edit
from hooktui.formats.agenthooks.hook_file import HOOK_FILE, OFF_FILE
from hooktui.formats.json_hooks import json_edit
from hooktui.formats.json_hooks.entry_fields import OFF, OFF_LIST, in_group
from hooktui.formats.text_edit import APPEND
from hooktui.formats.yaml_source import folded
from hooktui.runner import matching

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.core.model import EntryPath, Hook
    from hooktui.edit.document import Document
    from hooktui.edit.file_entries import LocatedEntry

_RECORDS = "switched-off"
_RECORD_LIMIT = 50
# What turns an Azure hook off, key and value folded, and the value that turns it on.
_ON: Mapping[tuple[str, str], object] = {("enabled", "false"): True, ("activationmode", "ondemand"): "always"}


def switch(hook: Hook, on: bool) -> ChangePlan:
    """Plan to turn a hook on or off. Raises ChangeRefusedError with a message for the person."""
    title = f"Turn {hook.label} {'on' if on else 'off'}"
    require_editable(hook)
    if isinstance(hook.source, HookDirectory):
        target = os.path.join(hook.root, HOOK_FILE if on else OFF_FILE)
        return ChangePlan(title, hook, (Move(hook.file, target),), result=hook.replace(file=target, enabled=on))
    located = locate(hook)
    _require_switchable(hook, located, on)
    key = json.dumps((located.hook.format, located.hook.file, *_lasting_identity(located.hook)))
    record = os.path.join(folder(_RECORDS), f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json")
    try:
        step = (_restored(hook, record) if on else None) or write(hook.file, _edited(located, on))
    except ValueError as error:
        raise ChangeRefusedError(f"{paths.short(hook.file)}: {error}.") from error
    # Both texts decode, or the hook could not have been read.
    texts = {"before": (step.before or b"").decode(), "after": (step.after or b"").decode()}
    memory = forget(record) if on else (keep(record, {"path": step.path, **texts}),)
    return ChangePlan(title, hook, (step, *memory), result=_result(step, located.hook, on))


def tidy() -> None:
    """Delete the oldest records of how entries were written; the entries can be turned on without them."""
    for path in newest(_RECORDS)[_RECORD_LIMIT:]:
        prune(path)


def _require_switchable(hook: Hook, located: LocatedEntry, on: bool) -> None:
    host = HOSTS[hook.format]
    spec = hosts.json_spec(hook.format)
    if spec and spec.entry.shape == "groups" and not in_group(located.path):
        raise ChangeRefusedError(f"{host} skips the whole file because this entry is not in a group: fix that first.")
    if spec and spec.entry.shape == "flat" and not on and hook.event_as_written not in spec.events:
        raise ChangeRefusedError(f"{host} has no event {hook.event_as_written}: fix that first.")
    if spec and on and {OFF, OFF_LIST}.isdisjoint(located.path):
        raise ChangeRefusedError(
            f"{hook.label} cannot be turned on here: {hook.why_disabled or f'{host} settings disable it'}."
        )
    if isinstance(hook.source, AzureEntry) and not on and not located.hook.enabled:
        raise ChangeRefusedError("Your configuration turns this hook on ([hooks] enable): remove it there.")


def _edited(located: LocatedEntry, on: bool) -> str:
    document, path, spec = located.document, located.path, hosts.spec(located.hook.format)
    if isinstance(located.hook.source, AzureEntry):
        if on:
            return _azure_on(located)
        is_agent = located.hook.scope == "agent"
        place, value = ((*path, "enabled"), False) if is_agent else ((*path[:-1], "activationMode"), "onDemand")
        return document.set(place, value).text
    if document.is_toml:
        name = "hooks" if on else OFF if in_group(path) else OFF_LIST
        return toml_edit.rename_list(document.text, path, name)
    return (
        put_back(document, path, nested=spec.entry.shape == "groups")
        if on
        else set_aside(document, path, flat_only=spec.entry.shape == "flat")
    )


def set_aside(document: Document, path: EntryPath, *, flat_only: bool) -> str:
    """Return a JSON text with an entry moved to `off`: in its group, beside `hooks`, or in a new group.

    `flat_only`: the host has no groups; then `off` is next to its `hooks`. Raises ValueError.
    """
    if flat_only:
        return document.move_entry(path, (OFF, path[-2])).text
    if in_group(path):
        return json_edit.move(document.text, path, (*path[:-2], OFF))
    written = json_edit.written(document.text, path)
    return json_edit.put_written(document.text, path, {"hooks": [], OFF: [json_edit.HERE]}, written)


def put_back(document: Document, path: EntryPath, *, nested: bool) -> str:
    """Return a JSON text with an entry moved from `off` to `hooks`. `nested`: the host reads groups only. Raises ValueError."""
    group, place = path[:-2], (*path[:-2], "hooks")
    own = json_edit.written(document.text, path)
    if group == (OFF,):
        without, place = document.remove_entry(path), ("hooks", path[-2])
        without = without if without.node(group).entries else without.remove(group)
    elif not nested and document.node(group).value == {"hooks": [], OFF: [document.node(path).value]}:
        return json_edit.put_written(document.text, group, json_edit.HERE, own)
    else:
        without = document.remove(path)
        without = without if without.node((*group, OFF)).items else without.remove((*group, OFF))
    return json_edit.put_written(without.text, (*place, APPEND), json_edit.HERE, own)


def _azure_on(located: LocatedEntry) -> str:
    """Return the text without anything that turns the hook off."""
    document, path = located.document, located.path
    for place in (path,) if located.hook.scope == "agent" else (path[:1], path[:-1], path):
        for key, value in document.node(place).entries:
            turned_on = _ON.get((folded(key.value), folded(str(value.value))))
            if turned_on is not None:
                document = document.set((*place, key.value), turned_on)
    return document.text


def _restored(hook: Hook, record: str) -> Write | None:
    """Plan the step that restores the file from before the hook was turned off; None if no record fits."""
    match read_record(record):
        case {"path": hook.file, "before": str(before), "after": str(after)}:
            with contextlib.suppress(ChangeRefusedError):
                return against_now(Write(hook.file, after.encode(), before.encode()), hook)
    return None


def _result(step: Write, hook: Hook, on: bool) -> Hook:
    hooks = [other for other in read((step.after or b"").decode(), hook) if other.enabled is on]
    same = [other for other in hooks if _lasting_identity(other) == _lasting_identity(hook)]
    return next((other for other in same if other.id == hook.id), same[0] if same else hook.replace(enabled=on))


def _lasting_identity(hook: Hook) -> tuple[object, ...]:
    """What stays the same when a hook is turned off; the text of an Azure hook changes."""
    return (hook.id,) if isinstance(hook.source, AzureEntry) else identity(hook)


def folder(name: str) -> str:
    """Return the directory for records of a kind; its parent is created for the user alone."""
    paths.make_directories(paths.state_dir())
    return os.path.join(paths.state_dir(), name)


def keep(path: str, record: Mapping[str, Any]) -> Write:
    """Plan the step that writes a record."""
    current = content(path)
    made = () if current is not None else paths.missing_directories(os.path.dirname(path))
    return Write(path, current, json.dumps(record, indent=2).encode() + b"\n", 0o600, made)


def forget(path: str) -> tuple[Write, ...]:
    """Plan the step that deletes a record, if it exists."""
    current = content(path)
    return () if current is None else (Write(path, current, None, 0o600),)


def read_record(path: str) -> dict[str, Any]:
    """Read a record; empty if it is missing or broken."""
    try:
        record = json.loads(content(path) or b"{}")
    except (ChangeRefusedError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def newest(name: str) -> list[str]:
    """List the paths of the records of a kind, the newest first."""
    try:
        records = [os.path.join(folder(name), file) for file in os.listdir(folder(name)) if file.endswith(".json")]
        return sorted(records, key=lambda path: (_age(path), path), reverse=True)
    except OSError:
        return []


def prune(path: str) -> None:
    """Delete a record; on failure it stays until the next time."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def _age(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except FileNotFoundError:
        return 0


def change_event(hook: Hook, event: str) -> ChangePlan:
    """Plan a hook's move to another event, in its format's spelling. Raises ChangeRefusedError.

    The entry keeps its own bytes. Its matcher is kept between tool events; on any other event it would match something else,
    so it is dropped.
    """
    require_editable(hook)
    if event not in hosts.spec(hook.format).events:
        raise ChangeRefusedError(f"{HOSTS[hook.format]} has no {event}.")
    located = locate(hook)
    keeps = all((events.canonical(name) or name) in matching.WITH_TOOL for name in (hook.event_as_written, event))
    try:
        text = moved(located.document, located.path, event, keep_matcher=keeps).text
        step = write(hook.file, text)
    except ValueError as error:
        raise ChangeRefusedError(f"{paths.short(hook.file)}: {error}.") from error
    found = [other for other in read(text, hook) if other.event_as_written == event]
    if isinstance(hook.source, AzureEntry):
        found = [other for other in found if other.entry_path[0] == located.path[0]]  # in the same document
    result = next((other for other in found if other.entry_path == located.path), found[-1])
    without = "" if keeps or not hook.tool else ", without its matcher"
    return ChangePlan(f"Move {hook.label} to {event}{without}", hook, (step,), result=result)


def moved(document: Document, path: EntryPath, event: str, *, keep_matcher: bool) -> Document:
    """Return the document with an entry at the end of another event's list, with its group if it is the only entry there.

    Raises ValueError.
    """
    group = path[:-2] if in_group(path) else path
    entries = [value.items for key, value in document.node(group).entries if key.value in ("hooks", OFF)]
    alone = not in_group(path) or sum(map(len, entries)) == 1
    matcher = document.node(group).value.get("matcher")
    if alone and not keep_matcher and matcher is not None:
        document = document.remove((*group, "matcher"))
    if hosts.spec(document.format).entry.shape == "list":
        return document.set((*path, "event"), event)
    place = (*document.events_of(path), event)
    if alone:
        return document.move_entry(group, place)
    kept = {} if matcher is None or not keep_matcher else {"matcher": matcher}
    needs_list = path[-2] == OFF and not document.is_toml
    return document.move_entry(path, place, {**kept, "hooks": []} if needs_list else kept)
