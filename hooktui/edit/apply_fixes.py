"""Fixes: planned and shown first, then carried out whole or not at all, and taken back. All safe ones at once: rounds.py."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.edit import missing_script
from hooktui.edit.file_steps import CannotChange, Mode, Move, Write, diffs, do_all, write
from hooktui.edit.reapprove import Approvals
from hooktui.security import documents, trust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from hooktui.core.model import Diagnostic, Fix, Hook
    from hooktui.edit.file_steps import Step
    from hooktui.security.documents import Document

    Fixable = tuple[Diagnostic, Fix]
    Mended = tuple[Step, list[Diagnostic]]  # a step, and the problems that it mends
    Reading = Callable[[str], Document]  # by its path
    Kinds = Mapping[str, Callable[[Sequence[Fixable]], Iterator[Mended]]]
    from hooktui.core.model import Fix

_EXECUTABLE = 0o755


@dataclass(frozen=True, slots=True)
class FixPlan:
    """What would be done: the problems that would be mended, and the steps that do it."""

    mended: tuple[Diagnostic, ...]
    steps: tuple[Step, ...]

    def inverse(self) -> FixPlan:
        """What takes it back."""
        return FixPlan(self.mended, tuple(step.inverse() for step in reversed(self.steps)))


def plan_one(problem: Diagnostic, hooks: Iterable[Hook], typed: Mapping[str, bytes] = MappingProxyType({})) -> FixPlan:
    """The fix of one problem of these hooks. `typed` is what stands in place of some files, by path, and is not saved.

    Raises CannotChange when it fits no more, or cannot be written.
    """

    def read(path: str) -> Document:
        return documents.document(path, os.path.basename(path), typed[path]) if path in typed else ready(path)

    steps = tuple(step for step, _ in planned((problem,), hooks, read))
    if not steps:
        raise CannotChange(f"{paths.short(problem.file)} has changed, or cannot be written: check it again.")
    return FixPlan((problem,), steps)


def planned(problems: Iterable[Diagnostic], hooks: Iterable[Hook], read: Reading | None = None) -> Iterator[Mended]:
    """One step after the other for those of the fixes that fit the files, as `read` gives them, and that can be written.

    Of two fixes of one place only the last is among them.
    """
    wanted = [(problem, problem.fix) for problem in problems if problem.fix]
    kinds: Kinds = {
        "replace": partial(_written, read or ready),
        "unix": partial(_as_unix, read or ready),
        "chmod": _executable,
        "rename": _renamed,
        "create": partial(_created, {hook.id: hook for hook in hooks}),
    }
    for kind, steps in kinds.items():
        yield from steps([pair for pair in wanted if pair[1].kind == kind])


def ready(path: str) -> Document:
    """A file that is to be mended: its `problem` also tells that nothing can take its place."""
    document, target = documents.read(path), os.path.realpath(path)
    can_be = os.access(target, os.W_OK) and os.access(os.path.dirname(target), os.W_OK)
    return document if document.problem or can_be else replace(document, problem="read-only")


def apply(plan: FixPlan, hooks: Iterable[Hook], project: str) -> FixPlan:
    """Do what a plan says and return what takes it back. Those of the hooks that were approved stay so (keeping.py).

    Raises saving.ChangedError or CannotChange when a file is not what the plan was made for, OSError when one cannot be
    written; then every file is as it was.
    """
    do_all(plan.steps, partial(_do, covering=_covering(hooks), project=project))
    return plan.inverse()


def preview(plan: FixPlan) -> dict[str, list[str]]:
    """What would change, by path in order: the lines of a difference, each with its sign (" ", "-", "+").

    A file that is renamed stands under its new name.
    """
    shown: dict[str, list[str]] = {}
    for step in plan.steps:
        for path, lines in _lines(step):
            shown.setdefault(path, []).extend(lines)
    return dict(sorted(shown.items()))


def _lines(step: Step) -> Iterator[tuple[str, list[str]]]:
    match step:
        case Mode():
            yield step.path, [f"-mode {step.before:o}", f"+mode {step.after:o}"]
        case Move():
            yield step.target, [f"-{os.path.basename(step.source)}", f"+{os.path.basename(step.target)}"]
        case _:
            for path, text in diffs(step):
                lines = [" …" if line.startswith("@@") else line for line in text.split("\n")]
                yield path, lines[1:] if lines[0] == " …" else lines


def _do(step: Step, covering: Mapping[str, Iterable[Hook]], project: str) -> None:
    """One step; a rename is of what is no hook yet."""
    if not isinstance(step, Write | Mode):
        step.do()
        return
    approvals = [Approvals(hook, project, step.path) for hook in covering.get(os.path.realpath(step.path), ())]
    step.do()
    stamp = documents.stamp_of(step.after) if isinstance(step, Write) and step.after is not None else ""
    for one in approvals:
        one.renew(stamp)


def _covering(hooks: Iterable[Hook]) -> dict[str, list[Hook]]:
    """By real path, a hook of each file whose approval covers it, or would if it were there."""
    found: dict[str, dict[str, Hook]] = {}
    for hook in hooks:
        if trust.needs_approval(hook):
            for path in {hook.file, *(path for _, path in trust.covered(hook)), *missing_script.named(hook)}:
                found.setdefault(os.path.realpath(path), {})[hook.file] = hook
    return {path: list(by_file.values()) for path, by_file in found.items()}


def _written(read: Reading, pairs: Sequence[Fixable]) -> Iterator[Mended]:
    for _, group in _by_file(pairs):
        fixed = sorted(group, key=lambda pair: pair[1].start, reverse=True)
        document = read(fixed[0][1].path)
        if document.problem:
            continue
        text, begins, mended = document.raw, len(document.raw), []
        for problem, fix in fixed:  # from the end, so that what stands before keeps its place
            if fix.end <= begins and text[fix.start : fix.end] == fix.old:
                text = text[: fix.start] + documents.spelled(document, fix.text) + text[fix.end :]
                begins = fix.start
                mended.append(problem)
        if mended:
            yield (
                Write(document.path, documents.encoded(document, document.raw), documents.encoded(document, text)),
                mended[::-1],
            )


def _as_unix(read: Reading, pairs: Sequence[Fixable]) -> Iterator[Mended]:
    for path, group in _by_file(pairs):
        document = read(path)
        if not document.problem:
            before, after = documents.encoded(document, document.raw), documents.line_feeds(document.raw).encode()
            yield Write(path, before, after), [problem for problem, _ in group]


def _executable(pairs: Sequence[Fixable]) -> Iterator[Mended]:
    for path, group in _by_file(pairs):
        try:
            status = os.stat(path)
        except OSError:
            continue
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISREG(status.st_mode) and os.geteuid() in (0, status.st_uid):
            yield Mode(path, mode, executable(mode)), [problem for problem, _ in group]


def _renamed(pairs: Sequence[Fixable]) -> Iterator[Mended]:
    for problem, fix in pairs:
        if fix.new_path is not None and os.access(os.path.dirname(fix.path), os.W_OK):
            yield Move(fix.path, fix.new_path), [problem]


def _created(hooks: Mapping[str, Hook], pairs: Sequence[Fixable]) -> Iterator[Mended]:
    for problem, fix in pairs:
        hook = hooks.get(problem.hook or "")
        if hook is not None and not os.path.lexists(fix.path):
            yield write(fix.path, missing_script.script(hook, fix.path), mode=_EXECUTABLE), [problem]


def _by_file(pairs: Sequence[Fixable]) -> Iterator[tuple[str, list[Fixable]]]:
    """The fixes by the file that they change, under whatever name."""

    def real(pair: Fixable) -> str:
        return os.path.realpath(pair[1].path)

    return ((path, list(group)) for path, group in groupby(sorted(pairs, key=real), real))


def spliced(text: str, fix: Fix) -> str:
    """The text with a `replace` fix applied. Raises ValueError when the old text does not stand there any more."""
    if text[fix.start : fix.end] != fix.old:
        raise ValueError(f"{os.path.basename(fix.path)} has changed: check it again")
    return text[: fix.start] + fix.text + text[fix.end :]


def executable(mode: int) -> int:
    """The permissions with which whoever may read a file may run it, as `chmod +x` does under the usual umask."""
    return mode | (mode & 0o444) >> 2
