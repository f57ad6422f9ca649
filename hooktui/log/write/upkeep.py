"""Schedule pruning once a day; it runs after an event, so it only reads the time of one file."""

from __future__ import annotations

import os
import time

DAY_S = 86_400


def is_due(db: str) -> bool:
    """Whether the last pass began a day ago; if so, the next has now begun."""
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
    """Create the stamp; only one process succeeds."""
    try:
        os.close(os.open(stamp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError:
        return False
    return True
