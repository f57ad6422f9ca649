"""Validate and repair regular expressions."""

from __future__ import annotations

import re
import time
import warnings
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core import dialects
from hooktui.core.patterns import InvalidPatternError, UnknownMeaningError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.dialects import Dialect


class Wrong(NamedTuple):
    """Why a pattern is not a regex. `position` counts characters from 0; None if unknown."""

    message: str
    position: int | None


# What completes a truncated pattern, by Python's error message.
_ENDINGS = {"missing ), unterminated subpattern": ")", "unterminated character set": "]", "bad escape (end of pattern)": "\\"}
_SIGNS = tuple(")*+?")
_LONGEST = 16_384  # compiling it takes some 70 ms; a clone must not delay an event for longer
_left_s: ContextVar[list[float]] = ContextVar("left_s")  # CPU seconds that are left for compiling
# Characters and classes, repeated at most once each, and anchors: always valid, and compiling takes 50 times as long to say so.
_PLAIN = re.compile(r"(?:(?:[^\\[({*+?)|^$]|\\[dDsSwW\W])[*+?]?|\\b|[|^$])*")
_SLIPS = 3  # repairs; a pattern that needs more has another problem


def repaired(pattern: str, dialect: Dialect = "python") -> str | None:
    """Repair an invalid pattern: close what is open, escape a stray character.

    A lone `*` becomes `.*`. None if the intention is unclear.
    """
    if pattern == "*":
        return ".*"
    for _ in range(_SLIPS):
        wrong = check(pattern, dialect)
        if wrong is None:
            return pattern
        at = wrong.position
        if wrong.message in _ENDINGS:
            pattern += _ENDINGS[wrong.message]
        elif at is not None and pattern[at : at + 1] in _SIGNS:
            pattern = f"{pattern[:at]}\\{pattern[at:]}"
        else:
            return None
    return pattern if check(pattern, dialect) is None else None


@contextmanager
def budget(seconds: float) -> Iterator[None]:
    """Let `check` compile patterns for so much CPU time in all; later patterns count as valid."""
    token = _left_s.set([seconds])
    try:
        yield
    finally:
        _left_s.reset(token)


def check(pattern: str, dialect: Dialect = "python") -> Wrong | None:
    """The error in a pattern of a dialect, None if it is valid."""
    if len(pattern) > _LONGEST:
        return Wrong(f"longer than {_LONGEST:,} characters", None)
    try:
        pattern = dialects.python(pattern, dialect)
    except UnknownMeaningError:
        return None
    except InvalidPatternError as error:
        return Wrong(str(error), None)
    left_s = _left_s.get([float("inf")])
    if left_s[0] <= 0 or _PLAIN.fullmatch(pattern):
        return None
    begun = time.thread_time()
    wrong = _compiling_error(pattern)
    left_s[0] -= time.thread_time() - begun
    return wrong


@lru_cache(maxsize=4096)
def _compiling_error(pattern: str) -> Wrong | None:
    try:
        with warnings.catch_warnings():
            # FutureWarning: `[[` may change its meaning
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except re.error as error:
        return Wrong(error.msg, error.pos)
    except OverflowError as error:
        return Wrong(str(error), None)
    except RecursionError:
        return Wrong("nested too deeply", None)
    return None
