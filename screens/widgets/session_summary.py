"""A session at a glance: what was decided, which hooks were slow, what was denied and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from hooktui.plain import one_line
from hooktui.screens.widgets.cells import duration, fit
from hooktui.screens.widgets.decision_list import clock
from hooktui.screens.widgets.states import DECISION_SIGNS, counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.log.rows import DispatchRow
    from hooktui.log.sessions import HookTimes, SessionRow, Summary

_MUTED, _HEAD = "$secondary", "$accent bold"
_NAME = 26  # columns
_HOOKS_SHOWN, _DENIALS_SHOWN = 12, 50


def overview(session: SessionRow, summary: Summary) -> Content:
    """Counts and the hooks, slowest first."""
    return Content("\n").join([_counts(session, summary), Content(""), *_hooks(summary)])


def denials(summary: Summary) -> Content:
    """When, which command or event, by which hook and why; the last first."""
    shown = [line for row in reversed(summary.denials[-_DENIALS_SHOWN:]) for line in _denial(row)]
    return Content("\n").join([Content.styled("Denials", _HEAD), *(shown or [Content.styled("Nothing was denied.", _MUTED)])])


def _counts(session: SessionRow, summary: Summary) -> Content:
    parts = [Content(counted(session.events, "event"))]
    for name, (glyph, colour) in DECISION_SIGNS.items():
        if summary.decisions.get(name):
            parts.append(Content.styled(f"{glyph} {summary.decisions[name]:,} {name}", colour))
    if session.failures:
        parts.append(Content.styled(f"▲ {counted(session.failures, 'failure')}", "$warning"))
    return Content("  ").join([*parts, Content.styled(f"{duration(session.hook_ms)} in hooks", _MUTED)])


def _hooks(summary: Summary) -> Iterator[Content]:
    yield Content.assemble(
        (fit("Slowest hooks", _NAME), _HEAD), (f"{'runs':>7}{'failed':>8}{'p50':>10}{'p95':>10}{'total':>10}", _MUTED)
    )
    for one in summary.hooks[:_HOOKS_SHOWN]:
        yield _hook(one)
    if not summary.hooks:
        yield Content.styled("No hook ran.", _MUTED)


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
