"""The part of the log that transcripts tell: sessions and events with the origin `transcript`, and how far files were read.

A portion of a file, its position and the state of its reader are stored in one transaction, so that an import that is killed is
continued where it was. An event that was recorded stays as it was recorded; a transcript adds only its outcome.
"""

from __future__ import annotations

import json
import os
from contextlib import closing
from operator import attrgetter
from typing import TYPE_CHECKING

from hooktui.core import ids, paths, project
from hooktui.log.write import database, entry, imported, intake, spool, storing, wal, word_index
from hooktui.log.write.entry import SessionEntry
from hooktui.transcripts import past_entries
from hooktui.transcripts.reading import Reading
from hooktui.transcripts.transcript_files import FilePosition

if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Iterable, Sequence
    from typing import Any

    from hooktui.log.write.entry import DispatchEntry
    from hooktui.transcripts.transcript_records import TranscriptEvent
    from hooktui.transcripts.transcript_spec import TranscriptSpec

_FILES = "SELECT path, host, session, inode, size, changed, position, first, state FROM transcript"
_COLUMNS = ("path", "host", "session", "inode", "size", "changed", "position", "first", "state")
_SAVE = f"INSERT OR REPLACE INTO transcript ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_SESSION = "SELECT id, project FROM session WHERE name = ? AND host = ? ORDER BY events DESC LIMIT 1"
_NEW_SESSION = "INSERT INTO session (name, host, project, first, last, title) VALUES (?, ?, ?, ?, ?, ?) RETURNING id"
_TITLE = "UPDATE session SET title = ? WHERE id = ? AND title <> ?"
_KEYS = "SELECT event_key, id, origin FROM dispatch WHERE event_key IN (SELECT value FROM json_each(?))"
_RECORDED = "SELECT event, id FROM dispatch WHERE session = ? AND origin IN ('run', 'observed')"
_TOLD = "SELECT id FROM dispatch WHERE id IN (SELECT value FROM json_each(?)) AND origin = 'transcript'"
_USED = "SELECT id FROM {table} WHERE id IN (SELECT value FROM json_each(?))"
_HOOK_FIELDS = entry.HookEntry._fields
_HOOK = f"INSERT INTO hook ({', '.join(_HOOK_FIELDS)}) VALUES ({', '.join('?' * len(_HOOK_FIELDS))}) RETURNING id"
_DISPATCH_FIELDS = (*spool.DISPATCH_FIELDS[1:], "origin", "effect", "event_key")
_DISPATCH = f"""
INSERT INTO dispatch (id, session, {", ".join(_DISPATCH_FIELDS)}, outcome, hooks_recorded)
VALUES ({", ".join("?" * (len(_DISPATCH_FIELDS) + 4))})"""
_RUN_FIELDS = entry.RunEntry._fields[entry.RunEntry._fields.index("position") :]
_RUN = f"INSERT INTO run (id, dispatch, hook, {', '.join(_RUN_FIELDS)}) VALUES ({', '.join('?' * (len(_RUN_FIELDS) + 3))})"
_dispatch_values, _run_values = attrgetter(*_DISPATCH_FIELDS), attrgetter(*_RUN_FIELDS)
_CHECKPOINT = 20_000  # events in the WAL before it is emptied, which waits for the disk
_SAME_MOMENT = 1 << 22  # of ids: a millisecond, the precision of transcripts


class PastLog:
    """The log, open for an import. Raises LogUnusable when it cannot be opened, sqlite3.Error afterwards."""

    def __init__(self, db: str, secrets: Sequence[str]) -> None:
        self._db, self._secrets = db, secrets
        intake.take(db)  # what was recorded comes first
        self.connection: sqlite3.Connection = database.connect(db, patience_s=10.0)
        rows = self.connection.execute(_FILES).fetchall()
        self.files = {row[0]: FilePosition(**dict(zip(_COLUMNS, row, strict=True))) for row in rows}
        self._families: dict[str, set[str]] = {}
        for file in self.files.values():
            self._families.setdefault(file.first, set()).add(file.session)
        self._hooks: dict[str, int] = {}
        self._unwritten = 0
        self._projects: dict[str, str] = {}

    def close(self) -> None:
        """Close the log, with its WAL emptied if that is possible at once."""
        wal.keep_small(self.connection, self._db)
        self.connection.close()

    def go_on_from(self, db: str) -> None:
        """Read only what another log does not have; what it has of forks is not known here."""
        if not os.path.exists(db):
            return
        with closing(database.connect(db)) as other:
            rows = other.execute(_FILES).fetchall()
        self.files = {row[0]: FilePosition(**dict(zip(_COLUMNS, row, strict=True))) for row in rows}

    def reading(self, agent: TranscriptSpec, file: FilePosition) -> Reading:
        """What the reader of a file needs to go on; a file without a usable state is read from its beginning."""
        if file.position:
            try:
                return Reading.from_json(json.loads(file.state))
            except (ValueError, KeyError, TypeError):
                file.position = 0
        return agent.begin(file.path)

    def project_of(self, reading: Reading) -> str:
        """The project that a session belongs to."""
        directory = reading.session.project or reading.session.cwd
        if directory not in self._projects:
            self._projects[directory] = project.root(paths.canonical(directory)) if directory.startswith("/") else directory
        return self._projects[directory]

    def store(self, agent: TranscriptSpec, file: FilePosition, reading: Reading) -> tuple[int, int]:
        """Store what a portion of a file told, and its position; the number of new events and of their hook runs."""
        with database.Transaction(self.connection):
            stored = self._store_events(agent, file, reading)
            file.session = reading.session.id
            file.state = entry.stored_json(reading.to_json(), self._secrets) or ""
            self.connection.execute(_SAVE, [getattr(file, name) for name in _COLUMNS])
            self._families.setdefault(file.first, set()).add(file.session)
        self._unwritten += stored[0]
        if self._unwritten > _CHECKPOINT:
            wal.keep_small(self.connection, self._db)
            self._unwritten = 0
        return stored

    def _store_events(self, agent: TranscriptSpec, file: FilePosition, reading: Reading) -> tuple[int, int]:
        events, removed = reading.take(), reading.take_removed()
        session = self._session(reading, agent.name)
        row = self.connection.execute(_SESSION, (session.name, session.host)).fetchone()
        if row is not None:
            session = session.replace(project=row[1])
        imported.remove(self.connection, removed)
        events = self._without_known(events, reading, file, row and row[0])
        if not events:
            return 0, 0
        new = [event for event in events if not event.stored]
        self._number(new, reading.session.id, reading.session.end or file.changed / 1e9)
        payloads = [agent.payload(agent, reading.session, event, file.path) for event in events]
        entries = [
            past_entries.dispatch_entry(
                event.stored, session, event, past_entries.key_of(reading.session.id, event), payload or "{}", self._secrets
            )
            for event, payload in zip(events, entry.stored_jsons(payloads, _new_parts(payloads), self._secrets), strict=True)
        ]
        if row is None:
            first = min(one.id for one in entries)
            number = self.connection.execute(_NEW_SESSION, (*session.key, first, first, "")).fetchone()[0]
        else:
            number = row[0]
        title = entry.label(reading.session.title, self._secrets)
        if title:  # a subagent's file tells none
            self.connection.execute(_TITLE, (title, number, title))
        fresh = {event.stored for event in new}
        imported.remove(self.connection, [one.id for one in entries if one.id not in fresh])
        self._insert(entries, events, number)
        imported.recount(self.connection, [number])
        return len(new), sum(len(event.hooks) for event in new)

    def _session(self, reading: Reading, host: str) -> SessionEntry:
        name = entry.session_name(reading.session.id, self._secrets)
        return SessionEntry(name=name, host=host, project=entry.stored_name(self.project_of(reading), self._secrets))

    def _without_known(
        self, events: list[TranscriptEvent], reading: Reading, file: FilePosition, session: int | None
    ) -> list[TranscriptEvent]:
        """The events to store: not those that were recorded, nor copies of another session's. Stored ones get their ids."""
        events = self._without_copies(events, reading, file)
        if session is None or not events:
            return events
        told = self._numbers(_TOLD, [event.stored for event in events if event.stored])
        keys = {past_entries.key_of(reading.session.id, event): event for event in events}
        known = {key: (number, origin) for key, number, origin in self._rows(_KEYS, list(keys))}
        recorded = self.connection.execute(_RECORDED, (session,)).fetchall()
        kept = []
        for key, event in keys.items():
            number, origin = known.get(key, (0, ""))
            if not number and not event.call:
                number, origin = _nearest(recorded, event), "run"
            if number and origin != "transcript":
                imported.add_outcomes(self.connection, [(event.outcome, number)])
            elif number or not event.stored or event.stored in told:
                event.stored = number or event.stored
                kept.append(event)
        return kept

    def _without_copies(self, events: list[TranscriptEvent], reading: Reading, file: FilePosition) -> list[TranscriptEvent]:
        """The events that no other session of the same conversation has at the same moment."""
        others = self._families.get(file.first, set()) - {reading.session.id} if file.first else ()
        for other in others:
            keys = {past_entries.key_of(other, event): event for event in events if not event.stored}
            for key, number, _ in self._rows(_KEYS, list(keys)):
                if abs(number - past_entries.number_of(keys[key].at, other, 0)) < _SAME_MOMENT:
                    events = [event for event in events if event is not keys[key]]
        return events

    def _number(self, events: Iterable[TranscriptEvent], session: str, fallback: float) -> None:
        """Give new events ids in the order of their times."""
        places: dict[float, int] = {}
        wanted = []
        for event in events:
            at = event.at or fallback
            wanted.append(past_entries.number_of(at, session, places.setdefault(at, 0)))
            places[at] += 1
        for event, number in zip(events, self._free("dispatch", wanted), strict=True):
            event.stored = number

    def _free(self, table: str, numbers: list[int]) -> list[int]:
        """Ids that no row of a table has, near the wanted ones."""
        used = self._numbers(_USED.format(table=table), numbers)
        free: list[int] = []
        for number in numbers:
            while number in used or (used and self._numbers(_USED.format(table=table), [number])):
                number += 1 << 12
            if used:
                used.add(number)
            free.append(number)
        return free

    def _insert(self, entries: Sequence[DispatchEntry], events: Sequence[TranscriptEvent], session: int) -> None:
        execute = self.connection.executemany
        execute(
            _DISPATCH,
            [
                (one.id, session, *_dispatch_values(one), event.outcome, event.hooks_recorded)
                for one, event in zip(entries, events, strict=True)
            ],
        )
        execute("INSERT INTO content (id, payload, effects) VALUES (?, ?, ?)", [(e.id, e.payload, e.effects) for e in entries])
        words = [(one.id, word_index.words_of(one.payload, one.searched_texts)) for one in entries]
        execute("INSERT INTO words (rowid, body) VALUES (?, ?)", words)
        runs = [run for one in entries for run in one.runs]
        if runs:
            hooks = {hook.version: hook for one in entries for hook in one.hooks}
            free = self._free("run", [run.id for run in runs])
            execute(
                _RUN,
                [
                    (number, run.dispatch, self._hook(hooks[run.hook_version]), *_run_values(run))
                    for number, run in zip(free, runs, strict=True)
                ],
            )

    def _hook(self, hook: entry.HookEntry) -> int:
        """The row of a version of a hook."""
        if hook.version not in self._hooks:
            known = storing.known_versions(self.connection, [hook.version])
            if hook.version in known:
                self._hooks[hook.version] = known[hook.version][0]
            else:
                values = [getattr(hook, name) for name in _HOOK_FIELDS]
                self._hooks[hook.version] = int(self.connection.execute(_HOOK, values).fetchone()[0])
        return self._hooks[hook.version]

    def _rows(self, sql: str, numbers: Sequence[int]) -> list[tuple[int, int, str]]:
        return self.connection.execute(sql, (json.dumps(numbers),)).fetchall() if numbers else []

    def _numbers(self, sql: str, numbers: Sequence[int]) -> set[int]:
        return {row[0] for row in self.connection.execute(sql, (json.dumps(numbers),))} if numbers else set()


def _new_parts(payloads: Sequence[dict[str, Any]]) -> list[list[Any]]:
    """Of each payload the fields that differ from the one before; an event after a call repeats the call's input."""
    parts: list[list[Any]] = []
    before: dict[str, Any] = {}
    inputs: set[int] = set()
    for payload in payloads:
        given = payload.get("tool_input")
        known = id(given) in inputs
        inputs.add(id(given))
        parts.append(
            [{name: value} for name, value in payload.items() if before.get(name) != value and not (known and value is given)]
        )
        before = payload
    return parts


def _nearest(recorded: list[tuple[str, int]], event: TranscriptEvent) -> int:
    """The recorded event of the same kind at the same time, which is taken from the list; 0 without one."""
    near = [
        pair for pair in recorded if pair[0] == event.event and abs(ids.seconds(pair[1]) - event.at) < imported.SAME_EVENT_S
    ]
    if not near:
        return 0
    nearest = min(near, key=lambda pair: abs(ids.seconds(pair[1]) - event.at))
    recorded.remove(nearest)
    return nearest[1]
