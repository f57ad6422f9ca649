"""The rows of the Live screen: one dispatch a line."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from textual.binding import Binding

from hooktui import ids
from hooktui.log.entry import FAILURES
from hooktui.log.rows import DispatchRow
from hooktui.screens.widgets.cells import Cell, Column, duration
from hooktui.screens.widgets.paged_list import PagedList
from hooktui.screens.widgets.states import DECISION_SIGNS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import ClassVar

    from textual.binding import BindingType

    from hooktui.log.reader import LogReader

_WITH_SESSION, _WITH_REASON = 90, 150  # columns from which there is room
_LONG_TIME = 14


class DecisionList(PagedList[DispatchRow]):
    """When, what, how it was decided, by which hooks, how long it took, in which session; why, where there is room."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "choose", "Session")]
    BINDING_GROUP_TITLE = "Decisions"

    reader: LogReader | None = None

    async def fetch(self, numbers: Sequence[int]) -> Mapping[int, DispatchRow]:
        """From the log."""
        rows = await self.reader.rows(numbers) if self.reader else ()
        return {row.id: row for row in rows}

    def columns(self, width: int) -> Sequence[Column]:
        """What fits: no session in few columns, the reason in many."""
        return columns(width)

    def cells(self, column: Column, row: DispatchRow) -> Sequence[Cell]:
        """What stands in a column."""
        return _CELLS[column.name](row, column.width)

    def when(self, number: int, column: Column) -> str:
        """The local time."""
        return clock(ids.seconds(number), column.width)


def columns(width: int) -> Sequence[Column]:
    """What fits into a width."""
    if width < _WITH_SESSION:
        short = (Column("time", 11), Column("event", 19), Column("tool", 8), Column("decision", 8))
        return *short, Column("hooks that ran", max(width - 60, 8)), Column("took", 8, right=True)
    wide = width >= _WITH_REASON
    before = (Column("time", _LONG_TIME), Column("event", 22), Column("tool", 22 if wide else 12), Column("decision", 8))
    after = (Column("took", 8, right=True), Column("session", 16 if wide else 9))
    room = width - sum(column.width + 1 for column in (*before, *after))
    if not wide:
        return *before, Column("hooks that ran", room - 1), *after
    return *before, Column("hooks that ran", 36), *after, Column("reason", room - 38)


def clock(at: float, width: int = _LONG_TIME) -> str:
    """The local time, with the day unless it is today; without the smallest part where there is little room."""
    moment, short = datetime.fromtimestamp(at).astimezone(), width < _LONG_TIME
    if moment.date() == datetime.now().astimezone().date():
        return f"{moment:%H:%M:%S}" if short else f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03}"
    return f"{moment:%m-%d %H:%M}" if short else f"{moment:%m-%d %H:%M:%S}"


def decision_cell(decision: str) -> Cell:
    """Glyph, word and colour."""
    sign = next((glyph for name, (glyph, _) in DECISION_SIGNS.items() if name == decision), "·")
    return Cell(f"{sign} {decision}", decision if decision in DECISION_SIGNS else "")


def _hooks(row: DispatchRow) -> Sequence[Cell]:
    """The hooks that ran; in front of them what went wrong, and whether a person was only trying."""
    trouble = [Cell(f"▲ {row.state} ", "warning")] if row.state in (*FAILURES, "interrupted") else []
    trial = [Cell("try ", "accent")] if row.synthetic else []
    return *trial, *trouble, Cell(" · ".join(row.ran) or "–", "" if row.ran else "muted")


# What each column shows, given its width.
_CELLS: Mapping[str, Callable[[DispatchRow, int], Sequence[Cell]]] = {
    "time": lambda row, width: [Cell(clock(row.at, width), "muted")],
    "event": lambda row, _: [Cell(row.event)],
    "tool": lambda row, _: [Cell(row.tool or "", "strong")],
    "decision": lambda row, _: [decision_cell(row.decision)],
    "hooks that ran": lambda row, _: _hooks(row),
    "took": lambda row, _: [Cell(duration(row.duration_ms), "muted")],
    "session": lambda row, _: [Cell(row.session_name, "muted")],
    "reason": lambda row, _: [Cell(row.reason or "", "muted")],
}
