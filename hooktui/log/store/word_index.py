"""The index of words (schema-3.sql): what it has of a dispatch, and how a dispatch leaves it."""

from __future__ import annotations

import _sqlite3 as sqlite3
from collections.abc import Iterable

from hooktui.log.store import calls

SEARCHED = ("stdout", "stderr", "reason")  # columns of a run that a search looks into
_TEXTS = "SELECT payload, reason FROM dispatch JOIN content USING (id) WHERE id = ?"
_RUNS = f"SELECT {', '.join(SEARCHED)} FROM run WHERE dispatch = ?"
_PARTS = "SELECT payload, reason FROM part WHERE dispatch = ?"
_WAITED = "DELETE FROM unindexed WHERE id = ?"  # index_queue.py
_INDEX = "INSERT INTO words (rowid, body) VALUES (?, ?)"
_UNINDEX = "INSERT INTO words (words, rowid, body) VALUES ('delete', ?, ?)"


def words_of(payload: str, texts: Iterable[str | None]) -> str:
    """The text that the word index has of a dispatch: its payload, its reason, and the SEARCHED texts of its runs.

    Escapes are separators: in the JSON text `x\\nmkdir` the word is mkdir.
    """
    if "\\" in payload:
        for escape in ("\\\\", "\\n", "\\r", "\\t"):
            payload = payload.replace(escape, " ")
    return "\n".join([payload, *filter(None, texts)])


def remove_dispatch(connection: sqlite3.Connection, number: int) -> None:
    """Remove a dispatch with all that belongs to it; FTS5 needs the indexed text for that."""
    texts = connection.execute(_TEXTS, (number,)).fetchone()
    if texts is None:
        return
    if not connection.execute(_WAITED, (number,)).rowcount:
        _remove_all_words(connection, number, *texts)
    calls.unlink(connection, number)
    for table in ("told WHERE dispatch", "part WHERE dispatch", "run WHERE dispatch", "content WHERE id", "dispatch WHERE id"):
        connection.execute(f"DELETE FROM {table} = ?", (number,))


def add_words(connection: sqlite3.Connection, number: int, texts: Iterable[str | None]) -> None:
    """Add the texts of a run to what is indexed of its dispatch."""
    connection.execute(_INDEX, (number, words_of("", texts)))


def remove_words(connection: sqlite3.Connection, number: int, texts: Iterable[str | None]) -> None:
    """Remove the texts of a run, which `add_words` added."""
    connection.execute(_UNINDEX, (number, words_of("", texts)))


def _remove_all_words(connection: sqlite3.Connection, number: int, payload: str, reason: str | None) -> None:
    others = (text for sql in (_PARTS, _RUNS) for row in connection.execute(sql, (number,)) for text in row)
    connection.execute(_UNINDEX, (number, words_of(payload, [reason, *others])))
