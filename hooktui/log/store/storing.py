"""Store log entries: a group of them in one transaction, each with its link in the hash chain.

The digest of a dispatch is computed from the values in its entry, which have the types of their columns. Only the end of an
async run is read back, because it updates a row.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from hooktui.core import fast_json
from hooktui.core.model import FAILURES
from hooktui.log.store import calls, calls_without_id, hash_chain, imported, merge_sources, skip_lists, stored_hooks, word_index
from hooktui.log.store.database import Transaction
from hooktui.log.store.hash_chain import insert_rows
from hooktui.log.store.word_index import SEARCHED, words_of
from hooktui.runner.journal import side_files, skipped_runs, spool
from hooktui.runner.journal.entry import DispatchEntry, EndEntry, HookEntry, RunEntry

if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from hooktui.log.store.merge_sources import ReportedEvent
    from hooktui.log.store.skip_lists import SkipList, Versions
    from hooktui.runner.journal.entry import LogEntry
    from hooktui.runner.journal.skipped_runs import Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    """What is stored of entries before their dispatches: versions of hooks, and lists of skipped hooks by dispatch."""

    versions: Versions
    lists: Mapping[int, SkipList]

    def skips(self, number: int) -> int | None:
        """The row of a dispatch's list."""
        return self.lists[number].row if number in self.lists else None


def insert(connection: sqlite3.Connection, entries: Sequence[LogEntry]) -> None:
    """Store entries in one transaction, except those that the log already has. Raises sqlite3.Error and UnknownVersionError."""
    try:
        _insert(connection, entries)
    except UnicodeEncodeError:
        _insert(connection, [_without_surrogates(entry) for entry in entries])


def store_missing_lists(connection: sqlite3.Connection, db: str, entries: Sequence[LogEntry]) -> None:
    """Store the lists that entries name and the log does not have. Raises sqlite3.Error.

    A file that cannot be read is removed: an event writes it again. Until then events lack the hooks in it.
    """
    named = {version for entry in entries if isinstance(version := getattr(entry, "skips", None), str)}
    for version in filter(_is_version, named - skip_lists.known(connection, named)):
        rows = _valid(side_files.read(db, version))
        hooks = stored_hooks.missing_versions(connection, db, {row[1] for row in rows})
        if hooks is not None and skipped_runs.version_of(rows) == version:
            add_list(connection, rows, hooks)
            continue
        try:
            os.unlink(side_files.path_of(db, version))
        except OSError:
            continue


def _is_version(text: str) -> bool:
    return text.isascii() and text.isalnum()


def _valid(value: Any) -> Rows:
    """The rows in a file; none if it has anything else."""
    try:
        rows = [(position, version, skip, why) for position, version, skip, why in value]
    except (TypeError, ValueError):
        return []
    is_valid = all(type(row[0]) is int and all(type(text) is str for text in row[1:]) for row in rows)
    return rows if is_valid and len({row[0] for row in rows}) == len(rows) else []


def add_list(connection: sqlite3.Connection, rows: Rows, hooks: Iterable[HookEntry]) -> None:
    """Store a list of skipped hooks, with the hooks that are new to the log. Raises sqlite3.Error and UnknownVersionError."""
    with Transaction(connection):
        versions = stored_hooks.add_versions(connection, {hook.version: hook for hook in hooks}, [row[1] for row in rows])
        skip_lists.store(connection, rows, None, versions)


_SESSION = """
INSERT INTO session (name, host, project, first, last, events, denials, failures, hook_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (name, project, host) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last),
    events = events + excluded.events, denials = denials + excluded.denials, failures = failures + excluded.failures,
    hook_ms = hook_ms + excluded.hook_ms
RETURNING id"""
_KNOWN_DISPATCHES = """
SELECT id FROM dispatch WHERE id IN (SELECT value FROM json_each(?))
UNION SELECT id FROM part WHERE id IN (SELECT value FROM json_each(?))"""
_CONTENT = "INSERT INTO content (id, payload, effects)"
_DISPATCH_COLUMNS = spool.DISPATCH_FIELDS[1:]  # without the id
_SUMMARY_COLUMNS = ("origin", "effect", "event_key")
_DISPATCH = f"INSERT INTO dispatch (id, session, {', '.join((*_DISPATCH_COLUMNS, *_SUMMARY_COLUMNS))}, outcome, skips)"
_RUN_COLUMNS = RunEntry._fields[RunEntry._fields.index("state") :]  # those before it refer to other tables
_RUN = f"INSERT INTO run (dispatch, id, hook, position, {', '.join(_RUN_COLUMNS)})"
_KEEP = "ON CONFLICT (id) DO NOTHING"
_REPLACE_STARTED = (
    f"ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _RUN_COLUMNS)} WHERE state = 'started'"
)
_dispatch_values, _run_values = attrgetter(*_DISPATCH_COLUMNS), attrgetter(*_RUN_COLUMNS)
_summary_values = attrgetter(*_SUMMARY_COLUMNS)
_WORDS = "INSERT INTO words (rowid, body)"


def _insert(connection: sqlite3.Connection, entries: Sequence[LogEntry]) -> None:
    dispatches: dict[int, DispatchEntry] = {}
    for entry in entries:
        if isinstance(entry, DispatchEntry):
            dispatches.setdefault(entry.id, entry)  # the first one counts, in one transaction as in several
    ends = [entry.run for entry in entries if isinstance(entry, EndEntry)]
    hooks = {hook.version: hook for entry in entries for hook in entry.hooks}
    with Transaction(connection):
        runs = [*(run for entry in dispatches.values() for run in entry.runs), *ends]
        versions = stored_hooks.add_versions(connection, hooks, [run.hook_version for run in runs])
        new, lists = _with_lists(connection, _new(connection, dispatches), versions)
        stored = _Stored(versions=versions, lists=lists)
        taken = imported.take(connection, new)
        joinable = _joinable(connection, new)
        for may_join, group in groupby(new, lambda entry: entry.id in joinable):
            if may_join:
                for entry in group:
                    _store_or_join(connection, entry, stored)
            else:
                _store_dispatches(connection, list(group), stored)
        for run in ends:
            _store_end(connection, run, versions)
        _complete(connection, [entry.id for entry in new], taken)


def _new(connection: sqlite3.Connection, dispatches: Mapping[int, DispatchEntry]) -> list[DispatchEntry]:
    numbers = fast_json.dumps(list(dispatches))
    known = {number for (number,) in connection.execute(_KNOWN_DISPATCHES, (numbers, numbers))}
    return [entry for number, entry in dispatches.items() if number not in known]


def _with_lists(
    connection: sqlite3.Connection, entries: Sequence[DispatchEntry], versions: Versions
) -> tuple[list[DispatchEntry], dict[int, SkipList]]:
    """The entries without the hooks that are skipped in a list, and the lists, which are stored now."""
    shortened, lists = [], {}
    for entry in entries:
        short, rows = skipped_runs.taken_out(entry)
        stored = skip_lists.store(connection, rows, entry.skips, versions) if rows or entry.skips else None
        if stored:
            lists[entry.id] = stored
        shortened.append(short)
    return shortened, lists


def _store_dispatches(connection: sqlite3.Connection, entries: Sequence[DispatchEntry], stored: _Stored) -> None:
    if not entries:
        return
    sessions = _count_in_sessions(connection, entries)
    rows = [
        (
            entry.id,
            sessions[entry.session.key],
            *_dispatch_values(entry),
            *_summary_values(entry),
            merge_sources.outcome_of(_reported_as(entry), entry.session.host, entry.decision, entry.state),
            stored.skips(entry.id),
        )
        for entry in entries
    ]
    insert_rows(connection, _DISPATCH, rows)
    insert_rows(connection, _CONTENT, [(entry.id, entry.payload, entry.effects) for entry in entries])
    insert_rows(connection, _WORDS, [(entry.id, words_of(entry.payload, entry.searched_texts)) for entry in entries])
    _store_runs(connection, [run for entry in entries for run in entry.runs], stored.versions, _KEEP)
    calls.link(connection, [_call_event(entry, sessions[entry.session.key]) for entry in entries if _is_of_call(entry)])
    hash_chain.add(connection, [_record(entry, sessions[entry.session.key], stored) for entry in entries])


def _reported_as(entry: DispatchEntry) -> str:
    return calls_without_id.reported_as(entry.event, entry.session.host, entry.payload)


def _is_of_call(entry: DispatchEntry) -> bool:
    return bool(entry.tool) and entry.event in calls.EVENTS and not entry.synthetic


def _call_event(entry: DispatchEntry, session: int) -> calls.CallEvent:
    keys = calls.keys_of(entry.session.name, entry.event, entry.event_key, entry.payload)
    return calls.CallEvent(id=entry.id, session=session, tool=entry.tool or "", payload=entry.payload, keys=keys)


def _joinable(connection: sqlite3.Connection, entries: Sequence[DispatchEntry]) -> set[int]:
    """The ids of entries that may be records of an event in the log, or of one event among themselves.

    Most are not, as one record of an event at least is of an observed hook.
    """
    counts: dict[int, int] = {}
    for entry in entries:
        if entry.event_key is not None:
            counts[entry.event_key] = counts.get(entry.event_key, 0) + 1
    if not counts:
        return set()
    known = dict(connection.execute(_KNOWN_KEYS, (fast_json.dumps(list(counts)),)).fetchall())
    shared = {key for key, count in counts.items() if count > 1 or key in known}
    observed = {entry.event_key for entry in entries if entry.origin == "observed"}
    observed |= {key for key, is_observed in known.items() if is_observed}
    return {entry.id for entry in entries if entry.event_key in shared & observed}


def _store_or_join(connection: sqlite3.Connection, entry: DispatchEntry, stored: _Stored) -> None:
    """Store a dispatch, or join it with the event that the log has of it."""
    rows = [stored.versions[run.hook_version][0] for run in entry.runs if run.state != "skipped"]
    hooks = {key for (key,) in connection.execute(_KEYS, (fast_json.dumps(rows),))}
    event = merge_sources.event_of(connection, entry, hooks)
    if event is None:
        _store_dispatches(connection, [entry], stored)
    else:
        _join(connection, event, entry, stored)


def _join(connection: sqlite3.Connection, event: int, entry: DispatchEntry, stored: _Stored) -> None:
    """Add a dispatch to an event as another record of it, and merge the event again."""
    from hooktui.log.store import reported

    before = merge_sources.records(connection, event)
    session, payload = connection.execute(_EVENT, (event,)).fetchone()
    new = merge_sources.record_of(entry, stored.skips(entry.id))
    new = replace(new, payload=None) if new.payload == payload else new
    is_first = not connection.execute("SELECT 1 FROM part WHERE dispatch = ?", (event,)).fetchone()
    added = [*before, new] if is_first else [new]
    insert_rows(connection, merge_sources.ADD_PART, [(event, *vars(record).values()) for record in added])
    _adopt_ended(connection, event, entry.id)
    _store_runs(connection, entry.runs, stored.versions, _KEEP)
    connection.execute("UPDATE run SET dispatch = ?, part = ? WHERE dispatch = ?", (event, entry.id, entry.id))
    insert_rows(connection, _WORDS, [(event, words_of(new.payload or "", entry.searched_texts))])
    connection.execute(_ADD_FAILURES, (sum(run.state in FAILURES for run in entry.runs), session))
    reported.merge(connection, event)
    hash_chain.add(connection, [_record(entry, session, stored)])


def _complete(connection: sqlite3.Connection, events: Sequence[int], taken: Sequence[tuple[int, int, ReportedEvent]]) -> None:
    """Add what transcripts told of events before they were recorded, and what later events tell of their calls."""
    from hooktui.log.store import reported

    reported.settle(connection, events)
    completed = []
    for number, key, report in taken:
        joined = connection.execute("SELECT dispatch FROM part WHERE id = ?", (number,)).fetchone()
        completed.append(joined[0] if joined else number)
        reported.attach(connection, key, completed[-1], report)
    if completed:
        imported.take_back_denials(connection, completed)


def _adopt_ended(connection: sqlite3.Connection, event: int, number: int) -> None:
    """Index the async runs of a dispatch that ended before it was stored as those of the event that it joins."""
    for texts in connection.execute(f"SELECT {', '.join(SEARCHED)} FROM run WHERE dispatch = ?", (number,)).fetchall():
        word_index.remove_words(connection, number, texts)
        word_index.add_words(connection, event, texts)


_KNOWN_KEYS = """
SELECT event_key, max(origin = 'observed') FROM dispatch WHERE event_key IN (SELECT value FROM json_each(?))
GROUP BY event_key"""
_KEYS = "SELECT key FROM hook WHERE id IN (SELECT value FROM json_each(?))"
_EVENT = "SELECT session, payload FROM dispatch JOIN content USING (id) WHERE id = ?"
_ADD_FAILURES = "UPDATE session SET failures = failures + ? WHERE id = ?"


def _store_end(connection: sqlite3.Connection, run: RunEntry, versions: Versions) -> None:
    """Store the end of an async run, and chain it, unless it has ended before."""
    if _store_runs(connection, [run], versions, _REPLACE_STARTED):
        (event,) = connection.execute("SELECT dispatch FROM run WHERE id = ?", (run.id,)).fetchone()
        word_index.add_words(connection, event, run.searched_texts)
        hash_chain.add(connection, [hash_chain.end_of(connection, run.id)])


def _store_runs(connection: sqlite3.Connection, runs: Sequence[RunEntry], versions: Versions, on_conflict: str) -> int:
    """Store runs; the number of inserted or changed rows."""
    rows = [(run.dispatch, run.id, versions[run.hook_version][0], run.position, *_run_values(run)) for run in runs]
    return insert_rows(connection, _RUN, rows, on_conflict)


def _record(entry: DispatchEntry, session: int, stored: _Stored) -> hash_chain.Record:
    skips = stored.lists[entry.id].digest if entry.id in stored.lists else None
    content = (entry.id, *entry.session.key, *_dispatch_values(entry), entry.payload, entry.effects, skips)
    runs = [(run.dispatch, run.id, stored.versions[run.hook_version][1], run.position, *_run_values(run)) for run in entry.runs]
    unended = {run.id for run in entry.runs if run.state == "started"}
    return "dispatch", entry.id, session, hash_chain.dispatch_digest(content, runs, unended)


def _count_in_sessions(connection: sqlite3.Connection, entries: Sequence[DispatchEntry]) -> dict[tuple[str, str, str], int]:
    """Add dispatches to the counters of their sessions; the row of each session."""
    by_session: dict[tuple[str, str, str], list[DispatchEntry]] = {}
    for entry in entries:
        by_session.setdefault(entry.session.key, []).append(entry)
    return {key: connection.execute(_SESSION, (*key, *_counters(own))).fetchone()[0] for key, own in by_session.items()}


def _counters(entries: Sequence[DispatchEntry]) -> tuple[float, ...]:
    """The columns of a session from `first` on, for these dispatches of it."""
    numbers = [entry.id for entry in entries]
    denials = sum(entry.decision in ("deny", "stop") for entry in entries)
    failures = sum(run.state in FAILURES for entry in entries for run in entry.runs)
    return min(numbers), max(numbers), len(entries), denials, failures, sum(entry.duration_ms for entry in entries)


def _without_surrogates(entry: LogEntry) -> LogEntry:
    """An entry with question marks in place of lone surrogates, which JSON allows and UTF-8 does not."""
    return spool.from_json(spool.to_json(entry, ascii_only=False).encode(errors="replace"))
