"""Take the spool into the log: before anything reads the log, while the app is open, and by a process of its own.

An agent never waits for it. Entries that the log cannot take stay in the spool. What writes the log is imported once something
waits: for most readers nothing does.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing, suppress

from hooktui.log.store import database
from hooktui.log.store.database import UnusableLogError
from hooktui.runner.journal import async_run_lease, full_disk, observations, spool
from hooktui.runner.journal.entry import EndEntry, LogEntry

_PATIENCE_S = 2.0  # wait for another process that takes the spool, and for other writers


def take(db: str, patience_s: float = _PATIENCE_S) -> str | None:
    """Take waiting entries into the log, which is created if it is missing; why some are still waiting."""
    with suppress(OSError):  # another process was faster, or the disk is full: next time
        async_run_lease.execute_all(db)
        observations.settle(db, patience_s)
    if spool.is_empty(db):
        return None
    try:
        with closing(database.connect(db, patience_s)) as connection:
            waiting = take_with(connection, db, patience_s)
    except UnusableLogError as error:
        return str(error)
    from hooktui.log.store import shipped

    shipped.start_shipper(db)
    return waiting


def take_with(connection: sqlite3.Connection, db: str, patience_s: float = 0.0) -> str | None:
    """Take waiting entries into an open log; why some are still waiting."""
    if spool.is_empty(db):
        return None
    from hooktui.log.store import stored_hooks, storing, wal

    def store(entries: Sequence[LogEntry], changed: Sequence[LogEntry]) -> None:
        _note_changed(connection, changed)
        storing.store_missing_lists(connection, db, entries)
        _insert_valid(connection, stored_hooks.completed(connection, db, entries))
        wal.keep_small(connection, db)

    try:
        spool.take(db, store, patience_s)
    except (OSError, sqlite3.Error) as error:
        return str(error)
    full_disk.set_aside(db)
    return None if spool.is_empty(db) else "another process is storing them"


def _note_changed(connection: sqlite3.Connection, entries: Sequence[LogEntry]) -> None:
    """Note in the chain, once each, that events waited behind a line that was changed, or were changed (spool_links.py)."""
    from hooktui.log.store import hash_chain, retention

    numbers = {entry.run.dispatch if isinstance(entry, EndEntry) else entry.id for entry in entries}
    if numbers:
        with database.Transaction(connection):
            for number in sorted(numbers - retention.read_notes(connection).changed_in_spool):
                hash_chain.add_note(connection, retention.CHANGED_IN_SPOOL, {"dispatch": number})


def _insert_valid(connection: sqlite3.Connection, entries: Sequence[LogEntry]) -> None:
    """Store the valid entries of a slice: one line that somebody spoiled must not hold up the others."""
    from hooktui.log.store import storing

    invalid = (LookupError, TypeError, ValueError, OverflowError, sqlite3.InterfaceError, sqlite3.ProgrammingError)
    try:
        storing.insert(connection, entries)
    except invalid:
        for entry in entries:
            with suppress(*invalid):
                storing.insert(connection, [entry])


if __name__ == "__main__":
    take(sys.argv[1])
