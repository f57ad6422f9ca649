"""The log's file: opened for writing by whoever has something to record, made when it is new, and private."""

from __future__ import annotations

import os
import stat

from hooktui import paths
from hooktui.log import spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3 as sqlite3

SCHEMA = 1
BUSY_S = 0.25
# True of a database that is not ours: another program's tables, whatever number it gives them.
FOREIGN = """
SELECT count(*) > 0 AND sum(name IN ('session', 'hook', 'dispatch', 'run')) < 4 FROM sqlite_master WHERE type = 'table'"""
_SCHEMA_FILE = os.path.join(os.path.dirname(__file__), "schema.sql")
_OTHERS = 0o077  # permission bits of everybody but the owner


class LogUnusable(Exception):
    """The log cannot be written; the message says why, in words."""


def connect(db: str) -> sqlite3.Connection:
    """Open the log for writing and create it when it is new. Raises LogUnusable."""
    import _sqlite3 as sqlite3  # 3 ms, paid while a hook runs

    try:
        make_place(db)
        os.close(os.open(db, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(db, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, db)
            _make_private(db)
        except BaseException:
            connection.close()
            raise
    except (OSError, sqlite3.Error) as error:
        raise LogUnusable(f"{db}: {error}") from error
    return connection


def make_place(db: str) -> None:
    """Make the directory that a log stands in. Raises OSError."""
    os.makedirs(os.path.dirname(os.path.abspath(db)), mode=0o700, exist_ok=True)


def _prepare(connection: sqlite3.Connection, db: str) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    if connection.execute(FOREIGN).fetchone()[0]:
        raise LogUnusable(f"{db} is another program's database: name another log, or move it away")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        _create(connection)
    elif version > SCHEMA:
        raise LogUnusable(f"{db} was written by a newer hooktui (schema {version}, this one knows {SCHEMA})")


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


def _create(connection: sqlite3.Connection) -> None:
    """Make the tables, unless another process just did."""
    connection.execute("PRAGMA journal_mode = WAL")
    with open(_SCHEMA_FILE, encoding="utf-8") as file:
        script = file.read()
    connection.execute("BEGIN IMMEDIATE")
    try:
        if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
            for statement in script.split(";\n"):
                connection.execute(statement)
    except BaseException:
        if connection.in_transaction:  # a full disk has rolled back by itself
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
