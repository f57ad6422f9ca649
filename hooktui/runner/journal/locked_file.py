"""Files that outlive their process: it holds the lock as long as it lives, so a free lock tells that it was killed."""

from __future__ import annotations

import fcntl
import os

from hooktui.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader

_DRAFT = ".draft"


class LockedFile:
    """A file with the lock of this process and of those that it forks."""

    def __init__(self, path: str, content: bytes) -> None:
        """Write the file, whole or not at all. Raises OSError."""
        self._path = path
        paths.make_directories(os.path.dirname(path))
        draft = path + _DRAFT
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(fd, fcntl.LOCK_EX)
        with open(os.dup(fd), "wb") as file:
            file.write(content)
        os.rename(draft, path)
        self._fd = fd

    def remove(self) -> None:
        """Remove the file and release its lock. Raises OSError."""
        os.unlink(self._path)
        self.release()

    def release(self) -> None:
        """Release the lock of a file that was removed or replaced."""
        os.close(self._fd)


def paths_in(directory: str) -> Iterator[str]:
    """The files in a directory, by name."""
    try:
        names = os.listdir(directory)
    except OSError:
        return
    yield from (os.path.join(directory, name) for name in sorted(names) if not name.endswith(_DRAFT))


def is_abandoned(file: BufferedReader) -> bool:
    """Whether the process that wrote an open file was killed; the lock is then ours."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
