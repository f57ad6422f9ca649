"""The trash: the last deleted hooks, kept in the user's state directory, each with the step that deleted it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any, NamedTuple

from hooktui.core import ids
from hooktui.core.hook_sources import decode_source, encode_source
from hooktui.core.model import Hook, HookDirectory
from hooktui.edit import switch
from hooktui.edit.change_plan import ChangePlan, against_now
from hooktui.edit.file_entries import locate, remove_entry, require_editable
from hooktui.edit.file_steps import ChangeRefusedError, Move, Step, Write
from hooktui.runner import trust

_RECORDS = "trash"
LIMIT = 50  # hooks
# The fields kept of a deleted hook: enough to show it, and to find it in a file.
_RECORDED = ("id", "name", "event", "event_as_written", "format", "scope", "file", "line", "tool", "root", "text")


class DeletedHook(NamedTuple):
    """A hook in the trash. `record` is its record's path, `step` deleted it, `digest` was approved (else empty)."""

    hook: Hook
    project: str
    record: str
    step: Write | Move
    digest: str


def delete(hook: Hook, project: str) -> ChangePlan:
    """Plan a hook's move to the trash. Raises ChangeRefusedError with a message for the person."""
    require_editable(hook)
    name = os.path.join(switch.folder(_RECORDS), f"{ids.new():020}")
    step = Move(hook.root, name) if isinstance(hook.source, HookDirectory) else remove_entry(hook)
    fields = {**{field: getattr(hook, field) for field in _RECORDED}, "source": encode_source(hook.source)}
    record = {"hook": fields, "project": project, "digest": _approved(hook, project), "step": _encode(step)}
    return ChangePlan(f"Delete {hook.label}", hook, (switch.keep(f"{name}.json", record), step))


def restore(deleted: DeletedHook) -> ChangePlan:
    """Plan to restore a hook to its place. Raises ChangeRefusedError if something else is there now."""
    step = deleted.step.inverse()
    if isinstance(step, Write):
        step = against_now(step, deleted.hook)
    approvable = frozenset({deleted.digest} - {""})
    steps: tuple[Step, ...] = (step, *switch.forget(deleted.record))
    return ChangePlan(f"Restore {deleted.hook.label}", deleted.hook, steps, result=deleted.hook, approvable=approvable)


def contents(project: str) -> Iterator[DeletedHook]:
    """Yield the hooks of the user and of a project that can be restored, the last deleted first."""
    for path in switch.newest(_RECORDS):
        deleted = _read(path)
        if deleted is not None and (deleted.hook.scope == trust.OWN_SCOPE or deleted.project == project):
            yield deleted


def tidy() -> None:
    """Remove all but the last LIMIT hooks from the trash."""
    for path in switch.newest(_RECORDS)[LIMIT:]:
        shutil.rmtree(path.removesuffix(".json"), ignore_errors=True)
        switch.prune(path)


def _approved(hook: Hook, project: str) -> str:
    digest = trust.digest(hook)
    return digest if digest in trust.approvals(project).get(hook.identity, ()) else ""


def _encode(step: Write | Move) -> dict[str, Any]:
    if isinstance(step, Move):
        return {"source": step.source, "target": step.target}
    texts = {side: None if data is None else data.decode() for side, data in (("before", step.before), ("after", step.after))}
    return {"path": step.path, **texts, "mode": step.mode}


def _read(path: str) -> DeletedHook | None:
    """Read a record; None if it is broken, or the hook was never removed."""
    match switch.read_record(path):
        case {"hook": dict(hook), "project": str(project), "digest": str(digest), "step": dict(step)}:
            deletion, deleted = _decode_step(step), _decode_hook(hook)
            if deletion is not None and deleted is not None and _is_gone(deleted, deletion):
                return DeletedHook(deleted, project, path, deletion, digest)
    return None


def _decode_hook(plain: dict[str, Any]) -> Hook | None:
    try:
        return Hook(**{**plain, "source": decode_source(plain["source"])})
    except (KeyError, TypeError, ValueError):
        return None


def _decode_step(plain: dict[str, Any]) -> Write | Move | None:
    match plain:
        case {"source": str(source), "target": str(target)}:
            return Move(source, target)
        case {"path": str(path), "before": str(before), "after": str() | None as after}:
            mode = plain.get("mode")  # older records have none
            return Write(path, before.encode(), None if after is None else after.encode(), mode if type(mode) is int else None)
    return None


def _is_gone(hook: Hook, step: Write | Move) -> bool:
    """Whether the hook is really gone: its deletion may have been interrupted, or undone by another program."""
    if isinstance(step, Move):
        return os.path.lexists(step.target)
    try:
        locate(hook)
    except ChangeRefusedError:
        return True
    return False
