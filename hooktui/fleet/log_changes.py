"""Wait until a log, its spool or the configuration is written. Blocks."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterable

from hooktui.core import paths
from hooktui.log.store import shipped
from hooktui.runner.journal import spool

_LOOK_S = 3.0  # between two looks: the supervisor of an async run that was killed changes no file
_STEP_MS = 100  # between two looks at what the system has reported; events of one moment share a request


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
        self._changes = self._watch()

    def close(self) -> None:
        """Watch no more."""
        self._changes.close()

    @property
    def is_reconfigured(self) -> bool:
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
                return True
            if pause_s is None and self._idle_s is not None and waited > self._idle_s:
                return False
            if pause_s is None and waited > self._longest_s:
                return True
            if pause_s is None:
                next(self._changes)
            else:
                time.sleep(min(pause_s - waited, _LOOK_S))
        return False

    def _watch(self) -> Generator[None, None, None]:
        """Yield after each change of the log's files, and at least every _LOOK_S."""
        import watchfiles

        while True:
            changes = watchfiles.watch(
                os.path.dirname(self._db),
                watch_filter=lambda _, path: path in self._files,
                step=_STEP_MS,
                debounce=_STEP_MS,
                rust_timeout=round(_LOOK_S * 1000),
                yield_on_timeout=True,
                recursive=False,
            )
            try:
                for _ in changes:
                    yield
            except (OSError, RuntimeError):  # the directory is gone, or the system watches no more
                time.sleep(_LOOK_S)
                yield


def _written(files: Iterable[str]) -> tuple[object, ...]:
    """What tells when files were written. Not their ctime: as root, SQLite sets the owner of the WAL whenever it opens it."""
    return tuple((known[0], *known[2:]) if (known := paths.stamp(path)) else None for path in files)
