"""Lists of skipped hooks beside the log, one file each: a line of the spool names a list and does not repeat it.

A file is named by the hash of its content and written before the first line that names it. Pruning removes a file that no event
has used for a month.
"""

from __future__ import annotations

import os
import time

from hooktui.core import fast_json, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Sequence

    from hooktui.log.write.entry import LogEntry, RunEntry
    from hooktui.log.write.skip_lists import Rows

_DAY_S = 86_400
_KEPT_S = 30 * _DAY_S


def directory(db: str) -> str:
    """The directory of the lists for a log."""
    return db + ".skips"


def exists(db: str, version: str) -> bool:
    """Whether a list has its file, which is used now."""
    path = os.path.join(directory(db), version)
    try:
        status = os.stat(path)
        if status.st_mtime < time.time() - _DAY_S:
            os.utime(path)
    except OSError:
        return False
    return status.st_size > 0


def keep(db: str, runs: Sequence[RunEntry]) -> str:
    """Write the list of skipped runs; its version. Raises OSError, and UnicodeEncodeError for what SQLite cannot store."""
    from hooktui.log.write import skip_lists

    rows = skip_lists.rows_of(runs)
    version = skip_lists.version_of(rows)
    paths.write_private(os.path.join(directory(db), version), fast_json.dumps(rows, ascii_only=False).encode())
    return version


def store_missing(connection: sqlite3.Connection, db: str, entries: Sequence[LogEntry]) -> None:
    """Store the lists that entries name and the log does not have. Raises sqlite3.Error.

    A file that cannot be read is removed: an event writes it again. Until then events lack the hooks in it.
    """
    from hooktui.log.write import hook_texts, skip_lists, storing

    named = {version for entry in entries if isinstance(version := getattr(entry, "skips", None), str)}
    for version in filter(_is_version, named - skip_lists.known(connection, named)):
        path = os.path.join(directory(db), version)
        rows = _read(path)
        if skip_lists.version_of(rows) == version:
            hooks = hook_texts.missing(connection, db, {row[1] for row in rows})
            if hooks is not None:
                storing.add_list(connection, rows, hooks)
                continue
        try:
            os.unlink(path)
        except OSError:
            continue


def _is_version(text: str) -> bool:
    return text.isascii() and text.isalnum()


def _read(path: str) -> Rows:
    """The rows in a file; none if it has anything else."""
    try:
        with open(path, "rb") as file:
            rows = [(position, version, skip, why) for position, version, skip, why in fast_json.loads(file.read())]
    except (OSError, ValueError, TypeError, RecursionError):
        return []
    is_valid = all(type(row[0]) is int and all(type(text) is str for text in row[1:]) for row in rows)
    return rows if is_valid and len({row[0] for row in rows}) == len(rows) else []


def prune(db: str, now: float) -> None:
    """Remove the files that no event has used for a month, `now` in seconds since 1970."""
    try:
        for file in os.scandir(directory(db)):
            if file.stat().st_mtime < now - _KEPT_S:
                os.unlink(file.path)
    except OSError:
        return
