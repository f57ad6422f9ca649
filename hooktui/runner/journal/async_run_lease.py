"""The end of an async run whose supervisor was killed.

A supervisor leaves the entry that ends its run as interrupted in a locked file. Before the spool is taken in, the entries whose
lock is free are added to it.
"""

from __future__ import annotations

import os

from hooktui.runner.journal import locked_file, spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooktui.runner.journal.entry import EndEntry


class AsyncRunLease:
    """The file of one supervisor, which holds its lock until this object is revoked or the process ends."""

    def __init__(self, db: str, entry: EndEntry) -> None:
        """Raises OSError."""
        path = os.path.join(directory(db), str(entry.run.id))
        self._file = locked_file.LockedFile(path, spool.to_json(entry).encode())

    def revoke(self) -> None:
        """Remove the file: the run has ended and its end is recorded."""
        self._file.remove()


def directory(db: str) -> str:
    """The directory of the files for a log."""
    return db + ".async"


def exist(db: str) -> bool:
    """Whether an async hook runs, or its supervisor was killed."""
    return any(locked_file.paths_in(directory(db)))


def execute_all(db: str) -> None:
    """Add the entries of killed supervisors to the spool. Raises OSError."""
    for path in locked_file.paths_in(directory(db)):
        with open(path, "rb") as file:
            if not locked_file.is_abandoned(file):  # the hook is running
                continue
            entry = spool.entry_of(file.read())
            if entry is not None:
                spool.append(db, entry)
            os.unlink(path)
