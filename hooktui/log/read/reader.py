"""Reading the log without ever holding up a screen (aiosqlite: one thread a connection).

A result is the ids that match, newest first, in batches; rows are fetched by id when they are looked at. So a million
dispatches cost eight megabytes, and a page a few look-ups by key, wherever it lies.
"""

from __future__ import annotations

import asyncio
import threading
from array import array
from collections import Counter
from contextlib import aclosing
from typing import TYPE_CHECKING

from hooktui.log.read import (
    committed,
    query_values,
    recorded_callbacks,
    rows,
    searching,
    session_outline,
    sessions,
    verify,
)
from hooktui.log.read.connection import LogError, default_path, explained, open_readonly

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence
    from typing import Any, Literal, Self

    import aiosqlite

    from hooktui.log.read.committed import Committed
    from hooktui.log.read.query import Query
    from hooktui.log.read.rows import DispatchRow, RunBar, StoredHook
    from hooktui.log.read.session_outline import Outline, SessionEvent
    from hooktui.log.read.sessions import Comparison, SessionRow, Summary
    from hooktui.log.read.verify import ChainFault, Verification

    # One connection for what is looked at, one for long searches, one for what is made of a whole session, one that waits for
    # changes: none waits for another.
    Purpose = Literal["look", "search", "study", "watch"]

__all__ = ["LogError", "LogReader"]

_POLL_S = 0.025


class LogReader:
    """The log, open for reading. While there is no log, everything is empty; it is found when it appears.

    Every method raises LogError when the log turns out to be unreadable.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._connections: dict[Purpose, aiosqlite.Connection] = {}
        self._closed = False
        self._chained = False
        self._opening = asyncio.Lock()
        self._searching = asyncio.Lock()

    @classmethod
    async def open(cls, path: str | None = None) -> Self:
        """Open a log, the usual one if none is named. Raises LogError."""
        reader = cls(path or default_path())
        await reader._connection("look")
        return reader

    async def close(self) -> None:
        """Close every connection. Searches under way are given up, and the log is empty from now on."""
        self._closed = True
        async with self._opening:  # what is just being opened is closed too
            while self._connections:
                _, connection = self._connections.popitem()
                await connection.interrupt()
                await connection.close()

    # Dispatches -----------------------------------------------------------------------------------------------------------

    async def search(self, query: Query, above: int = 0) -> AsyncGenerator[array[int], None]:
        """The ids greater than `above` of all dispatches that match, newest first, in batches that grow.

        One search runs at a time; a search that is abandoned is interrupted.
        """
        async with self._searching:
            connection = await self._connection("search")
            if connection is None:
                return
            try:
                async with explained(self.path):
                    await connection.commit()  # lets go of what an abandoned search began: its interruption would be ours
                    async with aclosing(searching.ids(connection, query, above)) as batches:
                        async for batch in batches:
                            yield batch
            except (asyncio.CancelledError, GeneratorExit):
                if "search" in self._connections:
                    await connection.interrupt()
                raise

    async def newer(self, query: Query, above: int) -> array[int]:
        """The ids greater than `above` of the dispatches that match, oldest first: for what has just come."""
        sql = f"SELECT {query.key} {query.found} AND {query.key} > :low ORDER BY {query.key}"
        return array("q", [row[0] for row in await self._all(sql, {**query.params, "low": above})])

    async def commits(self) -> int:
        """How far the log has come: what `committed` is asked from later."""
        return int((await self._all(committed.LAST, (), "watch"))[0][0]) if await self._is_chained() else 0

    async def committed(self, after: int) -> Committed:
        """What was committed since."""
        rows = await self._all(committed.SINCE, (after,), "watch") if await self._is_chained() else ()
        return committed.committed(after, rows)

    async def matching(self, query: Query, numbers: Sequence[int]) -> list[int]:
        """Those of these dispatches that match, oldest first."""
        if not numbers:
            return []
        bounds = {**query.params, "low": min(numbers), "high": max(numbers)}
        return [row[0] for row in await self._all(committed.matching(query, numbers), bounds, "watch")]

    async def _is_chained(self) -> bool:
        if not self._chained:
            found = await self._all(committed.CHAINED, (), "watch")
            self._chained = bool(found and found[0][0])
        return self._chained

    async def tail(self, query: Query, limit: int) -> list[DispatchRow]:
        """The newest dispatches that match, oldest first."""
        found: list[int] = []
        async with aclosing(self.search(query)) as batches:
            async for batch in batches:
                found.extend(batch)
                if len(found) >= limit:
                    break
        return await self.rows(found[:limit])

    async def rows(self, numbers: Sequence[int]) -> list[DispatchRow]:
        """The dispatches of these ids, oldest first; ids that are gone are left out."""
        sql = f"{rows.DISPATCHES} WHERE dispatch.id IN ({_marks(numbers)}) ORDER BY dispatch.id"
        return [rows.dispatch_row(row) for row in await self._all(sql, numbers)]

    async def count(self, query: Query) -> int:
        """How many dispatches match."""
        found = await self._all(f"SELECT count(*) {query.found}", query.params)
        return int(found[0][0]) if found else 0

    async def total(self) -> int:
        """How many dispatches there are, without counting them."""
        found = await self._all("SELECT ifnull(sum(events), 0) FROM session", ())
        return int(found[0][0]) if found else 0

    async def oldest(self) -> int:
        """The id of the first dispatch there is; 0 without one."""
        found = await self._all("SELECT ifnull(min(id), 0) FROM dispatch", (), "watch")
        return int(found[0][0]) if found else 0

    async def projects(self, most: int = 100) -> list[str]:
        """The projects that dispatches are of, by name."""
        found = await self._all("SELECT DISTINCT project FROM session ORDER BY project LIMIT ?", (most,))
        return [row[0] for row in found]

    async def newest_event(self) -> int:
        """The id of the newest dispatch; 0 while there is none."""
        found = await self._all("SELECT id FROM dispatch ORDER BY id DESC LIMIT 1", ())
        return int(found[0][0]) if found else 0

    async def newest_callback(self) -> int:
        """Changes whenever a Python agent has registered another function; 0 while there is none."""
        found = await self._all(recorded_callbacks.NEWEST, ())
        return int(found[0][0]) if found else 0

    async def report(self, number: int) -> dict[str, Any] | None:
        """One dispatch whole: contract.md's report with `at`, `synthetic` and `payload`; None when there is none."""
        return next(iter(await self.reports([number])), None)

    async def reports(self, numbers: Sequence[int]) -> list[dict[str, Any]]:
        """Dispatches whole, oldest first; ids that are gone are left out. At most some hundred at a time."""
        dispatches, runs = rows.reports_sql(len(numbers))
        return list(rows.reports(await self._all(dispatches, numbers), await self._all(runs, numbers)))

    async def stored_hook(self, number: int, hook: str) -> StoredHook | None:
        """The version of a hook (its id) that one dispatch considered; None when there is none."""
        found = await self._all(rows.STORED, (number, hook))
        return rows.StoredHook(*found[0]) if found else None

    async def values(self, field: str, beginning: str, most: int = 12) -> list[str]:
        """Values of a query's field that begin so, some of those that the log has; none for a field that is a measure."""
        sql = query_values.of_field(field)
        values = {"begin": beginning, "end": beginning + query_values.LAST, "most": most}
        return [row[0] for row in await self._all(sql, values)] if sql else []

    # Sessions -------------------------------------------------------------------------------------------------------------

    async def sessions(self, limit: int = 1000, text: str = "", order: str = "last") -> list[SessionRow]:
        """Sessions by one of sessions.ORDERS; `text` must be in the id, host or project."""
        sql = sessions.SESSIONS + sessions.MATCHING.format(order=sessions.ORDERS[order])
        found = await self._all(sql, {**sessions.holding(text), "limit": limit})
        return [sessions.SessionRow(*row) for row in found]

    async def session(self, number: int) -> SessionRow | None:
        """One session by its number; None when there is none."""
        found = await self._all(f"{sessions.SESSIONS} WHERE id = ?", (number,))
        return sessions.SessionRow(*found[0]) if found else None

    async def session_events(self, session: int) -> list[SessionEvent]:
        """All dispatches of a session, oldest first, as outlines and summaries are made of them."""
        return [session_outline.SessionEvent(*row) for row in await self._all(session_outline.MOMENTS, (session,))]

    async def summary(self, session: int, moments: Sequence[SessionEvent]) -> Summary:
        """What happened in a session, taken together."""
        denied = [moment.id for moment in moments if moment.denied]
        return sessions.Summary(
            decisions=Counter(moment.decision for moment in moments),
            denials=await self.rows(denied[-sessions.DENIALS :]),
            hooks=sessions.hook_times(await self._all(sessions.RUNS_OF_SESSION, (session,), "study")),
        )

    async def outline(self, session: int, moments: Sequence[SessionEvent]) -> Outline:
        """How the events of a session belong together."""
        return session_outline.of(moments, dict(await self._all(session_outline.KEYS, (session,), "study")))

    async def comparison(self, first: int, second: int) -> Comparison | None:
        """Two sessions side by side, by their numbers; None when one is not there."""
        one, other = await self.session(first), await self.session(second)
        if one is None or other is None:
            return None
        of_one = await self.summary(first, await self.session_events(first))
        return sessions.compare((one, of_one), (other, await self.summary(second, await self.session_events(second))))

    async def verdict(self, session: int) -> Verification:
        """Whether a session is what was recorded, and where not; some hundred milliseconds for ten thousand events."""
        over = threading.Event()
        try:
            async with explained(self.path):
                return await asyncio.to_thread(verify.session, self.path, session, over.is_set)
        finally:
            over.set()

    async def gaps(self) -> list[ChainFault]:
        """What is missing from the chain, whosever it was; half a second for a million records."""
        if await self._connection("look") is None:
            return []
        async with explained(self.path):
            return await asyncio.to_thread(verify.gaps, self.path)

    async def head(self) -> str:
        """The head of the log's chain, to be kept elsewhere; "" without one."""
        if await self._connection("look") is None:
            return ""
        async with explained(self.path):
            return await asyncio.to_thread(verify.head_of, self.path)

    async def bars(self, numbers: Sequence[int]) -> dict[int, list[RunBar]]:
        """The runs of these dispatches as a timeline draws them, in the order considered."""
        sql = f"{rows.BARS} WHERE dispatch.id IN ({_marks(numbers)}) AND run.state <> 'skipped' ORDER BY dispatch.id, position"
        found: dict[int, list[RunBar]] = {number: [] for number in numbers}
        for number, *bar in await self._all(sql, numbers):
            found[number].append(rows.RunBar(*bar))
        return found

    # Changes --------------------------------------------------------------------------------------------------------------

    async def changes(self) -> AsyncGenerator[None, None]:
        """Wake up at once, then soon (30 ms) after any process has committed something: look after each, and miss nothing."""
        while True:
            version = await self._data_version()
            yield
            while version == await self._data_version():
                await asyncio.sleep(_POLL_S)

    async def _data_version(self) -> int | None:
        found = await self._all("PRAGMA data_version", (), "watch")
        return int(found[0][0]) if found else None

    # Connections ----------------------------------------------------------------------------------------------------------

    async def _all(self, sql: str, values: Sequence[Any] | Mapping[str, Any], purpose: Purpose = "look") -> list[Any]:
        connection = await self._connection(purpose)
        if connection is None:
            return []
        async with explained(self.path):
            return list(await connection.execute_fetchall(sql, values))

    async def _connection(self, purpose: Purpose) -> aiosqlite.Connection | None:
        async with self._opening:
            if purpose not in self._connections:
                connection = None if self._closed else await open_readonly(self.path)
                if connection is None:
                    return None
                self._connections[purpose] = connection
            return self._connections[purpose]


def _marks(numbers: Sequence[int]) -> str:
    return ", ".join("?" * len(numbers))
