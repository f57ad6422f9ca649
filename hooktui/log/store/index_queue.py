"""Imported events whose words are not indexed yet, the dearest part of storing them: an import leaves them for later.

A search compares the texts of these events. The process beside the app indexes them; `hooktui import` indexes a few itself and
leaves many to a process that it starts.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from contextlib import closing, suppress

from hooktui.core import background
from hooktui.log.store import database, wal
from hooktui.log.store.word_index import SEARCHED

_ADD = "INSERT INTO unindexed (id) VALUES (?)"
_WAITING = "SELECT id FROM unindexed ORDER BY id DESC LIMIT :slice"
_RUN_TEXTS = " || char(10) || ".join(f"ifnull(run.{name}, '')" for name in SEARCHED)
# As word_index.words_of: an event of a transcript has no parts. FTS5 takes ascending ids at less cost.
_INDEX = f"""
INSERT INTO words (rowid, body)
SELECT id, replace(replace(replace(replace(payload, '\\\\', ' '), '\\n', ' '), '\\r', ' '), '\\t', ' ')
    || char(10) || ifnull(reason, '')
    || char(10) || ifnull((SELECT group_concat({_RUN_TEXTS}, char(10))
        FROM run WHERE run.dispatch = dispatch.id), '')
FROM dispatch JOIN content USING (id) WHERE id IN ({_WAITING}) ORDER BY id"""
_INDEXED = f"DELETE FROM unindexed WHERE id IN ({_WAITING})"
_SLICE = {"slice": 1_000}  # events that are indexed in one transaction, some 12 ms
REST_S = 0.03  # between two transactions, for other writers
_PRIORITY = 19  # the lowest


def add(connection: sqlite3.Connection, numbers: list[int]) -> None:
    """Leave the words of new events for later, in a transaction of the caller."""
    connection.executemany(_ADD, [(number,) for number in numbers])


def index_some(connection: sqlite3.Connection, db: str) -> bool:
    """Index the newest events that wait for it; whether others may still wait. Raises sqlite3.Error."""
    if not connection.execute(_WAITING, {"slice": 1}).fetchone():
        return False  # without a lock
    with database.Transaction(connection):
        connection.execute(_INDEX, _SLICE)
        count = connection.execute(_INDEXED, _SLICE).rowcount
    wal.keep_small(connection, db)
    return bool(count == _SLICE["slice"])


def count(connection: sqlite3.Connection) -> int:
    """The number of events that wait."""
    number: int = connection.execute("SELECT count(*) FROM unindexed").fetchone()[0]
    return number


def index_soon(connection: sqlite3.Connection, db: str) -> None:
    """Index a few events now, and leave the others to a process that nobody waits for. Raises sqlite3.Error."""
    if index_some(connection, db):
        background.start(sys.executable, "-I", "-m", "hooktui.log.store.index_queue", db)


def _index_all(db: str) -> None:
    os.nice(_PRIORITY)
    with closing(database.connect(db, patience_s=10.0)) as connection:
        while index_some(connection, db):
            time.sleep(REST_S)


if __name__ == "__main__":
    with suppress(database.UnusableLogError, sqlite3.Error):  # the next import or start of the app goes on
        _index_all(sys.argv[1])
