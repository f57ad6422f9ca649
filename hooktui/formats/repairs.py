"""What a malformed value was probably meant to be: the text that a fix writes."""

from __future__ import annotations

import re
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
    """The number in a text. For a time, `unit` is the field's unit in milliseconds and the text may have a unit.

    None if there is none.
    """
    match = _QUANTITY.fullmatch(text.strip())
    if match is None:
        return None
    value = float(match[1])
    if match[2]:
        given = _UNITS.get(match[2].lower())
        if unit is None or given is None:
            return None
        value = value * given / unit
    return str(int(value)) if value.is_integer() else str(value)


def flag(text: str) -> bool | None:
    """The boolean that a text means; None if it means neither."""
    return _FLAGS.get(text.strip().lower())
