"""Upkeep of the log by processes of their own: taking in a spool that has grown, and pruning once a day."""

from __future__ import annotations

import os
import sys
import time

from hooktui.core import background
from hooktui.runner.journal import spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooktui.core.settings import Settings
    from hooktui.runner.journal.recorder import SpoolRecorder

_INTAKE_S = 10  # between two starts
DAY_S = 86_400


def start(recorder: SpoolRecorder, settings: Settings) -> None:
    """Start the processes that are due; nobody waits for them. Events that are shipped do not wait for a reader of the log."""
    db = recorder.db
    if recorder.has_grown or settings.ships:
        start_intake(db)
    if settings.prunes and is_due(f"{db}.pruned", DAY_S):
        background.start(sys.executable, "-I", "-m", "hooktui", "log", "--prune", "--db", db)


def start_intake(db: str) -> None:
    """Start a process that takes the spool in, unless one was started seconds ago."""
    if is_due(spool.lock_path(db), _INTAKE_S):
        background.start(sys.executable, "-I", "-m", "hooktui.log.store.import_journal", db)


def is_due(stamp: str, period_s: float) -> bool:
    """Whether the last start was so long ago; if so, the next has now begun, by one process alone if it is the first."""
    try:
        if 0 <= time.time() - os.stat(stamp).st_mtime < period_s:  # a stamp of the future: the clock was wrong then
            return False
        os.utime(stamp)
    except FileNotFoundError:
        return _begin(stamp)
    except OSError:
        return False
    return True


def _begin(stamp: str) -> bool:
    """Create the stamp; only one process succeeds."""
    try:
        os.close(os.open(stamp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError:
        return False
    return True
