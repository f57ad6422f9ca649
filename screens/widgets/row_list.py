"""A list of rows that moves by letters, too, and knows the row under its cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from textual.binding import Binding
from textual.visual import Visual
from textual.widgets import OptionList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.content import Content
    from textual.strip import Strip

Row = TypeVar("Row")


class RowList(OptionList, Generic[Row]):
    """A subclass, or the owner, sets `rows` and adds an option for each."""

    BINDINGS = [
        Binding("j", "cursor_down", "Down", show=False, id="down"),
        Binding("k", "cursor_up", "Up", show=False, id="up"),
        Binding("g", "first", "First", show=False, id="first"),
        Binding("G", "last", "Last", show=False, id="last"),
    ]

    def __init__(self, *options: Content, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(*options, id=id, classes=classes, markup=False, compact=True)
        self.rows: Sequence[Row] = ()

    @property
    def current(self) -> Row | None:
        return self.rows[self.highlighted] if self.rows and self.highlighted is not None else None


class LazyLine(Visual):
    """A line that is made when it comes into view: a list may have thousands."""

    def __init__(self, make: Callable[[], Content]) -> None:
        self.make = make

    def render_strips(self, *args: Any, **options: Any) -> list[Strip]:
        return self.make().render_strips(*args, **options)

    def get_height(self, *_args: Any) -> int:
        return 1

    def get_optimal_width(self, *_args: Any) -> int:
        return self.make().cell_length
