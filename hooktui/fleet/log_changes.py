"""Wait until a log, its spool or the configuration is written. Blocks; woken by inotify on Linux, elsewhere by looking."""

from __future__ import annotations

import os
import select
import time
from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.core.inotify import Inotify
from hooktui.log.write import shipped, spool

if TYPE_CHECKING:
    from collections.abc import Iterable

_LOOK_S = 3.0  # between two looks: the supervisor of an async run that was killed changes no file
_POLL_S = 0.25  # between two looks without inotify
_GATHERING_S = 0.1  # after a change, so that events of one moment share a request


class LogChanges:
    """Reports what any process writes to a log.

    `idle_s`: without changes for so long, there is nothing to wait for; `longest_s`: a wait ends after this time. In seconds.
    """

    def __init__(self, db: str, idle_s: float | None, longest_s: float) -> None:
        self._db = db
        self._idle_s = idle_s
        self._longest_s = longest_s
        self._files = (db, db + "-wal", spool.path_of(db))
        self._written = _written(self._files)
        self._configuration = _written((paths.config_file(), paths.managed_file()))
        try:
            self._inotify: Inotify | None = Inotify([os.path.dirname(db)])
        except OSError:
            self._inotify = None

    def close(self) -> None:
        if self._inotify is not None:
            self._inotify.close()

    @property
    def is_reconfigured(self) -> bool:
        """Whether the configuration has changed since the beginning."""
        return _written((paths.config_file(), paths.managed_file())) != self._configuration

    def wait(self, pause_s: float | None) -> bool:
        """Wait for a time in seconds, or for a change since the last wait (None); whether to go on."""
        began = time.monotonic()
        while not self.is_reconfigured:
            try:
                os.utime(shipped.lock_path(self._db))  # so that events start no other shipper (upkeep.py)
            except FileNotFoundError:  # it was deleted, so another shipper may begin
                return False
            waited = time.monotonic() - began
            if pause_s is not None and waited >= pause_s:
                return True
            if pause_s is None and (written := _written(self._files)) != self._written:
                self._written = written
                time.sleep(_GATHERING_S)
                return True
            if pause_s is None and self._idle_s is not None and waited > self._idle_s:
                return False
            if pause_s is None and waited > self._longest_s:
                return True
            self._sleep(_LOOK_S if pause_s is None else min(pause_s - waited, _LOOK_S))
        return False

    def _sleep(self, longest_s: float) -> None:
        """Wait for a change of the log's directory, or for a time."""
        if self._inotify is None:
            time.sleep(min(longest_s, _POLL_S))
        else:
            select.select([self._inotify.fd], [], [], longest_s)
            self._inotify.read()


def _written(files: Iterable[str]) -> tuple[object, ...]:
    """What tells when files were written. Not their ctime: as root, SQLite sets the owner of the WAL whenever it opens it."""
    return tuple((known[0], *known[2:]) if (known := paths.stamp(path)) else None for path in files)
