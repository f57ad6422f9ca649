"""Relay one command of a host: the same bytes, exit code and timing, with a copy for the log.

The command stays in our session and process group, so that a host can kill it by group. Signals to us are forwarded; if we are
killed, the witness kills the command. No stream ever waits for another.
"""

from __future__ import annotations

import _signal as signal
import errno
import os
import select
import time

from hooktui.core import ids
from hooktui.engine.exec_witness import Copy, Witness, release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

    from hooktui.engine.exec_witness import Recording

_CHUNK = 65536
_PIECE = 4096  # bytes that a writable pipe or socket takes without blocking
_PIPE = 65536  # bytes in a full pipe
_FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
_NO_READER = select.POLLERR | select.POLLHUP | select.POLLNVAL
_POLL_WITHOUT_PIDFD_MS = 5
_CANNOT_RUN, _NOT_FOUND = 126, 127  # a shell's exit codes for a command that it cannot start


def relay(argv: tuple[str, ...], recording: Recording) -> int:
    """Run a command on our streams and return its exit code. If a signal ends it, the same signal ends this process.

    A separate process records the copy before this returns. If the relay cannot start, the command runs alone.
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


class _Terminated(Exception):
    """A signal came after the command's exit, while the host was still reading the output."""


class _Relay:
    """A running command, its three streams and its witness."""

    def __init__(self, argv: tuple[str, ...], recording: Recording) -> None:
        number = ids.new()
        self._started = time.monotonic()
        self._exited = False
        self._pid = 0
        self._early: list[int] = []
        copies = Copy(), Copy(), Copy()
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
        self._stdin = _Stream(0, 0, to_command, copies[0])
        self._outputs = _Stream(1, from_stdout, 1, copies[1]), _Stream(2, from_stderr, 2, copies[2])
        self._exit_fd = _pidfd(self._pid)
        outputs = {1: from_stdout, 2: from_stderr}
        self._witness = Witness(number, pid, self._exit_fd, outputs, copies, recording, closed_in_witness=to_command)

    def wait(self) -> int:
        """Relay until the command has exited and its output is forwarded. Returns its wait status."""
        status = self._relayed()
        duration_ms = (time.monotonic() - self._started) * 1000
        self._stdin.end()
        self._forward_rest(wait_for_host=os.WIFEXITED(status))
        try:
            self._witness.report_exit(status, duration_ms)
        except _Terminated:
            return status
        return status

    def _relayed(self) -> int:
        while True:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                self._exited, self._exit_fd = True, None
                return status
            self._poll_once(None if self._exit_fd is not None else _POLL_WITHOUT_PIDFD_MS)

    def _forward_rest(self, *, wait_for_host: bool) -> None:
        """Forward the output in the pipes. A killed command would not have waited for the host to read it."""
        for stream in self._outputs:
            stream.left = _PIPE
        try:
            while self._poll_once(0) or (
                wait_for_host and any(stream.pending for stream in self._outputs) and self._poll_once(None)
            ):
                continue
        except _Terminated:
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
            if stream.closed:
                self._witness.report_closed(stream.number)
        return bool(ready)

    def _forward_signal(self, signum: int, _frame: object) -> None:
        if self._exited:
            raise _Terminated
        if not self._pid:
            self._early.append(signum)
            return
        try:
            os.kill(self._pid, signum)
        except ProcessLookupError:
            return


class _Stream:
    """A standard stream from `source` to `target`. `pending` is read but not yet written.

    `left` limits the bytes still to be read, None for no limit.
    """

    def __init__(self, number: int, source: int, target: int, copy: Copy) -> None:
        self.number = number
        self.source = source
        self.target = target
        self.pending = b""
        self.left: int | None = None
        self.closed = False
        self._copy = copy

    def interests(self) -> Iterator[tuple[int, int]]:
        """File descriptors and poll flags. poll always reports a target without a reader."""
        yield self.target, select.POLLOUT if self.pending else 0
        if not self.pending and self.left != 0:
            yield self.source, select.POLLIN

    def react(self, ready: dict[int, int]) -> None:
        """Read or write, whichever is ready."""
        if ready.get(self.target, 0) & _NO_READER:
            self.end()
        elif self.target in ready and self.pending:
            self._write()
        elif self.source in ready and not self.pending:
            self._read()

    def end(self) -> None:
        """Close both sides."""
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
        self._copy.add(self.pending)
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


def _pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when a process exits; None on systems without pidfds."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _become(argv: tuple[str, ...], pipes: tuple[int, int, int]) -> NoReturn:
    """In the forked child: execute the command."""
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
