"""Stamps of files: what changes when a file does, and whether a change could leave no trace."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

RACY_NS = 20_000_000  # the clock of a file system may stand still for this long


def may_change(known: tuple[int, ...] | None, begun_ns: int) -> bool:
    """Whether a file could be another than was read, and have this stamp all the same: it changed after reading began
    (nanoseconds since 1970), or shortly before."""
    return known is not None and begun_ns - max(known[:2]) < RACY_NS


def stamp(path: str) -> tuple[int, ...] | None:
    """What changes when a file does: its ctime even when somebody sets the mtime back; of a link that leads nowhere its own.

    None where there is nothing.
    """
    for look in (os.stat, os.lstat):
        try:
            status = look(path)
        except (OSError, ValueError):
            continue
        return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_mode)
    return None


def changed_since(watched: Iterable[str], begun_ns: int) -> bool:
    """Whether a file or directory has changed since then (nanoseconds since 1970), one that is gone by its directory.

    By the ctime, which nobody can set into the future; what changed shortly before may be told, too.
    """
    return any(known[1] > begun_ns - RACY_NS for known in map(stamp, watched) if known)
