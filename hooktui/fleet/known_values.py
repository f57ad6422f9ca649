"""The values that a fleet's dispatches have, to complete what is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.fleet.clickhouse_conditions import ATTRIBUTES, BoundValues
from hooktui.log.read import rows as log_rows

if TYPE_CHECKING:
    from hooktui.fleet.clickhouse_client import ClickHouse

_ATTRIBUTES = {**ATTRIBUTES, "session": "session.id", "project": "hooktui.project", "machine": "host.name"}
_MANY = 100  # more kinds of events than any log has


class KnownValues:
    """Lists values. Each differing one is found first, since most are alike, and then compared."""

    def __init__(self, database: ClickHouse) -> None:
        self._db = database

    async def projects(self) -> list[str]:
        return await self._distinct("hooktui.project", "", _MANY)

    async def beginning(self, field: str, beginning: str, most: int = 12) -> list[str]:
        if field == "hook":
            return await self._labels(beginning, most)
        if field == "event":
            hosts, names = await self._distinct("gen_ai.agent.name", "", most), await self._distinct("hooktui.event", "", _MANY)
            spelled = {log_rows.spelled(name, host) for host in hosts for name in names}
            return sorted(name for name in spelled if name.startswith(beginning))[:most]
        return await self._distinct(_ATTRIBUTES[field], beginning, most) if field in _ATTRIBUTES else []

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
