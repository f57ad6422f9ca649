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
    """When, what for, how it was decided, by which hooks, how long it took, in which session; why, where there is room."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "choose", "Session", tooltip="Open the session's timeline")]
    BINDING_GROUP_TITLE = "Decisions"

    reader: LogReader | None = None

    async def fetch(self, numbers: Sequence[int]) -> Mapping[int, DispatchRow]:
        """From the log."""
        rows = await self.reader.rows(numbers) if self.reader else ()
        return {row.id: row for row in rows}

    def action_last(self) -> None:
        """The newest row, and whatever comes after it."""
        self.following = True

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
    """What fits into a width; what the event was about gets most of it, then the hooks."""
    decision, took = Column("decision", 7, title="decided"), Column("took", 8, right=True)
    if width < _WITH_SESSION:
        room = width - 30
        event = Column("event and call", room * 5 // 8, title="event")
        return Column("time", 11), event, decision, Column("hooks that ran", room - event.width), took
    wide = width >= _WITH_REASON
    time, event, session = (
        Column("time", _LONG_TIME),
        Column("event", 22 if wide else 19),
        Column("session", 20 if wide else 14),
    )
    room = width - sum(column.width + 1 for column in (time, event, decision, took, session))
    call = Column("call", room * (40 if wide else 50) // 100, title="about")
    if not wide:
        return time, event, call, decision, Column("hooks that ran", room - call.width - 1), took, session
    hooks = Column("hooks that ran", room * 25 // 100)
    return time, event, call, decision, hooks, took, session, Column("reason", room - call.width - hooks.width - 2)


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


def call_cells(row: DispatchRow) -> Sequence[Cell]:
    """The tool and its command or file; for other events what was asked or said."""
    tool = [Cell(f"{row.tool} ", "strong")] if row.tool else []
    return *tool, Cell(row.subject, "" if row.tool else "muted")


def event_and_call(row: DispatchRow) -> Sequence[Cell]:
    """Both in one column, where there is little room."""
    return Cell(f"{row.event} ", "muted"), *call_cells(row)


def took_cell(row: DispatchRow) -> Cell:
    """How long the agent waited for hooks, if there were any."""
    return Cell(duration(row.duration_ms) if row.ran else "–", "muted")


# What each column shows, given its width.
_CELLS: Mapping[str, Callable[[DispatchRow, int], Sequence[Cell]]] = {
    "time": lambda row, width: [Cell(clock(row.at, width), "muted")],
    "event": lambda row, _: [Cell(row.event)],
    "call": lambda row, _: call_cells(row),
    "event and call": lambda row, _: event_and_call(row),
    "decision": lambda row, _: [decision_cell(row.decision)],
    "hooks that ran": lambda row, _: _hooks(row),
    "took": lambda row, _: [took_cell(row)],
    "session": lambda row, _: [Cell(row.session_name, "muted")],
    "reason": lambda row, _: [Cell(row.reason or "", "muted")],
}
