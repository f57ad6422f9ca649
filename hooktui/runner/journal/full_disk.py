"""Handle a full disk: decisions are kept without their texts, in room that the intake set aside before, the reserve."""

from __future__ import annotations

import errno
import os

from hooktui.core import paths
from hooktui.runner.journal import spool
from hooktui.runner.journal.entry import EndEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooktui.runner.journal.entry import LogEntry, RunEntry

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_RESERVE = 256 * 1024  # bytes: some thirty decisions
_STEP = 8192  # bytes of it that are given up at once
_TRIES = 8  # other processes may take what is given up


def reserve_path(db: str) -> str:
    """The path of the room that is set aside for a full disk."""
    return db + ".reserve"


def set_aside(db: str) -> None:
    """Fill the reserve if it is not full and the disk has room."""
    try:
        if not os.path.exists(reserve_path(db)) or os.stat(reserve_path(db)).st_size < _RESERVE:
            paths.write_private(reserve_path(db), b" " * _RESERVE)
    except OSError:
        return


def append(db: str, entry: LogEntry, error: OSError) -> str:
    """Add an entry that the spool could not take, without its texts; say what is lost."""
    trouble = f"cannot write {paths.short(spool.path_of(db))}: {error.strerror or error}"
    if error.errno in _NO_SPACE and (_is_added(db, entry) or _is_added_to_reserve(db, entry)):
        return f"{trouble}: this event is logged without payload and output"
    return f"{trouble}: this event is not recorded; see `hooktui doctor`"


def _is_added(db: str, entry: LogEntry) -> bool:
    try:
        spool.append(db, _shortened(entry))
    except OSError:
        return False
    return True


def _is_added_to_reserve(db: str, entry: LogEntry) -> bool:
    """Give up as much of the reserve as it needs."""
    try:
        for _ in range(_TRIES):
            left = os.stat(reserve_path(db)).st_size
            os.truncate(reserve_path(db), max(left - _STEP, 0))
            if _is_added(db, entry):
                return True
    except OSError:
        return False
    return False


def _shortened(entry: LogEntry) -> LogEntry:
    """The entry without payload and outputs: what was decided, by which hooks, and why."""
    if isinstance(entry, EndEntry):
        return entry.replace(run=_silent(entry.run))
    return entry.replace(payload="{}", effects=None, runs=tuple(map(_silent, entry.runs)))


def _silent(run: RunEntry) -> RunEntry:
    return run.replace(stdout="", stderr="", truncated=1, effects=None)
