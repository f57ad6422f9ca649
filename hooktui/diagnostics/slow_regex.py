r"""Patterns that take exponential time on some texts: a repeat whose body can match a text in several ways, or adjacent repeats
that can share one text in many ways, like `\s*\s*`. Repeats with something between them, like `.*a.*b`, take long on texts of
thousands of characters only and are common: the limit of 50 ms per match covers them.

Suspicious patterns are tested on texts made from the pattern, each one piece longer, until the time either explodes
or stays flat. Only this thread's CPU time counts, and all tests of one check share a budget.
"""

from __future__ import annotations

import re
import time
import warnings
from itertools import islice, product
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

from hooktui.diagnostics.rule_context import at_field
from hooktui.formats import regexes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from hooktui.core.model import Diagnostic
    from hooktui.diagnostics.rule_context import Snapshot

_SLOW_S = 0.004  # a harmless pattern takes microseconds on the texts below
_PIECES = range(1, 32)
# Small steps: each costs little more than the one before.
_PIECES_IN_A_ROW = (*_PIECES, 40, 52, 68, 88, 114, 148, 192, 250, 325, 420)
_MANY = 8  # repetitions from which ambiguity matters
# Beyond these limits one more piece could take minutes: only the pattern's structure decides.
_MAX_LENGTH = 500
_MAX_BRANCHES = 30
_MAX_COUNTED = 100
_MAX_NESTED = 3

_REPEATED_GROUP = re.compile(r"\)[*+{]")
_SECOND_REPEAT = re.compile(r"[*+}].*[*+}]", re.DOTALL)
_TAILS = ("\0", "\n\0")  # no pattern ends with these, so every way is tried
REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT)
_VARIANTS = 8
_LONGEST = 1000  # (((a{1000}){1000}){1000}) would fill the memory
_TRIED = "a0 _-.!/\n~é"
_NONE_LEFT = "\u2603"
_CATEGORIES: Mapping[Any, Callable[[str], bool]] = {
    op.CATEGORY_DIGIT: str.isdigit,
    op.CATEGORY_NOT_DIGIT: lambda sign: not sign.isdigit(),
    op.CATEGORY_SPACE: str.isspace,
    op.CATEGORY_NOT_SPACE: lambda sign: not sign.isspace(),
    op.CATEGORY_WORD: lambda sign: sign.isalnum() or sign == "_",
    op.CATEGORY_NOT_WORD: lambda sign: not (sign.isalnum() or sign == "_"),
}


def slow_regex(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A matcher that may take exponential time."""
    for hook in catalog.hooks:
        for field, pattern in (("matcher.tool", hook.tool), ("matcher.pattern", hook.pattern)):
            if pattern is not None and is_slow(pattern, catalog.deadline):
                message = "this pattern takes exponential time on some texts: its repetitions are ambiguous"
                hint = "rewrite it without the nested repetition"
                yield at_field(hook, field, "warning", "slow-regex", message, hint)


def is_slow(pattern: str, deadline: float) -> bool:
    """Whether a pattern can take exponential time.

    After `deadline` (`time.thread_time` seconds) only its structure decides, and long patterns are not even parsed.
    """
    if len(pattern) > _MAX_LENGTH and time.thread_time() > deadline:
        return False
    if not (_REPEATED_GROUP.search(pattern) or _SECOND_REPEAT.search(pattern)) or regexes.check(pattern) is not None:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = parser.parse(pattern)
        compiled = re.compile(pattern)
    if _is_too_expensive(pattern, tree) or time.thread_time() > deadline:
        return any(_repeats_deep(body) for _, body in _suspects(tree, ""))
    ambiguous = ((before, piece) for before, body in _suspects(tree, "") for piece in samples(body))
    return any(_explodes(compiled, *attempt, _PIECES) for attempt in ambiguous) or any(
        _explodes(compiled, *attempt, _PIECES_IN_A_ROW) for attempt in _rows(tree, "")
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
    """Repeats of a body with a choice: a text that reaches the repeat, and the body."""
    for code, argument in items:
        for child in children(code, argument):
            yield from _suspects(child, before)
        if code in REPEATS and argument[1] >= _MANY:
            body = argument[2]
            if any(inner is op.BRANCH or varies(inner, value) for inner, value in items_below(body)):
                yield before, body
        before += sample([(code, argument)])


def _rows(items: Iterable[Any], before: str) -> Iterator[tuple[str, str]]:
    """Adjacent repeats: a text that reaches the second, and a text that it repeats."""
    after_repeat = False
    for code, argument in items:
        for child in children(code, argument):
            yield from _rows(child, before)
        repeats = code in REPEATS and argument[1] >= _MANY
        if repeats and after_repeat:
            yield from ((before, piece) for piece in samples(argument[2]))
        after_repeat = repeats or (after_repeat and code in REPEATS and argument[0] == 0)
        before += sample([(code, argument)])


def _is_too_expensive(pattern: str, tree: Any) -> bool:
    if len(pattern) > _MAX_LENGTH or _repeats_deep(tree) > _MAX_NESTED:
        return True
    branches = sum(len(argument[1]) for code, argument in items_below(tree) if code is op.BRANCH)
    counted = max((argument[0] for code, argument in items_below(tree) if code in REPEATS), default=0)
    return branches > _MAX_BRANCHES or counted > _MAX_COUNTED


def _repeats_deep(items: Iterable[Any]) -> int:
    """The nesting depth of variable repeats."""
    deepest = 0
    for code, argument in items:
        inside = max(map(_repeats_deep, children(code, argument)), default=0)
        deepest = max(deepest, inside + varies(code, argument))
    return deepest


def items_below(items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """All (operation, argument) pairs of a tree, at any depth."""
    for code, argument in items:
        yield code, argument
        for child in children(code, argument):
            yield from items_below(child)


def varies(code: Any, argument: Any) -> bool:
    """Whether an item is a repeat that may take more or fewer of its body."""
    return code in REPEATS and bool(argument[0] < argument[1])


def children(code: Any, argument: Any) -> tuple[Any, ...]:
    """The item lists inside one item of a parse tree."""
    if code in (*REPEATS, op.POSSESSIVE_REPEAT):
        return (argument[2],)
    if code is op.BRANCH:
        return tuple(argument[1])
    if code is op.SUBPATTERN:
        return (argument[3],)
    if code in (op.ASSERT, op.ASSERT_NOT):
        return (argument[1],)
    return (argument,) if code is op.ATOMIC_GROUP else ()


def samples(items: Any) -> list[str]:
    """A few texts that the items match, by the first branches, with and without optional parts."""
    branches = [range(len(argument[1])) for code, argument in items_below(items) if code is op.BRANCH][:3]
    ways = islice(product((0, 1), *branches), _VARIANTS)
    return sorted({sample(items, optional, chosen) for optional, *chosen in ways} - {""})


def sample(items: Iterable[Any], optional: int = 1, ways: Iterable[int] = ()) -> str:
    """One text. `ways` selects branches, `optional` is the count of optional parts."""
    left = list(ways)
    return "".join(_one(code, argument, optional, left) for code, argument in items)


def _one(code: Any, argument: Any, optional: int, ways: list[int]) -> str:
    if code is op.LITERAL:
        return chr(argument)
    if code is op.NOT_LITERAL:
        return _outside([(op.LITERAL, argument)])
    if code is op.ANY:
        return _TRIED[0]
    if code is op.IN:
        return _outside(argument[1:]) if argument[0][0] is op.NEGATE else _inside(*argument[0])
    if code in (op.ASSERT, op.ASSERT_NOT):
        return ""
    times, below = 1, children(code, argument)
    if code is op.BRANCH:
        below = (argument[1][ways.pop(0) if ways else 0],)
    elif code in (*REPEATS, op.POSSESSIVE_REPEAT):
        times = argument[0] or optional
    once = "".join(_one(inner, value, optional, ways) for child in below for inner, value in child)
    return once[:_LONGEST] * min(times, max(_LONGEST // max(len(once), 1), 1))


def _inside(code: Any, argument: Any) -> str:
    if code is op.CATEGORY:
        return next(sign for sign in _TRIED if _CATEGORIES[argument](sign))
    return chr(argument[0] if code is op.RANGE else argument)


def _outside(members: Iterable[tuple[Any, Any]]) -> str:
    forbidden = list(members)
    return next((sign for sign in _TRIED if not any(_holds(*member, sign=sign) for member in forbidden)), _NONE_LEFT)


def _holds(code: Any, argument: Any, *, sign: str) -> bool:
    if code is op.CATEGORY:
        return _CATEGORIES[argument](sign)
    low, high = argument if code is op.RANGE else (argument, argument)
    return bool(low <= ord(sign) <= high)
