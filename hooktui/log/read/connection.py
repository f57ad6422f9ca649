"""Open the log for reading: a missing log is empty, an unreadable one raises LogError."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from functools import partial
from urllib.parse import quote

import aiosqlite

from hooktui import config
from hooktui.core import ids, paths
from hooktui.log.read import event_subject, rows
from hooktui.log.store import database, import_journal
from hooktui.runner import redaction
from hooktui.runner.journal import entry

_BUSY_S = 5.0
_ROWS_AT_ONCE = 64  # that an iteration gets from the connection's thread
_KIND = f"SELECT ({database.FOREIGN}), user_version FROM pragma_user_version"


class LogError(Exception):
    """The log cannot be read; the message says why and what to do."""


def default_path() -> str:
    """The log that the environment or the user's configuration names."""
    return paths.log_path(config.load_or_defaults()[0].log_path)


@asynccontextmanager
async def reading(path: str) -> AsyncIterator[aiosqlite.Connection | None]:
    """Open a log for one reading; None while there is no log. Raises LogError."""
    connection = await open_readonly(path)
    if connection is None:
        yield None
        return
    with explained(path):
        try:
            yield connection
        finally:
            await connection.close()


async def open_readonly(path: str) -> aiosqlite.Connection | None:
    """Take the spool in and connect read-only; None while there is no log. Raises LogError.

    The connection has the SQL functions `subject` and `as_stored`.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise LogError(f"{paths.short(path)} is not a file: name another log, or move it away")
    with explained(path):
        if not await asyncio.to_thread(_has_log, path):
            return None
        connection = await _connect(path)
        try:
            ((foreign, version),) = await connection.execute_fetchall(_KIND)
        except BaseException:  # cancellation too: an open connection's thread would keep the process alive
            await connection.close()
            raise
    if 0 < version <= database.SCHEMA and not foreign:
        return connection
    await connection.close()
    _require_own(path, foreign, version)
    return None


def open_without_loop(path: str) -> sqlite3.Connection | None:
    """The same as `open_readonly` for a process without an event loop. Raises LogError."""
    with explained(path):
        if not _has_log(path):
            return None
        connection = _connected(path)
        foreign, version = connection.execute(_KIND).fetchone()
    if 0 < version <= database.SCHEMA and not foreign:
        return connection
    connection.close()
    _require_own(path, foreign, version)
    return None


def _require_own(path: str, foreign: int, version: int) -> None:
    """Raise LogError unless another process of this hooktui is creating the log."""
    if foreign:
        raise LogError(f"{paths.short(path)} belongs to another program: name another log, or move it away")
    if version:
        raise LogError(
            f"{paths.short(path)} was written by a newer hooktui (schema {version}): update hooktui, or name another log"
        )


@contextmanager
def explained(path: str) -> Iterator[None]:
    """Turn SQLite's errors about a log into LogError."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise LogError(f"{paths.short(path)} cannot be read: {error}; see `hooktui doctor`") from error


def upgrade(path: str, since: int = 1) -> None:
    """Upgrade a log of an older schema, from `since` on. Raises sqlite3.DatabaseError."""
    with closing(sqlite3.connect(read_only_uri(path), uri=True, timeout=_BUSY_S)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        foreign = connection.execute(database.FOREIGN).fetchone()[0]
    if foreign or not since <= version < database.SCHEMA:
        return
    try:
        database.connect(path, _BUSY_S).close()
    except database.UnusableLogError as error:
        raise sqlite3.DatabaseError(f"an older hooktui wrote it, and it cannot be upgraded: {error}") from error


def _has_log(path: str) -> bool:
    """Take the spool in, and upgrade the log; whether there is one. Raises sqlite3.DatabaseError."""
    import_journal.take(path)
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return False
    upgrade(path)
    return True


async def _connect(path: str) -> aiosqlite.Connection:
    """Connect in the connection's thread, which is waited for once."""
    connection = aiosqlite.Connection(partial(_connected, path), _ROWS_AT_ONCE)
    try:
        return await connection
    except BaseException:  # cancelled: the connection's thread is ending, but still posts to this event loop
        connection._thread.join()
        raise


def _connected(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(read_only_uri(path), uri=True, timeout=_BUSY_S, isolation_level=None)
    connection.create_function("subject", 1, event_subject.of_stored, deterministic=True)
    connection.create_function("day", 1, lambda number: rows.day(ids.seconds(number)))
    connection.create_function("as_stored", 1, as_stored, deterministic=True)
    return connection


def read_only_uri(path: str) -> str:
    """A read-only URI. A log without WAL in a directory that we may not write to is opened as immutable."""
    immutable = not os.access(os.path.dirname(os.path.abspath(path)), os.W_OK) and not os.path.exists(path + "-wal")
    return f"file:{quote(os.path.abspath(path))}?{'immutable=1' if immutable else 'mode=ro'}"


def as_stored(name: str) -> str:
    """The stored name of a hook, file or project; also an SQL function."""
    return entry.stored_name(name, _patterns())


def stored_session(name: str) -> str:
    """The stored name of a session."""
    return entry.session_name(name, _patterns())


def stored_text(words: str) -> str:
    """Text of a payload or output, or the name of a tool or event, as stored."""
    return redaction.redact(words, _patterns())


def _patterns() -> tuple[str, ...]:
    return config.load_or_defaults()[0].redact
