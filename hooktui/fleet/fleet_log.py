"""A fleet's log in ClickHouse, read like the log of this machine (log/read/decision_log.py).

Collectors store a record at least once, and a dispatch again when an async hook ends: of the records with one key, the highest
sequence counts. A result is bounded by MOST, since a fleet has more dispatches than a screen's memory.
"""

from __future__ import annotations

import asyncio
import time
from array import array
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, Self

from hooktui.core import ids
from hooktui.core.report import LoggedReport
from hooktui.fleet.clickhouse_client import ClickHouse
from hooktui.fleet.clickhouse_conditions import ATTRIBUTES, BoundValues, Conditions
from hooktui.fleet.fleet_changes import FleetChanges
from hooktui.fleet.fleet_rows import FleetNumbers, StoredDispatch, bars, dispatch_row, stored
from hooktui.fleet.fleet_sessions import FleetSessions
from hooktui.fleet.overview import Overview
from hooktui.log.read import sessions as log_sessions
from hooktui.log.read.connection import LogError
from hooktui.log.read.query import Query
from hooktui.log.read.rows import DispatchRow, RunBar, StoredHook, spelled
from hooktui.log.read.session_outline import SessionEvent
from hooktui.log.read.sessions import Comparison, SessionKey, Summary
from hooktui.log.read.terms import NOT_OF_A_FLEET, QueryError
from hooktui.log.read.verify import ChainFault, Verification

MOST = 100_000  # matches of a search
# Above 1,000, ClickHouse reads the columns of conditions first; below, it prefers to compare times first and reads all columns.
_FIRST_BATCH, _LAST_BATCH = 1024, 8192
_FIRST_SPAN_US = 3_600_000_000  # of time that is searched at once, since a block is read of every day in it
_LAST_SPAN_US = 30 * 86_400_000_000  # above it, all the rest is searched at once
_WIDER, _PAGES = 4, 4  # how much wider the next span is, and how many pages one should have
_EXACT = 1_000_000  # records up to which repeated ones are not counted
_VALUES_OF = {**ATTRIBUTES, "session": "session.id", "project": "hooktui.project", "machine": "host.name"}
_MANY = 100  # more kinds of events than any log has
_MICROSECOND = "toUnixTimestamp64Micro(Timestamp)"


class FleetLog:
    """The dispatches of all machines, open for reading. Every method raises LogError if ClickHouse cannot answer."""

    path = None
    most = MOST
    has_spooled_entries = False

    def __init__(self, url: str) -> None:
        self._db = ClickHouse(url)
        self._numbers = FleetNumbers()
        self._sessions = FleetSessions(self._db, self._numbers)
        self._changes = FleetChanges(self._db, self._numbers)
        self._searching = asyncio.Lock()
        self.changes, self.newest_event = self._changes.changes, self._changes.newest_event
        self.commits, self.committed = self._changes.commits, self._changes.committed
        self.sessions, self.session = self._sessions.rows, self._sessions.row
        self.session_events, self.outline = self._sessions.events, self._sessions.outline
        self._refused = set[int]()  # dispatches whose report is nested too deep
        self.overviews: dict[object, Overview] = {}  # the latest that screens have read

    @classmethod
    async def open(cls, url: str) -> Self:
        """Open the fleet at a URL. Raises LogError."""
        log = cls(url)
        await log._db.open()
        return log

    async def reopened(self) -> Self:
        return await self.open(self._db.url)

    async def close(self) -> None:
        await self._db.close()

    @property
    def database(self) -> ClickHouse:
        """The connection, for overviews."""
        return self._db

    # Dispatches -----------------------------------------------------------------------------------------------------------

    async def search(self, query: Query, above: int = 0) -> AsyncGenerator[array[int], None]:
        """The newest MOST matching dispatches, newest first, in growing batches."""
        async with self._searching:
            count = 0
            async with aclosing(self._pages(query, above)) as pages:
                async for page in pages:
                    yield array("q", page[: MOST - count])
                    count += len(page)
                    if count >= MOST:
                        return

    async def _pages(self, query: Query, above: int) -> AsyncGenerator[list[int], None]:
        """Pages of matching dispatches, newest first, from spans of time that grow until they have a page."""
        table, size, span = self._db.table, _FIRST_BATCH, _FIRST_SPAN_US
        fixed = [table.since(above), f"{table.id} > '{ids.text(above)}'"] if above else []
        high, before = round(time.time() * 1e6), list[str]()
        while True:
            low = high - span if span <= _LAST_SPAN_US else None
            since = [] if low is None else [table.since(ids.at_time(low / 1e6)), f"{_MICROSECOND} >= {low}"]
            page, until = await self._page(query, [*fixed, *since, *before], size)
            if page:
                yield page
            if until is not None:
                span, high, sign = max(_PAGES * (high - until), 1), until, "<="
                size = min(size * 2, _LAST_BATCH)
            elif low is not None:
                span, high, sign = span * _WIDER, low, "<"
            else:
                return
            before = [table.until(ids.at_time(high / 1e6)), f"{_MICROSECOND} {sign} {high}"]

    async def _page(
        self, query: Query, bounds: Sequence[str], size: int, *, oldest: bool = False
    ) -> tuple[list[int], int | None]:
        """The newest (or oldest) matching dispatches within bounds, and the microsecond at which the next one begins."""
        found = await self._found(query, bounds, size, oldest=oldest)
        until = None
        if len(found) == size:
            until = found[-1][3]
            whole = [row for row in found if row[3] != until]
            if not whole:  # more dispatches in one microsecond than fit on a page
                return await self._page(query, bounds, size * 2, oldest=oldest)
            found = whole
        newest: dict[tuple[str, str], int] = {}
        for written, instance, seq, _ in found:
            newest[written, instance] = max(seq, newest.get((written, instance), 0))
        if not query.is_everything:
            newest = await self._without_superseded(newest, [row[3] for row in found])
        return sorted((self._numbers.of_dispatch(*key) for key in newest), reverse=not oldest), until

    async def _found(self, query: Query, bounds: Sequence[str], size: int, *, oldest: bool) -> Sequence[Sequence[Any]]:
        table, params = self._db.table, BoundValues()
        condition = " AND ".join([*bounds, self._condition(query, params)])
        order = table.newest_first.replace("DESC", "ASC") if oldest else table.newest_first
        return await self._db.rows(
            f"SELECT {table.id} AS id, {table.instance} AS instance, {table.seq} AS seq, {_MICROSECOND} AS us"
            f" FROM {table.name} WHERE {condition} ORDER BY {order} LIMIT {size}",
            params.values,
        )

    def _condition(self, query: Query, params: BoundValues) -> str:
        if query.would:
            raise LogError(NOT_OF_A_FLEET)
        try:
            condition = Conditions(self._db.table, params).of_dispatches(query)
        except QueryError as error:
            raise LogError(str(error)) from error
        if query.session is not None:
            condition = f"{condition} AND {self._sessions.condition(query.session, params)}"
        return condition

    async def _without_superseded(self, newest: dict[tuple[str, str], int], times: Sequence[int]) -> dict[tuple[str, str], int]:
        """Leave out dispatches of which a later record was stored, which does not match."""
        if not newest:
            return newest
        table = self._db.table
        latest = await self._db.rows(
            f"SELECT {table.id} AS id, {table.instance} AS instance, max({table.seq})"
            f" FROM {table.name} WHERE {self._at(times)} AND {table.dispatches} GROUP BY id, instance"
        )
        current = {(written, instance): seq for written, instance, seq in latest}
        return {key: seq for key, seq in newest.items() if current.get(key, seq) == seq}

    def _at(self, times: Sequence[int]) -> str:
        """The condition on the time of some dispatches, in microseconds."""
        bounds = self._db.table.at({each // 1_000_000 for each in times})
        return f"{bounds} AND {_MICROSECOND} IN ({', '.join(map(str, sorted(set(times))))})"

    async def newest(self, query: Query, limit: int | None = None, above: int = 0) -> array[int]:
        numbers = array("q")
        async with aclosing(self.search(query, above)) as batches:
            async for batch in batches:
                numbers.extend(batch)
                if limit is not None and len(numbers) >= limit:
                    break
        return numbers[:limit]

    async def newer(self, query: Query, above: int) -> array[int]:
        return (await self.newest(query, above=above))[::-1]

    async def matching(self, query: Query, numbers: Sequence[int]) -> list[int]:
        matches: set[int] = set()
        for start in range(0, len(numbers), _LAST_BATCH // 2):
            some = numbers[start : start + _LAST_BATCH // 2]
            at = self._at([self._numbers.time_of(number) for number in some])
            page, _ = await self._page(query, [at], 100 * _LAST_BATCH)
            matches.update(set(some).intersection(page))
        return sorted(matches)

    async def neighbour(self, query: Query, number: int, direction: int) -> int | None:
        table, sign = self._db.table, ">=" if direction > 0 else "<="
        bound = table.since(number) if direction > 0 else table.until(number)
        bounds = [bound, f"{_MICROSECOND} {sign} {self._numbers.time_of(number)}"]
        page, _ = await self._page(query, bounds, _FIRST_BATCH, oldest=direction > 0)
        return next((other for other in page if (other > number) == (direction > 0) and other != number), None)

    async def count(self, query: Query) -> int:
        table, params = self._db.table, BoundValues()
        condition = self._condition(query, params)
        keys = f"{table.id}, {table.instance}"
        return int(
            await self._db.value(
                f"SELECT count() FROM (SELECT argMax({condition}, {table.seq}) AS holds FROM {table.name}"
                f" WHERE ({keys}) IN (SELECT {keys} FROM {table.name} WHERE {condition}) AND {table.dispatches}"
                f" GROUP BY {keys}) WHERE holds",
                params.values,
            )
        )

    async def _stored(self, numbers: Sequence[int]) -> dict[int, StoredDispatch]:
        if not numbers:
            return {}
        table, wanted = self._db.table, set(numbers)
        columns = [table.id, table.instance, table.attribute("host.name"), table.attribute("hooktui.state"), "Body"]
        rows = await self._db.rows(
            f"SELECT {columns[0]} AS id, {columns[1]} AS instance, {', '.join(columns[2:])} FROM {table.name}"
            f" WHERE {self._at([self._numbers.time_of(number) for number in numbers])} AND {table.dispatches}"
            f" ORDER BY {table.seq} DESC LIMIT 1 BY id, instance"
        )
        found = {self._numbers.of_dispatch(row[0], row[1]): row for row in rows}
        read = {number: stored(*found[number][1:]) for number in sorted(wanted.intersection(found))}
        self._refused.update(number for number, dispatch in read.items() if dispatch is None)
        return {number: dispatch for number, dispatch in read.items() if dispatch is not None}

    async def rows(self, numbers: Sequence[int]) -> list[DispatchRow]:
        dispatches = await self._stored(numbers)
        return [dispatch_row(number, dispatch, self._numbers) for number, dispatch in dispatches.items()]

    async def heads(self, numbers: Sequence[int]) -> list[int]:
        """Each event: records of a fleet have no calls."""
        return sorted(set(numbers))

    calls = rows

    async def call(self, head: int) -> list[LoggedReport]:
        return await self.reports([head])

    async def total_calls(self, project: str | None = None) -> int:
        return (await self.extent(project))[1]

    async def report(self, number: int) -> LoggedReport | None:
        return next(iter(await self.reports([number])), None)

    async def reports(self, numbers: Sequence[int]) -> list[LoggedReport]:
        return [dispatch.report for dispatch in (await self._stored(numbers)).values()]

    async def named(self, number: int) -> list[LoggedReport]:
        table, written = self._db.table, ids.text(number)
        machines = await self._db.rows(
            f"SELECT DISTINCT {table.instance} FROM {table.name} WHERE {table.since(number)}"
            f" AND {table.until(number)} AND {table.id} = '{written}' AND {table.dispatches}"
        )
        return await self.reports([self._numbers.of_dispatch(written, instance) for (instance,) in machines])

    async def unreadable(self, since: int = 0, until: int | None = None) -> int:
        """The number of rows of a time that are not records of hooktui, or not whole: nothing else shows them."""
        table = self._db.table
        time = f"({table.since(since)} OR {table.is_no_time})"
        if until is not None:
            time = f"{table.since(since)} AND {table.until(until)}"
        counts = await self._db.kept_rows(f"SELECT count() FROM {table.name} WHERE {time} AND {table.unreadable}", {})
        return sum(int(count) for (count,) in counts) + sum(since <= number <= (until or number) for number in self._refused)

    async def bars(self, numbers: Sequence[int]) -> dict[int, list[RunBar]]:
        dispatches = await self._stored(numbers)
        return {number: bars(dispatches[number].report) if number in dispatches else [] for number in numbers}

    async def stored_hook(self, number: int, hook: str) -> StoredHook | None:
        """None: texts of hooks are not shipped."""

    async def extent(self, project: str | None = None) -> tuple[int, int]:
        table, params = self._db.table, BoundValues()
        condition = f"{table.past} AND {table.dispatches}"
        if project is not None:
            condition = f"{table.attribute('hooktui.project')} = {params.bind(project)} AND {condition}"
        source = f"FROM {table.name} WHERE {condition}"
        first = f"SELECT min({table.id}) {source} AND {table.time} = (SELECT min({table.time}) {source})"
        ((oldest,),) = await self._db.kept_rows(first, params.values)
        if not oldest:
            return 0, 0
        ((total,),) = await self._db.kept_rows(f"SELECT count() {source}", params.values)
        if total <= _EXACT:
            different = f"uniqExact(cityHash64({table.id}, {table.instance}))"
            ((total,),) = await self._db.kept_rows(f"SELECT {different} {source}", params.values)
        return ids.parse(oldest) or 0, int(total)

    async def projects(self) -> list[str]:
        return await self._distinct("hooktui.project", "", _MANY)

    async def values(self, field: str, beginning: str, most: int = 12) -> list[str]:
        if field == "hook":
            return await self._labels(beginning, most)
        if field == "event":
            hosts, names = await self._distinct("gen_ai.agent.name", "", most), await self._distinct("hooktui.event", "", _MANY)
            names_of_hosts = {spelled(name, host) for host in hosts for name in names}
            return sorted(name for name in names_of_hosts if name.startswith(beginning))[:most]
        return await self._distinct(_VALUES_OF[field], beginning, most) if field in _VALUES_OF else []

    async def _distinct(self, attribute: str, beginning: str, most: int) -> list[str]:
        every = f"SELECT DISTINCT {self._db.table.attribute(attribute)} AS value {self._source}"
        return await self._first(f"SELECT value FROM ({every})", beginning, most)

    async def _labels(self, beginning: str, most: int) -> list[str]:
        every = f"SELECT DISTINCT {self._db.table.attribute('hooktui.runs')} AS runs {self._source}"
        label = "splitByChar('\\t', arrayJoin(splitByChar('\\n', runs)))[1]"
        return await self._first(f"SELECT DISTINCT {label} AS value FROM ({every})", beginning, most)

    @property
    def _source(self) -> str:
        return f"FROM {self._db.table.name} WHERE {self._db.table.dispatches}"

    async def _first(self, values: str, beginning: str, most: int) -> list[str]:
        """The first values of a statement, in their order, that begin with a text."""
        params = BoundValues()
        condition = f"value <> '' AND startsWith(value, {params.bind(beginning)})"
        rows = await self._db.kept_rows(f"{values} WHERE {condition} ORDER BY value LIMIT {most}", params.values)
        return [row[0] for row in rows]

    async def newest_callback(self) -> int:
        """0: functions of Python agents are hooks of this machine."""
        return 0

    # Changes --------------------------------------------------------------------------------------------------------------

    async def imports(self) -> tuple[int, ...]:
        """Another state after records have come that are too old to be followed one by one."""
        return (self._changes.late,)

    async def imported_since(self, after: int) -> list[int]:
        """Nothing: what is late is read again with all the rest."""
        return []

    async def imported_before(self, until: int) -> int:
        return self._changes.late

    # Sessions -------------------------------------------------------------------------------------------------------------

    async def session_counts(self, query: Query) -> dict[int, int]:
        """Nothing: asked for `would:` only."""
        return {}

    async def session_keys(self) -> set[SessionKey]:
        """Nothing: a fleet is not compared with the transcripts of this machine."""
        return set()

    async def summary(self, session: int, events: Sequence[SessionEvent]) -> Summary:
        denied = [event.id for event in events if event.denied]
        return await self._sessions.summary(session, events, await self.rows(denied[-log_sessions.DENIALS :]))

    async def comparison(self, first: int, second: int) -> Comparison | None:
        rows = [await self.session(number) for number in (first, second)]
        summaries = [await self.summary(number, await self.session_events(number)) for number in (first, second)]
        if rows[0] is None or rows[1] is None:
            return None
        return log_sessions.compare((rows[0], summaries[0]), (rows[1], summaries[1]))

    # Verification ---------------------------------------------------------------------------------------------------------

    async def verdict(self, session: int) -> Verification:
        """Nothing verified: only the machine has the whole chain."""
        return Verification(0, 0, (), elsewhere=True)

    async def gaps(self) -> list[ChainFault]:
        """None here: overview.machines has those of each machine."""
        return []

    async def head(self) -> str:
        """None: every machine has its own."""
        return ""
