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
        return Wrong("nested too deep", None)
    return None
