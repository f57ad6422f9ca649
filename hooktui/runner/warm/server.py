"""The warm runner: accept clients, and let a process handle the event of each.

The process of an event takes over the surroundings of its client and handles the event as the cold runner does. Then it waits
for a client with equal surroundings; any other gets a new process, forked from one that has imported everything. So nothing of
one event reaches another that a new process would not get. How processes talk to the client is in warm/client.c.
"""

from __future__ import annotations

import _signal as signal
import fcntl
import gc
import os
import resource
import select
import socket
import struct
import sys
import time
from contextlib import suppress

from hooktui.core import paths
from hooktui.core.bundle_finder import stamp
from hooktui.runner import interruption
from hooktui.runner.warm import runtime
from hooktui.runner.warm.caller import (
    ClientProcess,
    UnsuitableCallerError,
    close_streams,
    confinement,
    open_streams,
    read_status,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Handler = Callable[[list[str]], int]

_READY, _BEGUN = b"?", b"+"
_FREE, _EVENT = b"f", "e"  # between processes; arguments follow an event
_MOST_PROCESSES = 64  # further clients become cold runners
_MOST_FREE = 8  # processes that wait for another event
_MOST_EVENTS = 200  # of one process, whose memory is not collected
_WAIT_S = 60.0  # of a process for another event
_BACKLOG = 64
_EXHAUSTED_S = 0.05  # until the next try
_PATIENCE_S = 1.0  # until a client has passed its streams
_CREDENTIALS = struct.Struct("3i")
_MESSAGE_BYTES = 1 << 20


class AlreadyRunningError(Exception):
    """Another warm runner of this user listens."""


def serve(handle: Handler, idle_s: float) -> None:
    """Serve until nothing has come for so long, until SIGTERM, or until an update, which replaces this process.

    `handle` gets the arguments of `run` and returns the exit code; it is called in processes of their own. Raises
    AlreadyRunningError or OSError.
    """
    lock = runtime.lock()
    if lock is None:
        raise AlreadyRunningError
    is_stale = _Server(handle).run(idle_s)
    os.close(lock)
    if is_stale:
        runtime.start(idle_s)


class _Server:
    """The process that accepts clients. `_surroundings`: those of each process, by the socket to it; `_free`: that wait."""

    def __init__(self, handle: Handler) -> None:
        self._handle = handle
        self._path = os.path.join(runtime.directory(), runtime.SOCKET)
        self._sources = _sources()
        self._confinement = confinement("self", read_status("self"))
        self._surroundings: dict[socket.socket, tuple[object, ...]] = {}
        self._free: list[socket.socket] = []
        self._wakeup = os.pipe()
        _handle_signals(self._wakeup[1])
        self._listener = _listening(self._path)

    def run(self, idle_s: float) -> bool:
        """Serve until the end. Returns whether the code has changed meanwhile."""
        gc.collect()
        gc.freeze()  # a collection would copy the memory that processes share
        gc.disable()
        try:
            while True:
                ready = self._poll(idle_s)
                if self._wakeup[0] in ready and signal.SIGTERM in os.read(self._wakeup[0], 4096):
                    return False
                with suppress(ChildProcessError):
                    while os.waitpid(-1, os.WNOHANG)[0]:
                        continue
                for process in [process for process in self._surroundings if process.fileno() in ready]:
                    self._read_news(process)
                if self._listener.fileno() in ready and not self._accept():
                    return True
                if not ready and len(self._free) == len(self._surroundings):
                    return False
        finally:
            self._listener.close()
            with suppress(OSError):
                os.unlink(self._path)

    def _poll(self, idle_s: float) -> dict[int, int]:
        poll = select.poll()
        for fd in (self._listener.fileno(), self._wakeup[0], *(process.fileno() for process in self._surroundings)):
            poll.register(fd, select.POLLIN)
        return dict(poll.poll(idle_s * 1000))

    def _read_news(self, process: socket.socket) -> None:
        """A process waits for another event, or has ended."""
        try:
            has_ended = process.recv(1) != _FREE
        except OSError:
            has_ended = True
        if has_ended or len(self._free) >= _MOST_FREE:
            self._drop(process)
        else:
            self._free.append(process)

    def _drop(self, process: socket.socket) -> None:
        """Let a process end when it has no event."""
        del self._surroundings[process]
        if process in self._free:
            self._free.remove(process)
        process.close()

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
            with suppress(UnsuitableCallerError, OSError, LookupError, ValueError):
                self._begin(connection)
        return True

    def _begin(self, connection: socket.socket) -> None:
        """Pass a client to a process.

        Raises UnsuitableCallerError, OSError, LookupError or ValueError; it becomes a cold runner then.
        """
        pid, uid, _ = _CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
        if uid != os.geteuid():
            raise UnsuitableCallerError("another user")
        caller = ClientProcess(pid)
        if caller.confinement != self._confinement or caller.may_be_sandboxed:
            raise UnsuitableCallerError("another sandbox")
        for process in self._free:
            if self._surroundings[process] == caller.surroundings:
                self._free.remove(process)
                message = "\0".join((_EVENT, *caller.arguments)).encode(errors="surrogateescape")
                socket.send_fds(process, [message], [connection.fileno()])
                return
        if len(self._surroundings) < _MOST_PROCESSES:
            self._fork(connection, caller)

    def _fork(self, connection: socket.socket, caller: ClientProcess) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                child = os.fork()
            except OSError:
                ours.close()
                raise
            if not child:
                try:
                    self._release(ours)
                    _EventProcess(theirs, caller, self._handle).run(connection)
                finally:
                    os._exit(0)
        ours.setblocking(False)
        self._surroundings[ours] = caller.surroundings

    def _release(self, ours: socket.socket) -> None:
        """In a forked process: close what belongs to the server."""
        signal.set_wakeup_fd(-1)
        for process in (self._listener, ours, *self._surroundings):
            process.close()
        for fd in self._wakeup:
            os.close(fd)


class _EventProcess:
    """A process that handles events of callers with equal surroundings, one after another."""

    def __init__(self, server: socket.socket, caller: ClientProcess, handle: Handler) -> None:
        self._server, self._caller, self._handle = server, caller, handle
        self._left = _MOST_EVENTS

    def run(self, connection: socket.socket) -> None:
        """Handle the event of a client, then of others. One that is not told that it begins becomes a cold runner."""
        with suppress(UnsuitableCallerError, OSError, LookupError, ValueError):
            errors = self._caller.become()
            arguments = self._caller.arguments
            while self._serve(connection, arguments, errors):
                connection, arguments = self._next()

    def _serve(self, connection: socket.socket, arguments: list[str], errors: str) -> bool:
        """Handle an event. Returns whether this process waits for another. Raises UnsuitableCallerError or OSError."""
        modules = len(sys.modules)
        with connection:
            connection.settimeout(_PATIENCE_S)
            connection.send(_READY)
            _, streams, _, _ = socket.recv_fds(connection, 1, 3)
            connection.settimeout(None)
            open_streams(streams, errors)
            _end_with(connection)
            connection.send(_BEGUN)
            code = self._handle(arguments)
            close_streams()
            fcntl.fcntl(connection, fcntl.F_SETFL, fcntl.fcntl(connection, fcntl.F_GETFL) & ~os.O_ASYNC)
            self._left -= 1
            is_free = bool(self._left) and len(sys.modules) == modules and self._is_as_new() and self._has_server()
            connection.send(bytes([code]))
        return is_free

    def _has_server(self) -> bool:
        """Tell the server that this process is free, before the client sends its next event. Returns whether it lives."""
        try:
            return bool(self._server.send(_FREE))
        except OSError:
            return False

    def _is_as_new(self) -> bool:
        """Restore what events change. Returns whether that is possible."""
        interruption.restore_signals()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:  # what was started in the background
                continue
        is_limited = resource.getrlimit(resource.RLIMIT_CPU)[0] != resource.RLIM_INFINITY
        return not (is_limited or interruption.was_interrupted())

    def _next(self) -> tuple[socket.socket, list[str]]:
        """Wait for another client; its connection and arguments. Raises OSError when the server has ended or none comes."""
        self._server.settimeout(_WAIT_S)
        message, fds, _, _ = socket.recv_fds(self._server, _MESSAGE_BYTES, 1)
        if not fds:
            raise ConnectionResetError
        os.set_inheritable(fds[0], False)  # a hook could forge the exit code
        return socket.socket(fileno=fds[0]), message.decode(errors="surrogateescape").split("\0")[1:]


def _listening(path: str) -> socket.socket:
    """The socket of the holder of the lock: an old one has no owner."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    directory = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        listener.bind(f"/proc/self/fd/{directory}/{runtime.SOCKET}")  # short, however long the path is
        listener.listen(_BACKLOG)
    finally:
        os.close(directory)
    listener.setblocking(False)
    return listener


def _sources() -> dict[str, tuple[int, int] | None]:
    """The stamps of our modules, Python, the launcher and the configuration: a change of any ends this process."""
    modules = (module.__file__ for name, module in sys.modules.items() if name.partition(".")[0] == "hooktui")
    others = (sys.executable, paths.launcher(), paths.config_file())
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
    """Let the kernel send SIGTERM to this process when the client forwards a signal or ends.

    A caller that ignores SIGTERM has the hooks killed with this process. Raises UnsuitableCallerError if the client has ended.
    """
    ignores = signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    fcntl.fcntl(connection, fcntl.F_SETSIG, signal.SIGKILL if ignores else signal.SIGTERM)
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(connection, fcntl.F_SETFL, fcntl.fcntl(connection, fcntl.F_GETFL) | os.O_ASYNC)
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    if poll.poll(0):
        raise UnsuitableCallerError("the client has ended")
