"""Write a file at once or not at all: through a draft beside it and a rename."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from hooktui.core import ids, paths

DRAFT_PREFIX = ".hooktui-"  # of a draft's name; the ID of the writing process follows
_NEW_FILE_MODE = 0o644


def replace(path: str, content: bytes | None, mode: int | None = None, made: tuple[str, ...] = ()) -> None:
    """Write a file and its directories, or delete it (None) and those in `made`, the outermost first, that are empty."""
    if content is not None:
        paths.make_directories(os.path.dirname(path), paths.SHARED)
        write(os.path.realpath(path), content, mode)
        return
    with suppress(FileNotFoundError):
        os.unlink(path)
    remove_empty(made)


def remove_empty(directories: tuple[str, ...]) -> None:
    """Delete nested directories, the outermost first, as far as they are empty."""
    for directory in reversed(directories):
        with suppress(OSError):  # it holds other files
            os.rmdir(directory)


def write(target: str, content: bytes, mode: int | None = None) -> None:
    """Write bytes to a path; `mode` None keeps the file's own. Raises OSError, with the path."""
    if os.path.exists(target) and not os.access(target, os.W_OK):  # the rename would succeed anyway
        os.close(os.open(target, os.O_WRONLY))  # raises the reason
    draft = os.path.join(os.path.dirname(target), f"{DRAFT_PREFIX}{os.getpid()}-{ids.text(ids.new())}")
    fd = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with open(fd, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(fd)
            _copy_owner_and_mode(target, fd, mode)
        os.replace(draft, target)
    except OSError as error:
        os.unlink(draft)
        error.filename = error.filename or target
        raise


def mode_of(path: str) -> int:
    """The permission bits of a file, the usual ones for a file that does not exist."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return _NEW_FILE_MODE


def remove_stale_drafts(directory: str) -> None:
    """Remove the drafts of processes that have ended, for example killed during a save."""
    with suppress(OSError):
        for name in os.listdir(directory):
            writer = name.removeprefix(DRAFT_PREFIX).partition("-")[0]
            if name.startswith(DRAFT_PREFIX) and writer.isdigit() and not _is_alive(int(writer)):
                os.unlink(os.path.join(directory, name))


def error_message(error: Exception) -> str:
    """Why a file was not written, for a person: without error numbers and the names of drafts."""
    if not isinstance(error, OSError):
        return str(error)
    if not isinstance(error.filename, str):
        return f"{error.strerror or error}."
    directory, name = os.path.split(error.filename)
    return f"{paths.short(directory if name.startswith(DRAFT_PREFIX) else error.filename)}: {error.strerror}."


def _copy_owner_and_mode(target: str, fd: int, mode: int | None) -> None:
    """Give a draft the owner, where permitted, and the mode of the file that it replaces."""
    with suppress(FileNotFoundError):
        old, new = os.stat(target), os.fstat(fd)
        if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
            with suppress(PermissionError):
                os.fchown(fd, old.st_uid, old.st_gid)
    os.fchmod(fd, mode_of(target) if mode is None else mode)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
