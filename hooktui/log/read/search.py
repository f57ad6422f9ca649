"""Run queries: ids of matching dispatches in batches, dispatches committed since a position, and values for completion."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from contextlib import aclosing
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from hooktui.log.read import rows

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
    from typing import Any

    import aiosqlite

    from hooktui.log.read.query import Query

    Read = Callable[[str, Mapping[str, Any]], Awaitable[list[Any]]]  # the rows of SQL with bound values

# Search -----------------------------------------------------------------------------------------------------------------------

_FIRST_BATCH, _LAST_BATCH = 512, 131_072
# Search so many of the newest dispatches first, then as many before them, then all. What words are in is found so fast that
# the second span would cost more than it shows: events of calls that began before it are looked up twice.
_SPANS, _SPANS_OF_WORDS = (1 << 14, 1 << 17), (1 << 12,)
_BEFORE = "SELECT id FROM dispatch WHERE id > ? AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ?"  # skips ten million a second
_NEWEST = (1 << 63) - 1
# For a prefix, FTS5 collects all matches before it returns the first, but streams the matches of a word. So a prefix is
# searched as the words that begin with it, unless there are more than this; each is rare then.
_MAX_WORDS = 32
_VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab (main, words, row)"
_WORDS = f"SELECT term FROM vocabulary WHERE term >= ? AND term < ? LIMIT {_MAX_WORDS + 1}"
_MANY = 100  # more kinds of events than any log has
LAST = "\U0010ffff"  # sorts after every letter


async def ids(connection: aiosqlite.Connection, query: Query, above: int) -> AsyncGenerator[array[int], None]:
    """The ids greater than `above` of matching dispatches, newest first, in growing batches."""
    params, found = await _expanded(connection, query), 0
    async with aclosing(_spans(connection, above, _sizes(query))) as spans:
        async for low, high in spans:
            async with aclosing(_between(connection, query, {**params, "low": low, "high": high}, found)) as batches:
                async for batch in batches:
                    found += len(batch)
                    yield batch


def _sizes(query: Query) -> Sequence[int]:
    """The sizes of the spans; none, so that there is a single one, where SQLite finds the newest first by itself."""
    if query.words:
        return _SPANS_OF_WORDS if query.by_call else ()
    return () if query.is_everything else _SPANS


async def _spans(connection: aiosqlite.Connection, above: int, sizes: Sequence[int]) -> AsyncGenerator[tuple[int, int], None]:
    """Id ranges [low, high) from the newest to the oldest.

    They are measured in dispatches, as there may be months without any.
    """
    high = _NEWEST
    for size in sizes:
        for (low,) in await connection.execute_fetchall(_BEFORE, (above, high, size)):
            yield low, high
            high = low
    yield above + 1, high


async def _between(
    connection: aiosqlite.Connection, query: Query, params: Mapping[str, Any], found: int
) -> AsyncGenerator[array[int], None]:
    """The ids in one span, in batches four times as large as what was found before."""
    sql = f"{query.numbers('{0} >= :low AND {0} < :high')} ORDER BY number DESC"
    async with connection.execute(sql, dict(params)) as cursor:
        while batch := list(await cursor.fetchmany(min(max(4 * found, _FIRST_BATCH), _LAST_BATCH))):
            yield array("q", chain.from_iterable(batch))
            found += len(batch)


async def _expanded(connection: aiosqlite.Connection, query: Query) -> Mapping[str, Any]:
    """The query's parameters, with prefixes replaced by the words that begin with them."""
    words = {prefix: await _words(connection, prefix.lower()) for prefix in query.words.prefixes if prefix.isascii()}
    return {**query.params, "match": query.words.match(words)} if words else query.params


async def _words(connection: aiosqlite.Connection, prefix: str) -> list[str]:
    """The indexed words that begin with a prefix; empty if there are too many."""
    await connection.execute(_VOCABULARY)
    words = [row[0] for row in await connection.execute_fetchall(_WORDS, (prefix, prefix + LAST))]
    return words if len(words) <= _MAX_WORDS else []


# Commits ----------------------------------------------------------------------------------------------------------------------

# A log without a chain has not been written since chains exist.
HAS_CHAIN = "SELECT count(*) FROM sqlite_master WHERE name = 'link'"
# The sessions count their events.
EXTENT = """
SELECT ifnull((SELECT min(id) FROM dispatch), 0), ifnull(sum(events), 0) FROM session
WHERE :project IS NULL OR project = as_stored(:project)"""
LAST_COMMIT = "SELECT ifnull(max(seq), 0) FROM link"
# A dispatch that was joined to an event changed that event.
COMMITTED_SINCE = """
SELECT seq, CASE WHEN part.dispatch <> subject THEN 'end' ELSE kind END,
    CASE kind WHEN 'end' THEN (SELECT dispatch FROM run WHERE run.id = subject) ELSE ifnull(part.dispatch, subject) END
FROM link LEFT JOIN part ON kind = 'dispatch' AND part.id = subject WHERE seq > ? AND kind <> 'note' ORDER BY seq"""


# What was imported is in no chain. The state of the imports changes with each portion of a transcript that is stored.
IMPORTS = "SELECT count(*), total(position), ifnull(max(changed), 0) FROM transcript"
# The first condition enables the partial index.
IMPORTED_SINCE = """
SELECT id FROM dispatch WHERE origin <> 'run' AND origin = 'transcript' AND id > ?1
UNION SELECT dispatch FROM told WHERE dispatch > ?1 ORDER BY 1"""
IMPORTED_BEFORE = """
SELECT (SELECT count(*) FROM dispatch WHERE origin <> 'run' AND origin = 'transcript' AND id <= ?1)
    + (SELECT count(*) FROM told WHERE dispatch <= ?1)"""


class Commits(NamedTuple):
    """Ids of new dispatches, and of those that the end of an async hook or another record changed.

    `last` is the commit sequence to continue from.
    """

    last: int
    new: Sequence[int] = ()
    changed: Sequence[int] = ()


def commits(after: int, rows: Iterable[Sequence[Any]]) -> Commits:
    """Read the rows of COMMITTED_SINCE."""
    rows = list(rows)
    new = [number for _, kind, number in rows if kind == "dispatch"]
    return Commits(rows[-1][0] if rows else after, new, [number for _, kind, number in rows if kind == "end"])


def matching(query: Query, numbers: Sequence[int]) -> str:
    """SQL for the matching ids among some ids, oldest first; bind the smallest and largest id as `:low` and `:high`."""
    among = ", ".join(str(int(number)) for number in numbers)
    return f"{query.numbers(f'{{0}} >= :low AND {{0}} <= :high AND +{{0}} IN ({among})')} ORDER BY number"


# Completion -------------------------------------------------------------------------------------------------------------------

# Each value costs one index seek, however many rows have it.
_DISTINCT_BY_INDEX = """
WITH RECURSIVE step (value) AS (
    SELECT min({column}) FROM {table} WHERE {column} >= :begin AND {column} < :end
    UNION ALL
    SELECT (SELECT min({column}) FROM {table} WHERE {column} > value AND {column} < :end) FROM step WHERE value NOTNULL
) SELECT value FROM step WHERE value NOTNULL LIMIT :most"""
_DISTINCT_OF_SESSIONS = """
SELECT DISTINCT {column} FROM session WHERE {column} >= :begin AND {column} < :end ORDER BY {column} LIMIT :most"""
_HOOKS = """
SELECT DISTINCT ifnull(label, name) AS called FROM hook WHERE called >= :begin AND called < :end ORDER BY called LIMIT :most"""
# SQL for the values of a query field that begin with a text (`:begin` to `:end`).
VALUES: Mapping[str, str] = {
    "event": _DISTINCT_BY_INDEX.format(column="event", table="dispatch"),
    "tool": _DISTINCT_BY_INDEX.format(column="tool", table="dispatch"),
    "hook": _HOOKS,
    "session": _DISTINCT_BY_INDEX.format(column="name", table="session"),
    "host": _DISTINCT_OF_SESSIONS.format(column="host"),
    "project": _DISTINCT_OF_SESSIONS.format(column="project"),
}


async def values(read: Read, field: str, beginning: str, most: int) -> list[str]:
    """Logged values of a query field that begin with a text, `most` at most. Events are spelled as the logged hosts do."""
    if field == "event":
        hosts, names = await _values(read, "host", "", most), await _values(read, "event", "", _MANY)
        spelled = dict.fromkeys(rows.spelled(name, host) for host in hosts for name in names)
        return sorted(name for name in spelled if name.startswith(beginning))[:most]
    return await _values(read, field, beginning, most)


async def _values(read: Read, field: str, beginning: str, most: int) -> list[str]:
    sql = VALUES.get(field)
    params = {"begin": beginning, "end": beginning + LAST, "most": most}
    return [row[0] for row in await read(sql, params)] if sql else []


class SearchResults:
    """Ids of dispatches, oldest first; a row number is a position in them."""

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self.ids = array("q", numbers)
        self.complete = False

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, row: int) -> int:
        return self.ids[row]

    def __contains__(self, number: object) -> bool:
        row = bisect_left(self.ids, number) if isinstance(number, int) else len(self.ids)
        return row < len(self.ids) and self.ids[row] == number

    def between(self, first: int, last: int) -> Sequence[int]:
        """The ids of rows `first` to `last`, the last excluded; missing rows are left out."""
        return self.ids[max(first, 0) : max(last, 0)]

    def add_older(self, batch: Iterable[int]) -> None:
        """Add the next batch of a search, newest first."""
        older = array("q", batch)
        older.reverse()
        self.ids = older + self.ids

    def add(self, numbers: Iterable[int]) -> None:
        """Insert new ids in order; during a search, ids older than all results are left to it.

        An id is made when a dispatch begins and stored when it ends, so a new id may be older than known ones.
        """
        for number in numbers:
            row = self.row_of(number)
            if (self.complete or row) and number not in self:
                self.ids.insert(row, number)

    def remove(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            if number in self:
                del self.ids[self.row_of(number)]

    def drop_before(self, number: int) -> None:
        """Remove ids older than one, after the log was pruned."""
        del self.ids[: self.row_of(number)]

    def row_of(self, number: int) -> int:
        """The row of an id, or of the first id after it."""
        return bisect_left(self.ids, number)

    def after(self, number: int) -> int:
        return len(self.ids) - bisect_right(self.ids, number)
