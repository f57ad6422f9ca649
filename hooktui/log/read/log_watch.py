"""Wait for changes of a log's files: by inotify on Linux, elsewhere by comparing their stamps."""

from __future__ import annotations

import asyncio
import os
import struct
import time
from typing import TYPE_CHECKING

from hooktui.core.paths import stamp
from hooktui.log.write import spool

if TYPE_CHECKING:
    from typing import Self

_POLL_S = 0.06  # between two looks without inotify
_EVENT = struct.Struct("iIII")  # watch, mask, cookie, length of the name
_READ = 65_536
# From <sys/inotify.h>.
_MODIFY, _MOVED_TO, _CREATE, _DELETE, _MOVE_SELF = 0x2, 0x80, 0x100, 0x200, 0x800
_OVERFLOW, _IGNORED = 0x4000, 0x8000


class LogWatch:
    """Reports what any process writes to a log or its spool. A context manager, for one task of an event loop."""

    def __init__(self, db: str) -> None:
        self._db = db
        self._name = os.fsencode(os.path.basename(db))
        self._fd: int | None = None
        self._is_gone = False
        self._written = asyncio.Event()
        self._stamps = self._look()

    def __enter__(self) -> Self:
        self._begin()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    async def changed(self, timeout_s: float) -> None:
        """Wait for a change since the last call ended, or since the watch began."""
        if self._fd is None:
            self._begin()
        if self._fd is None:
            await self._poll(timeout_s)
            return
        loop, fd = asyncio.get_running_loop(), self._fd
        loop.add_reader(fd, self._read)  # only now: between two waits, a write wakes nobody
        try:
            async with asyncio.timeout(timeout_s):
                await self._written.wait()
        except TimeoutError:
            pass
        finally:
            loop.remove_reader(fd)
        self._written.clear()
        if self._is_gone:  # the directory was moved or deleted: another may appear in its place
            self._is_gone, self._stamps = False, ()
            self._end()

    async def _poll(self, timeout_s: float) -> None:
        latest = time.monotonic() + timeout_s
        while (stamps := self._look()) == self._stamps and time.monotonic() < latest:
            await asyncio.sleep(_POLL_S)
        self._stamps = stamps

    def _look(self) -> tuple[object, ...]:
        return tuple(stamp(path) for path in (self._db, self._db + "-wal", spool.path_of(self._db)))

    def _begin(self) -> None:
        self._fd = _inotify(os.path.dirname(self._db))
        if self._fd is not None and self._look() != self._stamps:  # written before the watch began
            self._written.set()

    def _end(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _read(self) -> None:
        assert self._fd is not None
        events = os.read(self._fd, _READ)
        place = gone = 0
        while place < len(events):
            _, mask, _, length = _EVENT.unpack_from(events, place)
            place += _EVENT.size + length
            gone |= mask & (_MOVE_SELF | _IGNORED)
            if mask & _OVERFLOW or events[place - length : place].startswith(self._name):
                self._written.set()
        if gone:
            self._is_gone = True
            self._written.set()


def _inotify(directory: str) -> int | None:
    """A file descriptor that can be read after each change in a directory; None without inotify or the directory."""
    import ctypes

    libc = ctypes.CDLL(None)
    if not hasattr(libc, "inotify_init1"):
        return None
    fd = int(libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
    if fd < 0:  # the user's limit of instances
        return None
    mask = _MODIFY | _MOVED_TO | _CREATE | _DELETE | _MOVE_SELF
    if libc.inotify_add_watch(fd, os.fsencode(directory), mask) < 0:
        os.close(fd)
        return None
    return fd
