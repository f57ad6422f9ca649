"""The column titles above a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.style import Style
from textual.widget import Widget

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.events import Click

    from hooktui.screens.widgets.cells import Column


class Heads(Widget):
    """The column titles above a list."""

    ALLOW_SELECT = False

    def __init__(self, columns: Callable[[int], Sequence[Column]], choose: Callable[[str], None] | None = None) -> None:
        """`choose` is called with the name of a clicked column."""
        super().__init__()
        self._columns = columns
        self._choose = choose
        self._marked = ""

    def mark(self, name: str) -> None:
        """Mark the column that the rows are sorted by."""
        self._marked = name
        self.refresh()

    def render(self) -> Content:
        return Content(" ").join(self._head(column) for column in self._columns(self.size.width - 1))

    def _head(self, column: Column) -> Content:
        head = Content.styled(column.head, "$accent bold" if column.name == self._marked else "")
        return head.stylize(Style.from_meta({"column": column.name})) if self._choose else head

    def on_click(self, event: Click) -> None:
        name = event.style.meta.get("column")
        if name and self._choose:
            self._choose(name)
