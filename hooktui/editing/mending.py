"""Fixes, one or all safe ones in one step: planned and shown first, then carried out whole or not at all, and taken back."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from hooktui import paths, saving, trust
from hooktui.changing.steps import CannotChange, Mode, Move, Write, diffs, do_all, write
from hooktui.diagnostics import fixes
from hooktui.editing import missing
from hooktui.editing.keeping import Approvals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from hooktui.changing.steps import Step
    from hooktui.model import Diagnostic, Fix, Hook

    Fixable = tuple[Diagnostic, Fix]
    Mended = tuple[Step, list[Diagnostic]]  # a step, and the problems that it mends
    Kinds = Mapping[str, Callable[[Sequence[Fixable]], Iterator[Mended]]]

# Codes of fixes that choose a meaning: what a guard looks for, how long it may take, whether it denies, what a script reads
# or does. Only its person knows what was meant, so each is for `f`, where they see it, and none for `F`.
_GUESSES = ("bad-regex", "unit-suspect", "undefined-field", "weak-exit", "missing-entry", "missing-script")
_EXECUTABLE = 0o755


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be done: the problems that would be mended, and the steps that do it."""

    mended: tuple[Diagnostic, ...]
    steps: tuple[Step, ...]

    def inverse(self) -> Plan:
        """What takes it back."""
        return Plan(self.mended, tuple(step.inverse() for step in reversed(self.steps)))


def plan(problems: Iterable[Diagnostic], hooks: Sequence[Hook]) -> Plan:
    """All safe fixes of these problems of these hooks, for the files as they are now.

    Left out is what does not fit any more, what cannot be written, and of two fixes of one place the first: once the hooks
    were read again, there is another plan for it.
    """
    return _planned((one for one in problems if one.code not in _GUESSES and not _takes_a_name(one, hooks)), hooks)


def plan_one(problem: Diagnostic, hooks: Iterable[Hook]) -> Plan:
    """The fix of one problem of these hooks, which its person has seen.

    Raises CannotChange when it fits no more, or cannot be written.
    """
    only = _planned((problem,), hooks)
    if not only.steps:
        raise CannotChange(f"{paths.short(problem.file)} has changed, or cannot be written: check it again.")
    return only


def _planned(problems: Iterable[Diagnostic], hooks: Iterable[Hook]) -> Plan:
    wanted = [(problem, problem.fix) for problem in problems if problem.fix]
    kinds: Kinds = {**_KINDS, "create": partial(_created, {hook.id: hook for hook in hooks})}
    found = [made for kind, steps in kinds.items() for made in steps([pair for pair in wanted if pair[1].kind == kind])]
    return Plan(tuple(problem for _, mended in found for problem in mended), tuple(step for step, _ in found))


def apply(plan: Plan, hooks: Iterable[Hook], project: str) -> Plan:
    """Do what a plan says and return what takes it back. Those of the hooks that were approved stay so (keeping.py).

    Raises saving.ChangedError or CannotChange when a file is not what the plan was made for, OSError when one cannot be
    written; then every file is as it was.
    """
    do_all(plan.steps, partial(_do, covering=_covering(hooks), project=project))
    return plan.inverse()


def preview(plan: Plan) -> dict[str, list[str]]:
    """What would change, by path: the lines of a difference, each with its sign (" ", "-", "+")."""
    shown: dict[str, list[str]] = {}
    for step in plan.steps:
        for path, lines in _lines(step):
            shown.setdefault(path, []).extend(lines)
    return shown


def _lines(step: Step) -> Iterator[tuple[str, list[str]]]:
    match step:
        case Mode():
            yield step.path, [f"-mode {step.before:o}", f"+mode {step.after:o}"]
        case Move():
            yield step.source, [f"-{os.path.basename(step.source)}", f"+{os.path.basename(step.target)}"]
        case _:
            for path, text in diffs(step):
                yield path, [" …" if line.startswith("@@") else line for line in text.split("\n")[1:]]


def _takes_a_name(problem: Diagnostic, hooks: Iterable[Hook]) -> bool:
    """Whether a hook would get the name of another one, and so replace it or be replaced."""
    name = os.path.basename(os.path.dirname(problem.file))
    others = (hook.name for hook in hooks if hook.format == "agenthooks" and hook.id != problem.hook)
    return problem.code == "name-mismatch" and name in others


def _do(step: Step, covering: Mapping[str, Iterable[Hook]], project: str) -> None:
    """One step; a rename is of what is no hook yet."""
    if not isinstance(step, Write | Mode):
        step.do()
        return
    approvals = [Approvals(hook, project, step.path) for hook in covering.get(os.path.realpath(step.path), ())]
    step.do()
    stamp = saving.stamp_of(step.after) if isinstance(step, Write) and step.after is not None else ""
    for one in approvals:
        one.renew(stamp)


def _covering(hooks: Iterable[Hook]) -> dict[str, list[Hook]]:
    """By real path, a hook of each file whose approval covers it, or would if it were there."""
    found: dict[str, dict[str, Hook]] = {}
    for hook in hooks:
        if trust.needs_approval(hook):
            for path in {hook.file, *(path for _, path in trust.covered(hook)), *missing.named(hook)}:
                found.setdefault(os.path.realpath(path), {})[hook.file] = hook
    return {path: list(by_file.values()) for path, by_file in found.items()}


def _written(pairs: Sequence[Fixable]) -> Iterator[Mended]:
    for _, group in _by_file(pairs):
        fixed = sorted(group, key=lambda pair: pair[1].start, reverse=True)
        document = saving.read(fixed[0][1].path)
        if document.problem or not os.access(document.path, os.W_OK):
            continue
        text, begins, mended = document.raw, len(document.raw), []
        for problem, fix in fixed:  # from the end, so that what stands before keeps its place
            if fix.end <= begins and text[fix.start : fix.end] == fix.old:
                text, begins = fixes.spliced(text, fix), fix.start
                mended.append(problem)
        if mended:
            before, after = (saving.content(document, one.replace("\r\n", "\n")) for one in (document.raw, text))
            yield Write(document.path, before, after), mended[::-1]


def _executable(pairs: Sequence[Fixable]) -> Iterator[Mended]:
    for path, group in _by_file(pairs):
        try:
            status = os.stat(path)
        except OSError:
            continue
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISREG(status.st_mode) and os.geteuid() in (0, status.st_uid):
            yield Mode(path, mode, fixes.executable(mode)), [problem for problem, _ in group]


def _renamed(pairs: Sequence[Fixable]) -> Iterator[Mended]:
    for problem, fix in pairs:
        if fix.new_path is not None:
            yield Move(fix.path, fix.new_path), [problem]


def _created(hooks: Mapping[str, Hook], pairs: Sequence[Fixable]) -> Iterator[Mended]:
    for problem, fix in pairs:
        hook = hooks.get(problem.hook or "")
        if hook is not None and not os.path.lexists(fix.path):
            yield write(fix.path, missing.script(hook, fix.path), mode=_EXECUTABLE), [problem]


def _by_file(pairs: Sequence[Fixable]) -> Iterator[tuple[str, list[Fixable]]]:
    """The fixes by the file that they change, under whatever name."""

    def real(pair: Fixable) -> str:
        return os.path.realpath(pair[1].path)

    return ((path, list(group)) for path, group in groupby(sorted(pairs, key=real), real))


_KINDS: Kinds = {"replace": _written, "chmod": _executable, "rename": _renamed}
