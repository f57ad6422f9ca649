"""Relay one command of a host: the same bytes, exit code and timing, with a copy for the log.

The command stays in our session and process group, so that a host can kill it by group. Signals to us are forwarded. The start
is written while the command runs, the end before we answer: a start without an end tells that both were killed. No stream ever
waits for another.
"""

from __future__ import annotations

import _signal as signal
import errno
import os
import select
import time

from hooktui.core import fast_json, ids
from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn, Protocol

    class Recording(Protocol):
        """What is written about a command."""

        def prepare(self) -> None:
            """Import what writing needs, while the command runs."""

        def begin(self, number: int, stdin: bytes) -> None:
            """Write the start, once the event is read."""

        def keep(self, relayed: Relayed) -> None:
            """Write the end, before the host gets the answer."""

        def record(self, relayed: Relayed) -> None:
            """Record it, after that."""


KEPT = 10 * 1024 * 1024  # bytes kept of each stream
_CHUNK = 65536
_PIECE = 4096  # bytes that a writable pipe or socket takes without blocking
_PIPE = 65536  # bytes in a full pipe
_STDIN_S = 0.25  # wait for the rest of the event when the command no longer reads it
_FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
_NO_READER = select.POLLERR | select.POLLHUP | select.POLLNVAL
_POLL_WITHOUT_PIDFD_MS = 5
_CANNOT_RUN, _NOT_FOUND = 126, 127  # a shell's exit codes for a command that it cannot start


class Relayed(Record):
    """The streams of a relayed command and its wait status (`os.waitpid`), None if no end was written.

    `id` is the time-ordered ID of its start. `cut`: stdout was longer than KEPT.
    """

    id: int
    status: int | None
    stdin: bytes
    stdout: bytes = b""
    stderr: bytes = b""
    cut: bool = False
    duration_ms: float = 0.0


def relay(argv: tuple[str, ...], recording: Recording) -> int:
    """Run a command on our streams and return its exit code. If a signal ends it, the same signal ends this process.

    If the relay cannot start, the command runs alone.
    """
    try:
        running = _Relay(argv, recording)
    except OSError:  # no memory, descriptors or processes left
        return _execute(argv)
    code = os.waitstatus_to_exitcode(running.wait())
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


class _TerminatedError(Exception):
    """A signal came after the command's exit, while the host was still reading the output."""


class _Relay:
    def __init__(self, argv: tuple[str, ...], recording: Recording) -> None:
        self._id = ids.new()
        self._started = time.monotonic()
        self._exited = False
        self._has_begun = False
        self._pid = 0
        self._early: list[int] = []
        self._recording = recording
        theirs_in, to_command = os.pipe()
        from_stdout, theirs_out = os.pipe()
        from_stderr, theirs_err = os.pipe()
        for signum in _FORWARDED:
            if signal.getsignal(signum) != signal.SIG_IGN:
                signal.signal(signum, self._forward_signal)
        pid = os.fork()
        if pid == 0:
            _become(argv, (theirs_in, theirs_out, theirs_err))
        self._pid = pid
        for signum in self._early:
            self._forward_signal(signum, None)
        for fd in (theirs_in, theirs_out, theirs_err):
            os.close(fd)
        os.set_blocking(to_command, False)
        self._stdin = _Stream(0, to_command)
        self._stdout, self._stderr = self._outputs = _Stream(from_stdout, 1), _Stream(from_stderr, 2)
        self._exit_fd = _pidfd(self._pid)
        recording.prepare()

    def wait(self) -> int:
        """Relay until the command has exited, its output is forwarded and its end is written. Returns its wait status."""
        status = self._relayed()
        duration_ms = (time.monotonic() - self._started) * 1000
        self._stdin.read_rest()
        self._forward_rest(wait_for_host=os.WIFEXITED(status))
        out, err = self._stdout, self._stderr
        relayed = Relayed(
            id=self._id,
            status=status,
            stdin=self._stdin.copy,
            stdout=out.copy,
            stderr=err.copy,
            cut=out.length > KEPT,
            duration_ms=duration_ms,
        )
        try:
            self._recording.keep(relayed)
        except _TerminatedError:
            return status
        for signum in _FORWARDED:
            signal.signal(signum, signal.SIG_IGN)  # the answer is on its way
        self._leave_the_rest(relayed)
        return status

    def _leave_the_rest(self, relayed: Relayed) -> None:
        """Let processes of their own record the command, and forward the output of its children that go on."""
        if _is_fork():
            try:
                for fd in (0, 1, 2):
                    release(fd)
                self._recording.record(relayed)
            finally:
                os._exit(0)
        if not all(stream.closed for stream in self._outputs) and _is_fork():
            try:
                self._forward_forever()
            finally:
                os._exit(0)

    def _forward_forever(self) -> None:
        for stream in self._outputs:
            stream.left = None
        while not all(stream.closed for stream in self._outputs):
            self._poll_once(None)

    def _relayed(self) -> int:
        while True:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                self._exited, self._exit_fd = True, None
                return status
            self._poll_once(None if self._exit_fd is not None else _POLL_WITHOUT_PIDFD_MS)
            if not self._has_begun and self._stdin.has_event:
                self._has_begun = True
                self._recording.begin(self._id, self._stdin.copy)

    def _forward_rest(self, *, wait_for_host: bool) -> None:
        """Forward the output in the pipes. A killed command would not have waited for the host to read it."""
        for stream in self._outputs:
            stream.left = _PIPE
        try:
            while self._poll_once(0) or (
                wait_for_host and any(stream.pending for stream in self._outputs) and self._poll_once(None)
            ):
                continue
        except _TerminatedError:
            return

    def _poll_once(self, timeout_ms: int | None) -> bool:
        """Wait for a stream and forward it; False after the timeout."""
        streams = [stream for stream in (self._stdin, *self._outputs) if not stream.closed]
        poll = select.poll()
        for stream in streams:
            for fd, flags in stream.interests():
                poll.register(fd, flags)
        if timeout_ms is None and self._exit_fd is not None:
            poll.register(self._exit_fd, select.POLLIN)
        ready = dict(poll.poll(timeout_ms))
        for stream in streams:
            stream.react(ready)
        return bool(ready)

    def _forward_signal(self, signum: int, _frame: object) -> None:
        if self._exited:
            raise _TerminatedError
        if not self._pid:
            self._early.append(signum)
            return
        try:
            os.kill(self._pid, signum)
        except ProcessLookupError:
            return


class _Stream:
    """A standard stream from `source` to `target`. `pending` is read but not yet written.

    `left` limits the bytes still to be read, None for no limit. `length` counts the bytes, of which `copy` has the first.
    """

    def __init__(self, source: int, target: int) -> None:
        self.source = source
        self.target = target
        self.pending = b""
        self.left: int | None = None
        self.closed = False
        self.length = 0
        self._copy = bytearray()
        self._parsed = 0

    @property
    def copy(self) -> bytes:
        return bytes(self._copy)

    @property
    def has_event(self) -> bool:
        """Whether a JSON object, or all there is, has been read."""
        if self.closed or self.length == self._parsed:
            return self.closed
        self._parsed = self.length
        return self._copy.rstrip().endswith(b"}") and bool(fast_json.parse_object(self.copy))

    def interests(self) -> Iterator[tuple[int, int]]:
        """File descriptors and poll flags. poll always reports a target without a reader."""
        yield self.target, select.POLLOUT if self.pending else 0
        if not self.pending and self.left != 0:
            yield self.source, select.POLLIN

    def react(self, ready: dict[int, int]) -> None:
        """Read or write, whichever is ready."""
        if ready.get(self.target, 0) & _NO_READER:
            self.read_rest() if self.source == 0 else self.end()
        elif self.target in ready and self.pending:
            self._write()
        elif self.source in ready and not self.pending:
            self._read()

    def read_rest(self) -> None:
        """Read the event that the command does not read; a host may leave the stream open behind it."""
        deadline = time.monotonic() + _STDIN_S
        poll = select.poll()
        poll.register(self.source, select.POLLIN)
        while not self.has_event and poll.poll(max(deadline - time.monotonic(), 0) * 1000):
            self._read()
        self.end()

    def end(self) -> None:
        if not self.closed:
            self.closed, self.pending = True, b""
            for fd in (self.source, self.target):
                release(fd)

    def _read(self) -> None:
        try:
            self.pending = os.read(self.source, _CHUNK if self.left is None else min(_CHUNK, self.left))
        except BlockingIOError:
            return
        except OSError:  # a closed stream or a directory
            self.pending = b""
        if self.left is not None:
            self.left -= len(self.pending)
        self._copy += self.pending[: max(KEPT - self.length, 0)]
        self.length += len(self.pending)
        if not self.pending:
            self.end()

    def _write(self) -> None:
        """Write one piece; more might block."""
        try:
            self.pending = self.pending[os.write(self.target, self.pending[:_PIECE]) :]
        except BlockingIOError:
            return
        except OSError:  # no reader, or a full disk
            self.end()


def release(fd: int) -> None:
    """Close a descriptor. The null device replaces a standard stream, so that no other file gets its number."""
    if fd > 2:
        os.close(fd)
        return
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, fd)
    os.close(null)


def _is_fork() -> bool:
    """Whether this is a new process, in a session of its own; without one, the caller goes on alone."""
    try:
        if os.fork():
            return False
    except OSError:
        return False
    os.setsid()
    return True


def _pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when a process exits; None on systems without pidfds."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _become(argv: tuple[str, ...], pipes: tuple[int, int, int]) -> NoReturn:
    try:
        for target, fd in enumerate(pipes):
            os.dup2(fd, target)
        code = _execute(argv)
    finally:
        os._exit(code)


def _execute(argv: tuple[str, ...]) -> int:
    """Replace this process by a command. If that fails, print the error and return the exit code, like a shell."""
    for signum in _IGNORED_BY_PYTHON:  # exec keeps ignored signals
        signal.signal(signum, signal.SIG_DFL)
    try:
        try:
            os.execvp(argv[0], argv)
        except OSError as error:
            if error.errno != errno.ENOEXEC:
                raise
            os.execv("/bin/sh", ("sh", *argv))  # a script without a shebang
    except OSError as error:
        os.write(2, f"hooktui: {error.strerror}: {argv[0]}\n".encode(errors="replace"))
        return _NOT_FOUND if error.errno == errno.ENOENT else _CANNOT_RUN
