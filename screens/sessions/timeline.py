"""A session's timeline: one line per event, its runs as bars."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING

from textual.binding import Binding

from hooktui.core import ids
from hooktui.log.read import session_outline as outlines
from hooktui.screens.widgets.cells import Cell, Column, duration
from hooktui.screens.widgets.decision_list import call_cells, decision_cell, event_and_call, took_cell
from hooktui.screens.widgets.paged_list import PagedList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.rows import DispatchRow, RunBar
    from hooktui.log.read.session_outline import Outline, SessionEvent
    from hooktui.log.read.verify import Verification

_WITH_MARKS = 96  # columns from which there is room
_WITH_EVENTS = 130  # columns from which event names are whole
_LONGEST_EVENT = len("post-tool-call-failure")
_NOTE = len("◆ stop blocked ×1")
_UNWAITED = "muted"
_STROKES = {"": " ", _UNWAITED: "┄"}  # how a bar is drawn, by its style
_FEW_RAILS = 2  # in a narrow terminal
_OVERFLOW = "▸"  # end of a bar that exceeds the scale


@dataclass(frozen=True, slots=True)
class Step:
    """One dispatch with its runs."""

    row: DispatchRow
    bars: Sequence[RunBar]


class Timeline(PagedList[Step]):
    """The dispatches of one session."""

    BINDING_GROUP_TITLE = "Timeline"
    HELP = """
    The session's events with time, detail, decision and the duration of hooks. Enter shows the decision below.
    """
    BINDINGS = [Binding("enter", "choose", "Details", id="open")]

    reader: DecisionLog | None = None
    started = 0.0
    scale_ms = 100.0
    outline: Outline = outlines.EMPTY
    faults: Mapping[int, str] = {}

    def take(self, events: Sequence[SessionEvent]) -> None:
        """Derive the session's start and the scale of the bars."""
        self.started = ids.seconds(events[0].id) if events else 0.0
        self.scale_ms = outlines.scale_ms(events)
        self.repaint()

    def take_outline(self, outline: Outline) -> None:
        """Show how the events nest; EMPTY until they are analysed."""
        self.outline = outline
        self.repaint()

    def take_verdict(self, verdict: Verification | None) -> None:
        """Mark altered dispatches; None until the session is verified."""
        self.faults = {fault.record: fault.kind for fault in verdict.faults} if verdict else {}
        self.repaint()

    def columns(self, width: int) -> Sequence[Column]:
        """The columns that fit a width; the bars take what is left, with the scale as title."""
        wide = width >= _WITH_MARKS
        rails = Column("rails", min(self.outline.width, outlines.RAILS if wide else _FEW_RAILS), title="")
        known = (rails,) if rails.width else ()
        age = Column("since", 8, right=True)
        before = (age, *known, *_event_columns(width - rails.width), Column("decision", 9))
        after = (
            Column("took", 8, right=True, title="duration"),
            Column("note", _NOTE if wide else 2, title=None if wide else ""),
        )
        room = width - sum(column.width + 1 for column in (*before, *after)) - 1
        scale = f"0{duration(self.scale_ms):─>{max(room - 1, 1)}}"
        return *before, Column("bars", max(room, 4), title=scale), *after

    async def fetch(self, numbers: Sequence[int]) -> Mapping[int, Step]:
        if self.reader is None:
            return {}
        bars = await self.reader.bars(numbers)
        return {row.id: Step(row, bars[row.id]) for row in await self.reader.rows(numbers)}

    def when(self, number: int, column: Column) -> str:
        return since(ids.seconds(number) - self.started)

    def cells(self, column: Column, row: Step) -> Sequence[Cell]:
        if column.name == "since":
            return [Cell(since(row.row.at - self.started), "muted")]
        if column.name == "bars":
            return list(waterfall(row.bars, self.scale_ms, column.width - 1))
        if column.name == "rails":
            return [Cell(self.outline.rails.get(row.row.id, "")[: column.width], "muted")]
        if column.name == "note":
            return [self._note(row, short=column.width < _NOTE)]
        return _CELLS[column.name](row.row)

    def _note(self, step: Step, *, short: bool) -> Cell:
        """The most important remark: altered record, gate, loop, failure, async run, or the tool's duration."""
        mark, fault = self.outline.marks.get(step.row.id, ""), self.faults.get(step.row.id, "")
        lasted = self.outline.lasted.get(step.row.id)
        if fault:
            glyph, mark, style = "✕", fault, "deny"
        elif mark:
            glyph, style = ("↻", "warning") if mark.startswith("loop") else ("◆", "accent")
        elif step.row.has_failed:
            glyph, mark, style = "▲", step.row.state, "warning"
        elif any(bar.unwaited for bar in step.bars):
            glyph, mark, style = "…", "async", _UNWAITED
        elif lasted is not None and not short:
            took = f"{lasted:,.1f} s" if lasted >= 1 else duration(lasted * 1000)  # without a cut unit in a narrow column
            glyph, mark, style = "↧", f"tool took {took}", "muted"
        else:
            return Cell("")
        return Cell(glyph if short else f"{glyph} {mark}", style)


def _event_columns(width: int) -> Sequence[Column]:
    """Event and call, in separate columns where there is room."""
    if width < _WITH_MARKS:
        return (Column("event and call", 28, title="event"),)
    return Column("event", _LONGEST_EVENT if width >= _WITH_EVENTS else 19), Column("call", width * 2 // 9, title="detail")


_CELLS: Mapping[str, Callable[[DispatchRow], Sequence[Cell]]] = {
    "event": lambda row: [Cell(row.spelling)],
    "call": call_cells,
    "event and call": event_and_call,
    "decision": lambda row: [decision_cell(row.effect)],
    "took": lambda row: [took_cell(row)],
}


def since(seconds: float) -> str:
    """Time since the session began: `+12.3s`, `+4:05`, `+1:04:05`."""
    if seconds < 60:
        return f"+{seconds:.1f}s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"+{hours}:{minutes:02}:{rest:02}" if hours else f"+{minutes}:{rest:02}"


def waterfall(bars: Sequence[RunBar], scale_ms: float, width: int) -> Iterator[Cell]:
    """Draw runs as bars, at least a column wide, on a line that spans `scale_ms`. Async runs are dashed, behind the others."""
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
        yield Cell(_OVERFLOW, colours[-1])


def _colour(bar: RunBar) -> str:
    if bar.has_failed:
        return "warning"
    if bar.unwaited:
        return _UNWAITED
    return bar.decision if bar.decision in ("deny", "stop", "ask") else "bar"
