"""Watch directories with inotify, which wakes nobody until something changes. Linux only; called through ctypes."""

from __future__ import annotations

import asyncio
import ctypes
import errno
import os
import struct
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    Depth = Literal["contents", "attributes"]

_EVENT = struct.Struct("iIII")  # watch, mask, cookie, length of the name
_READ = 65_536
# From <sys/inotify.h>.
_MODIFY, _ATTRIB, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x2, 0x4, 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _OVERFLOW, _IGNORED = 0x400, 0x800, 0x4000, 0x8000
_GONE = _DELETE_SELF | _MOVE_SELF | _IGNORED
_MISSING = (errno.ENOENT, errno.ENOTDIR, errno.EACCES)
_MASKS: dict[Depth, int] = {
    "contents": _MODIFY | _MOVED_TO | _CREATE | _DELETE | _MOVE_SELF,
    "attributes": _MODIFY | _MOVED_TO | _CREATE | _DELETE | _MOVE_SELF | _ATTRIB | _MOVED_FROM | _DELETE_SELF,
}


class Change(NamedTuple):
    """A change in a watched directory: the file's name, "" for the directory itself.

    `is_gone`: the directory was moved or deleted; `is_lost`: the system dropped changes, in any directory.
    """

    directory: str
    name: str
    is_gone: bool
    is_lost: bool


class Inotify:
    """A file descriptor that can be read after each change in some directories. Close it."""

    def __init__(self, directories: Iterable[str], depth: Depth = "contents") -> None:
        """Watch what is written; with `attributes` also modes and removals. Directories that are missing are left out.

        Raises OSError if nothing can be watched.
        """
        libc = ctypes.CDLL(None, use_errno=True)
        if not hasattr(libc, "inotify_init1"):
            raise OSError(errno.ENOSYS, "no inotify")
        self.fd = int(libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        if self.fd < 0:  # the user's limit of instances
            raise OSError(ctypes.get_errno(), "no inotify")
        self._directories: dict[int, list[str]] = {}  # links to a directory share its watch
        for directory in directories:
            watch = int(libc.inotify_add_watch(self.fd, os.fsencode(directory), _MASKS[depth]))
            if watch >= 0:
                self._directories.setdefault(watch, []).append(directory)
            elif (error := ctypes.get_errno()) not in _MISSING:
                self.close()
                raise OSError(error, "cannot be watched", directory)
        if not self._directories:
            self.close()
            raise OSError(errno.ENOENT, "nothing to watch")

    def close(self) -> None:
        os.close(self.fd)

    async def changes(self, timeout_s: float) -> list[Change]:
        """Wait for changes; none if the time is up first."""
        loop, readable = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self.fd, readable.set)
        try:
            async with asyncio.timeout(timeout_s):
                await readable.wait()
        except TimeoutError:
            return []
        finally:
            loop.remove_reader(self.fd)
        return self.read()

    def read(self) -> list[Change]:
        """The changes since the last call; none if there are none yet."""
        try:
            events = os.read(self.fd, _READ)
        except BlockingIOError:
            return []
        place, changes = 0, list[Change]()
        while place < len(events):
            watch, mask, _, length = _EVENT.unpack_from(events, place)
            place += _EVENT.size + length
            name = os.fsdecode(events[place - length : place].rstrip(b"\0"))
            is_gone, is_lost = bool(mask & _GONE), bool(mask & _OVERFLOW)
            changes += [Change(directory, name, is_gone, is_lost) for directory in self._directories.get(watch, ("",))]
        return changes
