"""What is done on a full disk: the newest decisions are kept, in room that was set aside before.

The intake sets the room aside: a file of blanks, the reserve. On a full disk it becomes the spool, whose blanks and then oldest
entries are overwritten.
"""

from __future__ import annotations

import errno
import os

from hooktui.core import paths
from hooktui.runner.journal import spool, spool_links
from hooktui.runner.journal.entry import EndEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooktui.runner.journal.entry import LogEntry, RunEntry

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_PATIENCE_S = 0.1  # for a process that takes the spool
_RESERVE = 64 * 1024  # bytes: some hundred decisions
_TRIES = 3


def reserve_path(db: str) -> str:
    """The path of the room that is set aside for a full disk."""
    return db + ".reserve"


def set_aside(db: str) -> None:
    """Create the reserve if it is missing and the disk has room."""
    if not os.path.exists(reserve_path(db)):
        try:
            paths.write_private(reserve_path(db), _blanks(_RESERVE))
        except OSError:
            return


def append(db: str, entry: LogEntry, error: OSError) -> str:
    """Add an entry that the spool could not take: without its texts, or else in place of older ones. What is lost."""
    if error.errno in _NO_SPACE:
        short = _shortened(entry)
        try:
            spool.append(db, short)
        except OSError:
            lost = _keep_newest(db, spool.to_json(short))
        else:
            lost = 0
        if lost is not None:
            dropped = f" in place of {lost} older ones" if lost else ""
            return f"{_where(db)}: {error.strerror}: this event is logged without payload and output{dropped}"
    return f"{_where(db)}: {error.strerror or error}: this event is not recorded; see `hooktui doctor`"


def _where(db: str) -> str:
    return f"cannot write {paths.short(spool.path_of(db))}"


def _shortened(entry: LogEntry) -> LogEntry:
    """The entry without payload and outputs: what was decided, by which hooks, and why."""
    if isinstance(entry, EndEntry):
        return entry.replace(run=_silent(entry.run))
    return entry.replace(payload="{}", effects=None, runs=tuple(map(_silent, entry.runs)))


def _silent(run: RunEntry) -> RunEntry:
    return run.replace(stdout="", stderr="", truncated=1, effects=None)


def _keep_newest(db: str, line: str) -> int | None:
    """Write a line into room that the spool or the reserve has; the number of entries lost, None if there is no room."""
    try:
        with spool.Lock(spool.lock_path(db), _PATIENCE_S) as lock:
            if not lock.held:
                return None
            _use_reserve(db)
            return _overwrite(spool.path_of(db), line)
    except OSError:
        return None


def _use_reserve(db: str) -> None:
    """Make the reserve the spool. The intake will find the spool so far where it puts it itself, and take it first.

    The name of the spool always has a file, so that no event begins another meanwhile.
    """
    current, reserve = spool.path_of(db), reserve_path(db)
    if spool.is_large(db) or not os.path.exists(reserve):
        return
    for _ in range(_TRIES):
        try:
            if os.path.exists(current):
                os.link(current, spool.taken_path(db))
                os.rename(reserve, current)
            else:
                os.link(reserve, current)
                os.unlink(reserve)
        except FileExistsError:  # an intake was interrupted, or an event has just begun a spool
            continue
        return


def _overwrite(path: str, line: str) -> int | None:
    """Write a line over the blanks of a file, and over its older entries if need be; the number of entries lost.

    The size stays, and with it the room on the disk.
    """
    fd = os.open(path, os.O_RDWR)
    try:
        content = os.pread(fd, os.fstat(fd).st_size, 0)
        room = len(content) - len(spool_links.linked(line, b"")) - 1
        if room < 0:
            return None
        entries = [entry for entry in content.split(b"\n") if entry.strip()]
        lost = _too_many(entries, room)
        kept = spool_links.relinked(entries, lost)
        text = kept + spool_links.linked(line, kept[-spool_links.TAIL :]).encode() + b"\n"
        os.pwrite(fd, text + _blanks(len(content) - len(text)), 0)
        return lost
    finally:
        os.close(fd)


def _too_many(entries: list[bytes], room: int) -> int:
    """How many of the oldest to drop: none if all fit, else those beyond half of the room, so that the next ones fit too."""
    if sum(len(entry) + 1 for entry in entries) <= room:
        return 0
    first, room = len(entries), room // 2
    while first and (room := room - len(entries[first - 1]) - 1) >= 0:
        first -= 1
    return first


def _blanks(size: int) -> bytes:
    return b" " * (size - 1) + b"\n" if size else b""
