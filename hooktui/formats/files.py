"""Read untrusted files: bounded, without blocking, and with a diagnostic code for every failure."""

from __future__ import annotations

import codecs
import errno
import os
import stat
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from hooktui.formats.asked_once import ask

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Contents = Mapping[str, bytes | None]  # by path, the content to read in place of the file's; None for no file

# A device or FIFO that slips in between `stat` and `open` must not block the reader.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
KIB = 1024
_HEAD = 64 * KIB
_in_place: ContextVar[Contents] = ContextVar("in_place", default={})  # noqa: B039  # nobody writes to it
_NOWHERE = (errno.ENOENT, errno.ELOOP, errno.ENOTDIR)


class UnreadableFileError(Exception):
    """A file that cannot be read completely. `code` is a diagnostic code, the text says why.

    `head` is the start of the file with invalid bytes replaced; `at` is the offset of the cause in it.
    """

    def __init__(self, code: str, why: str, head: str = "", at: int = 0) -> None:
        super().__init__(why)
        self.code = code
        self.head = head
        self.at = at


@contextmanager
def in_place(contents: Contents) -> Iterator[None]:
    """Read these contents in place of the files' own, such as unsaved text or the result of a fix."""
    before = _in_place.set(contents)
    try:
        yield
    finally:
        _in_place.reset(before)


def exists(path: str) -> bool:
    """Whether there is a file or a link at a path, be it only `in_place`."""
    held = _in_place.get()
    return held[path] is not None if path in held else os.path.lexists(path)


def status(path: str) -> os.stat_result:
    """Stat a path, following links. Cached inside `asked_once`. Raises OSError."""
    return ask(os.stat, path)


def real(path: str) -> str:
    """A path with links resolved, as by `os.path.realpath`. Each directory is resolved once inside `asked_once`."""
    return ask(_real, path)


def _real(path: str) -> str:
    directory, name = os.path.split(path)
    if name in ("", os.curdir, os.pardir) or os.path.islink(path):
        return os.path.realpath(path)
    return os.path.join(real(directory), name)


def names(directory: str) -> list[str]:
    """The names in a directory, including files that exist only `in_place`. Raises OSError."""
    contents = _in_place.get()
    held = {os.path.basename(path): contents[path] for path in contents if os.path.dirname(path) == directory}
    try:
        listed = dict.fromkeys(ask(os.listdir, directory))
    except FileNotFoundError:
        if not held:
            raise
        listed = {}
    for name, text in held.items():
        if text is None:
            listed.pop(name, None)
        else:
            listed[name] = None
    return list(listed)


def read_bytes(path: str, limit: int) -> tuple[bytes, int]:
    """Read at most `limit` bytes of a regular file; return them and the file's size.

    Raises UnreadableFileError (broken-link, unreadable-file).
    """
    typed = _in_place.get().get(path)
    if typed is not None:
        return typed[:limit], len(typed)
    data, size = ask(_read_from_disk, path, _HEAD)
    return (data[:limit], size) if limit <= len(data) or len(data) == size else _read_from_disk(path, limit)


def _read_from_disk(path: str, limit: int) -> tuple[bytes, int]:
    try:
        # Asked before opening: the mere open of a device can have effects.
        _require_regular(status(path))
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        opened = os.fstat(descriptor)
        _require_regular(opened)
        return _read(descriptor, limit, opened.st_size), opened.st_size
    except OSError as error:
        raise unreadable(path, error) from error
    finally:
        os.close(descriptor)


def _read(descriptor: int, limit: int, size: int) -> bytes:
    """Read to the end or the limit. A file object would cost as much as opening the file."""
    data = os.read(descriptor, min(limit, size + 1))
    if len(data) == size > 0:
        return data
    while len(data) < limit and (more := os.read(descriptor, limit - len(data))):
        data += more
    return data


def read_text(path: str, limit: int, *, keep_bom: bool = False) -> str:
    """Read a UTF-8 file of at most `limit` bytes, without its byte order mark unless `keep_bom`.

    Raises UnreadableFileError (broken-link, unreadable-file, too-large).
    """
    data, size = read_bytes(path, limit + 1)
    if len(data) > limit:
        why = f"the file is too large: {max(size, len(data)):,} bytes, limit {limit // KIB} KiB"
        raise UnreadableFileError("too-large", why, _lenient(data[:_HEAD]))
    try:
        return (data if keep_bom else data.removeprefix(codecs.BOM_UTF8)).decode()
    except UnicodeDecodeError as error:
        wrong = error.object[error.start]
        at = len(error.object[: error.start].decode())
        raise UnreadableFileError("unreadable-file", f"not valid UTF-8: byte 0x{wrong:02X}", _lenient(data), at) from error


def unreadable(path: str, error: OSError) -> UnreadableFileError:
    """Translate an OSError."""
    if error.errno in _NOWHERE and os.path.islink(path):
        return UnreadableFileError("broken-link", f"broken link: {_target(path)}")
    return UnreadableFileError("unreadable-file", f"cannot be read: {error.strerror or error}")


def _require_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableFileError("unreadable-file", "not a regular file")


def _target(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return path


def _lenient(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace")
