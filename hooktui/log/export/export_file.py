"""Export the events that match a query to a stream or a file, in one of FORMATS.

Events are read and written in batches; Markdown and HTML write at the end, since they begin with a summary.
"""

from __future__ import annotations

import asyncio
import errno
import os
import stat
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from hooktui.log.export.exporters import ExportHeader, csv_lines, json_lines, markdown
from hooktui.log.export.html_report import html_page
from hooktui.log.read.connection import as_stored, default_path

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping
    from typing import TextIO

    from hooktui.core.report import LoggedReport
    from hooktui.log.export.exporters import Exporter
    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.query import Query

    Progress = Callable[[int, int], None]

_BATCH = 200


class ExportResult(NamedTuple):
    """A written file: its absolute path, number of events and size in bytes."""

    path: str
    events: int
    size: int


FORMATS: Mapping[str, Exporter] = {"jsonl": json_lines, "csv": csv_lines, "md": markdown, "html": html_page}


def format_of(path: str) -> str | None:
    """The format of a file name's suffix; None if unknown."""
    suffix = os.path.splitext(path)[1].lstrip(".").lower()
    return suffix if suffix in FORMATS else {"markdown": "md", "htm": "html", "ndjson": "jsonl"}.get(suffix)


async def export(
    reader: DecisionLog,
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
    header = ExportHeader(as_stored(query.text), time.time(), await reader.head(), of_fleet=reader.path is None)
    numbers = await reader.newest(query, limit)
    numbers.reverse()

    async def reports() -> AsyncIterator[LoggedReport]:
        for start in range(0, len(numbers), _BATCH):
            progress(start, len(numbers))
            for report in await reader.reports(numbers[start : start + _BATCH]):
                yield report
        progress(len(numbers), len(numbers))

    async for text in FORMATS[name](header, reports()):
        out.write(text)
    return len(numbers)


@contextmanager
def whole_file(path: str, db: str, *, replace: bool) -> Iterator[TextIO]:
    """Open a text file for writing, readable only by its owner, that appears at `path` when complete.

    It replaces only regular files, and no file of the log at `db` or of the user's log. Raises OSError; FileExistsError, at
    the beginning or the end, if the path exists and must not be replaced.
    """
    draft = f"{path}.{os.getpid()}.draft"
    require_replaceable(path, db, replace=replace)
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8", errors="replace") as out:
            yield out
        require_replaceable(path, db, replace=replace)
        os.replace(draft, path)
    finally:
        if os.path.exists(draft):
            os.remove(draft)


def require_replaceable(path: str, db: str, *, replace: bool) -> None:
    """Raise the OSError with which `whole_file` refuses a path."""
    target = os.path.realpath(path)
    logs = [os.path.realpath(log) for log in (db, default_path())]
    if target in logs or target.startswith(tuple(log + sign for log in logs for sign in "-.")):
        raise OSError(errno.EPERM, "belongs to the log and is never replaced", path)
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file", path)
    if not replace:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)


def to_file(log: DecisionLog, query: Query, name: str, path: str, progress: Progress, *, replace: bool = False) -> ExportResult:
    """Export from a log into a file, at a path as typed; call it in a thread.

    Raises LogError and the exceptions of `whole_file`.
    """
    path = os.path.abspath(os.path.expanduser(path))

    async def write(out: TextIO) -> int:
        reader = await log.reopened()
        try:
            return await export(reader, query, name, out, progress=progress)
        finally:
            await reader.close()

    with whole_file(path, log.path or default_path(), replace=replace) as out:
        events = asyncio.run(write(out))
    return ExportResult(path, events, os.path.getsize(path))
