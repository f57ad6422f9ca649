"""The titles above the columns of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widget import Widget

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hooktui.screens.widgets.cells import Column


class Heads(Widget):
    """The titles above the columns of a list."""

    ALLOW_SELECT = False

    def __init__(self, columns: Callable[[int], Sequence[Column]]) -> None:
        super().__init__()
        self._columns = columns

    def render(self) -> Content:
        """One line, as wide as the rows beside their scroll bar."""
        return Content(" ".join(column.head for column in self._columns(self.size.width - 1)))
