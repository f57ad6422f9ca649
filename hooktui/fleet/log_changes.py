"""Ship a log for as long as there is something to wait for."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable

from hooktui.core import paths
from hooktui.fleet.ship_faults import SendError
from hooktui.fleet.shipper import HEAD_S, Shipper
from hooktui.log.store import shipped
from hooktui.runner.journal import spool

_LOOK_S = 0.25  # between two looks at the files; events of one moment share a request


class LogChanges:
    """Tells when a log, its spool, the configuration, or what is asked of the shipper changes.

    `idle_s`: after so many seconds without changes there is nothing to wait for.
    """

    def __init__(self, db: str, idle_s: float | None) -> None:
        self._lock = shipped.lock_path(db)
        self._idle_s = idle_s
        self._files = (db, db + "-wal", spool.path_of(db), shipped.request_path(db))
        self._written = _written(self._files)
        self._configuration = _written((paths.config_file(), paths.managed_file()))

    def is_reconfigured(self) -> bool:
        return _written((paths.config_file(), paths.managed_file())) != self._configuration

    def wait(self, pause_s: float | None) -> bool:
        """Wait for a time in seconds, or for a change since the last wait (None), an hour at most; whether to go on."""
        began = time.monotonic()
        while not self.is_reconfigured() and os.path.exists(self._lock):  # without it, another shipper may begin
            waited = time.monotonic() - began
            written = _written(self._files)
            if waited >= (HEAD_S if pause_s is None else pause_s) or (pause_s is None and written != self._written):
                self._written = written
                return True
            if pause_s is None and self._idle_s is not None and waited > self._idle_s:
                return False
            time.sleep(_LOOK_S)
        return False


def _written(files: Iterable[str]) -> tuple[object, ...]:
    """What tells when files were written. Not their ctime: as root, SQLite sets the owner of the WAL whenever it opens it."""
    return tuple((known[0], *known[2:]) if (known := paths.stamp(path)) else None for path in files)


def follow(shipper: Shipper, wait: Callable[[float | None], bool], report: Callable[[str], None]) -> None:
    """Ship for ever: `wait` for changes of the log, or for a time in seconds before the next attempt, until it says no.

    `report` gets a sentence when shipping begins to fail, and when it works again.
    """
    failing = ""
    while True:
        try:
            shipper.ship()
        except SendError as error:
            fault = shipper.state.fault
            assert fault is not None
            if failing != fault.kind:
                report(str(error))
            failing = fault.kind
            going_on = wait(max(fault.retry_at - time.time(), 0.0))
        else:
            if failing:
                report("shipping works again")
            failing = ""
            going_on = wait(None)
        if not going_on:
            return
