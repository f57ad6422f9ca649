"""Truncate a JSON value to a maximum length of its text: short parts stay whole, long ones share the rest.

Lengths are counted in characters of JSON and kept approximately: the kept ends of a text may hold more escapes than its middle.
"""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.security.redaction import LEFT_OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Pair = tuple[str, Any]

_MAX_DEPTH = 8  # levels that are truncated part by part; a deeper value is cut as text
_MIN_LENGTH = 64  # an item is not worth keeping in less
_GAP = f"\n… {LEFT_OUT}\n"


def truncated(value: Any, length: int, depth: int = _MAX_DEPTH) -> Any:
    """A JSON value cut to a length, part by part for `depth` levels. A value that fits is returned as it is."""
    text = _json(value)
    if len(text) <= length:
        return value
    if depth and isinstance(value, dict):
        return dict(_truncated_pairs(list(value.items()), length, depth))
    if depth and isinstance(value, list):
        return [item for _, item in _truncated_pairs([("", item) for item in value], length, depth)]
    return _cut(value if isinstance(value, str) else text, length)


def _truncated_pairs(pairs: Sequence[Pair], length: int, depth: int) -> list[Pair]:
    kept = _first_and_last(pairs, length // _MIN_LENGTH)
    sizes = [len(_json(pair)) for pair in kept]
    share = _share(sizes, length)
    return [pair if size <= share else _truncated_pair(pair, share, depth) for pair, size in zip(kept, sizes, strict=True)]


def _truncated_pair(pair: Pair, length: int, depth: int) -> Pair:
    key, item = pair
    key = _cut(key, length // 2)
    return key, truncated(item, length - len(_json(key)), depth - 1)


def _first_and_last(pairs: Sequence[Pair], most: int) -> Sequence[Pair]:
    """At most so many pairs, without those in the middle."""
    if len(pairs) <= most:
        return pairs
    half = most // 2
    left_out = len(pairs) - 2 * half
    return [*pairs[:half], ("…", f"… {left_out} items {LEFT_OUT}"), *pairs[len(pairs) - half :]]


def _share(sizes: Sequence[int], length: int) -> int:
    """The largest length that every part may have so that their sum fits; short parts leave their rest to the others."""
    for place, size in enumerate(sorted(sizes)):
        share = length // (len(sizes) - place)
        if size > share:
            return share
        length -= size
    return max(sizes, default=0)


def _cut(text: str, length: int) -> str:
    """The beginning and the end of a text."""
    needed = len(_json(text))
    if needed <= length:
        return text
    half = max(length * len(text) // needed - len(_GAP), 0) // 2
    return text[:half] + _GAP + text[len(text) - half :]


def _json(value: Any) -> str:
    return fast_json.dumps(value, ascii_only=False)
