"""JSON for the fast path: the C half of the standard `json`, without the Python half.

`import json` brings `re` and `enum` along: 7 ms, half of what `hooktui run` may add to a bare interpreter. The C scanner and
encoder behind it take none. To say what is wrong with a text `json` itself is used.
"""

from __future__ import annotations

import _json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SPACE = " \t\n\r"


class _Reading:
    """How the scanner reads: as `json.JSONDecoder` does by default."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.__getitem__


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

    return json.loads(stripped)


def dumps(value: Any, *, ascii_only: bool = True) -> str:
    """A JSON text; raises TypeError for what JSON cannot hold."""
    encode = _json.encode_basestring_ascii if ascii_only else _json.encode_basestring
    return "".join(_json.make_encoder({}, _refuse, encode, None, ": ", ", ", False, False, True)(value, 0))


def _refuse(value: Any) -> Any:
    raise TypeError(f"{type(value).__name__} is no JSON value")
