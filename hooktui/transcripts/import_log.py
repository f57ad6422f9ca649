"""The part of the log that transcripts fill: sessions and events with the origin `transcript`, and how far files were read.

Portions of files, their positions and the states of their readers are stored in one transaction, so that an import that is
killed is continued where it was. The position has to be the one that the reader began with, so that two imports at a time count
nothing twice. An event that was recorded stays; a transcript completes it (`told`).
"""

from __future__ import annotations

import json
import os
from contextlib import closing
from typing import TYPE_CHECKING

from hooktui.catalog import listings
from hooktui.core import ids
from hooktui.log.store import (
    calls,
    calls_without_id,
    database,
    import_journal,
    imported,
    index_queue,
    reported,
    stored_hooks,
    wal,
)
from hooktui.runner.journal.entry import HookEntry
from hooktui.transcripts import import_rows
from hooktui.transcripts.import_rows import DISPATCH_COLUMNS, RUN_COLUMNS
from hooktui.transcripts.named_hooks import NamedHooks
from hooktui.transcripts.transcript_files import FilePosition

if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hooktui.catalog.listings import Listing
    from hooktui.transcripts.import_portions import ImportPortion
    from hooktui.transcripts.import_rows import EventRows

_COLUMNS = FilePosition.COLUMNS
_WITHOUT_STATE = ", ".join(_COLUMNS[:-1])
_FILES = f"SELECT {_WITHOUT_STATE} FROM transcript"
_FILE = f"{_FILES} WHERE path = ?"
_STATE = "SELECT state FROM transcript WHERE path = ? AND position = ?"
_SAVE = f"INSERT OR REPLACE INTO transcript ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_SESSION = "SELECT id, project FROM session WHERE name = ? AND host = ? ORDER BY events DESC LIMIT 1"
_NEW_SESSION = "INSERT INTO session (name, host, project, first, last, title) VALUES (?, ?, ?, ?, ?, ?)"
_TITLE = "UPDATE session SET title = ? WHERE id = ? AND title <> ?"
_KEYS = "SELECT event_key, id, origin FROM dispatch WHERE event_key IN (SELECT value FROM json_each(?))"
_HAS_RECORDED = "SELECT EXISTS (SELECT 1 FROM dispatch WHERE session = ? AND origin <> 'transcript')"
_RECORDED = """
SELECT dispatch.id, event, payload, tool FROM dispatch JOIN content ON content.id = dispatch.id
WHERE dispatch.id BETWEEN :from AND :to AND session = :session AND event IN (SELECT value FROM json_each(:names))
    AND origin IN ('run', 'observed') AND dispatch.id NOT IN (SELECT dispatch FROM told)"""
_USED = "SELECT id FROM {table} WHERE id IN (SELECT value FROM json_each(?))"
_HOOK_FIELDS = HookEntry._fields
_HOOK = f"INSERT INTO hook ({', '.join(_HOOK_FIELDS)}) VALUES ({', '.join('?' * len(_HOOK_FIELDS))}) RETURNING id"
_DISPATCH = (
    f"INSERT INTO dispatch (id, session, {', '.join(DISPATCH_COLUMNS)}) VALUES ({', '.join('?' * (len(DISPATCH_COLUMNS) + 2))})"
)
_CONTENT = "INSERT INTO content (id, payload, effects) VALUES (?, ?, ?)"
_RUN = f"INSERT INTO run (id, dispatch, hook, {', '.join(RUN_COLUMNS)}) VALUES ({', '.join('?' * (len(RUN_COLUMNS) + 3))})"
_CHECKPOINT = 20_000  # events in the WAL before it is emptied, which waits for the disk
_CACHE = 16_384  # KiB; the keys of events are random, so that many pages of their index change
_SAME_MOMENT_S = 0.0011  # more than the millisecond that transcripts tell

# The id, the name that a transcript has for it, the payload and the tool of an event.
Recorded = tuple[int, str, str, str | None]


class ImportLog:
    """The log, open for an import, for the use of one thread at a time.

    Raises UnusableLogError when it cannot be opened, sqlite3.Error afterwards. `secrets` are the user's own patterns, `stored`
    the ids of the events that `store` stored last.
    """

    def __init__(self, db: str, secrets: Sequence[str]) -> None:
        self.db, self.secrets = db, tuple(secrets)
        self.stored: list[int] = []
        import_journal.take(db)  # what was recorded comes first
        self.connection: sqlite3.Connection = database.connect(db, patience_s=10.0)
        self.connection.execute(f"PRAGMA cache_size = -{_CACHE}")
        self._families: dict[str, set[str]] = {}
        self._hooks: dict[str, int] = {}
        self._recording: dict[int, bool] = {}
        self._named_hooks = NamedHooks(secrets)
        self._listed: dict[tuple[str, str], Listing] = {}
        self._version = -1
        self._unwritten = 0

    def close(self) -> None:
        """Close the log, with its WAL emptied if that is possible at once."""
        wal.keep_small(self.connection, self.db)
        self.connection.close()

    def continue_from(self, db: str) -> None:
        """Read only what another log does not have; what it has of forks is not known here."""
        if not os.path.exists(db):
            return
        with closing(database.connect(db)) as other:
            rows = other.execute(f"SELECT {', '.join(_COLUMNS)} FROM transcript").fetchall()
        with database.Transaction(self.connection):
            self.connection.executemany(_SAVE, rows)

    def known_files(self) -> dict[str, FilePosition]:
        """How far each transcript was read, without the states of the readers."""
        return {row[0]: _position(row) for row in self.connection.execute(_FILES)}

    def known_file(self, path: str) -> FilePosition | None:
        """How far a transcript was read, without the state of the reader; None if it was not."""
        row = self.connection.execute(_FILE, (path,)).fetchone()
        return _position(row) if row else None

    def load_state(self, file: FilePosition) -> None:
        """Load the state of the reader of a file that is continued."""
        if file.position:
            row = self.connection.execute(_STATE, (file.path, file.position)).fetchone()
            file.state = row[0] if row else ""

    def store(self, portions: Sequence[ImportPortion]) -> list[tuple[int, int] | None]:
        """Store portions in one transaction; of each the number of new events and of their hook runs.

        None stands for a portion of a file that another import has read meanwhile.
        """
        self.stored = []
        try:
            with database.Transaction(self.connection):
                self._forget_outdated()
                counts = [self._store_portion(portion) for portion in portions]
                imported.take_back_denials(self.connection, self.stored)
        except BaseException:
            self._version = -1
            raise
        self._unwritten += len(self.stored)
        if self._unwritten > _CHECKPOINT:
            wal.keep_small(self.connection, self.db)
            self._unwritten = 0
        return counts

    def _forget_outdated(self) -> None:
        """Read again what another process may have changed."""
        version = self.connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._version = version
            self._hooks.clear()
            self._recording.clear()
            self._families.clear()
            for session, first in self.connection.execute("SELECT session, first FROM transcript WHERE first <> ''"):
                self._families.setdefault(first, set()).add(session)

    def _store_portion(self, portion: ImportPortion) -> tuple[int, int] | None:
        known = self.known_file(portion.path)
        if (known and known.mark) != portion.known:
            return None
        counts = self._store_events(portion)
        self.connection.execute(_SAVE, portion.row)
        if portion.first:
            self._families.setdefault(portion.first, set()).add(portion.session_id)
        return counts

    def _store_events(self, portion: ImportPortion) -> tuple[int, int]:
        session = portion.session
        row = self.connection.execute(_SESSION, (session.name, session.host)).fetchone()
        number, project = row or (None, session.project)
        self._remember_hooks(session.host, project)
        outdated = self._without_removed(portion)
        events, ids_of_known = self._only_imported(self._with_hooks(portion, project), portion, number)
        if not events:
            if outdated and number is not None:
                imported.remove(self.connection, outdated)
                imported.recount(self.connection, [number])
            return 0, 0
        numbers = self._numbers_of(events, ids_of_known, portion)
        if number is None:
            first = min(numbers)
            values = (session.name, session.host, project, first, first, "")
            number = int(self.connection.execute(_NEW_SESSION, values).lastrowid or 0)
        if portion.title:  # a subagent's file has none
            self.connection.execute(_TITLE, (portion.title, number, portion.title))
        imported.remove(self.connection, [*outdated, *ids_of_known.values()])
        self._insert(events, numbers, number, portion.hooks)
        calls.link(self.connection, import_rows.call_events(events, numbers, number, portion.session_id))
        imported.recount(self.connection, [number])
        self.stored += numbers
        new = [event for event in events if event.key not in ids_of_known]
        return len(new), sum(len(event.runs) for event in new)

    def _remember_hooks(self, host: str, project: str) -> None:
        """Store the hook files of the project as they are, unless that has just been done."""
        if os.path.isdir(project):
            listing = self._named_hooks.listings.now(host, project)
            if self._listed.get((host, project)) is not listing:
                self._listed[host, project] = listing
                listings.remember(self.connection, host, project, listing, self.secrets)

    def _without_removed(self, portion: ImportPortion) -> list[int]:
        """The imported events that were taken back; recorded events lose what was told of them."""
        completed = set(reported.events_of(self.connection, portion.removed).values())
        reported.forget(self.connection, completed)
        self.stored += completed
        return [number for _, number, origin in self._rows(_KEYS, portion.removed) if origin == "transcript"]

    def _with_hooks(self, portion: ImportPortion, project: str) -> list[EventRows]:
        """The events of a portion, without copies, with the hooks of the project's files; adds these to the portion's."""
        return [
            self._with_known_hooks(event, portion, project) if event.runs else event for event in self._without_copies(portion)
        ]

    def _with_known_hooks(self, event: EventRows, portion: ImportPortion, project: str) -> EventRows:
        """An event with the hooks that its transcript names by their commands, and with one without a name if it is clear."""
        host, told = portion.session.host, [portion.hooks[version] for version, _ in event.runs]
        names = {hook.version: self._named_hooks.known(host, project, hook, event) for hook in told if hook.text}
        unnamed = [hook for hook in told if not hook.text]
        only = self._named_hooks.only(host, project, unnamed[0], event) if len(unnamed) == 1 else None
        if only and only.key not in {hook.key for hook in names.values()}:
            names[unnamed[0].version] = only
        portion.hooks.update((hook.version, hook) for hook in names.values())
        return import_rows.with_hooks(event, {version: hook.version for version, hook in names.items()}, portion.hooks)

    def _only_imported(
        self, events: Sequence[EventRows], portion: ImportPortion, session: int | None
    ) -> tuple[list[EventRows], dict[int, int]]:
        """The events to store, and the ids of those that are stored already, by key.

        What tells of a recorded event completes that.
        """
        keys = {event.key: event for event in events}
        if session is None or not events:
            return list(keys.values()), {}
        completed = reported.events_of(self.connection, list(keys))
        known = {key: (number, origin) for key, number, origin in self._rows(_KEYS, list(keys))}
        new = [event for event in events if event.key not in known and event.key not in completed]
        recorded, rewrites = self._recorded(session, new, portion)
        kept, stored = [], {}
        for key, event in keys.items():
            number, origin = known.get(key, (0, ""))
            of_record = completed.get(key) or (number if number and origin != "transcript" else 0)
            of_record = of_record or (0 if number else _nearest(recorded, event, rewrites))
            if of_record:
                self._complete(of_record, event, portion)
            elif number or not event.stored:  # not one that was removed from the log
                kept.append(event)
                if number:
                    stored[key] = number
        return kept, stored

    def _complete(self, number: int, event: EventRows, portion: ImportPortion) -> None:
        """Add what an event tells to one that was recorded."""
        for version, _ in event.runs:
            self._hook(portion.hooks[version])
        reported.attach(self.connection, event.key, number, import_rows.reported_event(event, number, portion.hooks))
        self.stored.append(number)

    def _recorded(
        self, session: int, events: Sequence[EventRows], portion: ImportPortion
    ) -> tuple[list[Recorded], list[calls_without_id.Rewrite]]:
        """The recorded events that may be among these, and the calls of their time to which hooks gave another input."""
        host = portion.session.host
        names = list({calls_without_id.recorded_as(event.event, host) for event in events})
        times = [event.at for event in events if event.at]
        if not times or not self._has_recorded(session):
            return [], []
        gap = calls_without_id.LONGEST_TURN_S
        bounds = {"from": ids.at_time(min(times) - gap), "to": ids.at_time(max(times) + gap)}
        found = self.connection.execute(_RECORDED, {**bounds, "session": session, "names": json.dumps(names)})
        rows = [(row[0], calls_without_id.reported_as(row[1], host, row[2]), *row[2:]) for row in found]
        about = {**bounds, "name": portion.session.name, "host": host}
        return rows, imported.rewrites(self.connection, about) if rows else []

    def _has_recorded(self, session: int) -> bool:
        """Whether anything of a session was recorded, as known since the log was changed last."""
        if session not in self._recording:
            self._recording[session] = bool(self.connection.execute(_HAS_RECORDED, (session,)).fetchone()[0])
        return self._recording[session]

    def _without_copies(self, portion: ImportPortion) -> list[EventRows]:
        """The events that no other session of the same conversation has at the same moment."""
        events, first = portion.events, portion.first
        others = self._families.get(first, set()) - {portion.session_id} if first else ()
        for other in others:
            keys = {
                import_rows.key_of(other, event.event, event.call, event.own_key): event for event in events if not event.stored
            }
            times = reported.times_of(self.connection, list(keys))
            copies = {keys[key].key for key, at in times.items() if abs(at - keys[key].at) < _SAME_MOMENT_S}
            events = [event for event in events if event.key not in copies]
        return events

    def _numbers_of(self, events: Sequence[EventRows], known: dict[int, int], portion: ImportPortion) -> list[int]:
        """The ids of events: of new ones in the order of their times."""
        places: dict[float, int] = {}
        wanted = {}
        for event in events:
            if event.key not in known:
                at = event.at or portion.end
                place = places[at] = places.get(at, -1) + 1
                wanted[event.key] = import_rows.number_of(at, portion.session_id, place)
        free = dict(zip(wanted, self._free("dispatch", list(wanted.values())), strict=True))
        return [known.get(event.key) or free[event.key] for event in events]

    def _free(self, table: str, numbers: list[int]) -> list[int]:
        """Ids that no row of a table has, near the wanted ones."""
        used = self._used(table, numbers)
        free: list[int] = []
        for number in numbers:
            while number in used or (used and self._used(table, [number])):
                number += 1 << 12
            if used:
                used.add(number)
            free.append(number)
        return free

    def _insert(
        self, events: Sequence[EventRows], numbers: Sequence[int], session: int, hooks: Mapping[str, HookEntry]
    ) -> None:
        insert = self.connection.executemany
        rows = list(zip(numbers, events, strict=True))
        insert(_DISPATCH, [(number, session, *event.dispatch) for number, event in rows])
        insert(_CONTENT, [(number, event.payload, event.effects) for number, event in rows])
        index_queue.add(self.connection, list(numbers))
        runs = [
            (import_rows.run_number(number, place), number, self._hook(hooks[version]), row)
            for number, event in rows
            for place, (version, row) in enumerate(event.runs)
        ]
        if runs:
            free = self._free("run", [run[0] for run in runs])
            insert(_RUN, [(number, *run[1:3], *run[3]) for number, run in zip(free, runs, strict=True)])

    def _hook(self, hook: HookEntry) -> int:
        if hook.version not in self._hooks:
            known = stored_hooks.known_versions(self.connection, [hook.version])
            if hook.version in known:
                self._hooks[hook.version] = known[hook.version][0]
            else:
                values = [getattr(hook, name) for name in _HOOK_FIELDS]
                self._hooks[hook.version] = int(self.connection.execute(_HOOK, values).fetchone()[0])
        return self._hooks[hook.version]

    def _rows(self, sql: str, numbers: Sequence[int]) -> list[tuple[int, int, str]]:
        return self.connection.execute(sql, (json.dumps(numbers),)).fetchall() if numbers else []

    def _used(self, table: str, numbers: Sequence[int]) -> set[int]:
        return {row[0] for row in self.connection.execute(_USED.format(table=table), (json.dumps(numbers),))}


def _position(row: Sequence[Any]) -> FilePosition:
    file = FilePosition(**dict(zip(_COLUMNS, row, strict=False)))
    file.known = file.mark
    return file


def _nearest(recorded: list[Recorded], event: EventRows, rewrites: Sequence[calls_without_id.Rewrite]) -> int:
    """The recorded event that a transcript's event is; it is taken from the list. 0 if it is none of them.

    A call that has an id in both is known by that.
    """
    near = sorted(recorded, key=lambda row: abs(ids.seconds(row[0]) - event.at))
    near = [row for row in near if (row[1], row[3]) == (event.event, event.dispatch[1])]
    near = [row for row in near if not event.call or calls_without_id.lacks_id(row[2])]
    found = next((row for row in near if _is_same(row, event)), None)
    if found is None and event.call and rewrites:
        found = next((row for row in near if _is_rewritten(row, event, rewrites)), None)
    if found is None:
        return 0
    recorded.remove(found)
    return found[0]


def _is_same(row: Recorded, event: EventRows) -> bool:
    gap = abs(ids.seconds(row[0]) - event.at)
    return calls_without_id.is_same(row[2], event.payload, gap, of_call=bool(event.call))


def _is_rewritten(row: Recorded, event: EventRows, rewrites: Sequence[calls_without_id.Rewrite]) -> bool:
    gap = abs(ids.seconds(row[0]) - event.at)
    return calls_without_id.is_rewritten(row[1], row[2], event.payload, gap, rewrites)
