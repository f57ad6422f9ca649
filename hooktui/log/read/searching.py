"""What of the log matches a query: ids, newest first, in batches that grow, so that the first are there at once."""

from __future__ import annotations

from array import array
from contextlib import aclosing
from typing import TYPE_CHECKING, cast

from hooktui.log.read import query_values

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
    from typing import Any

    import aiosqlite

    from hooktui.log.read.query import Query

_FIRST_BATCH, _LAST_BATCH = 512, 131_072
_SPANS = (64, 8, 1)  # how the log is searched: the newest 1/64 of its time first, then an eighth, then all
_BOUNDS = (
    "SELECT ifnull((SELECT min(id) FROM dispatch WHERE id > ?), 0), ifnull((SELECT max(id) FROM dispatch WHERE id > ?), -1)"
)


async def ids(connection: aiosqlite.Connection, query: Query, above: int) -> AsyncGenerator[array[int], None]:
    """The ids greater than `above` of all dispatches that match."""
    params = await query_values.filled_in(connection, query)
    first, last = next(iter(await connection.execute_fetchall(_BOUNDS, (above, above))))
    for low, high in _windows(first, last, whole=bool(query.words)):
        async with aclosing(_between(connection, query, {**params, "low": low, "high": high})) as batches:
            async for batch in batches:
                yield batch


def _windows(first: int, last: int, *, whole: bool) -> Iterator[tuple[int, int]]:
    """Id ranges [low, high) from the newest to the oldest; one that is the whole log if that gives the newest as soon."""
    high = last + 1
    for part in (1,) if whole else _SPANS:
        low = first if part == 1 else last - (last - first) // part
        if low < high:
            yield low, high
            high = low


async def _between(
    connection: aiosqlite.Connection, query: Query, params: Mapping[str, Any]
) -> AsyncGenerator[array[int], None]:
    sql = f"SELECT {query.key} {query.found} AND {query.key} >= :low AND {query.key} < :high ORDER BY {query.key} DESC"
    size = _FIRST_BATCH
    async with connection.execute(sql, dict(params)) as cursor:
        cursor.row_factory = _first  # type: ignore[assignment]
        while batch := list(await cursor.fetchmany(size)):
            yield array("q", cast("list[int]", batch))
            size = min(size * 2, _LAST_BATCH)


def _first(_cursor: object, row: Sequence[Any]) -> Any:
    return row[0]
