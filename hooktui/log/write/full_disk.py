"""What is done on a full disk: the newest decisions are kept, in the room that the spool has."""

from __future__ import annotations

import errno
import fcntl
import os

from hooktui.core import paths
from hooktui.log.write import spool
from hooktui.log.write.entry import EndEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooktui.log.write.entry import LogEntry, RunEntry

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def append(db: str, entry: LogEntry, error: OSError) -> str:
    """Add an entry that the spool could not take: without its texts, or else in place of older ones. What is lost."""
    if error.errno in _NO_SPACE:
        short = _shortened(entry)
        try:
            spool.append(db, short)
        except OSError:
            lost = _replace_oldest(db, short)
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


def _replace_oldest(db: str, entry: LogEntry) -> int | None:
    """Write an entry over the older half of the spool; the number of entries lost, None if there is no room in it."""
    line = spool.line_of(entry)
    try:
        fd = os.open(spool.path_of(db), os.O_RDWR)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        content = os.pread(fd, os.fstat(fd).st_size, 0)
        room = min(len(content) // 2, len(content) - len(line))
        if room < 0:
            return None
        begin = content.find(b"\n", len(content) - room) if room else len(content)
        kept = content[begin:] if begin >= 0 else b""
        os.pwrite(fd, kept + line, 0)
        os.ftruncate(fd, len(kept) + len(line))
        return content.count(b"\n{") - kept.count(b"\n{")
    except OSError:
        return None
    finally:
        os.close(fd)
