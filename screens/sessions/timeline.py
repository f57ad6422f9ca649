"""A session's timeline: one line per tool call or other event, its runs as bars."""

from __future__ import annotations

from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from textual.binding import Binding

from hooktui.core import ids
from hooktui.log.read import session_outline as outlines
from hooktui.screens.widgets.call_list import CallList
from hooktui.screens.widgets.cells import Cell, Column, duration
from hooktui.screens.widgets.decision_cells import CELLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.rows import DispatchRow, RunBar
    from hooktui.log.read.session_outline import Outline, SessionEvent
    from hooktui.log.read.verify import Verification

_WITH_MARKS, _WIDE = 96, 150  # columns from which there is room for marks; for the names of hooks, too
_LONGEST_BAR, _WIDEST_HOOKS = 24, 40
_LEAST_CALL = 12
_NOTE = len("◆ stop blocked ×1")
_UNWAITED = "muted"
_NO_NOTE = len("async")
_STROKES = {"": " ", _UNWAITED: "┄"}  # how a bar is drawn, by its style
_FEW_RAILS = 2  # in a narrow terminal
_OVERFLOW = "▸"  # end of a bar that exceeds the scale


class Step(NamedTuple):
    """A call or another event, and the runs of events."""

    row: DispatchRow
    bars: Mapping[int, Sequence[RunBar]]


class Timeline(CallList[Step]):
    """The calls and other events of one session."""

    BINDING_GROUP_TITLE = "Timeline"
    HELP = """
    The session's tool calls and other events with time, decision and the time in hooks and tool. Enter shows the decision
    below; {more} shows the events of a call.
    """
    BINDINGS = [Binding("enter", "choose", "Details", id="open")]

    reader: DecisionLog | None = None
    started = 0.0
    scale_ms = 100.0
    has_times = True
    outline: Outline = outlines.EMPTY
    faults: Mapping[int, str] = {}

    def take(self, events: Sequence[SessionEvent]) -> None:
        self.started = ids.seconds(events[0].id) if events else 0.0
        self.scale_ms = outlines.scale_ms(events)
        self.has_times = any(event.duration_ms for event in events)
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
        """The columns that fit a width; the call takes what is left. The bars have their scale as title; none without times."""
        wide = width >= _WITH_MARKS
        rails = Column("rails", min(self.outline.width, outlines.RAILS if wide else _FEW_RAILS), title="")
        before = (Column("since", 8, right=True), *((rails,) if rails.width else ()))
        bars = min(width // 9, _LONGEST_BAR) if wide and self.has_times else 0
        scale = f"0{duration(self.scale_ms):─>{max(bars - 1, 1)}}"
        note = max(map(len, self.outline.marks.values()), default=_NO_NOTE) + 2
        after = (
            Column("decision", 9),
            Column("hooks that ran", min(width // (6 if wide and width < _WIDE else 5), _WIDEST_HOOKS), title="hooks"),
            *((Column("bars", bars, title=scale),) if bars else ()),
            Column("took", 8, right=True, title="in hooks"),
            *((Column("tool", 7, right=True),) if wide else ()),
            Column("note", min(note, _NOTE) if wide else 2, title=None if wide else ""),
        )
        room = width - sum(column.width + 1 for column in (*before, *after))
        return *before, Column("call", max(room, _LEAST_CALL)), *after

    async def fetch(self, numbers: Sequence[int]) -> Mapping[int, Step]:
        if self.reader is None:
            return {}
        calls = await self.completed(await self.reader.calls(numbers))
        bars = await self.reader.bars([event.id for call in calls for event in call.events or (call,)])
        steps = [Step(call, bars) for call in calls]
        self.take_calls(steps)
        return {call.id: step for call, step in zip(calls, steps, strict=True)}

    def call_of(self, row: Step) -> DispatchRow:
        return row.row

    def when(self, number: int, column: Column) -> str:
        return since(ids.seconds(number) - self.started)

    def cells(self, column: Column, row: Step) -> Sequence[Cell]:
        if column.name == "since":
            return [Cell(since(row.row.at - self.started), "muted")]
        if column.name == "bars":
            return list(waterfall(self._bars(row), self.scale_ms, column.width - 1))
        if column.name == "rails":
            return [Cell(self.outline.rails.get(row.row.id, "")[: column.width], "muted")]
        if column.name == "note":
            return [self._note(row, short=column.width <= len("◆ "))]
        return CELLS[column.name](self.shown(row.row), column.width)

    def _bars(self, step: Step) -> list[RunBar]:
        """The runs of a row, those of a call one event after the other."""
        call, at, bars = self.shown(step.row), 0.0, []
        for event in call.events or (call,):
            bars += [bar._replace(started_ms=bar.started_ms + at) for bar in step.bars[event.id]]
            at += event.duration_ms
        return bars

    def _note(self, step: Step, *, short: bool) -> Cell:
        """The most important remark: altered record, gate, loop, async run, or how long a subagent worked."""
        events = [event.id for event in step.row.events] or [step.row.id]
        mark = next(filter(None, (self.outline.marks.get(number) for number in events)), "")
        fault = next(filter(None, (self.faults.get(number) for number in events)), "")
        lasted = self.outline.lasted.get(step.row.id)
        if fault:
            glyph, mark, style = "✕", fault, "deny"
        elif mark:
            glyph, style = ("↻", "warning") if mark.startswith("loop") else ("◆", "accent")
        elif any(bar.unwaited for bar in self._bars(step)):
            glyph, mark, style = _STROKES[_UNWAITED], "async", _UNWAITED
        elif lasted is not None and step.row.tool is None and not short:
            glyph, mark, style = "↧", duration(lasted * 1000), "muted"
        else:
            return Cell("")
        return Cell(glyph if short else f"{glyph} {mark}", style)


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
