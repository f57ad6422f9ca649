"""Writing the log on the fast path: one short transaction a dispatch, or the spool when SQLite cannot take it.

Connections are not closed: the last close of a WAL database checkpoints and syncs it, which costs more than a whole event.
The process ends instead, and empties the WAL when it has grown so large that the next process would feel recovering it.
"""

from __future__ import annotations

import os
import sys

from hooktui.core import paths
from hooktui.log.write import database, entry, spool, storing
from hooktui.log.write.database import LogUnusable, connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Iterable, Sequence
    from typing import Any

    from hooktui.core.model import Dispatch, Hook, Run
    from hooktui.core.settings import Settings

WAL_LIMIT = 512 * 1024  # bytes
# What the process that watched over an async hook becomes.
_TAKE = "import sys; from hooktui.log.write import writer; writer.take(sys.argv[1])"


def db_path(settings: Settings) -> str:
    """Which log: the environment, then the configuration, then the default."""
    return os.environ.get("HOOKTUI_DB") or settings.log_path or os.path.join(paths.state_dir(), "log.db")


class Recorder:
    """What a dispatch is handed to be remembered by: it opens the log once, early if asked, and never raises.

    `patience_s`: how long to wait for others that write before the spool is taken instead.
    """

    def __init__(self, db: str, secrets: Sequence[str] = (), patience_s: float = database.BUSY_S) -> None:
        self.db = db
        self._secrets = secrets
        self._patience_s = patience_s
        self._file: tuple[int, int] | None = None
        self._connection: sqlite3.Connection | None = None
        self._trouble: str | None = None

    def open(self) -> None:
        """Open the log now, while there is time: a hook is running."""
        if self._connection is None and self._trouble is None:
            try:
                self._connection = connect(self.db, self._patience_s)
                self._file = _file_at(self.db)
            except LogUnusable as error:
                self._trouble = str(error)

    def record(self, dispatch: Dispatch) -> str | None:
        """Store a dispatch; a warning when it went to the spool or nowhere."""
        return self.record_all([dispatch])

    def record_all(self, dispatches: Iterable[Dispatch]) -> str | None:
        """Store dispatches in one transaction; likewise."""
        self.open()
        versions = _Versions(self._connection, self._secrets)
        entries = [entry.of_dispatch(dispatch, self._secrets, versions.named) for dispatch in dispatches]
        trouble = self._store(entries)
        if trouble is None and self._file != _file_at(self.db):  # deleted or replaced, and what was stored with it
            self.close()
            self.open()
            versions.complete()
            trouble = self._store(entries)
        if trouble is None or not entries:
            return None
        versions.complete()
        return [_spool(self.db, one, trouble) for one in entries][-1]

    def hand_over(self, run: Run, dispatch_id: int, position: int) -> None:
        """Store how an async run ended, from the process that watched over it; does not return.

        That process is a fork, and SQLite must not be used across one: the end goes to the spool, and a fresh process, which
        this one becomes, takes it in.
        """
        try:
            database.make_place(self.db)  # it may end before its dispatch is stored
            spool.append(self.db, entry.of_end(run, dispatch_id, position, self._secrets))
        except OSError:  # the disk is full, say: nobody is left to tell
            return
        os.execv(sys.executable, (sys.executable, "-I", "-c", _TAKE, self.db))

    def denials_in_a_row(self, session_id: str, project: str, events: Sequence[str], gate: str) -> int:
        """How often a session's gate has denied since its turn began or it last let go; `events` begin a turn.

        A session is known by its id, wherever its agent works; one without an id by its project.
        """
        name, project = entry.session_name(session_id, self._secrets), entry.stored_name(project, self._secrets)
        waiting = [item for item in spool.entries(self.db) if item["kind"] == "dispatch"]
        rows = [
            (item["dispatch"]["id"], item["dispatch"]["event"], item["dispatch"]["decision"])
            for item in waiting
            if item["session"]["name"] == name and (name or item["session"]["project"] == project)
            if item["dispatch"]["event"] in (*events, gate)
        ]
        self.open()
        if self._connection:
            rows += _gate_history(self._connection, name, project, (*events, gate))
        count = 0
        for _, event, decision in sorted(set(rows), reverse=True):
            if event != gate or decision not in ("deny", "stop"):
                break
            count += 1
        return count

    def close(self) -> None:
        """Let go of the log; the next dispatch opens it again."""
        if self._connection:
            self._connection.close()
        self._connection = self._trouble = None

    def _store(self, entries: Sequence[dict[str, Any]]) -> str | None:
        """Put entries into the log; why that cannot be done."""
        trouble = _try_insert(self._connection, entries) if self._connection else self._trouble or "not open"
        if self._connection is None or trouble is not None:
            self.close()  # on a full disk the WAL takes the room that the spool needs
            return trouble
        take_spool(self._connection, self.db)
        keep_wal_small(self._connection, self.db)
        return None


def _file_at(path: str) -> tuple[int, int] | None:
    """Which file stands at a path; None when there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


class _Versions:
    """The versions of hooks in a group of entries, which share them: by their hashes alone where the log has their texts."""

    def __init__(self, connection: sqlite3.Connection | None, secrets: Sequence[str]) -> None:
        self._connection = connection
        self._secrets = secrets
        self._named: dict[str, tuple[Hook, dict[str, Any]]] = {}

    def named(self, hook: Hook) -> dict[str, Any]:
        """A version as the entries name it."""
        if hook.version not in self._named:
            known = self._connection and _is_known(self._connection, hook.version)
            self._named[hook.version] = hook, {"version": hook.version} if known else entry.version(hook, self._secrets)
        return self._named[hook.version][1]

    def complete(self) -> None:
        """Tell them in whole: the entries go elsewhere."""
        for hook, named in self._named.values():
            named.update(entry.version(hook, self._secrets))


def take(db: str) -> None:
    """Take in what waits in a log's spool, if that can be done now; where there is no log any more, none is made."""
    if not os.path.exists(db):
        return
    try:
        take_spool(connect(db), db)
    except LogUnusable:
        return  # it goes on waiting


def take_spool(connection: sqlite3.Connection, db: str) -> int:
    """Take in what waits in the spool, as far as the log can take it now; how many entries."""
    import _sqlite3 as sqlite3

    try:
        return spool.take(db, lambda waiting: _insert_readable(connection, waiting))
    except (OSError, sqlite3.Error):
        return 0  # it goes on waiting


def _insert_readable(connection: sqlite3.Connection, entries: Sequence[dict[str, Any]]) -> None:
    """Store what can be understood of a spool: one line that somebody spoiled must not hold up the others."""
    import _sqlite3 as sqlite3

    not_ours = (LookupError, TypeError, ValueError, OverflowError, sqlite3.InterfaceError, sqlite3.ProgrammingError)
    try:
        storing.insert(connection, entries)
    except not_ours:
        for one in entries:
            try:
                storing.insert(connection, [one])
            except not_ours:
                continue


def _is_known(connection: sqlite3.Connection, version: str) -> bool:
    import _sqlite3 as sqlite3

    try:
        return bool(storing.known_versions(connection, [version]))
    except sqlite3.Error:
        return False


def _try_insert(connection: sqlite3.Connection, entries: Sequence[dict[str, Any]]) -> str | None:
    import _sqlite3 as sqlite3

    try:
        storing.insert(connection, entries)
    except sqlite3.Error as error:
        return str(error)
    return None


def _spool(db: str, one: dict[str, Any], trouble: str) -> str:
    try:
        spool.append(db, one)
    except OSError as error:
        return (
            f"the log cannot be written ({trouble}), nor its spool ({error}): this event is not recorded; see `hooktui doctor`"
        )
    return f"the log cannot be written ({trouble}): kept in its spool; see `hooktui doctor`"


def keep_wal_small(connection: sqlite3.Connection, db: str) -> None:
    """Empty a WAL that has grown, if that can be done at once."""
    import _sqlite3 as sqlite3

    try:
        if os.stat(db + "-wal").st_size > WAL_LIMIT:
            (patience_ms,) = connection.execute("PRAGMA busy_timeout").fetchone()
            connection.execute("PRAGMA busy_timeout = 0")  # never wait: the next event will try again
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute(f"PRAGMA busy_timeout = {patience_ms}")
    except (OSError, sqlite3.Error):
        return


def _gate_history(connection: sqlite3.Connection, name: str, project: str, events: Sequence[str]) -> list[tuple[int, str, str]]:
    import _sqlite3 as sqlite3

    marks = ", ".join("?" * len(events))
    try:
        return connection.execute(
            "SELECT id, event, decision FROM dispatch WHERE synthetic = 0"
            " AND session IN (SELECT id FROM session WHERE name = ? AND (name <> '' OR project = ?))"
            f" AND event IN ({marks})",
            (name, project, *events),
        ).fetchall()
    except sqlite3.Error:
        return []
