"""Searching with patterns that come from strangers: none may take longer than its budget.

The engine is chosen by pattern, and its import is paid only when a pattern needs it: plain text needs none, what cannot run
away goes to `re`, the rest to `regex`, which can be stopped.
"""

from __future__ import annotations

import time

_SPECIAL = frozenset(".^$*+?{}[]()\\")
_REPEATS = "*+{"
_MANY, _FAR_TOO_MANY = 20, 40
_SAFE_STEPS = 2_000_000  # `re` takes some 10 ms for so many, far below any budget


class TooSlow(Exception):
    """A pattern used up its time on this text."""


class BadPattern(Exception):
    """A pattern that is no regex."""


class Budget:
    """Seconds that searching may take. Only this thread's work counts: no import, nothing else that keeps a machine busy."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds

    def __enter__(self) -> None:
        if self.left <= 0:
            raise TooSlow
        self._begun = time.thread_time()

    def __exit__(self, *_exception: object) -> None:
        self.left -= time.thread_time() - self._begun


def search(pattern: str, text: str, budget: Budget) -> tuple[int, int] | None:
    """The first place where `pattern` (Python syntax) matches: start and end. Plain text is free.

    Raises TooSlow when the budget is used up, and BadPattern.
    """
    if not _SPECIAL.intersection(pattern):
        return _find_literal(pattern.split("|"), text)
    find = _search_bounded if _cannot_explode(pattern, len(text)) else _search_timed
    try:
        return find(pattern, text, budget)
    except (ValueError, RecursionError, OverflowError) as error:
        raise BadPattern(str(error)) from error


def _find_literal(alternatives: list[str], text: str) -> tuple[int, int] | None:
    found = [(start, start + len(part)) for part in alternatives if (start := text.find(part)) >= 0]
    return min(found, key=lambda span: span[0], default=None)


def _cannot_explode(pattern: str, length: int) -> bool:
    """True when no group is repeated and every way through the pattern is tried in few steps: a bound, not an estimate."""
    from math import comb

    if any(")" + sign in pattern for sign in _REPEATS):
        return False
    repeats = sum(map(pattern.count, _REPEATS))
    # Each | and each ? may double the ways, wherever it stands.
    choices = 1 << min(pattern.count("|") + pattern.count("?"), _FAR_TOO_MANY)
    # Where to start and where each repeat ends: so many places out of `length`.
    return comb(length + 1 + repeats, repeats + 1) * choices <= _SAFE_STEPS if repeats < _MANY else False


def _search_bounded(pattern: str, text: str, budget: Budget) -> tuple[int, int] | None:
    import re

    try:
        with budget:
            found = re.search(pattern, text)
    except re.error as error:
        raise BadPattern(str(error)) from error
    return found.span() if found else None


def _search_timed(pattern: str, text: str, budget: Budget) -> tuple[int, int] | None:
    import regex  # 15 ms, and only for patterns that could run away

    try:
        with budget:
            found = regex.search(pattern, text, timeout=budget.left)
    except TimeoutError as error:
        raise TooSlow from error
    except regex.error as error:
        raise BadPattern(str(error)) from error
    return found.span() if found else None
