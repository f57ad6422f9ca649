"""What transcripts tell of events that were recorded, too: kept in the table `told`, and merged into their rows."""

from __future__ import annotations

import _sqlite3 as sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from hooktui.core import fast_json, ids
from hooktui.core.model import FAILURES
from hooktui.log.store import calls_without_id, merge_sources, stored_hooks, word_index
from hooktui.log.store.hash_chain import insert_rows
from hooktui.log.store.merge_sources import AFTER_CALL, COLUMNS, MERGED, EventRecord, MergedEvent, ReportedEvent, ReportedHook
from hooktui.runner.journal.entry import RunEntry

_DENIALS = ("deny", "stop")
_TICK = 1 << 12  # of an id: a microsecond
_RUN_COLUMNS = RunEntry._fields[RunEntry._fields.index("position") : -1]
_READ = "SELECT row FROM told WHERE dispatch = ? ORDER BY key"
_SAVE = "INSERT OR REPLACE INTO told (key, dispatch, row) VALUES (?, ?, ?)"
_REFUSED = "denied-by-hook"
_REFUSE = "UPDATE told SET row = json_set(row, '$.outcome', ?) WHERE dispatch = ?"
_EVENT_OF = "SELECT key, dispatch FROM told WHERE key IN (SELECT value FROM json_each(?))"
_TIMES = """
SELECT event_key, id, NULL FROM dispatch WHERE origin = 'transcript' AND event_key IN (SELECT value FROM json_each(:keys))
UNION ALL SELECT key, dispatch, row FROM told WHERE key IN (SELECT value FROM json_each(:keys))"""
_EVENT = """
SELECT event, host, session, decision, duration_ms, payload FROM dispatch
JOIN session ON session.id = session JOIN content ON content.id = dispatch.id WHERE dispatch.id = ?"""
# The plus sign keeps SQLite from looking at all results of the log.
_RESULTS = f"SELECT event FROM dispatch WHERE head = ? AND +event IN {AFTER_CALL} AND origin <> 'transcript'"
_CALLS = f"""
SELECT head FROM dispatch WHERE head IN (SELECT value FROM json_each(:events)) AND +event IN {AFTER_CALL} UNION
SELECT head FROM dispatch WHERE id IN (SELECT value FROM json_each(:events)) AND event IN {AFTER_CALL}"""
_SETTLED = f"""
SELECT id FROM dispatch WHERE id IN ({_CALLS}) AND event = 'pre-tool-call' AND origin <> 'transcript'
    AND (outcome IS NULL OR decision = 'deny')"""
_DERIVED_OTHERWISE = """
SELECT id FROM dispatch
WHERE origin <> 'transcript' AND (decision = 'stop' OR (outcome = 'denied-by-hook' AND event <> 'pre-tool-call')
    OR (outcome = 'ran' AND id IN (SELECT head FROM dispatch WHERE event = 'post-tool-call-failure')))"""
_EVENT_COLUMNS = ("tool", "decision", "state", "reason", "duration_ms", "outcome", "hooks_recorded", "effects", "payload")
_IMPORTED = f"""
SELECT {", ".join(_EVENT_COLUMNS)} FROM dispatch JOIN content USING (id)
WHERE id = ?"""
_IMPORTED_RUNS = f"""
SELECT hook.key, ifnull(hook.label, hook.name), run.id, hook.version, {", ".join(f"run.{name}" for name in _RUN_COLUMNS)}
FROM run JOIN hook ON hook.id = run.hook WHERE run.dispatch = ? ORDER BY position"""
_TOLD_RUNS = "run WHERE dispatch = ? AND origin = 'transcript'"
_RUN = f"INSERT INTO run (id, dispatch, hook, origin, {', '.join(_RUN_COLUMNS)})"
_FAILURES = f"SELECT count(*) FROM run WHERE dispatch = ? AND state IN {FAILURES}"
_RECOUNT = "UPDATE session SET denials = denials + ?, failures = failures + ?, hook_ms = hook_ms + ? WHERE id = ?"


def events_of(connection: sqlite3.Connection, keys: Sequence[int]) -> dict[int, int]:
    """The recorded events, by the keys that events of transcripts have. Raises sqlite3.Error."""
    return dict(connection.execute(_EVENT_OF, (fast_json.dumps(list(keys)),)))


def times_of(connection: sqlite3.Connection, keys: Sequence[int]) -> dict[int, float]:
    """When events of transcripts were, recorded or not, in seconds since 1970 by their own records. Raises sqlite3.Error."""
    rows = connection.execute(_TIMES, {"keys": fast_json.dumps(list(keys))})
    return {key: _from_json(row).at if row else ids.seconds(number) for key, number, row in rows}


def imported(connection: sqlite3.Connection, number: int) -> ReportedEvent:
    """An event that only a transcript tells of. Raises sqlite3.Error."""
    row = connection.execute(_IMPORTED, (number,)).fetchone()
    runs = tuple(_imported_run(row) for row in connection.execute(_IMPORTED_RUNS, (number,)))
    return ReportedEvent(at=ids.seconds(number), runs=runs, **dict(zip(_EVENT_COLUMNS, row, strict=True)))


def _imported_run(row: Sequence[Any]) -> ReportedHook:
    key, label, number, version, *values = row
    run = RunEntry(id=number, dispatch=0, hook_version=version, **dict(zip(_RUN_COLUMNS, values, strict=True)))
    return ReportedHook(key=key, label=label, run=run)


def attach(connection: sqlite3.Connection, key: int, event: int, told: ReportedEvent) -> None:
    """Add what a transcript tells, in a transaction of the caller, or replace what it told before; merge the event again."""
    known = read(connection, event)
    if known and known.outcome == _REFUSED and told.outcome == "ran":
        told = replace(told, outcome=_REFUSED)  # the failure that follows was found to be a denial
    connection.execute(_SAVE, (key, event, _to_json(replace(told, payload=_unrecorded(connection, event, told.payload)))))
    merge(connection, event)


def refuse(connection: sqlite3.Connection, event: int) -> None:
    """Tell of a call that a hook's denial was obeyed, in a transaction of the caller; merge it again."""
    connection.execute(_REFUSE, (_REFUSED, event))
    merge(connection, event)


def forget(connection: sqlite3.Connection, events: Iterable[int]) -> None:
    """Remove what transcripts tell of recorded events, in a transaction of the caller."""
    for event in events:
        connection.execute("DELETE FROM told WHERE dispatch = ?", (event,))
        merge(connection, event)


def read(connection: sqlite3.Connection, event: int) -> ReportedEvent | None:
    """What a transcript tells of a recorded event. Raises sqlite3.Error."""
    row = connection.execute(_READ, (event,)).fetchone()
    return _from_json(row[0]) if row else None


def merged(connection: sqlite3.Connection, event: int) -> MergedEvent:
    """A recorded event as its sources, and the events of its call, tell it. Raises sqlite3.Error."""
    recorded, host, *_, payload = connection.execute(_EVENT, (event,)).fetchone()
    name = calls_without_id.reported_as(recorded, host, payload)
    records, runs = merge_sources.records(connection, event), merge_sources.recorded_runs(connection, event)
    results = [result for (result,) in connection.execute(_RESULTS, (event,))]
    return merge_sources.merged(name, host, records, runs, read(connection, event), results)


def settle(connection: sqlite3.Connection, events: Sequence[int]) -> None:
    """Merge again the calls whose results are among these events, or came before them, in a transaction of the caller."""
    numbers = {"events": fast_json.dumps(list(events))}
    for (call,) in connection.execute(_SETTLED, numbers).fetchall():
        merge(connection, call)


def rebuild(connection: sqlite3.Connection) -> None:
    """Merge again the events that older versions derived otherwise, in a transaction of the caller."""
    for (event,) in connection.execute(_DERIVED_OTHERWISE).fetchall():
        merge(connection, event)


def merge(connection: sqlite3.Connection, event: int) -> None:
    """Merge a recorded event again, in a transaction of the caller."""
    _, _, session, was_decision, was_ms, _ = connection.execute(_EVENT, (event,)).fetchone()
    records, now, failures = merge_sources.records(connection, event), merged(connection, event), _failures(connection, event)
    if len(records) == 1 and _differs(records[0], now):
        _keep_record(connection, event, records[0])
    connection.execute(merge_sources.MERGE, (*(getattr(now, name) for name in MERGED), event))
    connection.execute("UPDATE content SET effects = ? WHERE id = ?", (now.effects, event))
    _replace_runs(connection, event, now.runs)
    denials = (now.decision in _DENIALS) - (was_decision in _DENIALS)
    connection.execute(_RECOUNT, (denials, _failures(connection, event) - failures, now.duration_ms - was_ms, session))


def has_runs(connection: sqlite3.Connection, event: int, expected: Iterable[ReportedHook]) -> bool:
    """Whether the runs that an event has from its transcript are these. Raises sqlite3.Error."""
    columns = ", ".join(f"run.{name}" for name in _RUN_COLUMNS)
    sql = f"SELECT version, {columns} FROM run JOIN hook ON hook.id = run.hook WHERE dispatch = ? AND run.origin = 'transcript'"
    stored = set(connection.execute(sql, (event,)))
    return stored == {(one.run.hook_version, *(getattr(one.run, name) for name in _RUN_COLUMNS)) for one in expected}


def _failures(connection: sqlite3.Connection, event: int) -> int:
    count: int = connection.execute(_FAILURES, (event,)).fetchone()[0]
    return count


def _differs(record: EventRecord, now: MergedEvent) -> bool:
    """Whether the row of an event is no longer its only record, which the hash chain covers."""
    both = set(COLUMNS).intersection(merge_sources.MergedEvent.__annotations__)
    return any(getattr(record, name) != getattr(now, name) for name in both)


def _keep_record(connection: sqlite3.Connection, event: int, record: EventRecord) -> None:
    """Keep the only record of an event as it was recorded; only the first has no part yet."""
    if not connection.execute("SELECT 1 FROM part WHERE dispatch = ?", (event,)).fetchone():
        insert_rows(connection, merge_sources.ADD_PART, [(event, *vars(record).values())])


def _replace_runs(connection: sqlite3.Connection, event: int, runs: Sequence[ReportedHook]) -> None:
    """Store the runs of an event that only the transcript tells, with their words."""
    for texts in connection.execute(f"SELECT stdout, stderr, reason FROM {_TOLD_RUNS}", (event,)).fetchall():
        word_index.remove_words(connection, event, texts)
    connection.execute(f"DELETE FROM {_TOLD_RUNS}", (event,))
    if not runs:
        return
    versions = stored_hooks.known_versions(connection, [one.run.hook_version for one in runs])
    for one in runs:
        values = (getattr(one.run, name) for name in _RUN_COLUMNS)
        number = _free(connection, one.run.id)
        insert_rows(connection, _RUN, [(number, event, versions[one.run.hook_version][0], "transcript", *values)])
        word_index.add_words(connection, event, one.run.searched_texts)


def _free(connection: sqlite3.Connection, number: int) -> int:
    while connection.execute("SELECT 1 FROM run WHERE id = ?", (number,)).fetchone():
        number += _TICK
    return number


def _unrecorded(connection: sqlite3.Connection, event: int, payload: str) -> str:
    """The fields of a transcript's payload that the recorded one lacks or has with another value."""
    (recorded,) = connection.execute("SELECT payload FROM content WHERE id = ?", (event,)).fetchone()
    known, own = fast_json.parse_object(recorded), fast_json.parse_object(payload)
    return fast_json.dumps({name: value for name, value in own.items() if known.get(name) != value}, ascii_only=False)


def _to_json(told: ReportedEvent) -> str:
    runs = [{"key": one.key, "label": one.label, "run": one.run.as_dict()} for one in told.runs]
    return fast_json.dumps({**vars(told), "runs": runs}, ascii_only=False)


def _from_json(text: str) -> ReportedEvent:
    values = fast_json.loads(text)
    runs = tuple(ReportedHook(key=one["key"], label=one["label"], run=RunEntry(**one["run"])) for one in values["runs"])
    return ReportedEvent(**{**values, "runs": runs})
