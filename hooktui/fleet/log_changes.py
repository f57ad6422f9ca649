"""Wait until a log, or its spool, is written. Blocks; woken by inotify on Linux, elsewhere by looking."""

from __future__ import annotations

import os
import select
import time

from hooktui.core.inotify import Inotify
from hooktui.core.paths import stamp
from hooktui.log.write import shipped, spool

_LONGEST_S = 3.0  # between two looks: the supervisor of an async run that was killed changes no file
_POLL_S = 0.25  # between two looks without inotify
_GATHERING_S = 0.1  # after a change, so that events of one moment share a request


class LogChanges:
    """Reports what any process writes to a log. `idle_s`: without changes for so long, there is nothing to wait for."""

    def __init__(self, db: str, idle_s: float | None) -> None:
        self._db = db
        self._idle_s = idle_s
        self._stamps = self._look()
        try:
            self._inotify: Inotify | None = Inotify([os.path.dirname(db)])
        except OSError:
            self._inotify = None

    def close(self) -> None:
        if self._inotify is not None:
            self._inotify.close()

    def wait(self, pause_s: float | None) -> bool:
        """Wait for a time in seconds, or for a change since the last wait (None); whether to go on."""
        began = time.monotonic()
        if pause_s is not None:
            while (left := began + pause_s - time.monotonic()) > 0:
                self._mark_alive()
                time.sleep(min(left, _LONGEST_S))
            return True
        while (stamps := self._look()) == self._stamps:
            if self._idle_s is not None and time.monotonic() - began > self._idle_s:
                return False
            self._sleep()
        self._stamps = stamps
        time.sleep(_GATHERING_S)
        return True

    def _sleep(self) -> None:
        """Wait for a change of the directory, or a while."""
        self._mark_alive()
        if self._inotify is None:
            time.sleep(_POLL_S)
        else:
            select.select([self._inotify.fd], [], [], _LONGEST_S)
            self._inotify.read()

    def _mark_alive(self) -> None:
        """Keep events from starting another shipper (upkeep.py)."""
        os.utime(shipped.lock_path(self._db))

    def _look(self) -> tuple[object, ...]:
        return tuple(stamp(path) for path in (self._db, self._db + "-wal", spool.path_of(self._db)))
