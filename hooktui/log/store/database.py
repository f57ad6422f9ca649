"""Open the log for writing: create it, upgrade its schema and keep it private."""

from __future__ import annotations

import _sqlite3 as sqlite3
import os
import stat

from hooktui.core import paths
from hooktui.log.store import hash_chain
from hooktui.runner.journal import spool

SCHEMA = 12
BUSY_S = 0.25
# True for another program's database, whatever its user_version.
FOREIGN = """
SELECT count(*) > 0 AND sum(name IN ('session', 'hook', 'dispatch', 'run')) < 4 FROM sqlite_master WHERE type = 'table'"""
# Each upgrades the previous one.
_SCHEMA_FILES = ("schema.sql", *(f"schema-{number}.sql" for number in range(2, SCHEMA + 1)))
_DERIVED_ALIKE_SINCE = 12  # the schema since which `merge_sources` has derived events as it does now
_GROUP_AND_OTHERS = 0o077  # permission bits


class UnusableLogError(Exception):
    """The log cannot be written; the message says why."""


def connect(db: str, patience_s: float = BUSY_S) -> sqlite3.Connection:
    """Open the log for writing, and create it if it is new. `patience_s` limits the wait for other writers.

    Raises UnusableLogError.
    """
    import _sqlite3 as sqlite3  # 3 ms, spent while a hook runs

    try:
        make_directory(db)
        _make_file(db)
        connection = sqlite3.connect(db, timeout=patience_s, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, db)
            _make_private(db)
        except BaseException:
            connection.close()
            raise
    except (OSError, sqlite3.Error) as error:
        raise UnusableLogError(f"{db}: {error}") from error
    return connection


class Transaction:
    """A write transaction: committed at the end, rolled back after an exception."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        if self._connection.in_transaction:  # a full disk rolls back by itself
            self._connection.execute("ROLLBACK" if kind else "COMMIT")


def _make_file(db: str) -> None:
    """Create the file, readable only by its owner; an existing one is not opened.

    Closing any descriptor of a file releases all of the process's locks on it, including SQLite's, so another process could
    delete the WAL that our connection still writes (sqlite.org/howtocorrupt.html, 2.2).
    """
    try:
        os.close(os.open(db, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return


def make_directory(db: str) -> None:
    """Create the log's directory. Raises OSError."""
    paths.make_directories(os.path.dirname(os.path.abspath(db)))


def _prepare(connection: sqlite3.Connection, db: str) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    if connection.execute(FOREIGN).fetchone()[0]:
        raise UnusableLogError(f"{db} belongs to another program: name another log, or move it away")
    version = _version(connection)
    if version > SCHEMA:
        raise UnusableLogError(f"{db} was written by a newer hooktui (schema {version}; this version supports {SCHEMA})")
    if version < SCHEMA:
        _upgrade(connection)


def _make_private(db: str) -> None:
    """Remove the permissions of group and others from the log, its side files, and our own state directory."""
    private = [(path, 0o600) for path in (db, db + "-wal", db + "-shm", spool.path_of(db), spool.taken_path(db))]
    if os.path.dirname(db) == paths.state_dir():
        private.append((paths.state_dir(), 0o700))
    for path, mode in private:
        try:
            mode_now = os.stat(path).st_mode
            if mode_now & _GROUP_AND_OTHERS and (stat.S_ISREG(mode_now) or stat.S_ISDIR(mode_now)):  # not /dev/null
                os.chmod(path, mode)
        except OSError:  # missing or not ours: `hooktui doctor` reports it
            continue


def _upgrade(connection: sqlite3.Connection) -> None:
    """Create or upgrade the tables, unless another process just did."""
    if _version(connection) == 0:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # lets pruning return free pages
        connection.execute("PRAGMA journal_mode = WAL")
    with Transaction(connection):
        before = _version(connection)
        for name in _SCHEMA_FILES[before:]:
            with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
                for statement in file.read().split(";\n"):
                    connection.execute(statement)
        if before == 1:
            hash_chain.begin(connection)
        if 0 < before < _DERIVED_ALIKE_SINCE:
            from hooktui.log.store import reported

            reported.rebuild(connection)


def _version(connection: sqlite3.Connection) -> int:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    assert isinstance(version, int)
    return version
