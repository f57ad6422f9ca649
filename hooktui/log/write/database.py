"""The log's file: opened for writing by whoever has something to record, made when it is new, and private."""

from __future__ import annotations

import os
import stat

from hooktui.core import paths
from hooktui.log.write import hash_chain, spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3 as sqlite3

SCHEMA = 3
BUSY_S = 0.25
# True of a database that is not ours: another program's tables, whatever number it gives them.
FOREIGN = """
SELECT count(*) > 0 AND sum(name IN ('session', 'hook', 'dispatch', 'run')) < 4 FROM sqlite_master WHERE type = 'table'"""
_SCHEMA_FILES = ("schema.sql", "schema-2.sql", "schema-3.sql")  # each goes on from the one before
_OTHERS = 0o077  # permission bits of everybody but the owner


class LogUnusable(Exception):
    """The log cannot be written; the message says why, in words."""


def connect(db: str, patience_s: float = BUSY_S) -> sqlite3.Connection:
    """Open the log for writing and create it when it is new; `patience_s`: how long to wait for others that write.

    Raises LogUnusable.
    """
    import _sqlite3 as sqlite3  # 3 ms, paid while a hook runs

    try:
        make_place(db)
        _make_file(db)
        connection = sqlite3.connect(db, timeout=patience_s, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, db)
            _make_private(db)
        except BaseException:
            connection.close()
            raise
    except (OSError, sqlite3.Error) as error:
        raise LogUnusable(f"{db}: {error}") from error
    return connection


def _make_file(db: str) -> None:
    """Make a log that is nobody's but the user's. One that is there is not even opened.

    Closing any descriptor of a file gives up all locks that this process holds on it, SQLite's among them, so that another
    process would take away the WAL that a connection of ours still writes (sqlite.org/howtocorrupt.html, 2.2).
    """
    try:
        os.close(os.open(db, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return


def make_place(db: str) -> None:
    """Make the directory that a log stands in. Raises OSError."""
    os.makedirs(os.path.dirname(os.path.abspath(db)), mode=0o700, exist_ok=True)


def _prepare(connection: sqlite3.Connection, db: str) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    if connection.execute(FOREIGN).fetchone()[0]:
        raise LogUnusable(f"{db} is another program's database: name another log, or move it away")
    version = _version(connection)
    if version > SCHEMA:
        raise LogUnusable(f"{db} was written by a newer hooktui (schema {version}, this one knows {SCHEMA})")
    if version < SCHEMA:
        _upgrade(connection)


def _make_private(db: str) -> None:
    """Take away what others were given: the log, what stands beside it, and the directory where that is ours."""
    private = [(db, 0o600), (db + "-wal", 0o600), (db + "-shm", 0o600), (spool.path_of(db), 0o600)]
    if os.path.dirname(db) == paths.state_dir():
        private.append((paths.state_dir(), 0o700))
    for path, mode in private:
        try:
            given = os.stat(path).st_mode
            if given & _OTHERS and (stat.S_ISREG(given) or stat.S_ISDIR(given)):  # /dev/null stays everybody's
                os.chmod(path, mode)
        except OSError:  # not there, or not ours to change: `hooktui doctor` says so
            continue


def _upgrade(connection: sqlite3.Connection) -> None:
    """Make the tables, or those that an older log has not, unless another process just did."""
    if _version(connection) == 0:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # so that pruning gives back its room
        connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        before = _version(connection)
        for name in _SCHEMA_FILES[before:]:
            with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
                for statement in file.read().split(";\n"):
                    connection.execute(statement)
        if before == 1:
            hash_chain.begin(connection)
    except BaseException:
        if connection.in_transaction:  # a full disk has rolled back by itself
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    assert isinstance(version, int)
    return version
