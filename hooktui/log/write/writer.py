"""Write the log on the fast path: one short transaction per dispatch, or the spool when SQLite cannot take it.

Connections are not closed: the last close of a WAL database checkpoints and syncs it, which costs more than a whole event.
Instead the process ends, and it empties the WAL first when recovering that would slow the next process down.
"""

from __future__ import annotations

import os
import sys
import time

from hooktui.core import fast_json, paths
from hooktui.log.write import database, entry, gate_history, spool, storing
from hooktui.log.write.database import LogUnusable, connect
from hooktui.log.write.gate_history import GateEvent
from hooktui.security.redaction import stored_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from hooktui.core.model import Dispatch, Run
    from hooktui.core.settings import Settings
    from hooktui.log.write.entry import DispatchEntry, LogEntry

WAL_LIMIT = 512 * 1024  # bytes
DAY_S = 86_400
# The program of the process that stores the end of an async hook.
_TAKE = "import sys; from hooktui.log.write import writer; writer.take(sys.argv[1])"


def db_path(settings: Settings) -> str:
    """The path of the log: from the environment, the configuration, or the default."""
    return os.environ.get("HOOKTUI_DB") or settings.log_path or os.path.join(paths.state_dir(), "log.db")


class LogWriter:
    """Records dispatches in the log, or in its spool. Opens the log once, early on request, and never raises.

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
        """Open the log early, while a hook is running."""
        if self._connection is None and self._error is None:
            try:
                self._connection = connect(self.db, self._patience_s)
                self._file_id = _file_id(self.db)
            except LogUnusable as error:
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
        if self._file_id == _file_id(self.db):
            return None
        self.close()  # the file was deleted or replaced, together with these dispatches
        self.open()
        error = self._store([entry.of_dispatch(dispatch, self._secrets) for dispatch in dispatches])
        return self._spool(dispatches, error) if error is not None else None

    def hand_over(self, run: Run, dispatch_id: int, position: int) -> None:
        """Store the end of an async run, from the process that watched over it; does not return.

        That process is a fork, and SQLite must not be used across one: the end goes to the spool, and this process becomes a
        fresh one that takes it into the log.
        """
        try:
            database.make_directory(self.db)  # the run may end before its dispatch is stored
            spool.append(self.db, entry.of_end(run, dispatch_id, position, self._secrets))
        except OSError:  # for example a full disk; there is nobody to warn
            return
        os.execv(sys.executable, (sys.executable, "-I", "-c", _TAKE, self.db))

    def denials_in_a_row(self, session_id: str, project: str, agent: str, turn_starts: Sequence[str], gate: str) -> int:
        """Count the denials of an agent's gate since its turn began or the gate last allowed; `turn_starts` begin a turn.

        A session is known by its ID, whatever its working directory; a session without an ID by its project.
        """
        history = self._gate_history(session_id, project, (*turn_starts, gate))
        return gate_history.denials(gate_history.of_agent(history, agent), gate)

    def is_gate_reason(self, session_id: str, project: str, agent: str, gate: str, prompt: str) -> bool:
        """Whether a prompt is the reason for which the agent's gate has just denied."""
        history = self._gate_history(session_id, project, (gate,))
        reason = gate_history.last_reason(gate_history.of_agent(history, agent), gate)
        return bool(reason) and gate_history.is_same(stored_text(prompt, self._secrets), reason)

    def _gate_history(self, session_id: str, project: str, events: Sequence[str]) -> Iterator[GateEvent]:
        """The events of a session with these names, newest first. Each is loaded when it is needed."""
        name, project = entry.session_name(session_id, self._secrets), entry.stored_name(project, self._secrets)
        waiting = {
            waiting.id: (waiting.event, waiting.decision, waiting.reason, waiting.payload)
            for waiting in spool.entries(self.db)
            if isinstance(waiting, entry.DispatchEntry)
            if waiting.session.name == name and (name or waiting.session.project == project)
            if waiting.event in events
        }
        self.open()
        stored = _gate_ids(self._connection, name, project, events) if self._connection else []
        for number in sorted({*waiting, *stored}, reverse=True):
            row = waiting.get(number) or (_gate_row(self._connection, number) if self._connection else None)
            if row is not None:
                event, decision, reason, payload = row
                yield GateEvent(event=event, decision=decision, reason=reason, payload=fast_json.parse_object(payload))

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
        error = _try_insert(self._connection, entries) if self._connection else self._error or "not open"
        if self._connection is None or error is not None:
            self.close()  # on a full disk the WAL takes the room that the spool needs
            return error
        take_spool(self._connection, self.db)
        keep_wal_small(self._connection, self.db)
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


def take(db: str) -> None:
    """Take waiting entries into a log that exists, as far as that is possible now."""
    if not os.path.exists(db):
        return
    try:
        take_spool(connect(db), db)
    except LogUnusable:
        return  # the entries stay in the spool


def take_spool(connection: sqlite3.Connection, db: str) -> int:
    """Take waiting entries into the log, as far as that is possible now; the number of entries."""
    import _sqlite3 as sqlite3

    try:
        return spool.take(db, lambda waiting: _insert_readable(connection, waiting))
    except (OSError, sqlite3.Error):
        return 0  # the entries stay in the spool


def _insert_readable(connection: sqlite3.Connection, entries: Sequence[LogEntry]) -> None:
    """Store the valid entries of a spool: one line that somebody spoiled must not hold up the others."""
    import _sqlite3 as sqlite3

    invalid = (LookupError, TypeError, ValueError, OverflowError, sqlite3.InterfaceError, sqlite3.ProgrammingError)
    try:
        storing.insert(connection, entries)
    except invalid:
        for waiting in entries:
            try:
                storing.insert(connection, [waiting])
            except invalid:
                continue


def keep_wal_small(connection: sqlite3.Connection, db: str) -> None:
    """Empty a WAL that has grown, if that is possible at once."""
    import _sqlite3 as sqlite3

    try:
        if os.stat(db + "-wal").st_size > WAL_LIMIT:
            (patience_ms,) = connection.execute("PRAGMA busy_timeout").fetchone()
            connection.execute("PRAGMA busy_timeout = 0")  # never wait: the next event tries again
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute(f"PRAGMA busy_timeout = {patience_ms}")
    except (OSError, sqlite3.Error):
        return


def _file_id(path: str) -> tuple[int, int] | None:
    """The device and inode of a file; None if it is missing."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _known_versions(connection: sqlite3.Connection, versions: set[str]) -> set[str]:
    import _sqlite3 as sqlite3

    try:
        return set(storing.known_versions(connection, versions)) if versions else set()
    except sqlite3.Error:
        return set()


def _try_insert(connection: sqlite3.Connection, entries: Sequence[LogEntry]) -> str | None:
    import _sqlite3 as sqlite3

    try:
        storing.insert(connection, entries)
    except (sqlite3.Error, storing.UnknownVersion) as error:
        return str(error)
    return None


def _gate_ids(connection: sqlite3.Connection, name: str, project: str, events: Sequence[str]) -> list[int]:
    """The dispatches of a session with these events."""
    import _sqlite3 as sqlite3

    marks = ", ".join("?" * len(events))
    try:
        rows = connection.execute(
            "SELECT id FROM dispatch WHERE synthetic = 0"
            " AND session IN (SELECT id FROM session WHERE name = ? AND (name <> '' OR project = ?))"
            f" AND event IN ({marks})",
            (name, project, *events),
        ).fetchall()
    except sqlite3.Error:
        return []
    return [number for (number,) in rows]


def _gate_row(connection: sqlite3.Connection, number: int) -> tuple[str, str, str | None, str] | None:
    """The event, decision, reason and payload of a dispatch."""
    import _sqlite3 as sqlite3

    query = "SELECT event, decision, reason, payload FROM dispatch JOIN content USING (id) WHERE id = ?"
    try:
        row: tuple[str, str, str | None, str] | None = connection.execute(query, (number,)).fetchone()
    except sqlite3.Error:
        return None
    return row


def is_pruning_due(db: str) -> bool:
    """Whether the last pass began a day ago; if so, the next has now begun."""
    stamp = f"{db}.pruned"
    try:
        if time.time() - os.stat(stamp).st_mtime < DAY_S:
            return False
        os.utime(stamp)
    except FileNotFoundError:
        return _begin(stamp)
    except OSError:
        return False
    return True


def _begin(stamp: str) -> bool:
    """Create the stamp; only one process succeeds."""
    try:
        os.close(os.open(stamp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError:
        return False
    return True
