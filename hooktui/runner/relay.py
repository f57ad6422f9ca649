"""Run one command as if nobody stood between it and its host: the same bytes, exit code and timing, and a copy kept.

No session or group of its own: a host that ends its hook by group ends this one too, and a signal to us is handed on.
"""

from __future__ import annotations

import _signal as signal
import os
import select
import time

from hooktui.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK = 65536
_KEPT = 10 * 1024 * 1024  # bytes of each stream that are kept for the record
_HANDED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_POLL_WITHOUT_PIDFD_MS = 5


class Relayed(Record):
    """What passed through, and how the command ended: a wait status as `os.waitpid` gives it."""

    status: int
    stdin: bytes
    stdout: bytes
    stderr: bytes
    duration_ms: float


class NotStarted(Exception):
    """The command could not be executed; the message says why."""


def relay(argv: tuple[str, ...], then: Callable[[Relayed], None]) -> int:
    """Run a command between our own streams; its exit code. A command that a signal ended ends us by the same signal.

    `then` is called with the copy in a process of its own, after which nobody waits. Raises NotStarted.
    """
    copy = _Relay(argv)
    status = copy.run()
    if os.fork() == 0:
        try:
            copy.run_out()
            _let_go()
            then(copy.result(status))
        finally:
            os._exit(0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


class _Relay:
    """The pipes between the host and its command."""

    def __init__(self, argv: tuple[str, ...]) -> None:
        self.started = time.monotonic()
        theirs_in, self._to_command = os.pipe()
        self._from_stdout, theirs_out = os.pipe()
        self._from_stderr, theirs_err = os.pipe()
        self._failure, theirs_failure = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            _become(argv, (theirs_in, theirs_out, theirs_err), theirs_failure)
        for fd in (theirs_in, theirs_out, theirs_err, theirs_failure):
            os.close(fd)
        # Where each stream that is still open goes, and the copy of what went there.
        self._routes = {0: self._to_command, self._from_stdout: 1, self._from_stderr: 2}
        self._kept = {fd: bytearray() for fd in self._routes}

    def run(self) -> int:
        """Relay until the command has exited and all it wrote has passed on; its wait status."""
        for number in _HANDED_ON:
            signal.signal(number, lambda number, _frame: os.kill(self._pid, number))
        exited = self._exit_fd()
        while True:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                break
            self._turn(exited, None if exited is not None else _POLL_WITHOUT_PIDFD_MS)
        self.duration_ms = (time.monotonic() - self.started) * 1000
        self._stop_reading_stdin()
        while self._turn(None, 0):
            pass
        failure = os.read(self._failure, _CHUNK)
        if failure:
            raise NotStarted(failure.decode(errors="replace"))
        return status

    def run_out(self) -> None:
        """Go on for what the command left behind, as long as that holds the pipes."""
        while self._routes:
            self._turn(None, None)

    def result(self, status: int) -> Relayed:
        """The copy."""
        stdin, stdout, stderr = (bytes(self._kept[fd]) for fd in (0, self._from_stdout, self._from_stderr))
        return Relayed(status=status, stdin=stdin, stdout=stdout, stderr=stderr, duration_ms=self.duration_ms)

    def _turn(self, exited: int | None, timeout_ms: int | None) -> bool:
        """Wait for one thing to happen and pass it on; False when nothing did."""
        poll = select.poll()
        for fd in (*self._routes, *([exited] if exited is not None else [])):
            poll.register(fd, select.POLLIN)
        ready = [fd for fd, _ in poll.poll(timeout_ms)]
        for fd in ready:
            if fd in self._routes:
                self._pass_on(fd)
        return bool(ready)

    def _pass_on(self, fd: int) -> None:
        chunk = os.read(fd, _CHUNK)
        kept = self._kept[fd]
        kept += chunk[: _KEPT - len(kept)]
        if not chunk or not _write_all(self._routes[fd], chunk):
            self._end_of(fd)

    def _end_of(self, fd: int) -> None:
        target = self._routes.pop(fd)
        os.close(target if fd == 0 else fd)

    def _stop_reading_stdin(self) -> None:
        if 0 in self._routes:
            self._end_of(0)

    def _exit_fd(self) -> int | None:
        try:
            return os.pidfd_open(self._pid)
        except (AttributeError, OSError):
            return None


def _write_all(fd: int, chunk: bytes) -> bool:
    """False when nobody reads any more."""
    rest = memoryview(chunk)
    try:
        while rest:
            rest = rest[os.write(fd, rest) :]
    except BrokenPipeError:
        return False
    return True


def _let_go() -> None:
    """Whoever waits for our streams to end must not wait for the record."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.setsid()


def _become(argv: tuple[str, ...], pipes: tuple[int, int, int], failure: int) -> None:
    """In the forked child: turn into the command, or say through `failure` why not. Never returns."""
    try:
        for target, fd in enumerate(pipes):
            os.dup2(fd, target)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execvp(argv[0], argv)
    except OSError as error:
        os.write(failure, f"{error.strerror}: {argv[0]}".encode(errors="replace"))
    finally:
        os._exit(127)
