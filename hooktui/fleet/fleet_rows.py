"""Records of a fleet as the rows, bars and reports that screens show, which know each dispatch and session by one integer."""

from __future__ import annotations

import sys
from typing import NamedTuple

from hooktui.core import ids
from hooktui.core.report import LoggedReport, RunReport
from hooktui.fleet import readable_records
from hooktui.log.read import event_subject
from hooktui.log.read.rows import SUBJECT, DispatchRow, RunBar

_LATE_MS = 0.01  # rounding
_DIGITS = str.maketrans(ids.ALPHABET, "0123456789ABCDEFGHIJKLMNOPQRSTUV")  # for `int`, which reads a page of ids much faster


class SessionName(NamedTuple):
    """What identifies a session in a fleet."""

    instance: str
    host: str
    name: str
    project: str


class FleetNumbers:
    """Hands out numbers and remembers whose they are.

    A dispatch has its own id as its number, so that numbers sort by time. Two machines may make the same id: the second gets
    the next free number.
    """

    def __init__(self) -> None:
        self._owners: dict[int, tuple[str, int]] = {}  # instance and id of each number
        self._sessions: dict[SessionName, int] = {}
        self._names: list[SessionName] = []

    def of_dispatch(self, written: str, instance: str) -> int:
        number = int(written.translate(_DIGITS), 32)
        owner = sys.intern(instance), number
        while self._owners.setdefault(number, owner) != owner:
            number += 1
        return number

    def time_of(self, number: int) -> int:
        """The microseconds since 1970 at which a dispatch began."""
        return round(ids.seconds(self._owners.get(number, ("", number))[1]) * 1e6)

    def of_session(self, name: SessionName) -> int:
        """The number of a session, from 1."""
        if name not in self._sessions:
            self._names.append(name)
            self._sessions[name] = len(self._names)
        return self._sessions[name]

    def session(self, number: int) -> SessionName | None:
        return self._names[number - 1] if 0 < number <= len(self._names) else None


class StoredDispatch(NamedTuple):
    """A dispatch in the fleet, whose report names its machine."""

    instance: str
    state: str
    report: LoggedReport


def stored(instance: str, machine: str, state: str, body: str) -> StoredDispatch | None:
    """Read a row, whose `body` is the report. None if it cannot be read."""
    report = readable_records.report_of(body)
    return StoredDispatch(instance, state, {**report, "machine": machine}) if report else None


def dispatch_row(number: int, dispatch: StoredDispatch, numbers: FleetNumbers) -> DispatchRow:
    """The row of a list."""
    report = dispatch.report
    session = SessionName(dispatch.instance, report["host"], report["session_id"], report["project"])
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
        session=numbers.of_session(session),
        session_name=report["session_id"],
        host=report["host"],
        project=report["project"],
        subject=event_subject.of_payload(report["payload"])[:SUBJECT],
        origin=report["origin"],
        effect=report["effect"],
        machine=report["machine"],
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
