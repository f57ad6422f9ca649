"""All safe fixes at once: one round lays bare what the next one mends, all of them in memory, and one plan comes of it."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hooktui.catalog import catalog
from hooktui.core.model import HookDirectory
from hooktui.edit.apply_fixes import FixPlan, planned, ready
from hooktui.edit.file_steps import Mode, Move, Write
from hooktui.security import documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic, Fix, Hook
    from hooktui.edit.file_steps import Step
    from hooktui.security.documents import Document

# Codes of fixes that choose a meaning: what a guard looks for, how long it may take, whether it denies, what a script reads
# or does. Only its person knows what was meant, so each is for `f`, where they see it, and none for `F`.
_GUESSES: Final = ("bad-regex", "unit-suspect", "undefined-field", "weak-exit", "missing-entry", "missing-script")
_ROUNDS: Final = 1000  # slips that stand one behind the other in a file: more are no file that one mends


def plan(found: Catalog, wanted: Callable[[Diagnostic], bool] = lambda _problem: True) -> FixPlan:
    """All safe fixes of the problems that are wanted, until none is left, for the files as they are now.

    Left out is what cannot be written. Fixes that undo each other come to an end where they began.
    """
    files = _Files()
    mended: list[Diagnostic] = []
    were: list[dict[str, bytes | None]] = []
    for _ in range(_ROUNDS):
        seen = catalog.edited(found, files.contents) if files.contents else found
        problems = [one for one in _safe(seen.diagnostics, seen.hooks) if wanted(one) and files.know(one.fix)]
        known = len(mended)
        for step, by_it in planned(problems, seen.hooks, files.read):
            files.take(step)
            mended += by_it
        if len(mended) == known or files.contents in were:
            break
        were.append(dict(files.contents))
    return FixPlan(tuple(mended), tuple(files.steps()))


class _Files:
    """What the files would hold, and the steps that make them so: each file is renamed, written and made executable once."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes | None] = {}  # by every name that a file is known by
        self._writes: dict[str, Write] = {}  # by real path
        self._modes: dict[str, Mode] = {}
        self._moves: list[Move] = []

    def know(self, fix: Fix | None) -> bool:
        """Whether a fix is of a file as it would be: not made executable yet, and not seen as it was by another name."""
        if fix is None or (fix.kind == "chmod" and os.path.realpath(fix.path) in self._modes):
            return False
        return fix.path in self.contents or os.path.realpath(fix.path) not in self.contents

    def read(self, path: str) -> Document:
        """A file as it would be."""
        held = self.contents.get(path, self.contents.get(os.path.realpath(path)))
        return ready(path) if held is None else documents.document(path, os.path.basename(path), held)

    def take(self, step: Step) -> None:
        """Take a step."""
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
        """The steps, all together."""
        yield from self._moves
        yield from (step for step in self._writes.values() if step.after != step.before)
        yield from self._modes.values()


def _safe(problems: Iterable[Diagnostic], hooks: Sequence[Hook]) -> Iterator[Diagnostic]:
    """Those whose fix writes what was plainly meant, and gives no hook the name of another, which it would replace."""
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
