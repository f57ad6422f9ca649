"""A session's summary: decisions, slow hooks, denials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from hooktui.catalog.hook_states import counted
from hooktui.core import ids
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.sessions.session_list import length
from hooktui.screens.widgets.cells import duration, fit
from hooktui.screens.widgets.decision_list import clock
from hooktui.screens.widgets.signs import DECISION_SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.log.read.rows import DispatchRow
    from hooktui.log.read.sessions import HookTimes, SessionRow, Summary
    from hooktui.log.read.verify import Verification

_MUTED, _HEAD = "$secondary", "$accent bold"
_NAME = 26  # columns
_HOOKS_SHOWN, _DENIALS_SHOWN, _FAULTS_SHOWN = 12, 50, 5


def overview(session: SessionRow, summary: Summary, verdict: Verification | None) -> Content:
    """Counts, the record's integrity (None: not verified yet), and the slowest hooks."""
    return Content("\n").join([_counts(session, summary), _share(session), *_record(verdict), Content(""), *_hooks(summary)])


def denials(summary: Summary) -> Content:
    """Each denial with its time, command, hooks and reason, latest first."""
    shown = [line for row in reversed(summary.denials[-_DENIALS_SHOWN:]) for line in _denial(row)]
    return Content("\n").join([Content.styled("Denials", _HEAD), *(shown or [Content.styled("No denials.", _MUTED)])])


def _counts(session: SessionRow, summary: Summary) -> Content:
    parts = [Content(counted(session.events, "event"))]
    for name, (glyph, colour) in DECISION_SIGNS.items():
        if summary.decisions.get(name):
            parts.append(Content.styled(f"{glyph} {summary.decisions[name]:,} {name}", colour))
    if session.failures:
        parts.append(Content.styled(f"▲ {counted(session.failures, 'failure')}", "$warning"))
    return Content("  ").join(parts)


def _share(session: SessionRow) -> Content:
    waited = f"{duration(session.hook_ms)} in hooks"
    if session.hook_ms and session.length_s >= 1:
        share = session.hook_share * 100
        waited += f", {share:.0f} %" if share >= 1 else ", less than 1 %"
        waited += f" of {length(session.length_s)}"
    return Content.styled(waited, _MUTED)


def _record(verdict: Verification | None) -> Iterator[Content]:
    """Whether the record is intact, and where not."""
    if verdict is None:
        yield Content.styled("… verifying the log", _MUTED)
        return
    older = f"; {counted(verdict.unchained, 'event')} older than the hash chain" if verdict.unchained else ""
    if verdict.intact and verdict.records:
        yield Content.assemble((f"✔ Log intact ({counted(verdict.records, 'record')})", "$success"), (older, _MUTED))
    elif verdict.intact:
        yield Content.styled(f"· Not in the hash chain{older}", _MUTED)
    else:
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
    for one in summary.hooks[:_HOOKS_SHOWN]:
        yield _hook(one)
    if not summary.hooks:
        yield Content.styled("No hooks ran.", _MUTED)


def _hook(one: HookTimes) -> Content:
    failed = (f"{f'▲ {one.failures:,}':>8}", "$warning") if one.failures else (f"{'–':>8}", _MUTED)
    times = "".join(fit(duration(milliseconds), 10, right=True) for milliseconds in (one.p50_ms, one.p95_ms, one.total_ms))
    suffix = " async" if one.unwaited else ""
    name = fit(one_line(one.name), _NAME - len(suffix)).rstrip()
    gap = " " * (_NAME - cell_len(name) - len(suffix))
    return Content.assemble(name, (suffix, _MUTED), gap, f"{one.runs:>7,}", failed, times)


def _denial(row: DispatchRow) -> Iterator[Content]:
    glyph, colour = DECISION_SIGNS["stop" if row.decision == "stop" else "deny"]
    what = " ".join(part for part in (row.tool or row.event, row.subject if row.tool else "") if part)
    yield Content.assemble(
        (f"{glyph} {clock(row.at)} ", colour), one_line(what), (f"  {one_line(' · '.join(row.ran))}", _MUTED)
    )
    if row.reason:
        yield Content(f"  {one_line(row.reason)}")
