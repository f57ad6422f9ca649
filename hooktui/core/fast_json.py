"""JSON for the fast path: the C half of the standard `json`, without the Python half.

`import json` brings `re` and `enum` along: 7 ms, half of what `hooktui run` may add to a bare interpreter. The C scanner and
encoder behind it take none. To say what is wrong with a text `json` itself is used.
"""

from __future__ import annotations

import _json
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_SPACE = " \t\n\r"
_LARGEST = sys.float_info.max
_DIGITS = 4300  # Python reads no longer integer


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON value")


def _decimal(text: str) -> float:
    """What no float can hold becomes the largest: JSON has no infinity that could be handed on."""
    return max(-_LARGEST, min(float(text), _LARGEST))


def _integer(text: str) -> int | float:
    return int(text) if len(text) <= _DIGITS else _decimal(text)


class _Reading:
    """How the scanner reads: as `json.JSONDecoder` does by default, but for what is no JSON."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = _decimal
    parse_int = _integer
    parse_constant = _no_number


_READING: Any = _Reading  # the C code wants only the attributes, the stubs a decoder


def loads(text: str | bytes) -> Any:
    """The value in a JSON text; raises ValueError with a sentence, RecursionError for nesting without end."""
    if isinstance(text, bytes):
        text = text.decode().removeprefix("\ufeff")
    stripped = text.strip(_SPACE)
    try:
        value, end = _json.make_scanner(_READING)(stripped, 0)
    except (StopIteration, ValueError, SystemError):  # the last is how it fails while json.decoder is not imported
        end = -1
    if end == len(stripped):
        return value
    import json

    return json.loads(stripped, parse_constant=_no_number, parse_float=_decimal, parse_int=_integer)


def dumps(value: Any, *, ascii_only: bool = True) -> str:
    """A JSON text; raises TypeError for what JSON cannot hold."""
    encode = _json.encode_basestring_ascii if ascii_only else _json.encode_basestring
    return "".join(_json.make_encoder({}, _refuse, encode, None, ": ", ", ", False, False, True)(value, 0))


def _refuse(value: Any) -> Any:
    raise TypeError(f"{type(value).__name__} is no JSON value")
