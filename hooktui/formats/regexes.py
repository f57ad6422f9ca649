"""Patterns from strangers: are they valid, and at which character do they go wrong?"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Wrong:
    """Why a pattern is no regex (Python syntax); `position` counts its characters from 0, None when it cannot be told."""

    message: str
    position: int | None


# What is put behind a pattern that ends too soon, by what Python says of it.
_ENDINGS = {"missing ), unterminated subpattern": ")", "unterminated character set": "]", "bad escape (end of pattern)": "\\"}
_SIGNS = tuple(")*+?")
_SLIPS = 3  # so many may be mended: what has more was meant otherwise


def mended(pattern: str) -> str | None:
    """The valid pattern that a slip most likely kept from being one: what is open closed, a stray sign taken literally.

    A lone `*` is everything, as elsewhere. None when that cannot be told.
    """
    if pattern == "*":
        return ".*"
    for _ in range(_SLIPS):
        wrong = check(pattern)
        if wrong is None:
            return pattern
        at = wrong.position
        if wrong.message in _ENDINGS:
            pattern += _ENDINGS[wrong.message]
        elif at is not None and pattern[at : at + 1] in _SIGNS:
            pattern = f"{pattern[:at]}\\{pattern[at:]}"
        else:
            return None
    return pattern if check(pattern) is None else None


@lru_cache(maxsize=4096)
def check(pattern: str) -> Wrong | None:
    """What is wrong with a pattern; None when it is valid."""
    try:
        with warnings.catch_warnings():
            # `[[` may change its meaning one day: no concern of ours.
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except re.error as error:
        return Wrong(error.msg, error.pos)
    except OverflowError as error:
        return Wrong(str(error), None)
    except RecursionError:
        return Wrong("nested too deeply", None)
    return None
