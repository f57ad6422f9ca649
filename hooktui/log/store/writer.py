"""Write the log from an agent's own background thread (`hooktui.stack`): one transaction for a group of dispatches.

The connection stays open, because the last close of a WAL database checkpoints and syncs it. What SQLite cannot take goes to
the spool.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
from collections.abc import Iterable, Sequence

from hooktui.core import paths
from hooktui.core.model import Dispatch
from hooktui.log.store import database, import_journal, stored_hooks, storing, wal
from hooktui.log.store.database import UnusableLogError, connect
from hooktui.runner import upkeep
from hooktui.runner.journal import entry, spool
from hooktui.runner.journal.entry import DispatchEntry, LogEntry


class LogWriter:
    """Records dispatches in the log, or else in its spool. Opens the log once, and never raises.

    `patience_s`: how long to wait for other writers before falling back to the spool.
    """

    def __init__(self, db: str, secrets: Sequence[str] = (), patience_s: float = database.BUSY_S) -> None:
        self.db = db
        self._secrets = secrets
        self._patience_s = patience_s
        self._file_id: tuple[int, int] | None = None
        self._connection: sqlite3.Connection | None = None
        self._error: str | None = None

    def open(self) -> None:
        """Open the log, for creating it takes longer than storing an event."""
        if self._connection is None and self._error is None:
            try:
                self._connection = connect(self.db, self._patience_s)
                self._file_id = paths.file_id(self.db)
            except UnusableLogError as error:
                self._error = str(error)

    def record(self, dispatch: Dispatch) -> str | None:
        return self.record_all([dispatch])

    def record_all(self, dispatches: Iterable[Dispatch]) -> str | None:
        """Store dispatches in one transaction; a warning when they went to the spool or were lost."""
        self.open()
        dispatches = list(dispatches)
        error = self._store(self._new_entries(dispatches))
        if error is not None:
            return self._spool(dispatches, error)
        if self._file_id == paths.file_id(self.db):
            return None
        self.close()  # the file was deleted or replaced, together with these dispatches
        self.open()
        error = self._store([entry.of_dispatch(dispatch, self._secrets) for dispatch in dispatches])
        return self._spool(dispatches, error) if error is not None else None

    def close(self) -> None:
        """Close the log; the next dispatch opens it again."""
        if self._connection:
            self._connection.close()
        self._connection = self._error = None

    def _new_entries(self, dispatches: Iterable[Dispatch]) -> list[DispatchEntry]:
        """Entries without the versions of hooks that the log has, or that an earlier entry of the group holds."""
        versions = {run.hook.version for dispatch in dispatches for run in dispatch.runs}
        known = _known_versions(self._connection, versions) if self._connection else set()
        entries = []
        for dispatch in dispatches:
            entries.append(entry.of_dispatch(dispatch, self._secrets, known))
            known.update(hook.version for hook in entries[-1].hooks)
        return entries

    def _store(self, entries: Sequence[LogEntry]) -> str | None:
        """Store entries in the log; the error when that fails."""
        if self._connection is not None:
            if spool.is_large(self.db):
                upkeep.start_intake(self.db)  # a process of its own for much work
            else:
                import_journal.take_with(self._connection, self.db)
        error = _try_insert(self._connection, entries) if self._connection else self._error or "not open"
        if self._connection is None or error is not None:
            self.close()  # on a full disk the WAL takes the room that the spool needs
            return error
        wal.keep_small(self._connection, self.db)
        return None

    def _spool(self, dispatches: Iterable[Dispatch], error: str) -> str | None:
        """Put dispatches into the spool; a warning for the last of them."""
        warning = None
        for dispatch in dispatches:
            warning = f"the log cannot be written ({error}): the event is kept in the spool; see `hooktui doctor`"
            try:
                spool.append(self.db, entry.of_dispatch(dispatch, self._secrets))
            except OSError as spool_error:
                warning = (
                    f"the log cannot be written ({error}), nor its spool ({spool_error}): "
                    "this event is not recorded; see `hooktui doctor`"
                )
        return warning


def _known_versions(connection: sqlite3.Connection, versions: set[str]) -> set[str]:
    import _sqlite3 as sqlite3

    try:
        return set(stored_hooks.known_versions(connection, versions)) if versions else set()
    except sqlite3.Error:
        return set()


def _try_insert(connection: sqlite3.Connection, entries: Sequence[LogEntry]) -> str | None:
    import _sqlite3 as sqlite3

    try:
        storing.insert(connection, entries)
    except (sqlite3.Error, stored_hooks.UnknownVersionError) as error:
        return str(error)
    return None
