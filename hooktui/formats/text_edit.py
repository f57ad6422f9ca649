"""Replace spans of a text and keep every other character, line ends and the byte order mark included."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    Splice = tuple[int, int, str]  # start, end, new text

BOM = "\ufeff"
APPEND = "-"  # the last step of a path that means a new element at the end of a list
LINE_END = re.compile(r"\r\n?|\n")


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """Replace spans that do not overlap. Insertions at one offset keep their order."""
    pieces, at = [], 0
    for start, end, new in sorted(splices, key=lambda splice: splice[0]):
        pieces += [text[at:start], new]
        at = end
    return "".join((*pieces, text[at:]))


def newline(text: str) -> str:
    """The first line end of a text; a line feed if there is none."""
    match = LINE_END.search(text)
    return match.group() if match else "\n"


def line_start(text: str, offset: int) -> int:
    """The offset of the start of a line."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def next_line(text: str, offset: int) -> int:
    """The offset after the next line end."""
    match = LINE_END.search(text, offset)
    return match.end() if match else len(text)
