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
from hooktui.log.read.connection import as_stored
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
    """A written file: its absolute path, number of events and size in bytes."""

    path: str
    events: int
    size: int


FORMATS: Mapping[str, Callable[[ExportHeader], Exporter]] = {"jsonl": JsonLines, "csv": Csv, "md": Markdown, "html": HtmlReport}


def format_of(path: str) -> str | None:
    """The format of a file name's suffix; None if unknown."""
    suffix = os.path.splitext(path)[1].lstrip(".").lower()
    names = {**{name: name for name in FORMATS}, "markdown": "md", "htm": "html", "ndjson": "jsonl"}
    return names.get(suffix)


async def export(
    reader: LogReader,
    query: Query,
    name: str,
    out: TextIO,
    limit: int | None = None,
    progress: Progress = lambda _done, _total: None,
) -> int:
    """Write the matching dispatches, oldest first, in a format of FORMATS, and return their number.

    `limit` takes only the newest. `progress` is called with the numbers of written and of all dispatches; an exception from it
    ends the export.
    """
    head = await reader.head()
    exporter = FORMATS[name](ExportHeader(as_stored(query.text), time.time(), head))
    numbers = await _numbers(reader, query, limit)
    for start in range(0, len(numbers), _BATCH):
        progress(start, len(numbers))
        out.writelines(map(exporter.add, await reader.reports(numbers[start : start + _BATCH])))
    progress(len(numbers), len(numbers))
    out.write(exporter.end())
    return len(numbers)


async def _numbers(reader: LogReader, query: Query, limit: int | None) -> array[int]:
    """The ids of the matching dispatches, oldest first."""
    numbers = array("q")
    async with aclosing(reader.search(query)) as batches:
        async for batch in batches:
            numbers.extend(batch)
            if limit is not None and len(numbers) >= limit:
                break
    numbers = numbers[:limit]
    numbers.reverse()
    return numbers


@contextmanager
def whole_file(path: str, *, replace: bool) -> Iterator[TextIO]:
    """Open a text file for writing, readable only by its owner, that appears at `path` when complete.

    Raises OSError; FileExistsError, at the beginning or the end, if the path exists and must not be replaced.
    """
    draft = f"{path}.{os.getpid()}.draft"
    if not replace:
        _require_missing(path)
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8", errors="replace") as out:
            yield out
        if not replace:
            _require_missing(path)
        os.replace(draft, path)
    finally:
        if os.path.exists(draft):
            os.remove(draft)


def _require_missing(path: str) -> None:
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)


def to_file(db: str, query: Query, name: str, path: str, progress: Progress, *, replace: bool = False) -> ExportResult:
    """Export from a log into a file, at a path as typed; call it in a thread.

    Raises LogError and the exceptions of `whole_file`.
    """
    path = os.path.abspath(os.path.expanduser(path))

    async def write(out: TextIO) -> int:
        reader = await LogReader.open(db)
        try:
            return await export(reader, query, name, out, progress=progress)
        finally:
            await reader.close()

    with whole_file(path, replace=replace) as out:
        events = asyncio.run(write(out))
    return ExportResult(path, events, os.path.getsize(path))
