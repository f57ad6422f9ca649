"""Exports of a query or a session: JSON Lines, CSV, Markdown, and one self-contained HTML page (docs/commands.md).

Everything is read in batches and written as it comes, but for the two that begin with a summary.
"""

from __future__ import annotations

import asyncio
import csv
import errno
import io
import json
import os
import time
from array import array
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from hooktui.core.text_sanitizer import visible
from hooktui.log.export.html_report import Page
from hooktui.log.export.markdown import Markdown
from hooktui.log.read import called
from hooktui.log.read.reader import LogReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TextIO

    from hooktui.log.read.query import Query

    Report = dict[str, Any]
    Progress = Callable[[int, int], None]

_BATCH = 200
_FORMULA = tuple("=+-@＝＋－＠")  # what a spreadsheet would take for one, also behind space
_SPACE = ("\t", "\n")


@dataclass(frozen=True, slots=True)
class About:
    """What is exported, and when (seconds since 1970); `head` is that of the log then (verify.py)."""

    query: str
    made: float
    head: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was made: its whole path, how many events are in it, and its size in bytes."""

    path: str
    events: int
    size: int


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
    return f"'{text}" if text.startswith(_SPACE) or text.lstrip().startswith(_FORMULA) else text


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


async def export(
    reader: LogReader,
    wanted: Query,
    name: str,
    out: TextIO,
    limit: int | None = None,
    tell: Progress = lambda _done, _all: None,
) -> int:
    """Write what a query wants, oldest first, in a format of FORMATS; how many dispatches.

    `limit`: only so many, the newest. `tell` is told how many are written, and of how many; what it raises ends the export.
    """
    head = await reader.head()
    exporter = FORMATS[name](About(called.as_stored(wanted.text), time.time(), head))
    numbers = await _numbers(reader, wanted, limit)
    for start in range(0, len(numbers), _BATCH):
        tell(start, len(numbers))
        out.writelines(map(exporter.add, await reader.reports(numbers[start : start + _BATCH])))
    tell(len(numbers), len(numbers))
    out.write(exporter.end())
    return len(numbers)


async def _numbers(reader: LogReader, wanted: Query, limit: int | None) -> array[int]:
    """The ids of what a query wants, oldest first."""
    found = array("q")
    async with aclosing(reader.search(wanted)) as batches:
        async for newest in batches:
            found.extend(newest)
            if limit is not None and len(found) >= limit:
                break
    numbers = found[:limit]
    numbers.reverse()
    return numbers


@contextmanager
def whole_file(path: str, *, replace: bool) -> Iterator[TextIO]:
    """A text file to be written, readable by its owner alone, that is there only when it is whole.

    Raises FileExistsError, at once or at the end, when something is there that is not to be replaced, and OSError.
    """
    draft = f"{path}.{os.getpid()}.draft"
    if not replace:
        _require_none(path)
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8", errors="replace") as out:
            yield out
        if not replace:
            _require_none(path)
        os.replace(draft, path)
    finally:
        if os.path.exists(draft):
            os.remove(draft)


def _require_none(path: str) -> None:
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)


def to_file(db: str, wanted: Query, name: str, path: str, tell: Progress, *, replace: bool = False) -> Written:
    """Export from a log into a file, as a person wrote its path; for a thread, since it takes its time.

    Raises LogError and what `whole_file` does.
    """
    path = os.path.abspath(os.path.expanduser(path))

    async def write(out: TextIO) -> int:
        reader = await LogReader.open(db)
        try:
            return await export(reader, wanted, name, out, tell=tell)
        finally:
            await reader.close()

    with whole_file(path, replace=replace) as out:
        events = asyncio.run(write(out))
    return Written(path, events, os.path.getsize(path))
