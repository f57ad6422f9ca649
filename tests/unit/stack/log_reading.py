"""What an agent's hooks left in the log, as a person reads it."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING, Any

from hooktui.core import ids
from hooktui.log.read import query
from hooktui.log.read.reader import LogReader

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


def count(db: str) -> int:
    """How many dispatches there are."""
    if not os.path.exists(db):
        return 0
    connection = sqlite3.connect(db)
    try:
        return int(connection.execute("SELECT count(*) FROM dispatch").fetchone()[0])
    except sqlite3.OperationalError:  # just being made
        return 0
    finally:
        connection.close()


def told(report: dict[str, Any], *names: str) -> Sequence[tuple[Any, ...]]:
    """Some values of each run, in the order considered."""
    return [tuple(run[name] for name in names) for run in report["hooks"]]
