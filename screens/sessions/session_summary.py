"""A session's summary: decisions, slow hooks, denials, and a plot over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from hooktui.catalog.hook_states import counted
from hooktui.core import ids
from hooktui.core.model import effect_word
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read import session_outline
from hooktui.screens.sessions.session_list import length
from hooktui.screens.widgets.cells import duration, fit
from hooktui.screens.widgets.decision_cells import UNKNOWN_HOOK, clock
from hooktui.screens.widgets.lines import DECISION_SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.log.read.rows import DispatchRow
    from hooktui.log.read.session_outline import SessionEvent, Slice
    from hooktui.log.read.sessions import HookTimes, SessionRow, Summary
    from hooktui.log.read.verify import Verification

_MUTED, _HEAD = "$secondary", "bold"
_NAME = 26  # columns
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_LABEL, _MAXIMUM = 10, 9  # columns left and right of the plot's blocks
_HIGH = 2  # lines for the time in hooks
_LEAST_ROOM = 8
_HOOKS_SHOWN, _DENIALS_SHOWN, _FAULTS_SHOWN = 12, 50, 5


def overview(session: SessionRow, summary: Summary, verdict: Verification | None) -> Content:
    """Counts, the faults of its record if it has any, and the slowest hooks."""
    return Content("\n").join([_counts(session, summary), _share(session), *_record(verdict), Content(""), *_hooks(summary)])


def denials(summary: Summary) -> Content:
    """Each denial with its time, command, hooks and reason, latest first."""
    shown = [line for row in reversed(summary.denials[-_DENIALS_SHOWN:]) for line in _denial(row)]
    return Content("\n").join([Content.styled("Denials", _HEAD), *(shown or [Content.styled("No denials.", _MUTED)])])


def _counts(session: SessionRow, summary: Summary) -> Content:
    parts = [Content(counted(session.calls, "call")), Content.styled(counted(session.events, "event"), _MUTED)]
    for name, (glyph, colour) in DECISION_SIGNS.items():
        if name != "none" and summary.decisions.get(name):
            parts.append(Content.styled(f"{glyph} {summary.decisions[name]:,} {effect_word(name)}", colour))
    if session.failures:
        parts.append(Content.styled(f"▲ {counted(session.failures, 'failure')}", "$warning"))
    return Content("  ").join(parts)


def _share(session: SessionRow) -> Content:
    text = f"{duration(session.hook_ms)} in hooks"
    if session.hook_ms and session.length_s >= 1:
        share = session.hook_share * 100
        text += f", {f'{share:.0f}' if share >= 1 else 'less than 1'} % of {length(session.length_s)}"
    return Content.styled(text, _MUTED)


def _record(verdict: Verification | None) -> Iterator[Content]:
    """The first faults of the session's log; nothing while it is not known to have any."""
    if verdict is None or verdict.intact:
        return
    yield Content.styled(f"✕ Log altered ({counted(len(verdict.faults), 'fault')})", "$error bold")
    for fault in verdict.faults[:_FAULTS_SHOWN]:
        when = f" {clock(ids.seconds(fault.record))}" if fault.record else ""
        yield Content.assemble((f"  {fault.kind}{when} ", "$error"), one_line(fault.message))
    if len(verdict.faults) > _FAULTS_SHOWN:
        yield Content.styled("  … `hooktui doctor --verify` lists all", _MUTED)


def _hooks(summary: Summary) -> Iterator[Content]:
    yield Content.assemble(
        (fit("Slowest hooks", _NAME), _HEAD), (f"{'runs':>7}{'failed':>8}{'p50':>10}{'p95':>10}{'total':>10}", _MUTED)
    )
    for times in summary.hooks[:_HOOKS_SHOWN]:
        yield _hook(times)
    if not summary.hooks:
        yield Content.styled("No hooks are recorded.", _MUTED)


def _hook(times: HookTimes) -> Content:
    failed = (f"{f'▲ {times.failures:,}':>8}", "$warning") if times.failures else (f"{'–':>8}", _MUTED)
    durations = "".join(fit(duration(ms), 10, right=True) for ms in (times.p50_ms, times.p95_ms, times.total_ms))
    suffix = " async" if times.unwaited else ""
    name = fit(one_line(times.name), _NAME - len(suffix)).rstrip()
    gap = " " * (_NAME - cell_len(name) - len(suffix))
    return Content.assemble(name, (suffix, _MUTED), gap, f"{times.runs:>7,}", failed, durations)


def _denial(row: DispatchRow) -> Iterator[Content]:
    glyph, colour = DECISION_SIGNS["stop" if row.decision == "stop" else "deny"]
    call = f"{row.tool} {row.about}".rstrip() if row.tool else row.spelling
    yield Content.assemble(
        (f"{glyph} {clock(row.at)} ", colour), one_line(call), (f"  {one_line(next(iter(row.ran), UNKNOWN_HOOK))}", _MUTED)
    )
    for line in (row.reason or "").strip().splitlines():
        yield Content(f"  {one_line(line)}")


class SessionPlot(Static):
    """One slice of the session per column. Textual's Sparkline draws 0 like a small value, so it is not used."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id, markup=False)
        self._session_events: Sequence[SessionEvent] = ()

    def show(self, events: Sequence[SessionEvent]) -> None:
        self._session_events = events
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        room = self.content_size.width - _LABEL - _MAXIMUM - 2
        if room >= _LEAST_ROOM:
            events = self._session_events
            seconds = ids.seconds(events[-1].id) - ids.seconds(events[0].id) if events else 0.0
            self.update(Content("\n").join(_plot(session_outline.slices(events, room), seconds)))


def _plot(parts: Sequence[Slice], seconds: float) -> Iterator[Content]:
    yield Content.assemble(
        (fit("Over time", _LABEL), _HEAD), (f"{'':─<{len(parts)}}", "$border-blurred"), (f" {length(seconds)}", _MUTED)
    )
    waits = [part.hook_ms for part in parts]
    for line, blocks in enumerate(bar_chart(waits, _HIGH)):
        maximum = duration(max(waits, default=0.0)) if line == 0 else ""
        yield _plot_line("in hooks" if line == _HIGH - 1 else "", _MUTED, blocks, "$primary", maximum)
    for name, (glyph, colour) in DECISION_SIGNS.items():
        counts = [part.decisions.get(name, 0) for part in parts]
        if any(counts) and name != "none":
            yield _plot_line(f"{glyph} {effect_word(name)}", colour, bar_chart(counts, 1)[0], colour, f"{max(counts):,}")


def _plot_line(label: str, label_colour: str, blocks: str, colour: str, maximum: str) -> Content:
    limit = (f"≤ {maximum}" if maximum else "", _MUTED)
    return Content.assemble((fit(label, _LABEL), label_colour), (blocks, colour), " ", limit)


def bar_chart(values: Sequence[float], height: int) -> list[str]:
    """Values as a bar chart some lines high, top line first; every value above 0 is visible."""
    scale = height * 8 / (max(values, default=0) or 1)
    eighths = [max(round(value * scale), 1) if value > 0 else 0 for value in values]
    return ["".join(_EIGHTHS[min(max(level - line * 8, 0), 8)] for level in eighths) for line in reversed(range(height))]
