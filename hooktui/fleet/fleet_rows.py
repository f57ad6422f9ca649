"""Records of a fleet as the rows, bars and reports that screens show."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hooktui.fleet import readable_records
from hooktui.fleet.fleet_numbers import SessionName
from hooktui.log.read import event_subject
from hooktui.log.read.rows import SUBJECT, DispatchRow, RunBar

if TYPE_CHECKING:
    from hooktui.core.report import LoggedReport, RunReport
    from hooktui.fleet.fleet_numbers import FleetNumbers

_LATE_MS = 0.01  # rounding


class StoredDispatch(NamedTuple):
    """A dispatch in the fleet: its machine and the report."""

    instance: str
    machine: str
    state: str
    report: LoggedReport


def stored(instance: str, machine: str, state: str, body: str) -> StoredDispatch | None:
    """Read a row: `body` is the report, which names the machine from here on. None if it cannot be read."""
    report = readable_records.report_of(body)
    return StoredDispatch(instance, machine, state, {**report, "machine": machine}) if report else None


def session_name(dispatch: StoredDispatch) -> SessionName:
    """The session that a dispatch belongs to."""
    report = dispatch.report
    return SessionName(dispatch.instance, report["host"], report["session_id"], report["project"])


def dispatch_row(number: int, dispatch: StoredDispatch, numbers: FleetNumbers) -> DispatchRow:
    """The row of a list."""
    report = dispatch.report
    return DispatchRow(
        id=number,
        event=report["event"],
        tool=report["tool_name"],
        decision=report["decision"],
        state=dispatch.state,
        ran=tuple(run["label"] for run in sorted(_ran(report), key=lambda run: not _decides(run, report))),
        reason=report["reason"] or None,
        duration_ms=report["duration_ms"] or 0.0,
        synthetic=report["synthetic"],
        session=numbers.of_session(session_name(dispatch)),
        session_name=report["session_id"],
        host=report["host"],
        project=report["project"],
        subject=event_subject.of_payload(report["payload"])[:SUBJECT],
        origin=report["origin"],
        effect=report["effect"],
        machine=dispatch.machine,
        outcome=report["outcome"],
        hooks_recorded=report["hooks_recorded"],
        overruled=report["overruled"],
    )


def _decides(run: RunReport, report: LoggedReport) -> bool:
    """Whether a hook made the event's effect: those come first in a list."""
    return run["modified_input"] is not None if report["effect"] == "rewrite" else run["decision"] == report["decision"]


def bars(report: LoggedReport) -> list[RunBar]:
    """The timeline bars of a dispatch, in the order considered."""
    waited = (report["duration_ms"] or 0.0) + _LATE_MS
    return [_bar(run, waited) for run in _ran(report)]


def _bar(run: RunReport, waited_ms: float) -> RunBar:
    duration = run["duration_ms"] or 0.0
    unwaited = run["state"] == "started" or run["started_ms"] + duration > waited_ms
    return RunBar(run["label"], run["state"], run["decision"], run["started_ms"], duration, unwaited)


def _ran(report: LoggedReport) -> list[RunReport]:
    return [run for run in report["hooks"] if run["state"] != "skipped"]
