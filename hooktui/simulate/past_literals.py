"""Texts that each match of a regex contains, so that most payloads need not be parsed to know that they do not match."""

from __future__ import annotations

import re
import warnings
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING

from hooktui.core import patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

# Characters that no JSON encoder escapes, even in JSON text inside a JSON string.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.:=,;@%+~()[]{}|*")
_SHORTEST = 2  # characters; shorter texts are in every payload


def required(pattern: str | None) -> tuple[str, ...]:
    """Texts of which a JSON text contains one if the regex matches a string in it; () if none are known."""
    if not pattern:
        return ()
    if patterns.is_plain(pattern):
        return _longest([text] for text in pattern.split("|"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about syntax that may change in a later Python
            parsed = _parser.parse(pattern)
    except (re.error, OverflowError, RecursionError):
        return ()
    return () if parsed.state.flags & re.IGNORECASE else _of_sequence(parsed)


def _of_sequence(parts: Iterable[tuple[Any, Any]]) -> tuple[str, ...]:
    """The best of what the parts of a regex, all of which must match, require."""
    candidates = [_longest([_texts(parts)])]
    for kind, value in parts:
        if kind is _constants.BRANCH:
            branches = [_of_sequence(branch) for branch in value[1]]
            candidates.append(tuple(text for branch in branches for text in branch) if all(branches) else ())
        elif kind is _constants.SUBPATTERN and not value[1] & re.IGNORECASE:
            candidates.append(_of_sequence(value[3]))
    return max(candidates, key=lambda texts: min(map(len, texts), default=0))


def _texts(parts: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    """The runs of literal characters."""
    text = ""
    for kind, value in parts:
        if kind is _constants.LITERAL:
            text += chr(value)
        elif kind is not _constants.AT:  # a word limit or an end has no characters
            yield text
            text = ""
    yield text


def _longest(branches: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """The longest plain part of each branch; () if a branch has none that is long enough."""
    best = []
    for texts in branches:
        parts = (part for text in texts for part in "".join(c if c in _PLAIN else "\0" for c in text).split("\0"))
        longest = max(parts, key=len, default="")
        if len(longest) < _SHORTEST:
            return ()
        best.append(longest)
    return tuple(best)
