"""Searching with patterns that come from strangers: none may take longer than its deadline.

The engine is chosen by pattern, and its import is paid only when a pattern needs it: plain text needs none, what cannot run
away goes to `re`, the rest to `regex`, which can be stopped.
"""

from __future__ import annotations

import time

_SPECIAL = frozenset(".^$*+?{}[]()\\")
_QUANTIFIERS = "*+?{"
_SAFE_STEPS = 200_000  # a match that cannot take more steps than this in `re` is far below any deadline


class TooSlow(Exception):
    """A pattern used up its time on this text."""


class BadPattern(Exception):
    """A pattern that is no regex."""


def search(pattern: str, text: str, deadline: float) -> tuple[int, int] | None:
    """The first place where `pattern` (Python syntax) matches: start and end.

    `deadline` is in `time.monotonic` seconds. Raises TooSlow and BadPattern.
    """
    if not _SPECIAL.intersection(pattern):
        return _find_literal(pattern.split("|"), text)
    try:
        return _search_bounded(pattern, text) if _cannot_explode(pattern, len(text)) else _search_timed(pattern, text, deadline)
    except (ValueError, RecursionError, OverflowError) as error:
        raise BadPattern(str(error)) from error


def _find_literal(alternatives: list[str], text: str) -> tuple[int, int] | None:
    found = [(start, start + len(part)) for part in alternatives if (start := text.find(part)) >= 0]
    return min(found, key=lambda span: span[0], default=None)


def _cannot_explode(pattern: str, length: int) -> bool:
    """True when no group is repeated and so few single repeats are left that every way through them is quickly tried."""
    repeats = sum(pattern.count(sign) for sign in _QUANTIFIERS)
    repeated_group = any(")" + sign in pattern for sign in _QUANTIFIERS)
    return not repeated_group and (length + 1) ** min(repeats + 1, 20) <= _SAFE_STEPS


def _search_bounded(pattern: str, text: str) -> tuple[int, int] | None:
    import re

    try:
        found = re.search(pattern, text)
    except re.error as error:
        raise BadPattern(str(error)) from error
    return found.span() if found else None


def _search_timed(pattern: str, text: str, deadline: float) -> tuple[int, int] | None:
    import regex  # 15 ms, and only for patterns that could run away

    left = deadline - time.monotonic()
    if left <= 0:
        raise TooSlow
    try:
        found = regex.search(pattern, text, timeout=left)
    except TimeoutError as error:
        raise TooSlow from error
    except regex.error as error:
        raise BadPattern(str(error)) from error
    return found.span() if found else None
