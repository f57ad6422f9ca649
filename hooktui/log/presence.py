"""Whether there is a log to read, asked without the modules that read it."""

from __future__ import annotations

import os

from hooktui.runner.journal import async_run_lease, observations, spool


def exists(db: str) -> bool:
    """Whether there is a log, or anything that is to be taken in."""
    return os.path.exists(db) or is_waiting(db)


def is_waiting(db: str) -> bool:
    """Whether anything may have to be taken in."""
    return async_run_lease.exist(db) or observations.exist(db) or not spool.is_empty(db)
