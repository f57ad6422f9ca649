"""JSON for the fast path: the C half of the standard `json`, without the Python half.

`import json` also imports `re` and `enum`: 7 ms, half of what `hooktui run` may add to a bare interpreter. The C scanner and
encoder need neither. Error messages come from `json` itself.
"""

from __future__ import annotations

import _json
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_SPACE = " \t\n\r"
_LARGEST = sys.float_info.max
_MAX_DIGITS = 4300  # Python parses no longer integers


def _reject_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON value")


def _decimal(text: str) -> float:
    """A float. A number that is too large becomes the largest float, because JSON has no infinity."""
    return max(-_LARGEST, min(float(text), _LARGEST))


def _integer(text: str) -> int | float:
    return int(text) if len(text) <= _MAX_DIGITS else _decimal(text)


class _ScannerOptions:
    """The defaults of `json.JSONDecoder`, without its extensions to JSON."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = _decimal
    parse_int = _integer
    parse_constant = _reject_constant


_OPTIONS: Any = _ScannerOptions  # the C code needs only the attributes, the stubs a decoder


def loads(text: str | bytes) -> Any:
    """Parse a JSON text. Raises ValueError with a message, RecursionError for deep nesting."""
    if isinstance(text, bytes):
        text = text.decode().removeprefix("\ufeff")
    stripped = text.strip(_SPACE)
    try:
        value, end = _json.make_scanner(_OPTIONS)(stripped, 0)
    except (StopIteration, ValueError, SystemError):  # SystemError while json.decoder is not imported
        end = -1
    if end == len(stripped):
        return value
    import json

    return json.loads(stripped, parse_constant=_reject_constant, parse_float=_decimal, parse_int=_integer)


def parse_object(text: str | bytes) -> dict[str, Any]:
    """The object in a JSON text, {} for any other text."""
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_object(path: str) -> dict[str, Any]:
    """The object in a JSON file, {} for a missing, unreadable or other file."""
    try:
        with open(path, "rb") as file:
            return parse_object(file.read())
    except OSError:
        return {}


def dumps(value: Any, *, ascii_only: bool = True) -> str:
    """Serialize a value as JSON. Raises TypeError for a value that JSON does not support."""
    encode = _json.encode_basestring_ascii if ascii_only else _json.encode_basestring
    return "".join(_json.make_encoder({}, reject_value, encode, None, ": ", ", ", False, False, True)(value, 0))


def reject_value(value: Any) -> Any:
    """Raise TypeError for a value that JSON does not support."""
    raise TypeError(f"{type(value).__name__} is not a JSON value")
