"""Paint table rows: cut, panned or wrapped, with search results highlighted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.cells import Cell, background, styles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hooktui.screens.widgets.cells import Column

_MOST_LINES = 12  # per wrapped row
_WORDS = re.compile(r"(\S+|^)( *)")


@dataclass(frozen=True, slots=True)
class Look:
    """How rows look: wrapped or cut, panned by some cells, and what is highlighted."""

    wrap: bool = False
    pan: int = 0
    shown: re.Pattern[str] | None = None


class RowPainter:
    """Paints in a theme's colours."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self._styles = styles(variables)

    def paint(self, row: Sequence[tuple[Column, Sequence[Cell]]], backdrop: str, width: int, look: Look) -> list[Strip]:
        """The lines of one row, with a blank between columns. `backdrop` is a theme variable."""
        base = background(self._variables, backdrop)
        parts = [_lines(column, self._strip(cells, look.shown), look) for column, cells in row]
        widths = [column.width for column, _ in row]
        lines = (Strip.join(_beside(line, widths)) for line in zip_longest(*parts))
        return [line.adjust_cell_length(width).apply_style(base) for line in lines]

    def _strip(self, cells: Sequence[Cell], shown: re.Pattern[str] | None) -> Strip:
        return Strip(
            [
                Segment(text, self._styles["match" if is_match else cell.style])
                for cell in cells
                for text, is_match in pieces(one_line(cell.text), shown)
            ]
        )


def pieces(text: str, shown: re.Pattern[str] | None) -> Iterator[tuple[str, bool]]:
    """Split a text into pieces, each with whether it matches the search."""
    at = 0
    for match in shown.finditer(text) if shown else ():
        yield text[at : match.start()], False
        yield match.group(), True
        at = match.end()
    yield text[at:], False


def _beside(parts: Iterable[Strip | None], widths: Iterable[int]) -> Iterator[Strip]:
    """One line, column by column, with a blank after each."""
    for part, width in zip(parts, widths, strict=True):
        yield part or Strip.blank(width)
        yield Strip.blank(1)


def _lines(column: Column, strip: Strip, look: Look) -> list[Strip]:
    """A column's lines, each exactly as wide."""
    width = column.width
    if column.right:
        return [Strip.join([Strip.blank(width - strip.cell_length), _cut(strip, min(strip.cell_length, width))])]
    if column.long and look.wrap:
        starts = breaks(strip.text, width)[:_MOST_LINES]
        ends = [*(min(start + width, after) for start, after in pairwise(starts)), strip.cell_length]
        return [_cut(strip.crop(start, end), width) for start, end in zip(starts, ends, strict=True)]
    if column.long and look.pan and strip.cell_length:
        strip = Strip.join([_ellipsis(strip.crop(0, 1)), strip.crop(look.pan + 1)])
    return [_cut(strip, width)]


def breaks(text: str, width: int) -> list[int]:
    """Where the lines of a wrapped text begin, in cells; words wider than a line are split."""
    starts, at, width = [0], 0, max(width, 2)
    for word, blank in _WORDS.findall(text):
        length = cell_len(word)
        if at > starts[-1] and at + length > starts[-1] + width:
            starts.append(at)
        while at + length > starts[-1] + width:
            starts.append(starts[-1] + width)
        at += length + len(blank)
    return starts


def _cut(strip: Strip, width: int) -> Strip:
    """Pad or cut to a width; a cut strip ends in an ellipsis."""
    if strip.cell_length <= width:
        return Strip.join([strip, Strip.blank(width - strip.cell_length)])
    if width <= 0:
        return Strip([])
    return Strip.join([strip.crop(0, width - 1), _ellipsis(strip.crop(width - 1, width))])


def _ellipsis(instead_of: Strip) -> Strip:
    return Strip([Segment("…", segment.style) for segment in instead_of][:1], 1)
