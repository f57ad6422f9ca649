"""Follow what collectors add to a fleet's log. ClickHouse tells nobody of it, so that it is asked once a second."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator

from hooktui.core import ids
from hooktui.fleet.clickhouse_client import ClickHouse
from hooktui.fleet.fleet_rows import FleetNumbers
from hooktui.log.read.search import Commits

_POLL_S = 1.0
_RECENT_S = 600.0
_MOST = 5000  # newest dispatches that are followed one by one


class FleetChanges:
    """Compares the newest dispatches with those that it saw last.

    `late` counts records that came and are not among the newest: those of a machine that was offline.
    """

    def __init__(self, database: ClickHouse, numbers: FleetNumbers) -> None:
        self._db = database
        self._numbers = numbers
        self._seen: dict[tuple[str, str], tuple[int, int]] = {}  # sequence and number of records
        self._first_total: int | None = None
        self._followed = 0  # records that were followed one by one
        self._round = 0
        self.late = 0

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yield at once, then within a second or two after records were added."""
        while True:
            total = await self._total()
            yield
            while total == await self._total():
                await asyncio.sleep(_POLL_S)

    async def _total(self) -> int:
        table = self._db.table
        return int(await self._db.value(f"SELECT count() FROM {table.name} WHERE ServiceName = 'hooktui'"))

    async def commits(self) -> int:
        """Take the newest dispatches as seen."""
        if self._first_total is None:
            self._first_total = await self._total()
            await self._take()
            self._followed = 0
        return self._round

    async def committed(self, after: int) -> Commits:
        new, changed = await self._take()
        assert self._first_total is not None
        self.late = max(self.late, await self._total() - self._first_total - self._followed)
        self._round = max(self._round, after) + 1
        return Commits(self._round, new, changed)

    async def _take(self) -> tuple[list[int], list[int]]:
        table = self._db.table
        since = ids.at_time(time.time() - _RECENT_S)
        rows = await self._db.rows(
            f"SELECT {table.id} AS id, {table.instance} AS instance, max({table.seq}), count() FROM {table.name}"
            f" WHERE {table.past} AND {table.since(since)} AND {table.dispatches}"
            f" GROUP BY id, instance ORDER BY id DESC LIMIT {_MOST}"
        )
        new, changed, seen = [], [], {}
        for written, instance, seq, count in rows:
            key = (written, instance)
            before = self._seen.get(key)
            seen[key] = (seq, count)
            self._followed += count - (before[1] if before else 0)
            if before is None:
                new.append(self._numbers.of_dispatch(written, instance))
            elif before[0] != seq:
                changed.append(self._numbers.of_dispatch(written, instance))
        self._seen = seen
        return new[::-1], changed

    async def newest_event(self) -> int:
        """The number of the newest dispatch; 0 without one."""
        table = self._db.table
        rows = await self._db.rows(
            f"SELECT {table.id} AS id, {table.instance} AS instance, {table.seq} AS seq FROM {table.name}"
            f" WHERE {table.past} AND {table.dispatches} ORDER BY {table.newest_first} LIMIT 1"
        )
        return self._numbers.of_dispatch(rows[0][0], rows[0][1]) if rows else 0
