"""What the screens read of the log, as plain data, and the SQL that gives it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from hooktui.core import ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any


@dataclass(frozen=True, slots=True)
class DispatchRow:
    """One dispatch as a list shows it.

    `state` is the worst of its runs, "" when none ran; `session` is the row's number; `subject` is what the event was about
    (subject.py), up to SUBJECT characters.
    """

    id: int
    event: str
    tool: str | None
    decision: str
    state: str
    ran: tuple[str, ...]
    reason: str | None
    duration_ms: float
    synthetic: bool
    session: int
    session_name: str
    host: str
    project: str
    subject: str

    @property
    def at(self) -> float:
        """When it began, in seconds since 1970."""
        return ids.seconds(self.id)


@dataclass(frozen=True, slots=True)
class RunBar:
    """One run as a timeline draws it; times are milliseconds, the start counted from that of its dispatch.

    `unwaited` is a run that nobody waited for: it went on when its dispatch had been answered (an async hook).
    """

    name: str
    state: str
    decision: str
    started_ms: float
    duration_ms: float
    unwaited: bool = False


@dataclass(frozen=True, slots=True)
class StoredHook:
    """The version of a hook that ran, as the log keeps it: its text and the scripts that it started, redacted."""

    key: str
    name: str
    file: str
    version: str
    text: str


STORED = """
SELECT key, name, file, version, text FROM run JOIN hook ON hook.id = run.hook
WHERE run.dispatch = ? AND hook.key = ? LIMIT 1"""
SUBJECT = 400
# `subject` is a function of ours (opening.py): SQLite calls it in the thread of the connection.
DISPATCHES = f"""
SELECT dispatch.id, event, tool, decision, state, ran, reason, duration_ms, synthetic, session.id, session.name, host, project,
    substr(subject(payload), 1, {SUBJECT})
FROM dispatch JOIN session ON session.id = dispatch.session JOIN content ON content.id = dispatch.id"""


def dispatch_row(row: Sequence[Any]) -> DispatchRow:
    """A row of DISPATCHES."""
    number, event, tool, decision, state, ran, reason, duration_ms, synthetic, session, name, host, project, about = row
    return DispatchRow(
        id=number,
        event=event,
        tool=tool,
        decision=decision,
        state=state,
        ran=tuple(ran.split("\n")) if ran else (),
        reason=reason,
        duration_ms=duration_ms,
        synthetic=bool(synthetic),
        session=session,
        session_name=name,
        host=host,
        project=project,
        subject=about,
    )


UNWAITED = "(run.state = 'started' OR run.started_ms + run.duration_ms > dispatch.duration_ms)"
BARS = f"""
SELECT dispatch.id, name, run.state, run.decision, started_ms, run.duration_ms, {UNWAITED}
FROM run JOIN hook ON hook.id = run.hook JOIN dispatch ON dispatch.id = run.dispatch"""
_REPORTS = (
    f"SELECT d.*, payload, effects FROM ({DISPATCHES} WHERE dispatch.id IN ({{ids}})) AS d JOIN content USING (id) ORDER BY id"
)
_RUNS = """
SELECT dispatch, hook.key AS id, name, format, scope, file, line, state, skip, why, decision, via, reason, exit_code, signal,
    started_ms, duration_ms, stdout, stderr, truncated, effects
FROM run JOIN hook ON hook.id = run.hook WHERE dispatch IN ({ids}) ORDER BY dispatch, position"""
_RUN_NAMES = (
    "id", "name", "format", "scope", "file", "line", "state", "skip", "why", "decision", "via", "reason", "exit_code", "signal",
    "started_ms", "duration_ms", "stdout", "stderr", "truncated",
)  # fmt: skip
_EFFECTS = {"modified_input": None, "additional_context": (), "system_messages": (), "log": (), "warnings": ()}
_RUN_EFFECTS = {"modified_input": None, "additional_context": None, "system_message": None, "log": None, "problems": ()}


def reports_sql(count: int) -> tuple[str, str]:
    """The SQL of so many dispatches and of their runs, both in order; their ids are to be bound."""
    marks = ", ".join("?" * count)
    return _REPORTS.format(ids=marks), _RUNS.format(ids=marks)


def reports(dispatches: Iterable[Sequence[Any]], runs: Iterable[Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """What became of the rows of `reports_sql`, each as `report` has it."""
    by_dispatch = {number: list(group) for number, group in groupby(runs, itemgetter(0))}
    return (report(row, by_dispatch.get(row[0], ())) for row in dispatches)


def report(row: Sequence[Any], runs: Iterable[Sequence[Any]]) -> dict[str, Any]:
    """The report of contract.md, with `at`, `synthetic` and `payload` added.

    `payload` is what the host sent, marked where it was too long to be kept whole; older logs have a text then.
    """
    one = dispatch_row(row[:14])
    return {
        "id": ids.text(one.id),
        "at": iso(one.at),
        "event": one.event,
        "host": one.host,
        "session_id": one.session_name,
        "project": one.project,
        "tool_name": one.tool,
        "decision": one.decision,
        "reason": one.reason,
        **_effects(row[15], _EFFECTS),
        "duration_ms": round(one.duration_ms, 3),
        "synthetic": one.synthetic,
        "hooks": [_run(run) for run in runs],
        "payload": _loads(row[14]),
    }


def iso(seconds: float) -> str:
    """A moment as ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _run(row: Sequence[Any]) -> dict[str, Any]:
    values = dict(zip(_RUN_NAMES, row[1:], strict=False))
    values |= {name: round(values[name], 3) for name in ("started_ms", "duration_ms")}
    return {**values, "truncated": bool(values["truncated"]), **_effects(row[-1], _RUN_EFFECTS)}


def _effects(text: str | None, defaults: dict[str, Any]) -> dict[str, Any]:
    found = _loads(text) if text else {}
    said = found if isinstance(found, dict) else {}
    values = {name: said.get(name, default) for name, default in defaults.items()}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
