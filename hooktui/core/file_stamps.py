"""Stamps of files, which change whenever a file does."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

RACY_NS = 20_000_000  # resolution of a file system's clock


def may_change(known: tuple[int, ...] | None, begun_ns: int) -> bool:
    """Whether a file may differ from what was read and still have this stamp, because it changed after reading began
    (nanoseconds since 1970) or shortly before."""
    return known is not None and begun_ns - max(known[:2]) < RACY_NS


def stamp(path: str) -> tuple[int, ...] | None:
    """The times, size, inode and mode of a file, or of a broken link; None if the path does not exist.

    The ctime changes even when a program sets the mtime back.
    """
    for read_status in (os.stat, os.lstat):
        try:
            status = read_status(path)
        except (OSError, ValueError):
            continue
        return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_mode)
    return None


def changed_since(watched: Iterable[str], begun_ns: int) -> bool:
    """Whether a file or directory has changed since a time (nanoseconds since 1970); its directory shows a removal.

    Compares the ctime, which no program can set. Also true for a change shortly before that time.
    """
    return any(known[1] > begun_ns - RACY_NS for known in map(stamp, watched) if known)
