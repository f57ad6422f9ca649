"""Export the events that match a query to a stream or a file, in one of FORMATS.

Events are read and written in batches; Markdown and HTML write at the end, since they begin with a summary.
"""

from __future__ import annotations

import asyncio
import errno
import os
import time
from array import array
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.log.export.exporters import Csv, ExportHeader, JsonLines, Markdown
from hooktui.log.export.html_report import HtmlReport
from hooktui.log.read import stored_names
from hooktui.log.read.reader import LogReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TextIO

    from hooktui.log.export.exporters import Exporter
    from hooktui.log.read.query import Query

    Progress = Callable[[int, int], None]

_BATCH = 200


@dataclass(frozen=True, slots=True)
class ExportResult:
    """A file that was made: its whole path, how many events are in it, and its size in bytes."""

    path: str
    events: int
    size: int


FORMATS: Mapping[str, Callable[[ExportHeader], Exporter]] = {"jsonl": JsonLines, "csv": Csv, "md": Markdown, "html": HtmlReport}


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
    exporter = FORMATS[name](ExportHeader(stored_names.as_stored(wanted.text), time.time(), head))
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


def to_file(db: str, wanted: Query, name: str, path: str, tell: Progress, *, replace: bool = False) -> ExportResult:
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
    return ExportResult(path, events, os.path.getsize(path))
