"""Exports of a query or a session: JSON Lines, CSV, Markdown, and one self-contained HTML page (docs/commands.md).

Everything is read in batches and written as it comes, but for the two that begin with a summary.
"""

from __future__ import annotations

import csv
import io
import json
import os
import time
from array import array
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from hooktui.log.markdown import Markdown
from hooktui.log.report import Page
from hooktui.plain import visible

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
    from typing import Any, TextIO

    from hooktui.log.query import Query
    from hooktui.log.reader import LogReader

    Report = dict[str, Any]

_BATCH = 200
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would take for one


@dataclass(frozen=True, slots=True)
class About:
    """What is exported, and when (seconds since 1970); `head` is that of the log then (verify.py)."""

    query: str
    made: float
    head: str = ""


class Exporter(Protocol):
    """Turns reports into a text, piece by piece."""

    def add(self, report: Report) -> str:
        """What can be written now that this one has come."""

    def end(self) -> str:
        """The rest."""


class JsonLines:
    """One report a line, as `log --json` prints it."""

    def __init__(self, about: About) -> None:
        del about  # each line stands for itself

    def add(self, report: Report) -> str:
        """Its line."""
        return json.dumps(report) + "\n"

    def end(self) -> str:
        """Nothing more."""
        return ""


class Csv:
    """One dispatch a line, for spreadsheets: no cell begins like a formula."""

    COLUMNS = (
        "id", "at", "event", "tool_name", "decision", "reason", "duration_ms", "host", "session_id", "project", "synthetic",
    )  # fmt: skip

    def __init__(self, about: About) -> None:
        del about
        self._head = [*self.COLUMNS, "ran", "not_ran"]

    def add(self, report: Report) -> str:
        """Its line; the names of the columns before the first."""
        ran = [hook["name"] for hook in report["hooks"] if hook["state"] != "skipped"]
        skipped = [f"{hook['name']} ({hook['skip']})" for hook in report["hooks"] if hook["state"] == "skipped"]
        cells = [*(report[name] for name in self.COLUMNS), "; ".join(ran), "; ".join(skipped)]
        head, self._head = self._head, []
        return (_csv_line(head) if head else "") + _csv_line([_cell(value) for value in cells])

    def end(self) -> str:
        """The names of the columns, where there was nothing."""
        return _csv_line(self._head) if self._head else ""


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = visible(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _csv_line(cells: Sequence[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


FORMATS: Mapping[str, Callable[[About], Exporter]] = {"jsonl": JsonLines, "csv": Csv, "md": Markdown, "html": Page}


def format_of(path: str) -> str | None:
    """The format that a file's name asks for; None when it asks for none."""
    suffix = os.path.splitext(path)[1].lstrip(".").lower()
    names = {**{name: name for name in FORMATS}, "markdown": "md", "htm": "html", "ndjson": "jsonl"}
    return names.get(suffix)


async def export(reader: LogReader, wanted: Query, name: str, out: TextIO, limit: int | None = None) -> int:
    """Write what a query wants, oldest first, in a format of FORMATS; how many dispatches.

    `limit`: only so many, the newest.
    """
    head = await reader.head()
    exporter = FORMATS[name](About(wanted.text, time.time(), head))
    count = 0
    async with aclosing(_reports(reader, wanted, limit)) as batches:
        async for batch in batches:
            out.writelines(map(exporter.add, batch))
            count += len(batch)
    out.write(exporter.end())
    return count


async def _reports(reader: LogReader, wanted: Query, limit: int | None) -> AsyncGenerator[list[Report], None]:
    """Reports, oldest first, in batches."""
    found = array("q")
    async with aclosing(reader.search(wanted)) as batches:
        async for newest in batches:
            found.extend(newest)
            if limit is not None and len(found) >= limit:
                break
    numbers = found[:limit]
    numbers.reverse()
    for start in range(0, len(numbers), _BATCH):
        yield await reader.reports(numbers[start : start + _BATCH])
