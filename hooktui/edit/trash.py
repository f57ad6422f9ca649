"""Deleted hooks, kept in the user's state until the fiftieth after them: each as the step that deleted it (architecture.md)."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hooktui.core import ids
from hooktui.core.model import Hook, HookDirectory, decode_source, encode_source
from hooktui.edit import disabled_entries
from hooktui.edit.change_plan import ChangePlan, against_now
from hooktui.edit.file_steps import CannotChange, Move, Write
from hooktui.edit.locate_entry import locate, require_not_connection
from hooktui.edit.remove_entry import taken_out
from hooktui.security import trust

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.edit.file_steps import Step

_RECORDS = "trash"
LIMIT = 50  # hooks
# What is known of a deleted hook: enough to show it, and to find it again.
_KEPT = ("id", "name", "event", "event_as_written", "format", "scope", "file", "line", "tool", "root", "text")


@dataclass(frozen=True, slots=True)
class DeletedHook:
    """A hook in the trash. `record` is the path of what is known of it, `step` what deleted it, `digest` what was approved."""

    hook: Hook
    project: str
    record: str
    step: Write | Move
    digest: str


def delete(hook: Hook, project: str) -> ChangePlan:
    """The plan that moves a hook to the trash. Raises CannotChange with a sentence for the person."""
    require_not_connection(hook)
    name = os.path.join(disabled_entries.folder(_RECORDS), f"{ids.new():020}")
    step = Move(hook.root, name) if isinstance(hook.source, HookDirectory) else taken_out(hook)
    known = {**{field: getattr(hook, field) for field in _KEPT}, "source": encode_source(hook.source)}
    record = {"hook": known, "project": project, "digest": _approved(hook, project), "step": _written(step)}
    return ChangePlan(f"Delete {hook.name}", hook, (disabled_entries.keep(f"{name}.json", record), step))


def restore(deleted: DeletedHook) -> ChangePlan:
    """The plan that brings a hook back where it was. Raises CannotChange when something else stands there now."""
    step = deleted.step.inverse()
    if isinstance(step, Write):
        step = against_now(step, deleted.hook)
    vouched = frozenset({deleted.digest} - {""})
    steps: tuple[Step, ...] = (step, *disabled_entries.forget(deleted.record))
    return ChangePlan(f"Restore {deleted.hook.name}", deleted.hook, steps, result=deleted.hook, vouched=vouched)


def contents(project: str) -> Iterator[DeletedHook]:
    """The hooks of the user and of a project that can be brought back, the last deleted first."""
    for path in disabled_entries.newest(_RECORDS):
        found = _read(path)
        if found is not None and (found.hook.scope == trust.OWN_SCOPE or found.project == project):
            yield found


def tidy() -> None:
    """Empty the trash of what is older than the last LIMIT hooks."""
    for path in disabled_entries.newest(_RECORDS)[LIMIT:]:
        shutil.rmtree(path.removesuffix(".json"), ignore_errors=True)
        disabled_entries.prune(path)


def _approved(hook: Hook, project: str) -> str:
    digest = trust.digest(hook)
    return digest if trust.approvals(project).get(hook.id) == digest else ""


def _written(step: Write | Move) -> dict[str, Any]:
    if isinstance(step, Move):
        return {"source": step.source, "target": step.target}
    texts = {side: None if data is None else data.decode() for side, data in (("before", step.before), ("after", step.after))}
    return {"path": step.path, **texts, "mode": step.mode}


def _read(path: str) -> DeletedHook | None:
    """A hook in the trash; None when the record is broken, or the hook was never taken away."""
    match disabled_entries.read(path):
        case {"hook": dict(hook), "project": str(project), "digest": str(digest), "step": dict(step)}:
            found = _step(step)
            gone = _hook(hook)
            if found is not None and gone is not None and _is_gone(gone, found):
                return DeletedHook(gone, project, path, found, digest)
    return None


def _hook(plain: dict[str, Any]) -> Hook | None:
    try:
        return Hook(**{**plain, "source": decode_source(plain["source"])})
    except (KeyError, TypeError, ValueError):
        return None


def _step(plain: dict[str, Any]) -> Write | Move | None:
    match plain:
        case {"source": str(source), "target": str(target)}:
            return Move(source, target)
        case {"path": str(path), "before": str(before), "after": str() | None as after}:
            mode = plain.get("mode")  # older records have none
            return Write(path, before.encode(), None if after is None else after.encode(), mode if type(mode) is int else None)
    return None


def _is_gone(hook: Hook, step: Write | Move) -> bool:
    """Whether there is something to bring back: a deletion may have been interrupted, or undone by another program."""
    if isinstance(step, Move):
        return os.path.lexists(step.target)
    try:
        locate(hook)
    except CannotChange:
        return True
    return False
