"""The spool: where entries wait when the log cannot take them (contract.md, "The log").

JSON lines beside the log, 0600. Whoever writes or takes holds an exclusive lock, so no line is lost between reading and
emptying; ids make taking in twice harmless.
"""

from __future__ import annotations

import fcntl
import os

from hooktui.core import fast_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def path_of(db: str) -> str:
    """The spool that belongs to a log."""
    return db + ".spool"


def append(db: str, entry: dict[str, Any]) -> None:
    """Add one entry. Raises OSError when that fails too."""
    # A newline in front: what a full disk cut off spoils only itself.
    line = ("\n" + fast_json.dumps(entry) + "\n").encode()
    fd = os.open(path_of(db), os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o600)  # a FIFO must not block
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        before = os.fstat(fd).st_size
        if os.write(fd, line) < len(line):
            os.ftruncate(fd, before)
            raise OSError(28, "no space left for the spool", path_of(db))
    finally:
        os.close(fd)


def is_empty(db: str) -> bool:
    """Whether nothing waits."""
    try:
        return os.stat(path_of(db)).st_size == 0
    except OSError:
        return True


def entries(db: str) -> list[dict[str, Any]]:
    """What waits, oldest first; lines that are no entry are passed over."""
    if is_empty(db):  # as a FIFO always is
        return []
    try:
        with open(path_of(db), "rb") as file:
            return _parse(file.read())
    except OSError:
        return []


def take(db: str, store: Callable[[list[dict[str, Any]]], None]) -> int:
    """Hand all that waits to `store`, then empty the spool; how many there were.

    Nothing happens when somebody else is at it. What `store` raises is raised, and everything goes on waiting.
    """
    if is_empty(db):
        return 0
    fd = os.open(path_of(db), os.O_RDWR)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with open(fd, "rb", closefd=False) as file:
            waiting = _parse(file.read())
        store(waiting)
        os.ftruncate(fd, 0)
        return len(waiting)
    except BlockingIOError:
        return 0
    finally:
        os.close(fd)


def _parse(content: bytes) -> list[dict[str, Any]]:
    parsed = (_entry(line) for line in content.splitlines() if line.strip())
    return [entry for entry in parsed if entry is not None]


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = fast_json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) and _PARTS.get(str(entry.get("kind")), {""}) <= entry.keys() else None


_PARTS = {"dispatch": {"session", "dispatch", "payload", "effects", "runs"}, "end": {"run"}}
