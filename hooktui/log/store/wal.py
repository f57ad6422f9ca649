"""Keep the WAL of the log small, without waiting and without a checkpoint at each commit."""

from __future__ import annotations

import _sqlite3 as sqlite3
import os

LIMIT = 512 * 1024  # bytes


def keep_small(connection: sqlite3.Connection, db: str) -> None:
    """Empty a WAL that has grown, if that is possible at once."""
    import _sqlite3 as sqlite3

    try:
        if os.stat(db + "-wal").st_size > LIMIT:
            (patience_ms,) = connection.execute("PRAGMA busy_timeout").fetchone()
            connection.execute("PRAGMA busy_timeout = 0")  # never wait: the next commit tries again
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute(f"PRAGMA busy_timeout = {patience_ms}")
    except (OSError, sqlite3.Error):
        return
