"""Plan, preview, apply and undo fixes; `fix_all` plans all safe ones at once."""

from __future__ import annotations

import os
import stat
from collections import Counter
from functools import partial
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from hooktui.catalog.catalog import edited
from hooktui.core import paths
from hooktui.core.model import HookDirectory
from hooktui.edit import script_templates
from hooktui.edit.drafts import HookDraft
from hooktui.edit.file_steps import ChangeRefusedError, Mode, Move, Write, diffs, do_all, write
from hooktui.edit.hook_documents import Approvals
from hooktui.edit.new_hook_places import NewHookPlace
from hooktui.formats import documents, permissions
from hooktui.formats.agenthooks import entry_script
from hooktui.formats.json_hooks import json_command
from hooktui.formats.source_cache import Sources
from hooktui.runner import trust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic, Fix, Hook
    from hooktui.edit.file_steps import Step
    from hooktui.formats.documents import TextFile

    Fixable = tuple[Diagnostic, Fix]
    FixStep = tuple[Step, list[Diagnostic]]  # with the problems that it fixes
    Reader = Callable[[str], TextFile]  # by path
    _FixKey = tuple[str, str, str, str]

_EXECUTABLE = 0o755


class FixPlan(NamedTuple):
    """The problems to fix, and the steps that fix them."""

    fixed: tuple[Diagnostic, ...]
    steps: tuple[Step, ...]

    def inverse(self) -> FixPlan:
        return FixPlan(self.fixed, tuple(step.inverse() for step in reversed(self.steps)))


def plan_one(problem: Diagnostic, hooks: Iterable[Hook], typed: Mapping[str, bytes] = MappingProxyType({})) -> FixPlan:
    """Plan the fix of one problem. `typed` holds the unsaved content of files, by path.

    Raises ChangeRefusedError if the fix no longer fits, or the file cannot be written.
    """

    def read(path: str) -> TextFile:
        return documents.text_file(path, os.path.basename(path), typed[path]) if path in typed else ready(path)

    return plan_together((problem,), hooks, read)


def plan_together(problems: Sequence[Diagnostic], hooks: Iterable[Hook], read: Reader | None = None) -> FixPlan:
    """Plan the fixes of some problems. Raises ChangeRefusedError if none fits any more, or the file cannot be written."""
    steps = list(plan_steps(problems, hooks, read))
    if not steps:
        raise ChangeRefusedError(f"{paths.short(problems[0].file)} has changed or cannot be written: run the check again.")
    return FixPlan(tuple(problem for _, fixed in steps for problem in fixed), tuple(step for step, _ in steps))


def plan_steps(problems: Iterable[Diagnostic], hooks: Iterable[Hook], read: Reader | None = None) -> Iterator[FixStep]:
    """Yield the steps of the fixes that fit the files, as `read` returns them, and can be written.

    Of two fixes of one place only the last is included.
    """
    wanted = [(problem, problem.fix) for problem in problems if problem.fix]
    planners: Mapping[str, Callable[[Sequence[Fixable]], Iterator[FixStep]]] = {
        "replace": partial(_replace, read or ready),
        "unix": partial(_normalize_line_ends, read or ready),
        "chmod": _make_executable,
        "protect": partial(_protect, {hook.id: hook for hook in hooks}),
        "rename": _rename,
        "create": partial(_create_scripts, {hook.id: hook for hook in hooks}),
    }
    for kind, plan in planners.items():
        yield from plan([pair for pair in wanted if pair[1].kind == kind])


def ready(path: str) -> TextFile:
    """Read a file to fix; `problem` is also set if it cannot be replaced."""
    document, target = documents.read(path), os.path.realpath(path)
    is_writable = os.access(target, os.W_OK) and os.access(os.path.dirname(target), os.W_OK)
    return document if document.problem or is_writable else document._replace(problem="read-only")


def apply(plan: FixPlan, hooks: Iterable[Hook], project: str) -> FixPlan:
    """Apply a plan and return the plan that undoes it. Approved hooks stay approved.

    Raises ChangedError or ChangeRefusedError if a file has changed since, OSError if one cannot be written. Then nothing
    changes.
    """
    do_all(plan.steps, partial(_do, covering=_covering(hooks), project=project))
    return plan.inverse()


def preview(plan: FixPlan) -> dict[str, list[str]]:
    """Return the lines of each file's diff with their signs (" ", "-", "+"), by path; a renamed file has its new path."""
    diff_lines: dict[str, list[str]] = {}
    for step in plan.steps:
        for path, lines in _lines(step):
            diff_lines.setdefault(path, []).extend(lines)
    return dict(sorted(diff_lines.items()))


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
    """Apply one step; only a write or a mode can change what is approved."""
    if not isinstance(step, Write | Mode):
        step.do()
        return
    approvals = [Approvals(hook, project, step.path) for hook in covering.get(os.path.realpath(step.path), ())]
    step.do()
    stamp = documents.stamp_of(step.after) if isinstance(step, Write) and step.after is not None else ""
    for approval in approvals:
        approval.renew(stamp)


def _covering(hooks: Iterable[Hook]) -> dict[str, list[Hook]]:
    """Map each real path to a hook of each file whose approval covers that path, even if it is missing."""
    hooks_by_path: dict[str, dict[str, Hook]] = {}
    for hook in hooks:
        if trust.needs_approval(hook):
            for path in {hook.file, *(path for _, path in trust.covered(hook)), *script_paths(hook)}:
                hooks_by_path.setdefault(os.path.realpath(path), {})[hook.file] = hook
    return {path: list(by_file.values()) for path, by_file in hooks_by_path.items()}


def _replace(read: Reader, pairs: Sequence[Fixable]) -> Iterator[FixStep]:
    for _, group in _by_file(pairs):
        fixes_of_file = sorted(group, key=lambda pair: pair[1].start, reverse=True)
        document = read(fixes_of_file[0][1].path)
        if document.problem:
            continue
        text, begins, fixed = document.raw, len(document.raw), []
        for problem, fix in fixes_of_file:  # from the end, so that earlier offsets stay valid
            if fix.end <= begins and text[fix.start : fix.end] == fix.old:
                text = text[: fix.start] + documents.spelled(document, fix.text) + text[fix.end :]
                begins = fix.start
                fixed.append(problem)
        if fixed:
            yield (
                Write(document.path, documents.encoded(document, document.raw), documents.encoded(document, text)),
                fixed[::-1],
            )


def _normalize_line_ends(read: Reader, pairs: Sequence[Fixable]) -> Iterator[FixStep]:
    for path, group in _by_file(pairs):
        document = read(path)
        if not document.problem:
            before, after = documents.encoded(document, document.raw), documents.line_feeds(document.raw).encode()
            yield Write(path, before, after), [problem for problem, _ in group]


def _make_executable(pairs: Sequence[Fixable]) -> Iterator[FixStep]:
    for path, group in _by_file(pairs):
        try:
            status = os.stat(path)
        except OSError:
            continue
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISREG(status.st_mode) and os.geteuid() in (0, status.st_uid):
            readers = mode & 0o444  # as `chmod +x` does under the usual umask
            yield Mode(path, mode, mode | readers >> 2), [problem for problem, _ in group]


def _protect(hooks: Mapping[str, Hook], pairs: Sequence[Fixable]) -> Iterator[FixStep]:
    for problem, _ in pairs:
        hook = hooks.get(problem.hook or "")
        for exposure in permissions.exposures(hook, Sources()) if hook else ():
            status = os.stat(exposure.path)
            mode = stat.S_IMODE(status.st_mode)
            if os.geteuid() in (0, status.st_uid):
                yield Mode(exposure.path, mode, permissions.protected(mode)), [problem]


def _rename(pairs: Sequence[Fixable]) -> Iterator[FixStep]:
    for problem, fix in pairs:
        if fix.new_path is not None and os.access(os.path.dirname(fix.path), os.W_OK):
            yield Move(fix.path, fix.new_path), [problem]


def _create_scripts(hooks: Mapping[str, Hook], pairs: Sequence[Fixable]) -> Iterator[FixStep]:
    for problem, fix in pairs:
        hook = hooks.get(problem.hook or "")
        if hook is not None and not os.path.lexists(fix.path):
            yield write(fix.path, _missing_script(hook, fix.path), mode=_EXECUTABLE), [problem]


def _by_file(pairs: Sequence[Fixable]) -> Iterator[tuple[str, list[Fixable]]]:
    """Group fixes by the real path of the file that they change."""

    def real(pair: Fixable) -> str:
        return os.path.realpath(pair[1].path)

    return ((path, list(group)) for path, group in groupby(sorted(pairs, key=real), real))


def script_paths(hook: Hook) -> tuple[str, ...]:
    """Return the paths of the scripts that a hook starts, existing or not."""
    if isinstance(hook.source, HookDirectory):
        return entry_script.candidates(hook.root)
    return tuple(script.path for script in json_command.scripts(hook))


def _missing_script(hook: Hook, path: str) -> str:
    """Return a script from the template for the hook's event, in the language of the path's suffix; it decides nothing."""
    stem, suffix = os.path.splitext(os.path.basename(path))
    place = NewHookPlace(hook.format, hook.scope, hook.root, hook.file, hook.agent or "")
    name = hook.name if isinstance(hook.source, HookDirectory) else stem
    return script_templates.script(HookDraft(place, name, hook.event_as_written, language="py" if suffix == ".py" else "sh"))


def spliced(text: str, fix: Fix) -> str:
    """Apply a `replace` fix to a text. Raises ValueError if the old text is no longer there."""
    if text[fix.start : fix.end] != fix.old:
        raise ValueError(f"{os.path.basename(fix.path)} has changed: check it again")
    return text[: fix.start] + fix.text + text[fix.end :]


# Fixes that change what a hook matches, reads or decides, or how long it may take. Only its author knows what was meant, so
# each needs `f`, which shows it first; `F` leaves them out.
_GUESSES: Final = ("bad-regex", "unit-suspect", "undefined-field", "weak-exit", "missing-entry", "missing-script")
_ROUNDS: Final = 1000  # errors that hide one another in a file
_DENIES: Final = "denies-everything"
_UNREAD: Final = ("bad-json", "bad-yaml", "misnamed-file", "unreadable-file")  # their content could not be checked before


def plan(catalog: Catalog, wanted: Callable[[Diagnostic], bool] = lambda _problem: True) -> FixPlan:
    """Plan all safe fixes of the wanted problems, leaving out files that cannot be written.

    A fix is safe only if the check then finds no new error, such as a hook that it woke and that denies everything. Fixes that
    undo each other end the plan where they began.
    """
    files, fixed, seen = _planned(catalog, wanted)
    if not (broken := _broken(catalog, seen)):
        return FixPlan(tuple(fixed), tuple(files.steps()))
    refused = _culprits(catalog, fixed, broken)
    return plan(catalog, lambda problem: wanted(problem) and _key(problem) not in refused)


def _planned(catalog: Catalog, wanted: Callable[[Diagnostic], bool]) -> tuple[_Files, list[Diagnostic], Catalog]:
    """The planned content of files, the problems fixed in it, and the catalog of it."""
    files = _Files()
    fixed: list[Diagnostic] = []
    earlier: list[dict[str, bytes | None]] = []
    seen = catalog
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
    return files, fixed, seen


def _culprits(catalog: Catalog, fixed: Sequence[Diagnostic], broken: set[str]) -> set[_FixKey]:
    """The fixes in the broken files that cause a new error on their own; all of them if only a combination does."""
    keys = {_key(problem) for problem in fixed if problem.file in broken} or {_key(problem) for problem in fixed}

    def breaks(key: _FixKey) -> bool:
        return bool(_broken(catalog, _planned(catalog, lambda problem: _key(problem) == key)[2]))

    return {key for key in keys if breaks(key)} or keys


def _broken(before: Catalog, after: Catalog) -> set[str]:
    """The files with more errors of some code than before."""
    if after is before:
        return set()
    unread = {problem.file for problem in before.diagnostics if problem.code in _UNREAD}
    known = _errors(before)
    return {
        file
        for (file, code), count in _errors(after).items()
        if count > known[file, code] and (code == _DENIES or file not in unread)
    }


def _errors(catalog: Catalog) -> Counter[tuple[str, str]]:
    """The number of errors by file and code, without hooks that would deny everything if their host read their file."""
    skipped = {problem.file for problem in catalog.diagnostics if problem.code == "host-skips-file"}
    files = {hook.id: hook.file for hook in catalog.hooks}
    errors = [(files.get(item.hook or "", item.file), item.code) for item in catalog.diagnostics if item.severity == "error"]
    return Counter((file, code) for file, code in errors if code != _DENIES or file not in skipped)


def _key(problem: Diagnostic) -> _FixKey:
    return (problem.code, problem.file, problem.message, problem.fix.text if problem.fix else "")


class _Files:
    """The planned content of files, and the steps to it: each file is renamed, written and made executable at most once."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes | None] = {}  # by every path of a file
        self._writes: dict[str, Write] = {}  # by real path
        self._modes: dict[str, Mode] = {}
        self._moves: list[Move] = []

    def can_take(self, fix: Fix | None) -> bool:
        """Whether a fix fits the planned content: not for a file that has become executable, or is known by another path."""
        if fix is None or (fix.kind in ("chmod", "protect") and os.path.realpath(fix.path) in self._modes):
            return False
        return fix.path in self.contents or os.path.realpath(fix.path) not in self.contents

    def read(self, path: str) -> TextFile:
        content = self.contents.get(path, self.contents.get(os.path.realpath(path)))
        return ready(path) if content is None else documents.text_file(path, os.path.basename(path), content)

    def take(self, step: Step) -> None:
        real = os.path.realpath(step.path)
        if isinstance(step, Write):
            first = self._writes.get(real, step)
            self._writes[real] = first._replace(after=step.after)
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
        yield from self._moves
        yield from (step for step in self._writes.values() if step.after != step.before)
        yield from self._modes.values()


def _safe(problems: Iterable[Diagnostic], hooks: Sequence[Hook]) -> Iterator[Diagnostic]:
    """Yield the problems whose fix is unambiguous, and does not give a hook another hook's name."""
    names = [hook.name for hook in hooks if isinstance(hook.source, HookDirectory)]
    for problem in problems:
        fix = problem.fix
        if fix is None or (fix.kind == "replace" and fix.old == fix.text):
            continue
        if problem.code in _GUESSES if fix.is_guess is None else fix.is_guess:
            continue
        if problem.code == "name-mismatch":
            name = os.path.basename(os.path.dirname(problem.file))
            if name in names:
                continue
            names.append(name)
        yield problem
