"""A list of machines or rules, sorted by a column, in its pane."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets.option_list import Option

from hooktui.catalog.hook_states import counted
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.cells import Cell, Heads, fit, text_style
from hooktui.screens.widgets.empty import Empty
from hooktui.screens.widgets.row_list import LazyLine, RowList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult
    from textual.events import Click

    from hooktui.screens.fleet.row_kinds import RowKind
    from hooktui.screens.widgets.cells import Column

Row = TypeVar("Row")
_BETWEEN = " · "  # remarks


class FleetTable(RowList[Row], Generic[Row]):
    """One line a row. The cursor stays on its row while others come and go."""

    BINDINGS = [Binding("enter", "select", "Decisions", tooltip="Show its decisions in Live", id="open")]

    def __init__(self, kind: RowKind[Row], *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.kind = kind
        self.order = next(iter(kind.orders))
        self._drawn: list[LazyLine] = []

    def show(self, rows: Sequence[Row]) -> None:
        current, at_top = self.current, not self.highlighted
        self.rows = sorted(rows, key=self.kind.orders[self.order])
        self._write(None if at_top and not self.has_focus else current)

    def sort_by(self, column: str) -> None:
        self.order = column
        self.show(self.rows)

    def go_to(self, is_wanted: Callable[[Row], bool]) -> None:
        self.highlighted = next((number for number, row in enumerate(self.rows) if is_wanted(row)), self.highlighted)

    def on_resize(self) -> None:
        self._write(self.current)

    async def _on_click(self, event: Click) -> None:
        """Go to a row; only a double click opens it, since the screen shows more of a row than the list."""
        event.prevent_default()
        if (number := event.style.meta.get("option")) is not None:
            self.highlighted = number
            if event.chain > 1:
                self.action_select()

    def _write(self, current: Row | None) -> None:
        layout = self.kind.columns(self.scrollable_content_region.width)
        lines = [LazyLine(partial(self._line, row, layout)) for row in self.rows]
        keys = [self.kind.key(row) for row in self.rows]
        key = self.kind.key(current) if current is not None else ""
        if len(lines) != len(self._drawn):
            self._drawn = lines
            self.clear_options()
            self.add_options([Option(line) for line in lines])
        elif lines:
            for drawn, line in zip(self._drawn, lines, strict=True):
                drawn.make = line.make
            self.replace_option_prompt_at_index(0, self._drawn[0])  # draws all again
        self.highlighted = (keys.index(key) if key in keys else 0) if self.rows else None

    def _line(self, row: Row, layout: Sequence[Column]) -> Content:
        return Content(" ").join(
            self._state(row, column) if column.name == "state" else _styled(self.kind.cells[column.name](row), column)
            for column in layout
        )

    def _state(self, row: Row, column: Column) -> Content:
        """All remarks on a row, each in its colour; cut where the column ends."""
        remarks = [Cell(remark.text, remark.style) for remark in self.kind.remarks(row)] or [self.kind.ok(row)]
        parts = [(one_line(remark.text), text_style(remark.style)) for remark in remarks]
        line = Content(_BETWEEN).join(Content.styled(*part) for part in parts)
        return line.truncate(column.width, ellipsis=True, pad=True)


def _styled(cell: Cell, column: Column) -> Content:
    return Content.styled(fit(one_line(cell.text), column.width, right=column.right), text_style(cell.style))


class FleetPane(Vertical, Generic[Row]):
    """A list below its title and column heads; a text in its place while it is empty."""

    def __init__(self, kind: RowKind[Row], *, id: str) -> None:  # noqa: A002  # Textual's name
        """`id` is the list's."""
        super().__init__(classes="pane")
        self.table = FleetTable(kind, id=id)

    def compose(self) -> ComposeResult:
        yield Heads(lambda width: self.table.kind.columns(width), self.sort_by)
        yield self.table
        yield Empty()

    def on_mount(self) -> None:
        self.query_one(Heads).mark(self.table.order)

    def show(self, rows: Sequence[Row], title: Content, empty: tuple[str, Sequence[tuple[str, str]]]) -> None:
        """Show rows; `empty` is the text without any, with keys to press."""
        self.table.show(rows)
        self.set_class(not rows, "-empty")
        self.query_one(Empty).show(*empty)
        self.border_title = title
        troubled = sum(bool(self.table.kind.remarks(row)) for row in rows)
        counts = counted(len(rows), self.table.kind.noun)
        self.border_subtitle = f"{counts} · {f'{troubled:,} with trouble' if troubled else 'no trouble'}" if rows else ""

    def list_by(self, kind: RowKind[Row]) -> None:
        """List another kind of rows from now on."""
        self.table.show(())
        self.table.kind, self.table.order = kind, next(iter(kind.orders))
        self.query_one(Heads).mark(self.table.order)

    def sort_by(self, column: str) -> None:
        if column in self.table.kind.orders:
            self.table.sort_by(column)
            self.query_one(Heads).mark(column)

    def sort_next(self) -> None:
        orders = list(self.table.kind.orders)
        self.sort_by(orders[(orders.index(self.table.order) + 1) % len(orders)])
