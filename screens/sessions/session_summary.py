"""A session's summary (decisions, slow hooks, denials), and its preview in the list."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import work
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from hooktui.catalog import listed_mods
from hooktui.catalog.hook_states import counted
from hooktui.catalog.known_hooks import KnownHooks
from hooktui.core import ids
from hooktui.core.paths import short
from hooktui.core.report import effect_word, what_went_on
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read.rows import day
from hooktui.screens.sessions.session_list import length
from hooktui.screens.widgets.cells import duration, fit
from hooktui.screens.widgets.decision_cells import UNKNOWN_HOOK, clock
from hooktui.screens.widgets.fields import FieldList
from hooktui.screens.widgets.lines import DECISION_SIGNS
from hooktui.screens.widgets.notifications import notify_log_failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from textual.app import ComposeResult

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.rows import DispatchRow
    from hooktui.log.read.sessions import HookTimes, SessionRow, Summary
    from hooktui.log.read.verify import Verification
    from hooktui.screens.widgets.fields import LabelledValue

_MUTED, _HEAD = "$secondary", "bold"
_NAME, REASON_INDENT = 26, 2  # columns
_HOOKS_SHOWN, _DENIALS_SHOWN, _FAULTS_SHOWN = 12, 50, 5


def overview(session: SessionRow, summary: Summary, verdict: Verification | None) -> Content:
    """Counts, the faults of its record if it has any, and the slowest hooks."""
    head = [_counts(session, summary), *([_share(session)] if session.hook_ms else [])]
    return Content("\n").join([*head, *_record(verdict), Content(""), *_hooks(summary)])


async def denials(summary: Summary, reader: DecisionLog) -> Sequence[LabelledValue]:
    """Each denial with its time, command, hooks and, indented, its reason, latest first."""
    rows = summary.denials[-_DENIALS_SHOWN:]
    allowed = await _allowed_by([row.id for row in rows if row.overruled and not row.machine], reader)
    shown = [line for row in reversed(rows) for line in _denial(row, allowed.get(row.id, ""))]
    return [("", Content.styled("Denials", _HEAD)), *(shown or [("", Content.styled("No denials.", _MUTED))])]


async def _allowed_by(overruled: Sequence[int], reader: DecisionLog) -> dict[int, str]:
    """What let each overruled call of this machine run, by its row's id."""
    if not overruled:
        return {}
    reports, known = await reader.reports(overruled), KnownHooks(reader.path or "")
    completed = await asyncio.to_thread(list, known.completed(reports))  # reading the hooks of a project takes time
    return {ids.parse(report["id"]) or 0: listed_mods.overruled_by(report) for report in completed}


_DONE: Mapping[str, str] = {"allow": "allowed", "ask": "asked", "deny": "denied", "stop": "stopped"}


def _counts(session: SessionRow, summary: Summary) -> Content:
    parts = [Content(counted(session.calls, "call")), Content.styled(counted(session.events, "event"), _MUTED)]
    for name, (glyph, colour) in DECISION_SIGNS.items():
        if name != "none" and summary.decisions.get(name):
            parts.append(Content.styled(f"{glyph} {summary.decisions[name]:,} {_DONE.get(name, effect_word(name))}", colour))
    if summary.overruled:
        parts.append(Content.styled(f"▲ {summary.overruled:,} overruled", "$warning"))
    if failures := session.failures - summary.overruled:
        parts.append(Content.styled(f"▲ {counted(failures, 'failure')}", "$warning"))
    return Content("  ").join(parts)


def _share(session: SessionRow) -> Content:
    text = f"{duration(session.hook_ms)} in hooks"
    if session.length_s >= 1:
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
    if not summary.hooks:
        yield Content.styled("No hooks are recorded.", _MUTED)
        return
    yield Content.assemble(
        (fit("Slowest hooks", _NAME), _HEAD), (f"{'runs':>7}{'failed':>8}{'p50':>10}{'p95':>10}{'total':>10}", _MUTED)
    )
    for times in summary.hooks[:_HOOKS_SHOWN]:
        yield _hook(times)


def _hook(times: HookTimes) -> Content:
    failed = (f"{f'▲ {times.failures:,}':>8}", "$warning") if times.failures else (f"{'–':>8}", _MUTED)
    durations = "".join(fit(duration(ms), 10, right=True) for ms in (times.p50_ms, times.p95_ms, times.total_ms))
    suffix = " async" if times.unwaited else ""
    name = fit(one_line(times.name), _NAME - len(suffix)).rstrip()
    gap = " " * (_NAME - cell_len(name) - len(suffix))
    return Content.assemble(name, (suffix, _MUTED), gap, f"{times.runs:>7,}", failed, durations)


def _denial(row: DispatchRow, allowed_by: str) -> Iterator[LabelledValue]:
    glyph, colour = ("▲", "$warning") if row.overruled else DECISION_SIGNS["stop" if row.decision == "stop" else "deny"]
    call = f"{row.tool} {row.about}".rstrip() if row.tool else row.spelling
    hook = f"  {one_line(next(iter(row.ran), UNKNOWN_HOOK))}"
    hook += f", but {what_went_on(row.event)}{allowed_by}" if row.overruled else ""
    yield "", Content.assemble((f"{glyph} {clock(row.at)} ", colour), one_line(call), (hook, _MUTED))
    for line in (row.reason or "").strip().splitlines():
        yield " ", Content(one_line(line))


_UNREAD = "Only the beginning and the end of this session's transcript have been read so far. Enter reads it next."
_REST_S = 0.12  # on a session before it is read


class SessionPreview(VerticalScroll, can_focus=False):
    """Counts, slow hooks and denials of one session, and the faults of its record if it has any."""

    on_worker_state_changed = notify_log_failure

    def __init__(self) -> None:
        super().__init__(id="preview", classes="pane")
        self._session: SessionRow | None = None
        self._verdict: Verification | None = None  # None until the session is verified
        self.display = False

    def compose(self) -> ComposeResult:
        yield Static(id="preview-overview", markup=False)
        yield FieldList(REASON_INDENT, id="preview-denials")

    def look_at(self, session: SessionRow | None, reader: DecisionLog | None) -> None:
        """Show a session once the cursor rests on it; again if it has grown."""
        if session == self._session:
            return
        is_same = session is not None and self._session is not None and session.key == self._session.key
        self._session = session
        self.display = session is not None
        if session is None or reader is None:
            return
        if not is_same:
            self._verdict = None
            self._show_title(session)
        self._read(session, reader)

    def _show_title(self, session: SessionRow) -> None:
        self.border_title = Content(one_line(session.label))
        facts = (session.host, short(session.project), day(session.started), length(session.length_s))
        self.border_subtitle = Content(one_line(" · ".join(fact for fact in facts if fact)))

    @work(exclusive=True, exit_on_error=False, group="preview", description="Reading the session")
    async def _read(self, session: SessionRow, reader: DecisionLog) -> None:
        await asyncio.sleep(_REST_S)
        if session.transcript:
            self.query_one("#preview-overview", Static).update(_UNREAD)
            self.query_one("#preview-denials", FieldList).show(())
            return
        summary = await reader.summary(session.id, await reader.session_events(session.id))
        self._show_title(session)
        self.query_one("#preview-overview", Static).update(overview(session, summary, self._verdict))
        self.query_one("#preview-denials", FieldList).show(await denials(summary, reader))
        if self._verdict is None:
            verdict = await reader.verdict(session.id)
            if session == self._session:
                self._verdict = verdict
                self.query_one("#preview-overview", Static).update(overview(session, summary, verdict))
