"""Aligned labels and values; long values wrap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

LabelledValue = tuple[str | Content, Content]  # label "": the value takes the whole line


class FieldList(Static):
    """Labelled values, a line or more each."""

    def __init__(self, label_width: int, fields: Iterable[LabelledValue] = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes="fields")
        self._label_width = label_width
        self._fields = list(fields)
        self._wrapped: tuple[int, list[Content]] = (0, [])  # width and the lines wrapped for it
        self._shown = Content("")

    def show(self, fields: Iterable[LabelledValue]) -> None:
        self._fields = list(fields)
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
            self._wrapped = width, [line for field in self._fields for line in self._lines(*field, width)]
        return self._wrapped[1]

    def _arrange(self) -> None:
        width = self.content_size.width
        if width > self._label_width:
            lines = self._lines_at(width)
            text = Content("\n").join(lines)
            if not text.is_same(self._shown):
                self._shown = text
                self.update(text, layout=len(lines) != self.content_size.height)

    def _lines(self, label: str | Content, value: Content, width: int) -> Iterator[Content]:
        indent = self._label_width if label else 0
        for number, part in enumerate(value.wrap(width - indent)):
            shown = label if number == 0 else ""
            head = (f"{shown:<{indent}}", "$foreground 60%") if isinstance(shown, str) else shown.pad_right(indent - len(shown))
            yield Content.assemble(head, part)
