"""Reading files that strangers may have put there: bounded, never blocking, and every refusal has a code."""

from __future__ import annotations

import os
import stat

# A device or FIFO that slips in between `stat` and `open` must not block the reader.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
KIB = 1024


class Unreadable(Exception):
    """A file that cannot be read whole: `code` is a diagnostic's, the text says why, `head` is what could be read."""

    def __init__(self, code: str, why: str, head: str = "") -> None:
        super().__init__(why)
        self.code = code
        self.head = head


def read_bytes(path: str, limit: int) -> tuple[bytes, int]:
    """At most `limit` bytes of a regular file, and its whole size.

    Raises Unreadable (broken-link, unreadable-file).
    """
    try:
        # Asked before opening: the mere open of a device can have effects.
        _require_regular(os.stat(path))
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        raise unreadable(path, error) from error
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        _require_regular(status)
        try:
            return file.read(limit), status.st_size
        except OSError as error:
            raise unreadable(path, error) from error


def read_text(path: str, limit: int) -> str:
    """A UTF-8 file of at most `limit` bytes, a byte order mark left out.

    Raises Unreadable (broken-link, unreadable-file, too-large).
    """
    data, size = read_bytes(path, limit + 1)
    if len(data) > limit:
        why = f"the file has {max(size, len(data)):,} bytes, more than the {limit // KIB} KiB that are read"
        raise Unreadable("too-large", why, _lenient(data))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable("unreadable-file", f"not UTF-8: a wrong byte in line {line}", _lenient(data)) from error


def unreadable(path: str, error: OSError) -> Unreadable:
    """What an operating system's refusal means."""
    if os.path.islink(path) and not os.path.exists(path):
        return Unreadable("broken-link", f"the link leads nowhere: {_target(path)}")
    return Unreadable("unreadable-file", f"cannot be read: {error.strerror or error}")


def _require_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise Unreadable("unreadable-file", "not a regular file")


def _target(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return path


def _lenient(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace")
