"""A change of a person's hooks: planned and shown first, then carried out whole or not at all, and taken back."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hooktui import formats
from hooktui.connect.disconnection import taken_back
from hooktui.core import paths
from hooktui.core.model import HookDirectory
from hooktui.edit.file_steps import CannotChange, FileTree, Mode, Move, Write, content, do_all
from hooktui.security import approval, trust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Hook
    from hooktui.edit.file_steps import Step

Fate = Literal["kept", "approximated", "lost"]


@dataclass(frozen=True, slots=True)
class ConvertedField:
    """What becomes of one field of a hook in another place or format; `note` explains it to a person."""

    field: str
    fate: Fate
    note: str


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """What would be done. `title` is an order in a few words; `result` the hook as it will be, None when it goes.

    `vouched` are digests of trust that the hooks may be approved by again: a person has approved just these contents. `own`: a
    person has asked for the result, there and then, which is approved as it is made.
    """

    title: str
    hook: Hook
    steps: tuple[Step, ...]
    fields: tuple[ConvertedField, ...] = ()
    result: Hook | None = None
    vouched: frozenset[str] = frozenset()
    own: bool = False


@dataclass(frozen=True, slots=True)
class AppliedChange:
    """A plan that was carried out, with the digests that were approved before."""

    plan: ChangePlan
    approved: frozenset[str]


def carry_out(plan: ChangePlan, project: str) -> AppliedChange:
    """Do what a plan says. What was approved stays approved if nothing but this has changed.

    Raises CannotChange or saving.ChangedError when the files are not what the plan was made for, OSError when one cannot be
    written; then every file is as it was.
    """
    before = _approved(plan, project)
    do_all(plan.steps)
    _approve(plan, project, plan.vouched.union(before.values()), before)
    return AppliedChange(plan, frozenset(before.values()))


def undone(change: AppliedChange) -> ChangePlan:
    """The plan that takes a change back; what others have changed meanwhile stays. Raises CannotChange when that cannot be."""
    plan = change.plan
    steps = tuple(_against_now(step.inverse(), plan) for step in reversed(plan.steps))
    return ChangePlan(f"Take back: {plan.title}", plan.hook, steps, result=plan.hook, vouched=change.approved)


def against_now(step: Write, hook: Hook) -> Write:
    """The step for the hook's file as it is now, made from what the step was planned for. Raises CannotChange."""
    now = content(step.path)
    if now == step.before:
        return step
    merged = None if now is None else _merged(step, now, hook)
    if merged is None:
        raise CannotChange(f"{paths.short(step.path)} has changed at the same place since.")
    return Write(step.path, now, merged, step.mode, step.made)


def _against_now(step: Step, plan: ChangePlan) -> Step:
    if not isinstance(step, Write):
        return step
    there = plan.result is not None and plan.result.file == step.path
    return against_now(step, plan.result if there and plan.result else plan.hook)


def _merged(step: Write, now: bytes, hook: Hook) -> bytes | None:
    """The file as it is now with the step's change in it, if that adds and removes just the hooks that the step does."""
    if step.before is None or step.after is None:
        return None
    try:
        before, after, text = (data.decode() for data in (step.before, step.after, now))
    except UnicodeDecodeError:
        return None
    merged = taken_back(after, before, text)
    if merged is None:
        return None
    wanted = _hooks(text, hook)
    wanted.subtract(_hooks(before, hook))
    wanted.update(_hooks(after, hook))
    return merged.encode() if _hooks(merged, hook) == wanted else None


def _hooks(text: str, like: Hook) -> Counter[tuple[object, ...]]:
    """The hooks of a file, and how often each is in it."""
    parsed = formats.load(like.format).parse(text, like.file, like.scope)
    return Counter((hook.event_as_written, hook.tool, hook.text, hook.enabled) for hook in parsed.hooks)


def _approved(plan: ChangePlan, project: str) -> dict[str, str]:
    """The approved hooks of the formats that a plan changes: digest by id."""
    known = trust.approvals(project)
    digests = {hook.id: trust.digest(hook) for hook in _present(plan, project) if hook.id in known}
    return {key: digest for key, digest in digests.items() if digest == known[key]}


def _approve(plan: ChangePlan, project: str, contents: frozenset[str], before: dict[str, str]) -> None:
    """Approve again what stands under another id now, and what came from a hook that was approved or the person's own."""
    present = _present(plan, project)
    source = plan.own or plan.hook.scope == trust.OWN_SCOPE or plan.hook.id in before
    digests = {hook.id: trust.digest(hook) for hook in present}
    own = {hook.id for hook in present if is_made(hook, plan.result)} if source and all(map(_stands, plan.steps)) else set()
    fresh = {key: digest for key, digest in digests.items() if digest in contents or key in own}
    still = {hook.id: trust.digest(hook) for hook in present}  # what stood was read in between
    settled = dict(fresh.items() & still.items() - before.items())
    if settled:
        approval.approve(project, [(hook, settled[hook.id]) for hook in present if hook.id in settled])


def _present(plan: ChangePlan, project: str) -> Sequence[Hook]:
    names = {plan.hook.format, *([plan.result.format] if plan.result else [])}
    found = (hook for name in names for hook in formats.load(name).discover(project).hooks)
    return [hook for hook in found if hook.scope != trust.OWN_SCOPE and trust.needs_approval(hook)]


def is_made(hook: Hook, result: Hook | None) -> bool:
    """Whether a hook that was found is the one that a plan has made; a HOOK.md holds only one, and its script came with it."""
    if result is None or hook.file != result.file:
        return False
    return isinstance(hook.source, HookDirectory) or (hook.event, hook.text) == (result.event, result.text)


def _stands(step: Step) -> bool:
    """Whether just what was written is there: nobody else has had a hand in it."""
    match step:
        case Write():
            return content(step.path) == step.after
        case FileTree(gone=False):
            return step.stands()
        case Mode() | Move() | FileTree():
            return False
