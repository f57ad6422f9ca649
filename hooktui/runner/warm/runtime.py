"""Where the warm runner listens, and whether it does. Small, because a cold event asks it too."""

from __future__ import annotations

import fcntl
import os
import stat
import sys

from hooktui.core import background, paths

SOCKET = "warm.socket"
IDLE_S = 30 * 60.0  # without events, until the warm runner leaves
_LOCK = "warm.lock"
_TRIED = "warm.tried"
_RETRY_S = 60.0  # between two starts on first use
_PATIENCE_S = 1  # until a server has room for a connection


class InsecureDirectoryError(OSError):
    """The runtime directory is not a directory that only its owner, this user, can use."""


def directory() -> str:
    """The runtime directory, created if it is missing. Raises OSError, as InsecureDirectoryError if others could use it."""
    base = os.environ.get("XDG_RUNTIME_DIR", "")
    if not os.path.isabs(base):
        try:
            return paths.temporary_dir()
        except FileExistsError as error:
            raise InsecureDirectoryError(f"{error.filename} must be a directory of yours with mode 0700") from error
    path = os.path.join(base, "hooktui")
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        status = os.lstat(path)
        if status.st_uid != os.geteuid() or not stat.S_ISDIR(status.st_mode) or status.st_mode & 0o077:
            raise InsecureDirectoryError(f"{path} must be a directory of yours with mode 0700") from None
    return path


def lock() -> int | None:
    """Take the lock that the warm runner holds as long as it lives; None if one has it. Raises OSError.

    The lock belongs to the process: a process that it forks for an event does not hold it.
    """
    fd = os.open(os.path.join(directory(), _LOCK), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        return None
    return fd


def is_running() -> bool:
    """Whether a warm runner lives. Raises OSError."""
    fd = lock()
    if fd is not None:
        os.close(fd)
    return fd is None


def start(idle_s: float = IDLE_S) -> None:
    """Start the command that compiles the client and starts a warm runner; nobody waits for it."""
    background.start(sys.executable, "-I", "-m", "hooktui", "warm", "start", "--idle", str(idle_s / 60))


def start_server(idle_s: float) -> None:
    """Start the process that listens, in UTF-8 whatever the locale of its caller."""
    background.start(sys.executable, "-I", "-X", "utf8", "-m", "hooktui.cli.resident", str(idle_s))


def start_on_first_use() -> None:
    """Start a warm runner unless one lives or has just been tried; an event never fails because of it."""
    from hooktui.runner import upkeep

    try:
        if not is_running() and upkeep.is_due(os.path.join(directory(), _TRIED), _RETRY_S):
            start()
    except OSError:
        return


def listener() -> int | None:
    """The process that listens; None if there is none. Raises OSError, as InsecureDirectoryError if others could answer."""
    import socket
    import struct

    place = os.open(directory(), os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", _PATIENCE_S, 0))
            connection.connect(f"/proc/self/fd/{place}/{SOCKET}")  # short, however long the path is
            peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    except (FileNotFoundError, ConnectionRefusedError):
        return None
    except BlockingIOError as error:  # its queue is full
        raise OSError("the warm runner accepts no connections: it may be stopped") from error
    finally:
        os.close(place)
    return int.from_bytes(peer[:4], sys.byteorder)
