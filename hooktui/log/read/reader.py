"""Asynchronous reading of the log (aiosqlite: one thread for each connection), so that a screen never waits.

A result is the ids that match, newest first, in batches; rows are fetched by id when they are shown. So a million dispatches
cost eight megabytes, and a page a few index seeks, wherever it is.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from array import array
from collections import Counter
from contextlib import aclosing
from typing import TYPE_CHECKING, TypeVar

from hooktui.log import presence
from hooktui.log.read import call_rows, recorded_callbacks, rows, search, session_outline, sessions
from hooktui.log.read.connection import LogError, default_path, explained, open_readonly
from hooktui.log.read.log_watch import LogWatch, written_within
from hooktui.log.store import import_journal

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
    from typing import Any, Literal, Self

    import aiosqlite

    from hooktui.core.report import LoggedReport
    from hooktui.log.read.query import Query
    from hooktui.log.read.rows import DispatchRow, RunBar, StoredHook
    from hooktui.log.read.search import Commits
    from hooktui.log.read.session_outline import Outline, SessionEvent
    from hooktui.log.read.sessions import Comparison, SessionKey, SessionRow, Summary
    from hooktui.log.read.verify import ChainFault, Verification

    # One connection each for rows, long searches, whole sessions and change notification, so that none waits for another.
    Purpose = Literal["rows", "search", "session", "changes"]

__all__ = ["LogError", "LogReader"]

# Between two reports of changes: the least, and the most, which it grows to while each finds more.
_FRAME_S, _BUSY_FRAME_S, _GROWTH = 0.05, 0.4, 1.5
_LONGEST_S = 3.0  # between two looks at the log: the supervisor of an async run that was killed changes no file
_SESSION = 9  # column of rows.DISPATCHES
T = TypeVar("T")


class LogReader:
    """The log, open for reading. While there is no log, every result is empty; a new log is opened when it appears.

    Every method raises LogError if the log becomes unreadable.
    """

    most = None  # a search finds all matches

    def __init__(self, path: str) -> None:
        self.path = path
        self._connections: dict[Purpose, aiosqlite.Connection] = {}
        self._closed = False
        self._chained = False
        self._is_spooling = False
        self._opening = asyncio.Lock()
        self._searching = asyncio.Lock()
        self._taking = asyncio.Lock()
        self._watch = LogWatch(path)

    @classmethod
    async def open(cls, path: str | None = None) -> Self:
        """Open a log, by default the configured one. Raises LogError."""
        reader = cls(path or default_path())
        await reader._connection("rows")
        return reader

    async def reopened(self) -> Self:
        """Open the same log again, for another event loop. Raises LogError."""
        return await self.open(self.path)

    async def close(self) -> None:
        """Interrupt searches and close every connection; the log is empty from now on."""
        self._closed = True
        async with self._opening:  # includes a connection that is being opened
            while self._connections:
                _, connection = self._connections.popitem()
                await connection.interrupt()
                await connection.close()

    @property
    def has_spooled_entries(self) -> bool:
        """Whether entries wait beside the log because it could not take them."""
        return self._is_spooling

    async def search(self, query: Query, above: int = 0) -> AsyncGenerator[array[int], None]:
        """The ids greater than `above` of matching dispatches, newest first, in growing batches.

        One search runs at a time; closing the generator interrupts it.
        """
        async with self._searching:
            connection = await self._connection("search")
            if connection is None:
                return
            try:
                with explained(self.path):
                    await connection.commit()  # ends an abandoned search, whose interruption would hit this one
                    async with aclosing(search.ids(connection, query, above)) as batches:
                        async for batch in batches:
                            yield batch
            except (asyncio.CancelledError, GeneratorExit):
                if "search" in self._connections:
                    await connection.interrupt()
                raise

    async def newer(self, query: Query, above: int) -> array[int]:
        """The ids greater than `above` of matching dispatches, oldest first: for newly arrived ones."""
        sql = f"{query.numbers('{} > :low')} ORDER BY number"
        return array("q", [row[0] for row in await self._all(sql, {**query.params, "low": above})])

    async def commits(self) -> int:
        """Current commit sequence; pass it to `committed()`."""
        return int(await self._value(search.LAST_COMMIT, purpose="changes")) if await self._is_chained() else 0

    async def committed(self, after: int) -> Commits:
        committed = await self._all(search.COMMITTED_SINCE, (after,), "changes") if await self._is_chained() else ()
        return search.commits(after, committed)

    async def imports(self) -> tuple[int, ...]:
        """The state of the imports: another one after each portion of a transcript that was stored."""
        return tuple(next(iter(await self._all(search.IMPORTS, (), "changes")), ()))

    async def imported_since(self, after: int) -> list[int]:
        """The ids greater than one of events that transcripts tell of, oldest first."""
        return [row[0] for row in await self._all(search.IMPORTED_SINCE, (after,), "changes")]

    async def imported_before(self, until: int) -> int:
        """The number of events that transcripts tell of up to an id."""
        return int(await self._value(search.IMPORTED_BEFORE, (until,), "changes"))

    async def matching(self, query: Query, numbers: Sequence[int]) -> list[int]:
        """The matching dispatches among these, oldest first; by call, the first events of their calls."""
        if query.by_call:
            numbers = await self.heads(numbers)
        if not numbers:
            return []
        bounds = {**query.params, "low": min(numbers), "high": max(numbers)}
        return [row[0] for row in await self._all(search.matching(query, numbers), bounds, "changes")]

    async def _is_chained(self) -> bool:
        self._chained = self._chained or bool(await self._value(search.HAS_CHAIN, purpose="changes"))
        return self._chained

    async def newest(self, query: Query, limit: int | None = None) -> array[int]:
        """The ids of the newest matching dispatches, newest first; all of them without a limit."""
        numbers = array("q")
        async with aclosing(self.search(query)) as batches:
            async for batch in batches:
                numbers.extend(batch)
                if limit is not None and len(numbers) >= limit:
                    break
        return numbers[:limit]

    async def rows(self, numbers: Sequence[int]) -> list[DispatchRow]:
        """The dispatches with these ids, oldest first; missing ids are left out."""
        sql = f"{rows.DISPATCHES} WHERE dispatch.id IN ({rows.marks(len(numbers))}) ORDER BY dispatch.id"
        return [rows.dispatch_row(row) for row in await self._all(sql, numbers)]

    async def heads(self, numbers: Sequence[int]) -> list[int]:
        """The first events of the calls of these dispatches, and those that belong to no call, oldest first."""
        return [row[0] for row in await self._all(call_rows.HEADS, (json.dumps(list(numbers)),), "changes")]

    async def calls(self, heads: Sequence[int]) -> list[DispatchRow]:
        """The calls with these first events, or the events that belong to none, oldest first; missing ones are left out."""
        events = [rows.dispatch_row(row) for row in await self._all(call_rows.EVENTS, (json.dumps(list(heads)),))]
        failed = json.dumps([event.id for event in events if event.has_failed])
        asked = self._all(call_rows.FAILED, (failed,)), self._titles({event.session for event in events})
        labels, titles = await asyncio.gather(*asked)
        return [row._replace(title=titles.get(row.session, "")) for row in call_rows.rows(events, labels)]

    async def call(self, head: int) -> list[LoggedReport]:
        """The reports of the events of a call, oldest first; of one event if it belongs to no call."""
        following = await self._all(call_rows.FOLLOWING, (json.dumps([head]),))
        return await self.reports([head, *(number for (number,) in following)])

    async def count(self, query: Query) -> int:
        return int(await self._value(f"SELECT count(*) FROM ({query.numbers()})", query.params))

    async def total_calls(self, project: str | None = None) -> int:
        """The number of calls, and of events that belong to none, in one project or in all."""
        following = call_rows.COUNT if project is None else call_rows.COUNT_OF_PROJECT
        return await self.total(project) - int(await self._value(following, {"project": project}, "changes"))

    async def neighbour(self, query: Query, number: int, direction: int) -> int | None:
        """The matching dispatch nearest to an id, after it (1) or before it (-1); None if there is none."""
        beyond, order = (">", "ASC") if direction > 0 else ("<", "DESC")
        sql = f"{query.numbers(f'{{}} {beyond} :from')} ORDER BY number {order} LIMIT 1"
        matches = await self._all(sql, {**query.params, "from": number})
        return int(matches[0][0]) if matches else None

    async def total(self, project: str | None = None) -> int:
        """The number of dispatches, in one project or in all, from the sessions' counts."""
        return (await self.extent(project))[1]

    async def extent(self, project: str | None = None) -> tuple[int, int]:
        """The id of the oldest dispatch, 0 without one, and the number of dispatches in one project or in all."""
        oldest, total = next(iter(await self._all(search.EXTENT, {"project": project}, "changes")), (0, 0))
        return oldest, total

    async def newest_event(self) -> int:
        """The id of the newest dispatch; 0 without one."""
        return int(await self._value("SELECT ifnull(max(id), 0) FROM dispatch"))

    async def newest_callback(self) -> int:
        """A number that changes when a Python agent registers a new function; 0 without one."""
        return int(await self._value(recorded_callbacks.NEWEST))

    async def projects(self) -> list[str]:
        return [row[0] for row in await self._all("SELECT DISTINCT project FROM session ORDER BY project LIMIT 100", ())]

    async def report(self, number: int) -> LoggedReport | None:
        """The report of a dispatch (contract.md) with `at`, `synthetic` and `payload`; None if it is missing.

        The id may be that of a record that was joined to it.
        """
        event = await self._value("SELECT dispatch FROM part WHERE id = ?", (number,))
        return next(iter(await self.reports([event or number])), None)

    async def reports(self, numbers: Sequence[int]) -> list[LoggedReport]:
        """The reports of up to a few hundred dispatches, oldest first; missing ids are left out."""
        dispatches, runs = rows.reports_sql(len(numbers))
        dispatch_rows = await self._all(dispatches, numbers)
        titles = await self._titles({row[_SESSION] for row in dispatch_rows})
        return list(rows.reports(dispatch_rows, await self._all(runs, numbers), titles))

    async def named(self, number: int) -> list[LoggedReport]:
        """The reports with an id: one at most, but in a fleet, whose machines may use the same ids."""
        return await self.reports([number])

    async def unreadable(self, since: int = 0, until: int | None = None) -> int:
        """The number of rows between two ids that cannot be read: none, but in a fleet, where others write, too."""
        return 0

    async def _titles(self, sessions_: Collection[int]) -> dict[int, str]:
        sql = f"SELECT session.id, {sessions.TITLE} FROM session WHERE session.id IN ({rows.marks(len(sessions_))})"
        return {number: sessions.title(prompt) for number, prompt in await self._all(sql, list(sessions_))}

    async def stored_hook(self, number: int, hook: str) -> StoredHook | None:
        """The version of a hook, by its id, that a dispatch considered; None if it did not."""
        matches = await self._all(rows.STORED, {"dispatch": number, "key": hook})
        return rows.StoredHook(*matches[0]) if matches else None

    async def bars(self, numbers: Sequence[int]) -> dict[int, list[RunBar]]:
        """The timeline bars of dispatches, in the order considered."""
        bars: dict[int, list[RunBar]] = {number: [] for number in numbers}
        for number, *bar in await self._all(rows.BARS.format(ids=rows.marks(len(numbers))), numbers):
            bars[number].append(rows.RunBar(*bar))
        return bars

    async def values(self, field: str, beginning: str, most: int = 12) -> list[str]:
        """Logged values of a query field that begin with a text; none for fields that are measures."""
        return await search.values(self._all, field, beginning, most)

    async def sessions(
        self,
        limit: int = 1000,
        text: str = "",
        order: str = "last",
        *,
        project: str | None = None,
        trouble: bool = False,
        among: Collection[int] | None = None,
    ) -> list[SessionRow]:
        """Sessions ordered by one of sessions.ORDERS, with the words of `text` in the title, id, host, project or day.

        `project`: only those of one project. `trouble`: only those with denials or failures. `among`: only these.
        """
        chosen, words = sessions.matching(text, order)
        ids = None if among is None else json.dumps(list(among))
        values = {**words, "limit": limit, "here": project, "trouble": trouble, "among": ids}
        return await self._session_rows(await self._all(sessions.SESSIONS + chosen, values))

    async def _session_rows(self, session_rows: Sequence[Sequence[Any]]) -> list[SessionRow]:
        titles = await self._titles({row[0] for row in session_rows})
        return [sessions.SessionRow(*row)._replace(title=titles.get(row[0], "")) for row in session_rows]

    async def session_counts(self, query: Query) -> dict[int, int]:
        """The number of matching dispatches of each session that has any, by the session's row."""
        return dict(await self._all(f"SELECT session, count(*) {query.source} GROUP BY session", query.params))

    async def session_keys(self) -> set[SessionKey]:
        return {(host, name) for host, name in await self._all("SELECT host, name FROM session", ())}

    async def session(self, number: int) -> SessionRow | None:
        """A session by its row; None if it is missing."""
        matches = await self._all(f"{sessions.SESSIONS} WHERE id = ?", (number,))
        return next(iter(await self._session_rows(matches)), None)

    async def session_events(self, session: int) -> list[SessionEvent]:
        """All dispatches of a session, oldest first, for its outline and summary."""
        return [session_outline.SessionEvent(*row) for row in await self._all(session_outline.EVENTS, (session,))]

    async def summary(self, session: int, events: Sequence[SessionEvent]) -> Summary:
        denied = [event.id for event in events if event.denied or event.overruled or event.outcome == "denied-by-hook"]
        hooks = sessions.hook_times(await self._all(sessions.RUNS_OF_SESSION, (session,), "session"))
        denials = await self.rows(denied[-sessions.DENIALS :])
        overruled = sum(bool(event.overruled) for event in events)
        return sessions.Summary(Counter(event.effect for event in events), denials, hooks, overruled)

    async def outline(self, session: int, events: Sequence[SessionEvent]) -> Outline:
        return session_outline.outline(events, dict(await self._all(session_outline.KEYS, (session,), "session")))

    async def comparison(self, first: int, second: int) -> Comparison | None:
        """Two sessions compared, by their rows; None if one is missing."""
        first_row, second_row = await self.session(first), await self.session(second)
        if first_row is None or second_row is None:
            return None
        first_summary = await self.summary(first, await self.session_events(first))
        second_summary = await self.summary(second, await self.session_events(second))
        return sessions.compare((first_row, first_summary), (second_row, second_summary))

    async def verdict(self, session: int) -> Verification:
        """Verify a session; takes some 100 ms for 10,000 events."""
        from hooktui.log.read import verify

        cancelled = threading.Event()
        try:
            with explained(self.path):
                return await asyncio.to_thread(verify.session, self.path, session, cancelled.is_set)
        finally:
            cancelled.set()

    async def gaps(self) -> list[ChainFault]:
        """Find records missing from the chain of all sessions; half a second for a million records."""
        from hooktui.log.read import verify

        return await self._in_thread(verify.gaps) or []

    async def head(self) -> str:
        """The head of the log's chain, to save elsewhere; "" without one."""
        from hooktui.log.read import verify

        return await self._in_thread(verify.head_of) or ""

    async def _in_thread(self, read: Callable[[str], T]) -> T | None:
        """The result of a blocking function of the log's path; None without a log."""
        if await self._connection("rows") is None:
            return None
        with explained(self.path):
            return await asyncio.to_thread(read, self.path)

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yield at once, then soon after any process's commit; every 0.4 s while commits go on.

        Reading after each yield misses nothing. The spool is taken in meanwhile.
        """
        frame = _FRAME_S
        async with self._watch.watching() as written:
            while True:
                version, began = await self._version(), time.monotonic()
                yield
                await asyncio.sleep(began + frame - time.monotonic())
                await self._take_spool()
                frame = _FRAME_S if version == await self._version() else min(frame * _GROWTH, _BUSY_FRAME_S)
                while version == await self._version():
                    await written_within(written, _LONGEST_S)
                    await self._take_spool()

    async def _version(self) -> int:
        """A number that changes with each commit of another connection."""
        return int(await self._value("PRAGMA data_version", purpose="changes"))

    async def _take_spool(self) -> None:
        async with self._taking:
            is_waiting = presence.is_waiting(self.path)
            self._is_spooling = is_waiting and bool(await asyncio.to_thread(import_journal.take, self.path))

    async def _value(self, sql: str, values: Mapping[str, Any] | Sequence[Any] = (), purpose: Purpose = "rows") -> Any:
        """The first column of the first row; 0 without a log."""
        result = await self._all(sql, values, purpose)
        return result[0][0] if result else 0

    async def _all(self, sql: str, values: Sequence[Any] | Mapping[str, Any], purpose: Purpose = "rows") -> list[Any]:
        connection = await self._connection(purpose)
        if connection is None:
            return []
        with explained(self.path):
            return list(await connection.execute_fetchall(sql, values))

    async def _connection(self, purpose: Purpose) -> aiosqlite.Connection | None:
        async with self._opening:
            if purpose not in self._connections:
                connection = None if self._closed else await open_readonly(self.path)
                if connection is None:
                    return None
                self._connections[purpose] = connection
            return self._connections[purpose]
