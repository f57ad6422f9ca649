"""Copy the bytes of files: the file system shares their blocks until one is written, where it can."""

from __future__ import annotations

import fcntl
import shutil
from typing import Final

_CLONE: Final = 0x40049409  # Linux's FICLONE


class FileCopier:
    """Copies files from one file system to another; remembers whether those share blocks."""

    def __init__(self) -> None:
        self._clones = True

    def copy(self, source: str, path: str) -> None:
        """Copy a file's bytes to a new file. Raises OSError."""
        if self._clones:
            with open(source, "rb") as read, open(path, "wb") as written:
                try:
                    fcntl.ioctl(written.fileno(), _CLONE, read.fileno())
                except OSError:
                    self._clones = False
        if not self._clones:
            shutil.copyfile(source, path, follow_symlinks=False)
