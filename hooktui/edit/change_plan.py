"""A change of hook files: planned and shown first, then applied completely or not at all, and undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from hooktui import formats
from hooktui.connect import json_text
from hooktui.connect.disconnection import taken_back
from hooktui.core import paths
from hooktui.core.model import Hook, HookDirectory
from hooktui.edit import approval
from hooktui.edit.file_entries import read
from hooktui.edit.file_steps import ChangeRefusedError, FileTree, Mode, Move, Step, Write, content, do_all
from hooktui.runner import trust

Fate = Literal["kept", "approximated", "lost"]


class ConvertedField(NamedTuple):
    """What becomes of one field of a hook in another place or format; `note` explains it to a person."""

    field: str
    fate: Fate
    note: str


class ChangePlan(NamedTuple):
    """The steps of a change. `title` is a short command; `result` is the hook afterwards, None if it is removed.

    `approvable`: digests that a person approved before, so that hooks with these contents are approved again. `own`: a person
    asked for the result interactively, so it is approved.
    """

    title: str
    hook: Hook
    steps: tuple[Step, ...]
    fields: tuple[ConvertedField, ...] = ()
    result: Hook | None = None
    approvable: frozenset[str] = frozenset()
    own: bool = False


class AppliedChange(NamedTuple):
    """A plan that was applied, with the digests that were approved before."""

    plan: ChangePlan
    approved: frozenset[str]


def carry_out(plan: ChangePlan, project: str) -> AppliedChange:
    """Apply a plan. Approved hooks stay approved if nothing else has changed them.

    Raises ChangeRefusedError or ChangedError if the files are not those of the plan, OSError if one cannot be written. Then
    nothing changes.
    """
    # The approved hooks in the formats that the plan changes
    approvals = trust.approvals(project)
    digests = {hook.identity: trust.digest(hook) for hook in _present(plan, project) if hook.identity in approvals}
    before = {key: digest for key, digest in digests.items() if digest in approvals[key]}
    do_all(plan.steps)
    _approve(plan, project, plan.approvable.union(before.values()), before)
    return AppliedChange(plan, frozenset(before.values()))


def undone(change: AppliedChange) -> ChangePlan:
    """Plan to undo a change, keeping what others have changed since. Raises ChangeRefusedError if that is impossible."""
    plan = change.plan
    steps = tuple(_against_now(step.inverse(), plan) for step in reversed(plan.steps))
    return ChangePlan(f"Undo: {plan.title}", plan.hook, steps, result=plan.hook, approvable=change.approved)


def against_now(step: Write, hook: Hook) -> Write:
    """Adapt a step to the file's present content. Raises ChangeRefusedError."""
    now = content(step.path)
    if now == step.before:
        return step
    merged = None if now is None else _merged(step, now, hook)
    if merged is None:
        raise ChangeRefusedError(f"{paths.short(step.path)} has changed in the same place since.")
    return Write(step.path, now, merged, step.mode, step.made)


def _against_now(step: Step, plan: ChangePlan) -> Step:
    if not isinstance(step, Write):
        return step
    return against_now(step, plan.result if plan.result and plan.result.file == step.path else plan.hook)


def _merged(step: Write, now: bytes, hook: Hook) -> bytes | None:
    """Merge a step into the present content; None if that would add or remove other hooks than the step."""
    if step.before is None or step.after is None:
        return None
    try:
        before, after, text = (data.decode() for data in (step.before, step.after, now))
    except UnicodeDecodeError:
        return None
    merged = taken_back(after, before, text)
    if merged is None or _has_more_commas(merged, text, step.path):
        return None
    wanted = _hooks(text, hook)
    wanted.subtract(_hooks(before, hook))
    wanted.update(_hooks(after, hook))
    return merged.encode() if _hooks(merged, hook) == wanted else None


def _has_more_commas(merged: str, text: str, path: str) -> bool:
    """Whether a merged JSON text ends a list or object with a comma that a strict host would not read."""
    return path.endswith(".json") and json_text.dangling_commas(merged, path) > json_text.dangling_commas(text, path)


def _hooks(text: str, like: Hook) -> Counter[tuple[object, ...]]:
    return Counter((hook.event_as_written, hook.tool, hook.text, hook.enabled) for hook in read(text, like))


def _approve(plan: ChangePlan, project: str, contents: frozenset[str], before: dict[str, str]) -> None:
    """Approve hooks that only got another identity, and the result if its source was approved or is the user's own."""
    present = _present(plan, project)
    source = plan.own or trust.is_own(plan.hook) or plan.hook.identity in before
    digests = {hook.identity: trust.digest(hook) for hook in present}
    is_own = source and all(map(_is_applied, plan.steps))
    own = {hook.identity for hook in present if is_own and is_made(hook, plan.result)}
    fresh = {key: digest for key, digest in digests.items() if digest in contents or key in own}
    still = {hook.identity: trust.digest(hook) for hook in present}  # files may have changed in between
    settled = dict(fresh.items() & still.items() - before.items())
    if settled:
        approval.approve(project, [(hook, settled[hook.identity]) for hook in present if hook.identity in settled])


def _present(plan: ChangePlan, project: str) -> Sequence[Hook]:
    names = {plan.hook.format, *([plan.result.format] if plan.result else [])}
    hooks = (hook for name in names for hook in formats.load(name).discover(project).hooks)
    return [hook for hook in hooks if trust.needs_approval(hook)]


def is_made(hook: Hook, result: Hook | None) -> bool:
    """Whether a hook is the result of a plan. A HOOK.md has only one hook."""
    if result is None or hook.file != result.file:
        return False
    return isinstance(hook.source, HookDirectory) or (hook.event, hook.text) == (result.event, result.text)


def _is_applied(step: Step) -> bool:
    match step:
        case Write():
            return content(step.path) == step.after
        case FileTree(gone=False):
            return step.is_applied()
        case Mode() | Move() | FileTree():
            return False
