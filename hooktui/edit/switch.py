"""Turning a hook off without losing it, so that its own host leaves it alone, and on again to the very bytes.

| format | off is |
|---|---|
| agenthooks | HOOK.md is called HOOK.md.off |
| claude, vscode, copilot | the entry stands in `off` beside the `hooks` of its group: no host reads that key |
| azure | `enabled: false`; of a global hook `activationMode: onDemand` |
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import paths
from hooktui.core.model import HookDirectory
from hooktui.edit import disabled_entries, json_entries
from hooktui.edit.change_plan import ChangePlan, against_now
from hooktui.edit.file_steps import CannotChange, Move, Write, write
from hooktui.edit.locate_entry import HOSTS, identity, locate, read, require_not_connection
from hooktui.formats.agenthooks.hook_file import HOOK_FILE, OFF_FILE
from hooktui.formats.azure import azure_edit
from hooktui.formats.azure.azure_entry import folded
from hooktui.formats.json_hooks.json_hooks import OFF

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.core.model import Hook
    from hooktui.edit.locate_entry import LocatedEntry

_RECORDS = "switched-off"
_RECORD_LIMIT = 50
# What keeps a hook of Azure's off, key and value folded, and what takes its place.
_ON: Mapping[tuple[str, str], object] = {("enabled", "false"): True, ("activationmode", "ondemand"): "always"}


def switch(hook: Hook, on: bool) -> ChangePlan:
    """The plan that turns a hook on or off. Raises CannotChange with a sentence for the person."""
    title = f"Turn {hook.name} {'on' if on else 'off'}"
    if isinstance(hook.source, HookDirectory):
        target = os.path.join(hook.root, HOOK_FILE if on else OFF_FILE)
        return ChangePlan(title, hook, (Move(hook.file, target),), result=hook.replace(file=target, enabled=on))
    require_not_connection(hook)
    stands = locate(hook)
    _require_switchable(hook, stands, on)
    record = _record(stands.hook)
    try:
        step = (_as_it_was(hook, record) if on else None) or write(hook.file, _edited(stands, on))
    except ValueError as error:
        raise CannotChange(f"{paths.short(hook.file)}: {error}.") from error
    memory = disabled_entries.forget(record) if on else (disabled_entries.keep(record, _remembered(step)),)
    return ChangePlan(title, hook, (step, *memory), result=_result(step, stands.hook, on))


def tidy() -> None:
    """Forget how the oldest of many switched-off entries were written: they can be switched on all the same."""
    for path in disabled_entries.newest(_RECORDS)[_RECORD_LIMIT:]:
        disabled_entries.prune(path)


def _require_switchable(hook: Hook, stands: LocatedEntry, on: bool) -> None:
    host = HOSTS[hook.format]
    spec = hosts.json_spec(hook.format)
    if spec and spec.entry.nested and not json_entries.in_group(stands.path):
        raise CannotChange(f"{host} skips the whole file because this entry stands outside of a group: mend that first.")
    if spec and on and stands.path[-2] != OFF:
        raise CannotChange(f"disableAllHooks keeps all hooks of {host} off: take it out of its settings.")
    if hook.format == "azure" and not on and not stands.hook.enabled:
        raise CannotChange("Your configuration switches it on ([hooks] enable): take it out there.")


def _edited(stands: LocatedEntry, on: bool) -> str:
    if stands.hook.format == "azure":
        return _azure_on(stands) if on else _azure_off(stands)
    if on:
        return json_entries.put_back(stands.text, stands.path, nested=hosts.spec(stands.hook.format).entry.nested)
    return json_entries.set_aside(stands.text, stands.path)


def _azure_off(stands: LocatedEntry) -> str:
    if stands.hook.scope == "agent":
        return azure_edit.edit_entry(stands.text, (*stands.path, "enabled"), False)
    return azure_edit.edit_entry(stands.text, (*stands.path[:-1], "activationMode"), "onDemand")


def _azure_on(stands: LocatedEntry) -> str:
    """The text without anything that keeps the hook off."""
    text, path = stands.text, stands.path
    for place in (path,) if stands.hook.scope == "agent" else (path[:1], path[:-1], path):
        for key, value in azure_edit.node(text, place).entries:
            meant = _ON.get((folded(key.value), folded(str(value.value))))
            if meant is not None:
                text = azure_edit.edit_entry(text, (*place, key.value), meant)
    return text


def _remembered(step: Write) -> dict[str, str]:
    """How the file was written before and after; both are texts, or the hook could not have been read."""
    return {"path": step.path, "before": (step.before or b"").decode(), "after": (step.after or b"").decode()}


def _as_it_was(hook: Hook, record: str) -> Write | None:
    """The step that makes the file what it was before the hook was switched off; None when that is not known any more."""
    match disabled_entries.read(record):
        case {"path": hook.file, "before": str(before), "after": str(after)}:
            with contextlib.suppress(CannotChange):
                return against_now(Write(hook.file, after.encode(), before.encode()), hook)
    return None


def _result(step: Write, hook: Hook, on: bool) -> Hook:
    """The hook as it is read from its file afterwards."""
    after = [one for one in read((step.after or b"").decode(), hook) if one.enabled is on]
    known = _same(hook)
    return next((one for one in after if _same(one) == known and one.id == hook.id), None) or next(
        (one for one in after if _same(one) == known), hook.replace(enabled=on)
    )


def _same(hook: Hook) -> tuple[object, ...]:
    """What stays of a hook when it is switched off: Azure's have a name, and their text tells that they are off."""
    return (hook.id,) if hook.format == "azure" else identity(hook)


def _record(hook: Hook) -> str:
    key = json.dumps((hook.format, hook.file, *_same(hook)))
    return os.path.join(disabled_entries.folder(_RECORDS), f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json")
