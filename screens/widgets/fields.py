"""Labels and values, aligned; long values wrap beside their label."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from textual.geometry import Size

Field = tuple[str, Content]  # label "": the value has the whole line

_PAIRED = 52  # columns from which short fields share a line


class Fields(Static):
    """One or more fields to a line; where there is no room for more, each gets a line of its own."""

    def __init__(self, label_width: int, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id, classes="fields")
        self._label_width = label_width
        self._rows: list[tuple[Field, ...]] = []
        self._wrapped: tuple[int, list[Content]] = (0, [])  # the lines, and the width that they were made for
        self._shown = Content("")

    def show(self, rows: Iterable[tuple[Field, ...]]) -> None:
        """Show other fields."""
        self._rows = list(rows)
        self._wrapped = (0, [])
        self._arrange()

    def on_resize(self) -> None:
        """Wrap anew."""
        self._arrange()

    def get_content_height(self, _container: Size, _viewport: Size, width: int) -> int:
        """As many lines as there will be: what is told only on a resize comes too late for the layout that makes it."""
        return len(self._lines_at(width))

    def _lines_at(self, width: int) -> list[Content]:
        """All lines; a layout asks for their number again and again."""
        if width <= self._label_width:
            return []
        if width != self._wrapped[0]:
            self._wrapped = width, [line for row in self._rows for line in self._lines(row, width)]
        return self._wrapped[1]

    def _arrange(self) -> None:
        width = self.content_size.width
        if width > self._label_width:
            lines = self._lines_at(width)
            text = Content("\n").join(lines)
            if not text.is_same(self._shown):
                self._shown = text
                self.update(text, layout=len(lines) != self.content_size.height)

    def _lines(self, row: tuple[Field, ...], width: int) -> Iterator[Content]:
        if len(row) > 1 and width >= _PAIRED:
            yield self._columns(row, width // len(row) - self._label_width)
            return
        for label, value in row:
            indent = self._label_width if label else 0
            for number, part in enumerate(value.wrap(width - indent)):
                yield self._labelled(label if number == 0 else " " * indent, part)

    def _columns(self, row: tuple[Field, ...], width: int) -> Content:
        cells = ((label, value.extend_right(max(width - value.cell_length, 0))) for label, value in row)
        return Content("").join(self._labelled(label, value) for label, value in cells)

    def _labelled(self, label: str, value: Content) -> Content:
        return Content.assemble((f"{label:<{self._label_width}}" if label else "", "$foreground 60%"), value)
