"""The warm runner: listen, and fork a process for each event from a process that has imported everything.

The process of an event takes over the surroundings of its client and handles the event as the cold runner does, so that no
event sees another. How it talks to the client is in warm/client.c.
"""

from __future__ import annotations

import _signal as signal
import fcntl
import gc
import os
import select
import socket
import struct
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from hooktui.core import own_commands, paths
from hooktui.core.bundle_finder import stamp
from hooktui.warm import runtime
from hooktui.warm.caller import Confinement, Unsuitable, become

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    Handler = Callable[[list[str]], int]

_READY, _BEGUN = b"?", b"+"
_MOST_EVENTS = 64  # at once; further clients become cold runners
_BACKLOG = 64
_EXHAUSTED_S = 0.05  # until the next try
_PATIENCE_S = 1.0  # until a client has passed its streams
_CREDENTIALS = struct.Struct("3i")


class AlreadyRunning(Exception):
    """Another warm runner of this user listens."""


def serve(handle: Handler, idle_s: float) -> None:
    """Serve until nothing has come for so long, until SIGTERM, or until an update, which replaces this process.

    `handle` gets the arguments of `run` and returns the exit code; it is called in a process of its own. Raises
    AlreadyRunning or OSError.
    """
    lock = runtime.lock()
    if lock is None:
        raise AlreadyRunning
    server = _Server(handle)
    is_stale = server.run(idle_s)
    os.close(lock)
    if is_stale:
        runtime.start(idle_s)


class _Server:
    """The listening process."""

    def __init__(self, handle: Handler) -> None:
        self._handle = handle
        self._path = os.path.join(runtime.directory(), runtime.SOCKET)
        self._sources = _sources()
        self._confinement = Confinement("self")
        self._children: set[int] = set()
        self._wakeup = os.pipe()
        _handle_signals(self._wakeup[1])
        self._listener = self._listening()

    def run(self, idle_s: float) -> bool:
        """Serve until the end. Returns whether the code has changed meanwhile."""
        gc.collect()
        gc.freeze()  # a collection would copy the memory that processes share
        gc.disable()
        poll = select.poll()
        for fd in (self._listener.fileno(), self._wakeup[0]):
            poll.register(fd, select.POLLIN)
        try:
            while True:
                ready = dict(poll.poll(idle_s * 1000))
                if self._wakeup[0] in ready and signal.SIGTERM in os.read(self._wakeup[0], 4096):
                    return False
                self._reap()
                if self._listener.fileno() in ready and not self._accept():
                    return True
                if not ready and not self._children:
                    return False
        finally:
            self._listener.close()
            with suppress(OSError):
                os.unlink(self._path)

    def _listening(self) -> socket.socket:
        """The socket. Only the holder of the lock gets here, so an old socket has no owner."""
        with suppress(FileNotFoundError):
            os.unlink(self._path)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        directory = os.open(os.path.dirname(self._path), os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            listener.bind(f"/proc/self/fd/{directory}/{runtime.SOCKET}")  # short, however long the path is
            listener.listen(_BACKLOG)
        finally:
            os.close(directory)
        listener.setblocking(False)
        return listener

    def _accept(self) -> bool:
        """Begin an event. Returns False, with nothing begun, if the code has changed."""
        try:
            connection, _ = self._listener.accept()
        except BlockingIOError:  # the client has gone
            return True
        except OSError:  # the system lacks descriptors; clients do not wait for ever
            time.sleep(_EXHAUSTED_S)
            return True
        with connection:
            if _sources() != self._sources:
                return False
            pid, uid, _ = _CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
            if uid != os.geteuid() or len(self._children) >= _MOST_EVENTS:
                return True
            with suppress(OSError):
                child = os.fork()
                if not child:
                    self._become_runner(connection, pid)
                self._children.add(child)
        return True

    def _become_runner(self, connection: socket.socket, client: int) -> NoReturn:
        """In the process of an event: handle it. Unless this says that it begins, the client becomes the cold runner."""
        try:
            signal.set_wakeup_fd(-1)
            self._listener.close()
            for fd in self._wakeup:
                os.close(fd)
            connection.settimeout(_PATIENCE_S)
            connection.send(_READY)
            _, streams, _, _ = socket.recv_fds(connection, 1, 3)
            connection.settimeout(None)
            arguments = become(client, streams, self._confinement)
            _end_with(connection)
            connection.send(_BEGUN)
            connection.send(bytes([self._handle(arguments)]))
        except (Unsuitable, OSError, LookupError, ValueError):
            pass
        finally:
            os._exit(0)

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            while child := os.waitpid(-1, os.WNOHANG)[0]:
                self._children.discard(child)


def _sources() -> dict[str, tuple[int, int] | None]:
    """The stamps of our modules, Python, the launcher and the configuration: a change of any ends this process."""
    modules = (module.__file__ for name, module in sys.modules.items() if name.partition(".")[0] == "hooktui")
    others = (sys.executable, own_commands.launcher(), paths.config_file())
    return {path: stamp(path) for path in (*modules, *others) if path}


def _handle_signals(wakeup: int) -> None:
    """Be woken by SIGTERM and the end of processes, whatever the caller ignores."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGPIPE, signal.SIGXFSZ}:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, lambda _number, _frame: None)


def _end_with(connection: socket.socket) -> None:
    """Let the kernel send SIGTERM to this process when the client forwards a signal or ends. Raises Unsuitable if it has.

    A caller that ignores SIGTERM has the hooks killed with this process.
    """
    ignores = signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    fcntl.fcntl(connection, fcntl.F_SETSIG, signal.SIGKILL if ignores else signal.SIGTERM)
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(connection, fcntl.F_SETFL, fcntl.fcntl(connection, fcntl.F_GETFL) | os.O_ASYNC)
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    if poll.poll(0):
        raise Unsuitable("the client has ended")
