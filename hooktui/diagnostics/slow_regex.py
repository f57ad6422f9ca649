r"""Patterns that take for ever on some texts: a repeat whose body can match one text in several ways, or repeats in a row that
can share one text in many ways, like `\s*\s*`. Repeats with something between them, like `.*a.*b`, take long on texts of
thousands of characters only, and are how people write: they are left to the 50 ms that a match may take.

What looks suspicious is tried, on a text made from the pattern and one piece longer each time, until the time either explodes
or stays flat. Only CPU time of this thread counts, and all tries of one check share a budget.
"""

from __future__ import annotations

import re
import time
import warnings
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

from hooktui.diagnostics.agenthooks_place import at_field
from hooktui.diagnostics.regex_samples import REPEATS, children, items_below, sample, samples, varies
from hooktui.formats import regexes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooktui.core.model import Diagnostic
    from hooktui.diagnostics.snapshot import Snapshot


_SLOW_S = 0.004  # a harmless pattern takes microseconds on the texts below
_PIECES = range(1, 32)
# Small steps: each costs little more than the one before.
_PIECES_IN_A_ROW = (*_PIECES, 40, 52, 68, 88, 114, 148, 192, 250, 325, 420)
_MANY = 8  # so often must something be repeatable for its ambiguity to matter
# Beyond these one more piece could cost minutes: such a pattern is judged by its looks alone.
_MAX_LENGTH = 500
_MAX_BRANCHES = 30
_MAX_COUNTED = 100
_MAX_NESTED = 3

_REPEATED_GROUP = re.compile(r"\)[*+{]")
_SECOND_REPEAT = re.compile(r"[*+}].*[*+}]", re.DOTALL)
_TAILS = ("\0", "\n\0")  # what no pattern ends with, so that every way must be tried


def slow_regex(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A matcher that may take for ever."""
    for hook in catalog.hooks:
        for field, pattern in (("matcher.tool", hook.tool), ("matcher.pattern", hook.pattern)):
            if pattern is not None and is_slow(pattern, catalog.deadline):
                message = "on some texts this pattern takes for ever: what it repeats can match in several ways"
                hint = "let the repeated part match a text in one way only, or repeat it once"
                yield at_field(hook, field, "warning", "slow-regex", message, hint)


def is_slow(pattern: str, deadline: float) -> bool:
    """Whether some text makes a pattern explode. `deadline` is in `time.thread_time` seconds; later, looks decide."""
    if not (_REPEATED_GROUP.search(pattern) or _SECOND_REPEAT.search(pattern)) or regexes.check(pattern) is not None:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = parser.parse(pattern)
        compiled = re.compile(pattern)
    if _too_dear(pattern, tree) or time.thread_time() > deadline:
        return any(_repeats_deep(body) for _, body in _suspects(tree, ""))
    ambiguous = ((before, piece) for before, body in _suspects(tree, "") for piece in samples(body))
    return any(_explodes(compiled, *one, _PIECES) for one in ambiguous) or any(
        _explodes(compiled, *one, _PIECES_IN_A_ROW) for one in _rows(tree, "")
    )


def _explodes(compiled: re.Pattern[str], before: str, piece: str, counts: Iterable[int]) -> bool:
    for tail in _TAILS:
        for pieces in counts:
            text = before + piece * pieces + tail
            begun = time.thread_time()
            compiled.search(text)
            if time.thread_time() - begun > _SLOW_S:
                return True
    return False


def _suspects(items: Iterable[Any], before: str) -> Iterator[tuple[str, Any]]:
    """Repeats of something with a choice in it: a text that leads there, and what is repeated."""
    for code, argument in items:
        for child in children(code, argument):
            yield from _suspects(child, before)
        if code in REPEATS and argument[1] >= _MANY:
            body = argument[2]
            if any(inner is op.BRANCH or varies(inner, value) for inner, value in items_below(body)):
                yield before, body
        before += sample([(code, argument)])


def _rows(items: Iterable[Any], before: str) -> Iterator[tuple[str, str]]:
    """Repeats that follow upon one another: a text that leads to the second, and what it repeats."""
    after_repeat = False
    for code, argument in items:
        for child in children(code, argument):
            yield from _rows(child, before)
        repeats = code in REPEATS and argument[1] >= _MANY
        if repeats and after_repeat:
            yield from ((before, piece) for piece in samples(argument[2]))
        after_repeat = repeats or (after_repeat and code in REPEATS and argument[0] == 0)
        before += sample([(code, argument)])


def _too_dear(pattern: str, tree: Any) -> bool:
    if len(pattern) > _MAX_LENGTH or _repeats_deep(tree) > _MAX_NESTED:
        return True
    branches = sum(len(argument[1]) for code, argument in items_below(tree) if code is op.BRANCH)
    counted = max((argument[0] for code, argument in items_below(tree) if code in REPEATS), default=0)
    return branches > _MAX_BRANCHES or counted > _MAX_COUNTED


def _repeats_deep(items: Iterable[Any]) -> int:
    """How many repeats that vary stand inside each other."""
    deepest = 0
    for code, argument in items:
        inside = max(map(_repeats_deep, children(code, argument)), default=0)
        deepest = max(deepest, inside + varies(code, argument))
    return deepest
