"""Open the log for reading: a missing log is empty, an unreadable one raises LogError."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from contextlib import asynccontextmanager, closing
from typing import TYPE_CHECKING
from urllib.parse import quote

import aiosqlite

from hooktui.core import config, paths
from hooktui.log.read import event_subject
from hooktui.log.write import database, entry, intake
from hooktui.security import redaction

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_BUSY_S = 5.0


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
    async with explained(path):
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
    await asyncio.to_thread(intake.take, path)
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return None
    async with explained(path):
        await asyncio.to_thread(upgrade, path)
        connection = await _connect(path)
        try:
            await connection.create_function("subject", 1, event_subject.of_stored, deterministic=True)
            await connection.create_function("as_stored", 1, as_stored, deterministic=True)
            foreign = await _number(connection, database.FOREIGN)
            version = await _number(connection, "PRAGMA user_version")
        except BaseException:  # cancellation too: an open connection's thread would keep the process alive
            await connection.close()
            raise
    if 0 < version <= database.SCHEMA and not foreign:
        return connection
    await connection.close()
    if foreign:
        raise LogError(f"{paths.short(path)} belongs to another program: name another log, or move it away")
    if version == 0:
        return None  # another process is creating it
    raise LogError(
        f"{paths.short(path)} was written by a newer hooktui (schema {version}): update hooktui, or name another log"
    )


@asynccontextmanager
async def explained(path: str) -> AsyncIterator[None]:
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
    except database.LogUnusable as error:
        raise sqlite3.DatabaseError(f"an older hooktui wrote it, and it cannot be upgraded: {error}") from error


async def _connect(path: str) -> aiosqlite.Connection:
    connection = aiosqlite.connect(read_only_uri(path), uri=True, timeout=_BUSY_S, isolation_level=None)
    try:
        return await connection
    except BaseException:  # cancelled: the connection's thread is ending, but still posts to this event loop
        connection._thread.join()
        raise


def read_only_uri(path: str) -> str:
    """A read-only URI. A log without WAL in a directory that we may not write to is opened as immutable."""
    immutable = not os.access(os.path.dirname(os.path.abspath(path)), os.W_OK) and not os.path.exists(path + "-wal")
    return f"file:{quote(os.path.abspath(path))}?{'immutable=1' if immutable else 'mode=ro'}"


async def _number(connection: aiosqlite.Connection, sql: str) -> int:
    cursor = await connection.execute(sql)
    row = await cursor.fetchone()
    return int(row[0]) if row else 0


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
