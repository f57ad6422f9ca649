"""Aligned labels and values; long values wrap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from textual.geometry import Size

LabelledValue = tuple[str, Content]  # label "": the value takes the whole line

_PAIRED = 52  # columns from which short fields share a line


class FieldList(Static):
    """Rows of labelled values; in a narrow terminal each value has its own line."""

    def __init__(self, label_width: int, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id, classes="fields")
        self._label_width = label_width
        self._rows: list[tuple[LabelledValue, ...]] = []
        self._wrapped: tuple[int, list[Content]] = (0, [])  # width and the lines wrapped for it
        self._shown = Content("")

    def show(self, rows: Iterable[tuple[LabelledValue, ...]]) -> None:
        self._rows = list(rows)
        self._wrapped = (0, [])
        self._arrange()

    def on_resize(self) -> None:
        self._arrange()

    def get_content_height(self, _container: Size, _viewport: Size, width: int) -> int:
        """The number of lines at a width, already known when the layout asks."""
        return len(self._lines_at(width))

    def _lines_at(self, width: int) -> list[Content]:
        """All lines, cached: a layout asks several times."""
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

    def _lines(self, row: tuple[LabelledValue, ...], width: int) -> Iterator[Content]:
        if len(row) > 1 and width >= _PAIRED:
            yield self._columns(row, width // len(row) - self._label_width)
            return
        for label, value in row:
            indent = self._label_width if label else 0
            for number, part in enumerate(value.wrap(width - indent)):
                yield self._labelled(label if number == 0 else " " * indent, part)

    def _columns(self, row: tuple[LabelledValue, ...], width: int) -> Content:
        cells = ((label, value.extend_right(max(width - value.cell_length, 0))) for label, value in row)
        return Content("").join(self._labelled(label, value) for label, value in cells)

    def _labelled(self, label: str, value: Content) -> Content:
        return Content.assemble((f"{label:<{self._label_width}}" if label else "", "$foreground 60%"), value)
