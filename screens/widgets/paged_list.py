"""A list of any length: rows are fetched when they come into view, and a line is painted when it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from rich.segment import Segment
from textual import work
from textual.binding import Binding
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hooktui.log.found import Found
from hooktui.plain import one_line
from hooktui.screens.failures import tell_failure
from hooktui.screens.widgets.cells import Cell, background, fit, fit_all, styles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import ClassVar

    from rich.style import Style
    from textual.binding import BindingType
    from textual.events import Click, Resize

    from hooktui.screens.widgets.cells import Column

T = TypeVar("T")
_ROWS_KEPT = 4096
_LINES_KEPT = 1024


class PagedList(ScrollView, Generic[T], can_focus=True):
    """Rows of a `Found`. A subclass says how rows are fetched and painted.

    While `following`, the cursor stays on the last row, whatever comes.
    """

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("pagedown,ctrl+d", "page(1)", "Page down", show=False),
        Binding("pageup,ctrl+u", "page(-1)", "Page up", show=False),
        Binding("home,g", "first", "First", show=False),
        Binding("end,G", "last", "Last", show=False),
        Binding("enter", "choose", "Open", show=False),
    ]

    following: reactive[bool] = reactive(False, init=False)
    on_worker_state_changed = tell_failure

    class Moved(Message):
        """The cursor is on another dispatch now (None: there is none)."""

        def __init__(self, number: int | None) -> None:
            super().__init__()
            self.number = number

    class Chosen(Message):
        """A dispatch was chosen: enter, or a double click."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.found = Found()
        self.current: int | None = None
        self._row = 0
        self._seen = 0
        self._rows: LRUCache[int, T | None] = LRUCache(_ROWS_KEPT)
        self._lines: LRUCache[tuple[int, bool, bool], Strip] = LRUCache(_LINES_KEPT)
        self._styles: dict[str, Style] = {}
        self._stale: set[int] = set()
        self._fetching = False

    # What a subclass says

    async def fetch(self, numbers: Sequence[int]) -> Mapping[int, T]:
        """The rows of these dispatches; those that are gone are left out."""
        raise NotImplementedError

    def columns(self, width: int) -> Sequence[Column]:
        """What fits into a width, a blank between two columns."""
        raise NotImplementedError

    def cells(self, column: Column, row: T) -> Sequence[Cell]:
        """What stands in a column of a row."""
        raise NotImplementedError

    def when(self, number: int, column: Column) -> str:
        """The time of a row that is not there yet: its id tells it."""
        raise NotImplementedError

    # Rows

    def show(self, found: Found) -> None:
        """Show other rows; the cursor stays on its dispatch, or near it."""
        self.found = found
        self.update_rows()

    def show_from_start(self, found: Found) -> None:
        """Show other rows, the cursor on the first."""
        self.found = found
        self.current = found[0] if found else None
        self._row = 0
        self.scroll_to(y=0, animate=False)
        self.update_rows()
        self.post_message(self.Moved(self.current))

    def update_rows(self) -> None:
        """Rows came or went: what is looked at stays where it is, unless we follow."""
        last = len(self.found) - 1
        self.virtual_size = Size(self.row_width, len(self.found))
        if self.following or self.current is None:
            self._go_to(last)
        else:
            row = min(self.found.row_of(self.current), last)
            self.scroll_to(y=self.scroll_offset.y + row - self._row, animate=False)
            self._go_to(row, reveal=False)
        self.refresh()
        self._load_visible()

    def repaint(self) -> None:
        """Rows are the same, but would look different."""
        self._lines.clear()
        self.refresh()

    def refetch(self) -> None:
        """What is in view may have changed: fetch it again, showing the old rows meanwhile."""
        self._stale.update(self.found.between(*self._in_view()))
        self._load_visible()

    @property
    def cursor_row(self) -> int:
        """The number of the row under the cursor."""
        return self._row

    def row(self, number: int) -> T | None:
        """A row, if it is there already."""
        return self._rows.get(number)

    def rows_at_hand(self) -> list[T]:
        """The rows that have been looked at lately."""
        return [row for row in map(self._rows.get, self._rows.keys()) if row is not None]

    @property
    def row_width(self) -> int:
        """Columns of a line."""
        return self.scrollable_content_region.width

    @property
    def unseen(self) -> int:
        """How many of the rows that came since following stopped are still below the cursor."""
        return 0 if self.following else self.found.after(self._seen)

    def _in_view(self) -> tuple[int, int]:
        """First and last row that may soon be looked at: those in view, and a page on either side."""
        height = self.scrollable_content_region.height
        return self.scroll_offset.y - height, self.scroll_offset.y + 2 * height

    def _missing(self) -> list[int]:
        return [number for number in self.found.between(*self._in_view()) if number not in self._rows or number in self._stale]

    def _load_visible(self) -> None:
        if not self._fetching and self._missing():
            self._fetching = True
            self._load()

    @work(exit_on_error=False, group="rows", description="Reading the log")
    async def _load(self) -> None:
        """Fetch until nothing in view is missing; what is in view may change meanwhile."""
        try:
            while numbers := self._missing():
                rows = await self.fetch(numbers)
                for number in numbers:
                    self._rows[number] = rows.get(number)
                self._stale.difference_update(numbers)
                self._lines.clear()
                self.refresh()
        finally:
            self._fetching = False

    # Lines

    def render_line(self, y: int) -> Strip:
        """One line of what is in view."""
        row = y + self.scroll_offset.y
        if row >= len(self.found):
            return Strip.blank(self.row_width, self.rich_style)
        key = (self.found[row], row == self._row, self.has_focus)
        strip = self._lines.get(key)
        if strip is None:
            strip = self._lines[key] = self._paint(*key)
        return strip

    def _paint(self, number: int, at_cursor: bool, focused: bool) -> Strip:
        base = background(self.app.theme_variables, _backdrop(at_cursor, focused))
        strip = Strip([Segment(cell.text, base + self._styles[cell.style]) for cell in self._cells(number)])
        return strip.adjust_cell_length(self.row_width, base)

    def _cells(self, number: int) -> Iterator[Cell]:
        row, columns = self._rows.get(number), self.columns(self.row_width)
        if row is None:
            yield Cell(fit(self.when(number, columns[0]), columns[0].width, right=columns[0].right), "muted")
            return
        for column in columns:
            cells = [Cell(one_line(text), style) for text, style in self.cells(column, row)]
            yield from fit_all(cells, column.width, right=column.right)
            yield Cell(" ")

    def notify_style_update(self) -> None:
        """Another theme, other colours."""
        super().notify_style_update()
        self._styles = styles(self.app.theme_variables)
        self._lines.clear()

    def on_resize(self, _event: Resize) -> None:
        """Other widths, other lines; the cursor stays in view."""
        self._lines.clear()
        self.virtual_size = Size(self.row_width, len(self.found))
        self._go_to(self._row)
        self._load_visible()

    # The cursor

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Other rows come into view."""
        super().watch_scroll_y(old_value, new_value)
        self._load_visible()

    def watch_following(self, following: bool) -> None:
        """Go to the end, or remember what was there when following stopped."""
        if following:
            self._go_to(len(self.found) - 1)
        else:
            self._seen = self.found[-1] if self.found else 0

    def go_to(self, row: int) -> None:
        """Put the cursor on a row, which ends following."""
        self.following = False
        self._go_to(row)

    def _go_to(self, row: int, *, reveal: bool = True) -> None:
        self._row = max(min(row, len(self.found) - 1), 0)
        before, self.current = self.current, self.found[self._row] if self.found else None
        self._seen = max(self._seen, self.current or 0)
        if reveal:
            self._reveal()
        self.refresh()
        if self.current != before:
            self.post_message(self.Moved(self.current))

    def _reveal(self) -> None:
        height, top = self.scrollable_content_region.height, self.scroll_offset.y
        if self._row < top:
            self.scroll_to(y=self._row, animate=False)
        elif self._row >= top + height:
            self.scroll_to(y=self._row - height + 1, animate=False)

    def action_move(self, rows: int) -> None:
        """Up or down."""
        if not (self.following and rows > 0):
            self.go_to(self._row + rows)

    def action_page(self, pages: int) -> None:
        """A page up or down."""
        self.action_move(pages * max(self.scrollable_content_region.height - 1, 1))

    def action_first(self) -> None:
        """The oldest row."""
        self.go_to(0)

    def action_last(self) -> None:
        """The newest row."""
        self.go_to(len(self.found) - 1)

    def action_choose(self) -> None:
        """Open the row under the cursor."""
        if self.current is not None:
            self.post_message(self.Chosen(self.current))

    def on_click(self, event: Click) -> None:
        """Put the cursor there; a double click opens."""
        row = event.y + self.scroll_offset.y
        if row < len(self.found):
            self.go_to(row)
            if event.chain > 1:
                self.action_choose()

    def on_mouse_scroll_up(self) -> None:
        """Whoever looks back does not want to be dragged along."""
        self.following = False

    on_scroll_up = on_scroll_to = on_mouse_scroll_up  # with the scroll bar


def _backdrop(at_cursor: bool, focused: bool) -> str:
    """The variable of the theme behind a line."""
    if not at_cursor:
        return "background"
    return "block-cursor-background" if focused else "block-cursor-blurred-background"
