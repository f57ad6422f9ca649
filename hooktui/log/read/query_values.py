"""The words that the index holds and the values of the columns: for fast searches, and to complete a query with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import aiosqlite

    from hooktui.log.read.query import Query

# FTS5 gathers everything that a prefix finds before it gives the first hit, and a word's own hits as they are asked for: so a
# beginning is searched as the words that begin so, unless they are many, each of which is seldom then.
_MOST_WORDS = 32
_INDEX = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab (main, words, row)"
_BEGINNING = f"SELECT term FROM vocabulary WHERE term >= ? AND term < ? LIMIT {_MOST_WORDS + 1}"
LAST = "\U0010ffff"  # after every letter


async def filled_in(connection: aiosqlite.Connection, query: Query) -> Mapping[str, Any]:
    """The values of a query, the beginnings of words in it replaced by the words that there are."""
    endings = {begun: await _words(connection, begun.lower()) for begun in query.words.beginnings if begun.isascii()}
    return {**query.params, "match": query.words.match(endings)} if endings else query.params


async def _words(connection: aiosqlite.Connection, beginning: str) -> list[str]:
    """All words that begin so; none when they are too many."""
    await connection.execute(_INDEX)
    found = [row[0] for row in await connection.execute_fetchall(_BEGINNING, (beginning, beginning + LAST))]
    return found if len(found) <= _MOST_WORDS else []


def of_field(field: str) -> str | None:
    """The SQL for values of a field that begin so (`:begin`, `:end`, `:most`), a few of those that the log has."""
    return _VALUES.get(field)


# Each value is one step down the index, however many rows have it.
_BY_STEPS = """
WITH RECURSIVE step (value) AS (
    SELECT min({column}) FROM {table} WHERE {column} >= :begin AND {column} < :end
    UNION ALL
    SELECT (SELECT min({column}) FROM {table} WHERE {column} > value AND {column} < :end) FROM step WHERE value NOTNULL
) SELECT value FROM step WHERE value NOTNULL LIMIT :most"""
_OF_SESSION = """
SELECT DISTINCT {column} FROM session WHERE {column} >= :begin AND {column} < :end ORDER BY {column} LIMIT :most"""
_VALUES: Mapping[str, str] = {
    "event": _BY_STEPS.format(column="event", table="dispatch"),
    "tool": _BY_STEPS.format(column="tool", table="dispatch"),
    "hook": _BY_STEPS.format(column="name", table="hook"),
    "session": _BY_STEPS.format(column="name", table="session"),
    "host": _OF_SESSION.format(column="host"),
    "project": _OF_SESSION.format(column="project"),
}
