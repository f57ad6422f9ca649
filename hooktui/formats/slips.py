"""What a value of the wrong kind, or a word beside a closed set, was plainly meant to be: what a fix writes in its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_QUANTITY = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*([A-Za-z]*)")
# Units of time in milliseconds.
_UNITS: Mapping[str, int] = {
    **dict.fromkeys(("ms", "msec", "msecs", "millisecond", "milliseconds"), 1),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1000),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60_000),
}
_FLAGS: Mapping[str, bool] = {**dict.fromkeys(("true", "yes", "on"), True), **dict.fromkeys(("false", "no", "off"), False)}

SECOND = 1000  # milliseconds


def number(text: str, unit: int | None = None) -> str | None:
    """The number that a text holds; where a field counts time in a `unit` of milliseconds, also one with a unit behind it.

    None when there is no such number.
    """
    found = _QUANTITY.fullmatch(text.strip())
    if found is None:
        return None
    value = float(found[1])
    if found[2]:
        given = _UNITS.get(found[2].lower())
        if unit is None or given is None:
            return None
        value = value * given / unit
    return str(int(value)) if value.is_integer() else str(value)


def flag(text: str) -> bool | None:
    """The boolean that a text says; None when it says none."""
    return _FLAGS.get(text.strip().lower())
