"""Dispatches as list rows, timeline bars and reports, with the SQL that reads them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, cast

from hooktui import hosts
from hooktui.core import ids
from hooktui.core.model import FAILURES
from hooktui.log.read import event_subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hooktui.core.model import DecisionName, Effect, Origin
    from hooktui.core.report import HooksRecorded, LoggedReport, RunReport

_TROUBLE = (*FAILURES, "interrupted")
_UUID = re.compile(r"([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class DispatchRow(NamedTuple):
    """One dispatch in a list.

    `state` is the worst of its runs, "" without a run; `ran` are the labels of the hooks that ran; `session` is the row of its
    session; `subject` has at most SUBJECT characters (event_subject.py). `machine` is "" in a log of this machine. `head` is
    the first event of its call, None for that event and for what belongs to no call.

    A row that was read as a call (call_rows.py) has, as far as they are known, its `events`, the labels of its hooks that
    `failed`, the milliseconds from the hooks' answer before it to the event after it, `tool_ms`, and its session's `title`.
    """

    id: int
    event: str
    tool: str | None
    decision: DecisionName
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
    origin: Origin
    effect: Effect
    machine: str = ""
    outcome: str | None = None
    hooks_recorded: str | None = None
    overruled: bool = False
    head: int | None = None
    failed: tuple[str, ...] = ()
    tool_ms: float | None = None
    events: tuple[DispatchRow, ...] = ()
    title: str = ""

    @property
    def has_failed(self) -> bool:
        return self.state in _TROUBLE

    @property
    def is_denied(self) -> bool:
        """Whether it was denied, be it by a hook that is not recorded."""
        return self.decision in ("deny", "stop") or (self.outcome == "denied-by-hook" and not self.overruled)

    @property
    def spelling(self) -> str:
        return spelled(self.event, self.host)

    @property
    def about(self) -> str:
        """The command, file or prompt of the event; a file of the project by its path from there."""
        return event_subject.near(self.subject, self.project)

    @property
    def short_session(self) -> str:
        """The session's ID, of a UUID its beginning, which tells sessions apart."""
        return _UUID.sub(r"\1", self.session_name)

    @property
    def at(self) -> float:
        """When it began, in seconds since 1970."""
        return ids.seconds(self.id)


class RunBar(NamedTuple):
    """One run in a timeline; times in milliseconds since its dispatch began.

    `unwaited`: the run went on after its dispatch was answered (an async hook).
    """

    name: str
    state: str
    decision: str
    started_ms: float
    duration_ms: float
    unwaited: bool = False

    @property
    def has_failed(self) -> bool:
        return self.state in _TROUBLE


class StoredHook(NamedTuple):
    """The version of a hook that ran: its text and the scripts that it starts, redacted."""

    key: str
    name: str
    file: str
    version: str
    text: str


STORED = """
SELECT key, ifnull(label, name), file, version, text
FROM (SELECT hook FROM run WHERE run.dispatch = :dispatch UNION ALL
    SELECT skip.hook FROM dispatch JOIN skip ON skip.list = dispatch.skips WHERE dispatch.id = :dispatch) AS considered
    CROSS JOIN hook ON hook.id = considered.hook
WHERE key = :key LIMIT 1"""
SUBJECT = 400
# `subject` is our SQL function (connection.py); it runs in the connection's thread.
DISPATCHES = f"""
SELECT dispatch.id, event, tool, decision, state, ran, reason, duration_ms, synthetic, session.id, session.name, host, project,
    substr(subject(payload), 1, {SUBJECT}), origin, effect, '' AS machine, outcome, hooks_recorded, overruled, head
FROM dispatch JOIN session ON session.id = dispatch.session JOIN content ON content.id = dispatch.id"""


def day(at: float) -> str:
    """The local day and time, `Tue 17 Nov 14:05`; of another year `Tue 17 Nov 2024`."""
    moment, now = datetime.fromtimestamp(at).astimezone(), datetime.now().astimezone()
    return f"{moment:%a} {moment.day:2} {moment:%b} {f'{moment:%H:%M}' if moment.year == now.year else moment.year}"


def spelled(event: str, host: str) -> str:
    """An event as a host spells it; a host that is not known spells it like the log."""
    return (hosts.spec(host).spelling(event) if host in hosts.names() else None) or event


def transcript_of(report: LoggedReport) -> str:
    """The agent program whose transcript tells of an event; "" if it was recorded."""
    return host_title(report["host"]) if report["origin"] == "transcript" else ""


def host_title(host: str) -> str:
    """The name of an agent program as people know it."""
    return hosts.spec(host).title if host in hosts.names() else host.capitalize()


def dispatch_row(row: Sequence[Any]) -> DispatchRow:
    """Read a row of DISPATCHES."""
    values = list(row)  # the columns of DISPATCHES; `ran` and flags need conversion
    values[5] = tuple(row[5].split("\n")) if row[5] else ()
    values[8], values[19] = bool(row[8]), bool(row[19])
    return DispatchRow(*values)


# When a run began, in milliseconds since its event did: ids are times (ids.py), and the event may have several records.
_FIRST = "(SELECT min(part.id) FROM part WHERE part.dispatch = run.dispatch)"
STARTED = f"started_ms + ifnull((ifnull(run.part, run.dispatch) >> 12) - ({_FIRST} >> 12), 0) / 1000.0"
UNWAITED = f"(run.state = 'started' OR {STARTED} + run.duration_ms > dispatch.duration_ms + 0.01)"
BARS = f"""
SELECT dispatch.id, ifnull(label, name), run.state, run.decision, {STARTED}, run.duration_ms, {UNWAITED}
FROM run JOIN hook ON hook.id = run.hook JOIN dispatch ON dispatch.id = run.dispatch
WHERE dispatch.id IN ({{ids}}) AND run.state <> 'skipped' ORDER BY dispatch.id, ifnull(run.part, run.dispatch), position"""
_REPORTS = (
    f"SELECT d.*, payload, effects FROM ({DISPATCHES} WHERE dispatch.id IN ({{ids}})) AS d JOIN content USING (id) ORDER BY id"
)
_RUN_COLUMNS = (
    "name", "label", "version", "origin", "format", "scope", "file", "line", "state", "skip", "why", "decision", "via",
    "reason", "exit_code", "signal", "started_ms", "duration_ms", "stdout", "stderr", "truncated",
)  # fmt: skip
_RUN_SQL = {
    "label": "ifnull(label, name)",
    "origin": "CASE WHEN key GLOB '*:observed:*' THEN 'observed' ELSE origin END",
}
# The columns of a run that an event has of each hook; those of a skipped hook in a list are constants, or in `skip`.
_OWN_COLUMNS = ("hook", "position", "origin", *_RUN_COLUMNS[_RUN_COLUMNS.index("state") :], "effects")
_STATE = 2 + _RUN_COLUMNS.index("state")  # column of _RUNS
_RUN_RAN = {"started_ms": f"{STARTED} AS started_ms"}
_RUN_SKIPPED = {
    **dict.fromkeys(("origin", "via", "reason", "exit_code", "signal", "effects"), "NULL"),
    **dict.fromkeys(("stdout", "stderr"), "''"),
    **dict.fromkeys(("started_ms", "duration_ms"), "0.0"),
    "state": "'skipped'",
    "skip": "skip.skip",
    "decision": "'none'",
    "truncated": "0",
}
_LIST_RECORD = "(SELECT id FROM part WHERE part.dispatch = dispatch.id AND part.skips NOTNULL)"
_RUNS = f"""
SELECT dispatch, key, {", ".join(_RUN_SQL.get(name, name) for name in _RUN_COLUMNS)}, effects
FROM (
    SELECT dispatch, ifnull(run.part, run.dispatch) AS record, {", ".join(_RUN_RAN.get(name, name) for name in _OWN_COLUMNS)}
    FROM run WHERE dispatch IN ({{ids}})
    UNION ALL
    SELECT dispatch.id, ifnull({_LIST_RECORD}, dispatch.id), {", ".join(_RUN_SKIPPED.get(name, name) for name in _OWN_COLUMNS)}
    FROM dispatch JOIN skip ON skip.list = dispatch.skips WHERE dispatch.id IN ({{ids}})
) AS considered CROSS JOIN hook ON hook.id = considered.hook
ORDER BY dispatch, record, position"""
_EFFECTS = {"modified_input": None, "additional_context": (), "system_messages": (), "log": (), "warnings": ()}
_RUN_EFFECTS = {"modified_input": None, "additional_context": None, "system_message": None, "log": None, "problems": ()}


def reports_sql(count: int) -> tuple[str, str]:
    """SQL for `count` dispatches and for their runs, both in order; bind the ids."""
    return _REPORTS.format(ids=marks(count)), _RUNS.format(ids=", ".join(f"?{place + 1}" for place in range(count)))


def marks(count: int) -> str:
    """The placeholders of an IN list."""
    return ", ".join("?" * count)


def reports(
    dispatches: Iterable[Sequence[Any]], runs: Iterable[Sequence[Any]], titles: Mapping[int, str]
) -> Iterator[LoggedReport]:
    """Build the reports of the rows of `reports_sql`, with the titles of their sessions."""
    by_dispatch = {number: list(group) for number, group in groupby(runs, itemgetter(0))}
    return (report(row, by_dispatch.get(row[0], ()), titles) for row in dispatches)


def report(row: Sequence[Any], runs: Iterable[Sequence[Any]], titles: Mapping[int, str]) -> LoggedReport:
    """Build the report of contract.md, with `at`, `synthetic`, `title` and `payload` added.

    `payload` is the host's input, with a mark wherever it was cut; older logs have a string instead of a cut payload.
    """
    *columns, payload, effects = row
    dispatch = dispatch_row(columns)
    own = "try" if dispatch.synthetic else "run" if dispatch.origin == "observed" else dispatch.origin
    values = {
        "id": ids.text(dispatch.id),
        "at": iso(dispatch.at),
        "event": dispatch.event,
        "host": dispatch.host,
        "session_id": dispatch.session_name,
        "title": titles.get(dispatch.session, ""),
        "project": dispatch.project,
        "tool_name": dispatch.tool,
        "decision": dispatch.decision,
        "effect": dispatch.effect,
        "origin": dispatch.origin,
        "outcome": dispatch.outcome,
        "overruled": dispatch.overruled,
        "hooks_recorded": hooks_recorded(dispatch),
        "reason": dispatch.reason,
        **_effects(effects, _EFFECTS),
        "duration_ms": _told_ms(dispatch.duration_ms, dispatch.origin),
        "synthetic": dispatch.synthetic,
        "hooks": [_run(run, own) for run in runs],
        "payload": event_subject.parsed(payload),
    }
    return cast("LoggedReport", values)


def hooks_recorded(dispatch: DispatchRow) -> HooksRecorded:
    """How many of the hooks that ran are known, by the log alone: an agent may run hooks of its own that nobody records."""
    if dispatch.synthetic or dispatch.host not in hosts.names() or not hosts.spec(dispatch.host).connect_scopes:
        return "all"
    if dispatch.origin == "transcript" or dispatch.hooks_recorded == "all":
        return cast("HooksRecorded", dispatch.hooks_recorded or "some")
    return "some" if dispatch.ran else "none"


def iso(seconds: float) -> str:
    """Format a time as ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _run(row: Sequence[Any], origin: str) -> RunReport:
    """The report of a run; `origin` is that of runs without one of their own. Runs that were skipped alike share a report."""
    make = _same_run if row[_STATE] == "skipped" else _run_of
    return make(tuple(row[1:]), origin)


def _run_of(columns: Sequence[Any], origin: str) -> RunReport:
    key, *columns, effects = columns
    values = {"id": key, **dict(zip(_RUN_COLUMNS, columns, strict=True)), **_effects(effects, _RUN_EFFECTS)}
    values["origin"] = values["origin"] or origin
    values["version"] = ids.content_of(values["version"])
    values |= {"started_ms": round(values["started_ms"], 3), "duration_ms": _told_ms(values["duration_ms"], values["origin"])}
    return cast("RunReport", {**values, "truncated": bool(values["truncated"])})


_same_run = lru_cache(4096)(_run_of)


def _told_ms(milliseconds: float, origin: str) -> float | None:
    """A duration in milliseconds; None where a transcript does not tell it."""
    return None if origin == "transcript" and not milliseconds else round(milliseconds, 3)


def _effects(text: str | None, defaults: dict[str, Any]) -> dict[str, Any]:
    effects = event_subject.parsed(text) if text else {}
    known = effects if isinstance(effects, dict) else {}
    values = {name: known.get(name, default) for name, default in defaults.items()}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
