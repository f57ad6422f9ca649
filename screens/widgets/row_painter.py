"""Paint table rows: cut, panned or wrapped, with search results highlighted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.cells import Cell, Column, background, styles

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
        self._styles_on: dict[str, tuple[Style, Mapping[str, Style]]] = {}  # by background

    def paint(self, row: Sequence[tuple[Column, Sequence[Cell]]], backdrop: str, width: int, look: Look) -> list[Strip]:
        """The lines of one row, with a blank between columns. `backdrop` is a theme variable."""
        base, on_base = self._on(backdrop)
        parts = [(column, _segments(cells, on_base, look.shown)) for column, cells in row]
        if not look.wrap and not look.pan:  # the row of a list that rushes by: no strip for each cell
            return [Strip(_joined(parts, base)).adjust_cell_length(width, base)]
        columns = [_lines(column, Strip(segments), look) for column, segments in parts]
        widths = [column.width for column, _ in row]
        lines = (Strip.join(_beside(line, widths)) for line in zip_longest(*columns))
        return [line.adjust_cell_length(width).apply_style(base) for line in lines]

    def _on(self, backdrop: str) -> tuple[Style, Mapping[str, Style]]:
        """The style of a background, and those of cells on it."""
        if backdrop not in self._styles_on:
            base = background(self._variables, backdrop)
            brighter = self._styles if backdrop == "background" else self._styles | {"faint": self._styles["muted"]}
            self._styles_on[backdrop] = base, {name: base + style for name, style in brighter.items()}
        return self._styles_on[backdrop]


def _segments(cells: Sequence[Cell], styles_: Mapping[str, Style], shown: re.Pattern[str] | None) -> list[Segment]:
    return [
        Segment(text, styles_["match" if is_match else cell.style])
        for cell in cells
        for text, is_match in pieces(one_line(cell.text), shown)
    ]


def _joined(parts: Iterable[tuple[Column, list[Segment]]], base: Style) -> Iterator[Segment]:
    """The cells of a row in one line, each cut or padded to its column, with a blank between two."""
    for place, (column, segments) in enumerate(parts):
        if place:
            yield Segment(" ", base)
        blank = column.width - sum(segment.cell_length for segment in segments)
        if blank < 0:
            yield from _cut(Strip(segments), column.width)
            continue
        padding = Segment(" " * blank, base)
        yield from (padding, *segments) if column.right else (*segments, padding)


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
