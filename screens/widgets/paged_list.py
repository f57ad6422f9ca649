"""A list of any length: rows are fetched when they come into view, lines painted when shown."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from textual import work
from textual.binding import Binding
from textual.cache import LRUCache
from textual.events import Click, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hooktui.log.read.search import SearchResults
from hooktui.screens.widgets.cells import Cell, Column
from hooktui.screens.widgets.notifications import notify_failure
from hooktui.screens.widgets.row_painter import RowPainter

if TYPE_CHECKING:
    import re

T = TypeVar("T")
_ROWS_KEPT, _LINES_KEPT = 4096, 1024


class PagedList(ScrollView, Generic[T], can_focus=True):
    """Rows of a `SearchResults`. A subclass says how rows are fetched and painted.

    While `following`, the cursor stays on the last row.
    """

    ALLOW_SELECT = False
    BINDINGS = [
        Binding("down,j", "move(1)", "Down", show=False, id="down"),
        Binding("up,k", "move(-1)", "Up", show=False, id="up"),
        Binding("pagedown,ctrl+d", "page(1)", "Page down", show=False, id="page-down"),
        Binding("pageup,ctrl+u", "page(-1)", "Page up", show=False, id="page-up"),
        Binding("home,g", "first", "First", show=False, id="first"),
        Binding("end,G", "last", "Last", show=False, id="last"),
        Binding("enter", "choose", "Open", show=False, id="open"),
    ]

    following: reactive[bool] = reactive(False, init=False)
    on_worker_state_changed = notify_failure

    @dataclass
    class Moved(Message):
        """The cursor moved to another dispatch; None if there is none."""

        number: int | None

    class LaidOut(Message):
        """The columns changed."""

    @dataclass
    class Chosen(Message):
        """A dispatch was chosen by enter or a double click."""

        number: int

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.results = SearchResults()
        self.current: int | None = None
        self._row = 0
        self._seen = 0
        self._rows: LRUCache[int, T | None] = LRUCache(_ROWS_KEPT)  # by dispatch; None if it no longer exists
        self._stale: set[int] = set()  # to be fetched again, and shown meanwhile
        self._lines: LRUCache[tuple[int, bool, bool], tuple[T | None, Strip]] = LRUCache(_LINES_KEPT)
        self._painter: RowPainter | None = None
        self._highlighted: re.Pattern[str] | None = None
        self._fetching = False

    # For subclasses

    async def fetch(self, numbers: Sequence[int]) -> Mapping[int, T]:
        """Read the rows of these dispatches; missing ones are left out."""
        raise NotImplementedError

    def columns(self, width: int) -> Sequence[Column]:
        """The columns that fit a width, with a blank between two."""
        raise NotImplementedError

    def cells(self, column: Column, row: T) -> Sequence[Cell]:
        raise NotImplementedError

    def when(self, number: int, column: Column) -> str:
        """The time of a row that is not read yet, from its ID."""
        raise NotImplementedError

    # Rows

    def show(self, results: SearchResults) -> None:
        """Show rows; the cursor stays on its dispatch, or near it."""
        self.results = results
        self.update_rows()

    def show_from_start(self, results: SearchResults) -> None:
        """Show rows, the cursor on the first."""
        self.results = results
        self.current = results[0] if results else None
        self._row = 0
        self.scroll_to(y=0, animate=False, immediate=True)
        self.update_rows()
        self.post_message(self.Moved(self.current))

    def update_rows(self) -> None:
        """Rows were added or removed: keep the view where it is, unless following."""
        last = len(self.results) - 1
        self._measure()
        if self.following or self.current is None:
            self._go_to(last)
        else:
            row = min(self.results.row_of(self.current), last)
            self.scroll_to(y=self.scroll_offset.y + row - self._row, animate=False, immediate=True)
            self._go_to(row, reveal=False)
        self.refresh()
        self._load_visible()

    def repaint(self) -> None:
        self._lines.clear()
        self.refresh()

    async def expect(self, numbers: Sequence[int]) -> Sequence[int]:
        """Fetch the rows about to be shown, so that each is painted once; those that were fetched."""
        seen = numbers[-self.scrollable_content_region.height :] if self.following else ()
        if seen:
            self._store(seen, await self.fetch(seen))
        return seen

    def refetch(self, numbers: Collection[int] | None = None) -> None:
        """Fetch rows again, by default those in view, showing the old ones meanwhile."""
        again = self.results.between(*self._in_view()) if numbers is None else numbers
        self._stale.update(number for number in again if number in self._rows)
        self._load_visible()

    def row(self, number: int) -> T | None:
        """A row, if it has been fetched."""
        return self._rows.get(number)

    @property
    def row_width(self) -> int:
        return self.scrollable_content_region.width

    @property
    def unseen(self) -> int:
        return 0 if self.following else self.results.after(self._seen)

    def _in_view(self) -> tuple[int, int]:
        """The first and last row within a page of the view."""
        height = self.scrollable_content_region.height
        return self.scroll_offset.y - height, self.scroll_offset.y + 2 * height

    def _missing(self) -> list[int]:
        in_view = self.results.between(*self._in_view())
        return [number for number in in_view if number not in self._rows or number in self._stale]

    def _store(self, numbers: Sequence[int], rows: Mapping[int, T]) -> None:
        for number in numbers:
            self._rows.discard(number)  # setting a known key changes nothing
            self._rows[number] = rows.get(number)
        self._stale.difference_update(numbers)

    def _load_visible(self) -> None:
        if not self._fetching and self._missing():
            self._fetching = True
            self._load()

    @work(exit_on_error=False, group="rows", description="Reading the log")
    async def _load(self) -> None:
        """Fetch until nothing in view is missing; the view may move meanwhile."""
        try:
            while numbers := self._missing():
                self._store(numbers, await self.fetch(numbers))
                self.refresh()
        finally:
            self._fetching = False

    # Lines

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint lines without Textual's cache of styled lines: a list that follows a log paints all its lines at each new row.

        The list has neither border nor padding.
        """
        filters, ground = self.get_line_filters(), self.background_colors[1]
        lines = [self.render_line(y) for y in crop.line_range]
        for line_filter in filters:
            lines = [line.apply_filter(line_filter, ground) for line in lines]
        left, right = crop.column_span
        return lines if left == 0 and right >= self.row_width else [line.crop(left, right) for line in lines]

    def render_line(self, y: int) -> Strip:
        row = self.scroll_offset.y + y
        return self._strip(row) if row < len(self.results) else Strip.blank(self.row_width, self.rich_style)

    def _strip(self, row: int) -> Strip:
        """A row's line, cached until it is fetched again."""
        key = number, at_cursor, focused = self.results[row], row == self._row, self.has_focus
        data, kept = self._rows.get(number), self._lines.get(key)
        if kept is None or kept[0] is not data:
            self._lines.discard(key)
            kept = self._lines[key] = data, self._paint(number, data, _backdrop(at_cursor, focused))
        return kept[1]

    def _paint(self, number: int, row: T | None, backdrop: str) -> Strip:
        columns = self.columns(self.row_width)
        first = columns[0]
        cells: list[tuple[Column, Sequence[Cell]]] = (
            [(first, [Cell(self.when(number, first), "muted")])]
            if row is None
            else [(column, self.cells(column, row)) for column in columns]
        )
        if self._painter is None:
            self._painter = RowPainter(self.app.theme_variables)
        return self._painter.paint(cells, backdrop, self.row_width, self._highlighted)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._painter = None
        self._lines.clear()

    def highlight(self, pattern: re.Pattern[str] | None) -> None:
        """Highlight what was searched for."""
        self._highlighted = pattern
        self.repaint()

    def _measure(self) -> None:
        """Set the scrollable size, in rows."""
        size = Size(self.row_width, len(self.results))
        if self.show_vertical_scrollbar and size.height > self.size.height:
            self.set_reactive(ScrollView.virtual_size, size)  # without laying out the whole screen for each new row
            self.vertical_scrollbar.window_virtual_size = size.height
        else:
            self.virtual_size = size

    def on_resize(self, _event: Resize) -> None:
        self._lines.clear()
        self._measure()
        self._go_to(self._row)
        self._load_visible()

    # The cursor

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._load_visible()

    def watch_following(self, following: bool) -> None:
        if following:
            self._go_to(len(self.results) - 1)
        else:
            self._seen = self.results[-1] if self.results else 0

    def go_to(self, row: int) -> None:
        """Go to a row, which ends following."""
        self.following = False
        self._go_to(row)

    def _go_to(self, row: int, *, reveal: bool = True) -> None:
        self._row = max(min(row, len(self.results) - 1), 0)
        before, self.current = self.current, self.results[self._row] if self.results else None
        self._seen = max(self._seen, self.current or 0)
        if reveal:
            self._reveal()
        self.refresh()
        if self.current != before:
            self.post_message(self.Moved(self.current))

    def _reveal(self) -> None:
        top, least = self.scroll_offset.y, self._row - self.scrollable_content_region.height + 1
        if self._row < top:
            self.scroll_to(y=self._row, animate=False, immediate=True)
        elif least > top:
            self.scroll_to(y=least, animate=False, immediate=True)

    def action_move(self, rows: int) -> None:
        if not (self.following and rows > 0):
            self.go_to(self._row + rows)

    def action_page(self, pages: int) -> None:
        self.action_move(pages * max(self.scrollable_content_region.height - 1, 1))

    def action_first(self) -> None:
        self.go_to(0)

    def action_last(self) -> None:
        self.go_to(len(self.results) - 1)

    def action_choose(self) -> None:
        if self.current is not None:
            self.post_message(self.Chosen(self.current))

    def on_click(self, event: Click) -> None:
        row = self.scroll_offset.y + event.y
        if row < len(self.results):
            self.go_to(row)
            if event.chain > 1:
                self.action_choose()

    def on_mouse_scroll_up(self) -> None:
        self.following = False

    on_scroll_up = on_scroll_to = on_mouse_scroll_up  # by the scroll bar


def _backdrop(at_cursor: bool, focused: bool) -> str:
    if not at_cursor:
        return "background"
    return "block-cursor-background" if focused else "block-cursor-blurred-background"
