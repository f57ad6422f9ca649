"""Turn a hook off without losing it, so that its own host ignores it, and on again with the same bytes.

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
from hooktui.core import paths
from hooktui.core.model import AzureEntry, HookDirectory
from hooktui.edit import file_entries
from hooktui.edit.change_plan import ChangePlan, against_now
from hooktui.edit.file_entries import HOSTS, identity, locate, read, require_editable
from hooktui.edit.file_steps import CannotChange, Move, Write, content, write
from hooktui.formats.agenthooks.hook_file import HOOK_FILE, OFF_FILE
from hooktui.formats.azure import azure_edit
from hooktui.formats.azure.azure_entry import folded
from hooktui.formats.json_hooks.entry_fields import OFF, OFF_LIST, in_group

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.core.model import Hook
    from hooktui.edit.file_entries import LocatedEntry

_RECORDS = "switched-off"
_RECORD_LIMIT = 50
# What turns an Azure hook off, key and value folded, and the value that turns it on.
_ON: Mapping[tuple[str, str], object] = {("enabled", "false"): True, ("activationmode", "ondemand"): "always"}


def switch(hook: Hook, on: bool) -> ChangePlan:
    """Plan to turn a hook on or off. Raises CannotChange with a message for the person."""
    title = f"Turn {hook.label} {'on' if on else 'off'}"
    if isinstance(hook.source, HookDirectory):
        target = os.path.join(hook.root, HOOK_FILE if on else OFF_FILE)
        return ChangePlan(title, hook, (Move(hook.file, target),), result=hook.replace(file=target, enabled=on))
    require_editable(hook)
    located = locate(hook)
    _require_switchable(hook, located, on)
    record = _record(located.hook)
    try:
        step = (_restored(hook, record) if on else None) or write(hook.file, _edited(located, on))
    except ValueError as error:
        raise CannotChange(f"{paths.short(hook.file)}: {error}.") from error
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
    if spec and spec.entry.nested and not in_group(located.path):
        raise CannotChange(f"{host} skips the whole file because this entry is not in a group: fix that first.")
    if spec and on and {OFF, OFF_LIST}.isdisjoint(located.path):
        raise CannotChange(f"{hook.label} cannot be turned on here: {hook.why_disabled or f'{host} settings disable it'}.")
    if isinstance(hook.source, AzureEntry) and not on and not located.hook.enabled:
        raise CannotChange("Your configuration turns this hook on ([hooks] enable): remove it there.")


def _edited(located: LocatedEntry, on: bool) -> str:
    text, path = located.text, located.path
    if isinstance(located.hook.source, AzureEntry):
        if on:
            return _azure_on(located)
        if located.hook.scope == "agent":
            return azure_edit.edit_entry(text, (*path, "enabled"), False)
        return azure_edit.edit_entry(text, (*path[:-1], "activationMode"), "onDemand")
    if on:
        return file_entries.put_back(text, located.hook.file, path, nested=hosts.spec(located.hook.format).entry.nested)
    return file_entries.set_aside(text, located.hook.file, path, flat_only=hosts.spec(located.hook.format).entry.flat_only)


def _azure_on(located: LocatedEntry) -> str:
    """Return the text without anything that turns the hook off."""
    text, path = located.text, located.path
    for place in (path,) if located.hook.scope == "agent" else (path[:1], path[:-1], path):
        for key, value in azure_edit.node(text, place).entries:
            turned_on = _ON.get((folded(key.value), folded(str(value.value))))
            if turned_on is not None:
                text = azure_edit.edit_entry(text, (*place, key.value), turned_on)
    return text


def _restored(hook: Hook, record: str) -> Write | None:
    """Plan the step that restores the file from before the hook was turned off; None if no record fits."""
    match read_record(record):
        case {"path": hook.file, "before": str(before), "after": str(after)}:
            with contextlib.suppress(CannotChange):
                return against_now(Write(hook.file, after.encode(), before.encode()), hook)
    return None


def _result(step: Write, hook: Hook, on: bool) -> Hook:
    """Return the hook as its file will hold it."""
    hooks = [other for other in read((step.after or b"").decode(), hook) if other.enabled is on]
    same = [other for other in hooks if _lasting_identity(other) == _lasting_identity(hook)]
    return next((other for other in same if other.id == hook.id), same[0] if same else hook.replace(enabled=on))


def _lasting_identity(hook: Hook) -> tuple[object, ...]:
    """What stays the same when a hook is turned off; the text of an Azure hook changes."""
    return (hook.id,) if isinstance(hook.source, AzureEntry) else identity(hook)


def _record(hook: Hook) -> str:
    key = json.dumps((hook.format, hook.file, *_lasting_identity(hook)))
    return os.path.join(folder(_RECORDS), f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json")


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
    except (CannotChange, ValueError, RecursionError):
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
