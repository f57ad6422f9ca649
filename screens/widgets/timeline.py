"""A session's timeline: one line a dispatch, its runs as bars beside one another."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING

from textual.binding import Binding

from hooktui import ids
from hooktui.log.entry import FAILURES
from hooktui.screens.widgets.cells import Cell, Column, duration
from hooktui.screens.widgets.decision_list import call_cells, decision_cell, event_and_call, took_cell
from hooktui.screens.widgets.paged_list import PagedList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import ClassVar

    from textual.binding import BindingType

    from hooktui.log.reader import LogReader
    from hooktui.log.rows import Bar, DispatchRow
    from hooktui.log.sessions import SessionRow, Summary

_WITH_MARKS = 96  # columns from which there is room
_NOTE = len("▲ invalid-output")
_UNWAITED = "muted"
_STROKES = {"": " ", _UNWAITED: "┄"}  # of a bar, by its colour
_BEYOND = "▸"  # at the end of a bar that is longer than the scale


@dataclass(frozen=True, slots=True)
class Step:
    """One dispatch and its runs."""

    row: DispatchRow
    bars: Sequence[Bar]


class Timeline(PagedList[Step]):
    """The dispatches of one session since it began."""

    BINDING_GROUP_TITLE = "Timeline"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "choose", "Details")]

    reader: LogReader | None = None
    started = 0.0
    scale_ms = 100.0
    marks: Mapping[int, str] = {}

    def take(self, session: SessionRow, summary: Summary) -> None:
        """What the lines are drawn by."""
        self.started, self.scale_ms, self.marks = session.started, summary.scale_ms, summary.marks
        self.repaint()

    def columns(self, width: int) -> Sequence[Column]:
        """What fits into a width; the bars take what is left, and their title is the scale."""
        wide = width >= _WITH_MARKS
        before = (Column("since", 8, right=True), *_what_happened(width), Column("decision", 7, title="decided"))
        after = (Column("took", 8, right=True), Column("note", _NOTE if wide else 2, title=None if wide else ""))
        room = width - sum(column.width + 1 for column in (*before, *after)) - 1
        scale = f"0{duration(self.scale_ms):─>{max(room - 1, 1)}}"
        return *before, Column("bars", max(room, 4), title=scale), *after

    async def fetch(self, numbers: Sequence[int]) -> Mapping[int, Step]:
        """From the log."""
        if self.reader is None:
            return {}
        bars = await self.reader.bars(numbers)
        return {row.id: Step(row, bars[row.id]) for row in await self.reader.rows(numbers)}

    def when(self, number: int, column: Column) -> str:
        """How long after the session began."""
        return since(ids.seconds(number) - self.started)

    def cells(self, column: Column, row: Step) -> Sequence[Cell]:
        """What stands in a column."""
        if column.name == "since":
            return [Cell(since(row.row.at - self.started), "muted")]
        if column.name == "bars":
            return list(waterfall(row.bars, self.scale_ms, column.width - 1))
        if column.name == "note":
            return [_note(row, self.marks.get(row.row.id, ""), short=column.width < _NOTE)]
        return _CELLS[column.name](row.row)


def _what_happened(width: int) -> Sequence[Column]:
    """Event and call, in columns of their own where there is room."""
    if width < _WITH_MARKS:
        return (Column("event and call", 28, title="event"),)
    return Column("event", 19), Column("call", width * 2 // 9, title="about")


_CELLS: Mapping[str, Callable[[DispatchRow], Sequence[Cell]]] = {
    "event": lambda row: [Cell(row.event)],
    "call": call_cells,
    "event and call": event_and_call,
    "decision": lambda row: [decision_cell(row.decision)],
    "took": lambda row: [took_cell(row)],
}


def since(seconds: float) -> str:
    """How long after the beginning: `+12.3s`, `+4:05`, `+1:04:05`."""
    if seconds < 60:
        return f"+{seconds:.1f}s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"+{hours}:{minutes:02}:{rest:02}" if hours else f"+{minutes}:{rest:02}"


def waterfall(bars: Sequence[Bar], scale_ms: float, width: int) -> Iterator[Cell]:
    """Runs as bars on a line of a width that stands for `scale_ms`; a run that is shorter than a column still has one.

    A run that nobody waited for is dashed, and lies behind the others.
    """
    colours, furthest = [""] * width, 0
    for unwaited in (True, False):
        at = 0
        for bar in (bar for bar in bars if bar.unwaited == unwaited):
            start = min(max(int(bar.started_ms / scale_ms * width), at), width - 1)
            at = max(ceil((bar.started_ms + bar.duration_ms) / scale_ms * width), start + 1)
            colours[start:at] = [_colour(bar)] * (min(at, width) - start)
            furthest = max(furthest, at)
    for colour, columns in groupby(colours):
        yield Cell(_STROKES.get(colour, "━") * len(list(columns)), colour)
    if furthest > width:
        yield Cell(_BEYOND, colours[-1])


def _colour(bar: Bar) -> str:
    if bar.state in FAILURES or bar.state == "interrupted":
        return "warning"
    if bar.unwaited:
        return _UNWAITED
    return bar.decision if bar.decision in ("deny", "stop", "ask") else "bar"


def _note(step: Step, mark: str, *, short: bool) -> Cell:
    """A gate, a loop, what went wrong, or that nobody waited."""
    if mark:
        glyph, style = ("↻", "warning") if mark.startswith("loop") else ("◆", "accent")
    elif step.row.state in (*FAILURES, "interrupted"):
        glyph, mark, style = "▲", step.row.state, "warning"
    elif any(bar.unwaited for bar in step.bars):
        glyph, mark, style = "…", "async", _UNWAITED
    else:
        return Cell("")
    return Cell(glyph if short else f"{glyph} {mark}", style)
