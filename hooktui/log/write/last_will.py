"""The end of an async run whose supervisor was killed.

A supervisor leaves the entry that ends its run as interrupted in a file, whose lock it holds as long as it lives. Before the
spool is taken in, the entries whose lock is free are added to it.
"""

from __future__ import annotations

import fcntl
import os

from hooktui.log.write import spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.log.write.entry import EndEntry

_DRAFT = ".draft"


class LastWill:
    """The file of one supervisor, which holds its lock until this object is revoked or the process ends."""

    def __init__(self, db: str, entry: EndEntry) -> None:
        """Raises OSError."""
        self._path = os.path.join(directory(db), str(entry.run.id))
        os.makedirs(directory(db), 0o700, exist_ok=True)
        draft = self._path + _DRAFT
        self._fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        os.write(self._fd, spool.to_json(entry).encode())
        os.rename(draft, self._path)

    def revoke(self) -> None:
        """Remove the file: the run has ended and its end is recorded."""
        os.unlink(self._path)
        os.close(self._fd)


def directory(db: str) -> str:
    """The directory of the files for a log."""
    return db + ".async"


def exist(db: str) -> bool:
    """Whether an async hook runs, or its supervisor was killed."""
    return any(_files(db))


def execute_all(db: str) -> None:
    """Add the entries of killed supervisors to the spool. Raises OSError."""
    for path in _files(db):
        with open(path, "rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:  # the hook is running
                continue
            entry = spool.entry_of(file.read())
            if entry is not None:
                spool.append(db, entry)
            os.unlink(path)


def _files(db: str) -> Iterator[str]:
    try:
        names = os.listdir(directory(db))
    except OSError:
        return
    yield from (os.path.join(directory(db), name) for name in sorted(names) if not name.endswith(_DRAFT))
