"""Wait for changes of a log's files: by inotify on Linux, elsewhere by comparing their stamps."""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING

from hooktui.core.inotify import Inotify
from hooktui.core.paths import stamp
from hooktui.log.write import spool

if TYPE_CHECKING:
    from typing import Self

_POLL_S = 0.06  # between two looks without inotify


class LogWatch:
    """Reports what any process writes to a log or its spool. A context manager, for one task of an event loop."""

    def __init__(self, db: str) -> None:
        self._db = db
        self._name = os.path.basename(db)
        self._inotify: Inotify | None = None
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
        if self._inotify is None:
            self._begin()
        if self._inotify is None:
            await self._poll(timeout_s)
            return
        loop, fd = asyncio.get_running_loop(), self._inotify.fd
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
        self._inotify = _watched(os.path.dirname(self._db))
        if self._inotify is not None and self._look() != self._stamps:  # written before the watch began
            self._written.set()

    def _end(self) -> None:
        if self._inotify is not None:
            self._inotify.close()
            self._inotify = None

    def _read(self) -> None:
        assert self._inotify is not None
        changes = self._inotify.read()
        self._is_gone = self._is_gone or any(change.is_gone for change in changes)
        if self._is_gone or any(change.is_lost or change.name.startswith(self._name) for change in changes):
            self._written.set()


def _watched(directory: str) -> Inotify | None:
    """The watch of a directory; None without inotify or the directory."""
    try:
        return Inotify([directory])
    except OSError:
        return None
