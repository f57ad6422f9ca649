"""Texts that a pattern matches, made from its parse tree (that of Python's own `re`)."""

from __future__ import annotations

from itertools import islice, product
from re import _constants as op  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT)

_VARIANTS = 8
_LONGEST = 1000  # (((a{1000}){1000}){1000}) would otherwise fill the memory
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
    """A few texts that the items match: ways through the first branches, with what is optional and without."""
    branches = [range(len(argument[1])) for code, argument in items_below(items) if code is op.BRANCH][:3]
    ways = islice(product((0, 1), *branches), _VARIANTS)
    return sorted({sample(items, optional, chosen) for optional, *chosen in ways} - {""})


def sample(items: Iterable[Any], optional: int = 1, ways: Iterable[int] = ()) -> str:
    """One text: `ways` says which branch to take where, `optional` how often to take what may be left out."""
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
    return next((sign for sign in _TRIED if not any(_holds(*one, sign=sign) for one in forbidden)), _NONE_LEFT)


def _holds(code: Any, argument: Any, *, sign: str) -> bool:
    if code is op.CATEGORY:
        return _CATEGORIES[argument](sign)
    low, high = argument if code is op.RANGE else (argument, argument)
    return bool(low <= ord(sign) <= high)
