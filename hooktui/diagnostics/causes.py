"""Group diagnostics by cause: one message for a mistake with many places, none for its consequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hooktui.core.model import Diagnostic

_RANK = {"error": 0, "warning": 1, "info": 2}
_SKIPPED = "host-skips-file"
# Still reported for a file that its host skips: these apply to the whole file or to other programs.
_MODES = "insecure-permissions"
_BESIDE_SKIPPED = (
    _MODES,
    "host-drops-file",
    "runs-twice",
    "untrusted",
    "changed-since-trusted",
    "not-connected",
)
# Fixing one of these usually means fixing all of them in the file, though each names another script or number.
_ONCE_PER_FILE = ("unit-suspect", "relative-path", "unquoted-path", "not-executable")
_ONCE_IN_THESE_WORDS = (_SKIPPED, "undefined-variable", "missing-script")  # of one mistake, of one name
_ANYWHERE = ("missing-program",)  # installing the program fixes every place
WRITABLE_BY = " is writable by "  # in a message about a file's mode, between the file and the writers
_UNAPPROVED, _UNCALLED = "untrusted", "not-connected"
_FAILS = "the hook fails"


class Cause(NamedTuple):
    """One mistake and all its places, in file order. The message of `problem` includes the number of hooks."""

    problem: Diagnostic
    places: tuple[Diagnostic, ...]

    @property
    def hooks(self) -> int:
        return max(1, len({hook for place in self.places for hook in (place.hook, *place.other_hooks) if hook}))

    @property
    def fixable(self) -> tuple[Diagnostic, ...]:
        """The places with a fix."""
        return tuple(place for place in self.places if place.fix is not None)


def by_cause(diagnostics: Iterable[Diagnostic]) -> list[Cause]:
    """Causes, in the order of their first places."""
    groups: dict[object, list[Diagnostic]] = {}
    for number, problem in enumerate(without_effects(tuple(diagnostics))):
        groups.setdefault(_cause(problem) or number, []).append(problem)
    return [_counted(Cause(group[0], tuple(group))) for group in groups.values()]


def worst_first(causes: Iterable[Cause]) -> list[Cause]:
    """The most severe causes first, and of equally severe ones those of the most hooks."""
    return sorted(causes, key=lambda cause: (_RANK[cause.problem.severity], -cause.hooks))


def severities(causes: Iterable[Cause]) -> Counter[str]:
    """The number of causes of each severity."""
    return Counter(cause.problem.severity for cause in causes)


def summed(causes: Iterable[Cause]) -> list[Cause]:
    """Merge all approval notices into one cause and all missing connections into another, at the end."""
    each: dict[str, list[Diagnostic]] = {code: [] for code in (_UNAPPROVED, _UNCALLED)}
    others = []
    for cause in causes:
        code = cause.problem.code
        if code in each and (cause.problem.hook or code == _UNAPPROVED):  # not: a connection that does not work
            each[code] += cause.places
        else:
            others.append(cause)
    return others + [Cause(_sum(problems), tuple(problems)) for problems in each.values() if problems]


def _sum(problems: Sequence[Diagnostic]) -> Diagnostic:
    """One diagnostic for several of the same code, with a message that counts their hooks."""
    first, *others = problems
    if not others:
        return first
    if first.code == _UNAPPROVED:
        return first.replace(message=f"{len(problems)} hooks not approved: hooktui does not run them")
    reasons = {problem.message.partition(": ")[2] for problem in problems}
    why = reasons.pop() if len(reasons) == 1 else "none is connected"
    return first.replace(message=f"no program runs {len(problems)} hooks: {why}")


def without_effects(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Drop diagnostics about entries in a file that its host skips entirely."""
    skipped = {(problem.file, problem.hosts) for problem in diagnostics if problem.code == _SKIPPED}
    files = {file for file, _ in skipped}

    def is_effect(problem: Diagnostic) -> bool:
        if problem.file not in files or problem.code == _SKIPPED or problem.code in _BESIDE_SKIPPED:
            return False
        return not problem.hosts or (problem.file, problem.hosts) in skipped

    return [problem for problem in diagnostics if not is_effect(problem)]


def _cause(problem: Diagnostic) -> object:
    """The grouping key of a problem; None if it stands alone."""
    if problem.code in _ANYWHERE:
        return (problem.code, problem.severity, problem.message, problem.hint)
    if problem.code == _MODES:  # a whole clone under one umask
        return (problem.code, problem.severity, problem.message.partition(WRITABLE_BY)[2])
    if problem.code in _ONCE_PER_FILE or (problem.code == "missing-script" and problem.severity == "info"):
        return (problem.code, problem.severity, problem.hosts, problem.file)
    if problem.code in _ONCE_IN_THESE_WORDS:
        return (problem.code, problem.severity, problem.hosts, problem.file, problem.message)
    return None


def _counted(cause: Cause) -> Cause:
    problem, hooks = cause.problem, cause.hooks
    if problem.code == _SKIPPED:  # its message names the hooks
        return cause
    if problem.code == _MODES and len(cause.places) > 1:
        first, _, writers = problem.message.partition(WRITABLE_BY)
        message = f"{first} and {len(cause.places) - 1:,} more files are writable by {writers}"
        return Cause(
            problem.replace(message=message, hint="`hooktui check --fix` lets only the owner write them"), cause.places
        )
    if hooks > 1 and problem.code in _ANYWHERE and problem.message.endswith(_FAILS):
        problem = problem.replace(message=f"{problem.message.removesuffix(_FAILS)}{hooks} hooks fail")
    elif hooks > 1 and len(cause.places) > 1:
        problem = problem.replace(message=f"{problem.message} ({hooks} hooks)")
    return Cause(problem, cause.places)
