"""Plan all safe fixes at once: fix in memory, check again, and repeat until nothing is left to fix."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hooktui.catalog.catalog import edited
from hooktui.core.model import HookDirectory
from hooktui.edit.apply_fixes import FixPlan, plan_steps, ready
from hooktui.edit.file_steps import Mode, Move, Write
from hooktui.security import documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic, Fix, Hook
    from hooktui.edit.file_steps import Step
    from hooktui.security.documents import Document

# Fixes that change what a hook matches, reads or decides, or how long it may take. Only its author knows what was meant, so
# each needs `f`, which shows it first; `F` leaves them out.
_GUESSES: Final = ("bad-regex", "unit-suspect", "undefined-field", "weak-exit", "missing-entry", "missing-script")
_ROUNDS: Final = 1000  # errors that hide one another in a file


def plan(catalog: Catalog, wanted: Callable[[Diagnostic], bool] = lambda _problem: True) -> FixPlan:
    """Plan all safe fixes of the wanted problems, leaving out files that cannot be written.

    Fixes that undo each other end the plan where they began.
    """
    files = _Files()
    fixed: list[Diagnostic] = []
    earlier: list[dict[str, bytes | None]] = []
    for _ in range(_ROUNDS):
        seen = edited(catalog, files.contents) if files.contents else catalog
        problems = [
            problem for problem in _safe(seen.diagnostics, seen.hooks) if wanted(problem) and files.can_take(problem.fix)
        ]
        count = len(fixed)
        for step, by_step in plan_steps(problems, seen.hooks, files.read):
            files.take(step)
            fixed += by_step
        if len(fixed) == count or files.contents in earlier:
            break
        earlier.append(dict(files.contents))
    return FixPlan(tuple(fixed), tuple(files.steps()))


class _Files:
    """The planned content of files, and the steps to it: each file is renamed, written and made executable at most once."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes | None] = {}  # by every path of a file
        self._writes: dict[str, Write] = {}  # by real path
        self._modes: dict[str, Mode] = {}
        self._moves: list[Move] = []

    def can_take(self, fix: Fix | None) -> bool:
        """Whether a fix fits the planned content: not for a file that is executable by now, or known by another path."""
        if fix is None or (fix.kind == "chmod" and os.path.realpath(fix.path) in self._modes):
            return False
        return fix.path in self.contents or os.path.realpath(fix.path) not in self.contents

    def read(self, path: str) -> Document:
        """Return a file with its planned content."""
        content = self.contents.get(path, self.contents.get(os.path.realpath(path)))
        return ready(path) if content is None else documents.document(path, os.path.basename(path), content)

    def take(self, step: Step) -> None:
        """Add a step to the plan."""
        real = os.path.realpath(step.path)
        if isinstance(step, Write):
            first = self._writes.get(real, step)
            self._writes[real] = replace(first, after=step.after)
            self.contents[step.path] = self.contents[real] = step.after
        elif isinstance(step, Mode):
            self._modes[real] = step
        elif isinstance(step, Move):
            self._moves.append(step)
            self.contents[step.source] = None
            document = ready(step.source)
            if not document.problem:
                self.contents[step.target] = documents.encoded(document, document.raw)

    def steps(self) -> Iterator[Step]:
        """Yield the steps of the plan."""
        yield from self._moves
        yield from (step for step in self._writes.values() if step.after != step.before)
        yield from self._modes.values()


def _safe(problems: Iterable[Diagnostic], hooks: Sequence[Hook]) -> Iterator[Diagnostic]:
    """Yield the problems whose fix is unambiguous, and does not give a hook another hook's name."""
    names = [hook.name for hook in hooks if isinstance(hook.source, HookDirectory)]
    for problem in problems:
        if (
            problem.fix is None
            or problem.code in _GUESSES
            or (problem.fix.kind == "replace" and problem.fix.old == problem.fix.text)
        ):
            continue
        if problem.code == "name-mismatch":
            name = os.path.basename(os.path.dirname(problem.file))
            if name in names:
                continue
            names.append(name)
        yield problem
