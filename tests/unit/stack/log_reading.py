"""What an agent's hooks left in the log, as a person reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hooktui import ids
from hooktui.log import query
from hooktui.log.reader import LogReader

if TYPE_CHECKING:
    from collections.abc import Sequence


async def reports(db: str) -> list[dict[str, Any]]:
    """Every dispatch whole, oldest first."""
    reader = await LogReader.open(db)
    try:
        found = [await reader.report(row.id) for row in await reader.tail(query.parse(""), 1000)]
        return [report for report in found if report]
    finally:
        await reader.close()


async def report(db: str) -> dict[str, Any]:
    """The only dispatch there is."""
    (one,) = await reports(db)
    assert ids.parse(one["id"])
    return one


def told(report: dict[str, Any], *names: str) -> Sequence[tuple[Any, ...]]:
    """Some values of each run, in the order considered."""
    return [tuple(run[name] for name in names) for run in report["hooks"]]
