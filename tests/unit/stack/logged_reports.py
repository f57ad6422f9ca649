"""Read an agent's dispatches from the log."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from hooktui.core.report import LoggedReport
from hooktui.log.read import query
from hooktui.log.read.reader import LogReader
from hooktui.stack import Recorder


async def reports(log: Recorder | str) -> list[LoggedReport]:
    """The reports of all dispatches, oldest first, in a log or in the log of a recorder, which is flushed."""
    if isinstance(log, Recorder):
        log.flush()
        log = log.db
    reader = await LogReader.open(log)
    try:
        return await reader.reports(await reader.newest(query.parse(""), 1000))
    finally:
        await reader.close()


async def report(log: Recorder | str) -> LoggedReport:
    """The report of the only dispatch."""
    (report,) = await reports(log)
    return report


def count(db: str) -> int:
    """The number of dispatches."""
    if not os.path.exists(db):
        return 0
    connection = sqlite3.connect(db)
    try:
        return int(connection.execute("SELECT count(*) FROM dispatch").fetchone()[0])
    except sqlite3.OperationalError:  # being created
        return 0
    finally:
        connection.close()


def run_values(report: LoggedReport, *names: str) -> Sequence[tuple[Any, ...]]:
    """Values of each run, in the order considered."""
    runs: Sequence[Mapping[str, Any]] = report["hooks"]
    return [tuple(run[name] for name in names) for run in runs]
