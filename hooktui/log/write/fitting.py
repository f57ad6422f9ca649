"""A JSON value cut so that its text fits into a room: what is short stays whole, what is long shares the rest.

Room is counted in characters of JSON, and about kept to: escapes may stand closer in what stays of a text than in all of it.
"""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.security.redaction import LEFT_OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Pair = tuple[str, Any]

_DEEP = 8  # levels that are gone through; what is too long below them is cut as the text that it is
_LEAST = 64  # an item that can be kept in less would not be worth it
_GAP = f"\n… {LEFT_OUT}\n"


def fitted(value: Any, room: int, deep: int = _DEEP) -> Any:
    """A JSON value for so much room, `deep` levels of it gone through. One that has enough is handed back as it is."""
    text = _json(value)
    if len(text) <= room:
        return value
    if deep and isinstance(value, dict):
        return dict(_fitted_pairs(list(value.items()), room, deep))
    if deep and isinstance(value, list):
        return [item for _, item in _fitted_pairs([("", item) for item in value], room, deep)]
    return _cut(value if isinstance(value, str) else text, room)


def _fitted_pairs(pairs: Sequence[Pair], room: int, deep: int) -> list[Pair]:
    some = _ends(pairs, room // _LEAST)
    sizes = [len(_json(pair)) for pair in some]
    share = _share(sizes, room)
    return [pair if size <= share else _fitted_pair(pair, share, deep) for pair, size in zip(some, sizes, strict=True)]


def _fitted_pair(pair: Pair, room: int, deep: int) -> Pair:
    key, item = pair
    key = _cut(key, room // 2)
    return key, fitted(item, room - len(_json(key)), deep - 1)


def _ends(pairs: Sequence[Pair], most: int) -> Sequence[Pair]:
    """The first and the last of too many."""
    if len(pairs) <= most:
        return pairs
    half = most // 2
    left_out = len(pairs) - 2 * half
    return [*pairs[:half], ("…", f"… {left_out} items {LEFT_OUT}"), *pairs[len(pairs) - half :]]


def _share(sizes: Sequence[int], room: int) -> int:
    """How much each may have of a room when none takes more than it needs."""
    for place, size in enumerate(sorted(sizes)):
        share = room // (len(sizes) - place)
        if size > share:
            return share
        room -= size
    return max(sizes, default=0)


def _cut(text: str, room: int) -> str:
    """The beginning and the end of a text."""
    needed = len(_json(text))
    if needed <= room:
        return text
    half = max(room * len(text) // needed - len(_GAP), 0) // 2
    return text[:half] + _GAP + text[len(text) - half :]


def _json(value: Any) -> str:
    return fast_json.dumps(value, ascii_only=False)
