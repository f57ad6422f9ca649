"""Paint table rows: each cell cut or padded to its column, with search results highlighted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.cells import Cell, Column, background, styles


class RowPainter:
    """Paints in a theme's colours."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self._styles = styles(variables)
        self._styles_on: dict[str, tuple[Style, Mapping[str, Style]]] = {}  # by background

    def paint(
        self, row: Sequence[tuple[Column, Sequence[Cell]]], backdrop: str, width: int, shown: re.Pattern[str] | None
    ) -> Strip:
        """The line of one row, with a blank between columns. `backdrop` is a theme variable; `shown` is highlighted."""
        base, on_base = self._on(backdrop)
        parts = ((column, _segments(cells, on_base, shown)) for column, cells in row)
        return Strip(_joined(parts, base)).adjust_cell_length(width, base)

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


def _cut(strip: Strip, width: int) -> Strip:
    """Cut to a width, with an ellipsis at the end."""
    if width <= 0:
        return Strip([])
    last = [Segment("…", segment.style) for segment in strip.crop(width - 1, width)]
    return Strip.join([strip.crop(0, width - 1), Strip(last[:1], 1)])
