"""Answers that are asked for again and again and may take seconds in a large fleet: a dear one is kept for a while."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hooktui.fleet.clickhouse_client import ClickHouse
    from hooktui.fleet.clickhouse_conditions import Value

_SHARE = 20  # an answer is kept this many times as long as it took, so that asking costs the server a twentieth of its time
_CHEAP_S = 0.1  # never kept


class SlowAnswers:
    """Runs statements, and remembers what the slow ones returned."""

    def __init__(self, database: ClickHouse) -> None:
        self._db = database
        self._kept: dict[object, tuple[float, Sequence[Sequence[Any]]]] = {}

    async def rows(self, sql: str, values: Mapping[str, Value]) -> Sequence[Sequence[Any]]:
        """The rows of a statement, now or a while ago. Raises LogError."""
        key, began = (sql, repr(values)), time.monotonic()
        until, answer = self._kept.get(key, (0.0, ()))
        if began < until:
            return answer
        answer = await self._db.rows(sql, values)
        cost = time.monotonic() - began
        self._kept = {key: kept for key, kept in self._kept.items() if kept[0] > began}
        if cost > _CHEAP_S:
            self._kept[key] = (began + _SHARE * cost, answer)
        return answer
