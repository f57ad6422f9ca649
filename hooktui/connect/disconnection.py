"""One change to a text taken back while another one stays: what `disconnect` does to a file that was edited meanwhile."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)
# Pieces that are compared before it takes too long; tokens repeat more than lines do.
_LIMITS = ((_LINE, 20_000), (_TOKEN, 4_000))


def taken_back(before: str, after: str, now: str) -> str | None:
    """`now`, which was made from `after`, without the change from `before` to `after`.

    None when both changes touch the same place, or it would take too long to tell.
    """
    for unit, limit in _LIMITS:
        pieces = [unit.findall(text) for text in (before, after, now)]
        merged = _merged(*pieces) if max(map(len, pieces)) <= limit else None
        if merged is not None:
            return "".join(merged)
    return None


def _merged(old: list[str], ours: list[str], theirs: list[str]) -> list[str] | None:
    untouched = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    merged: list[str] = []
    at = 0
    for tag, start, end, old_start, old_end in SequenceMatcher(None, ours, old, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        block = next((block for block in untouched if block.a <= start and end <= block.a + block.size), None)
        if block is None:
            return None
        place = block.b + start - block.a
        merged += [*theirs[at:place], *old[old_start:old_end]]
        at = place + end - start
    return [*merged, *theirs[at:]]
