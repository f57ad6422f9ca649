"""When the log is to be looked after: once a day. On the path of agents, so it asks one file for its time and no more."""

from __future__ import annotations

import os
import time

DAY_S = 86_400


def is_due(db: str) -> bool:
    """Whether the last pass was a day ago; from now on it counts as begun."""
    stamp = f"{db}.pruned"
    try:
        if time.time() - os.stat(stamp).st_mtime < DAY_S:
            return False
        os.utime(stamp)
    except FileNotFoundError:
        return _begin(stamp)
    except OSError:
        return False
    return True


def _begin(stamp: str) -> bool:
    """Make the stamp; only one process does."""
    try:
        os.close(os.open(stamp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError:
        return False
    return True
