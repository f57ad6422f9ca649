"""Run one command as if nobody stood between it and its host: the same bytes, exit code and timing, and a copy kept.

No session or group of its own: a host that ends its hook by group ends this one too, a signal to us is handed on, and should
we be killed, the witness kills the command. Nothing here ever waits for one stream while another one could go on.
"""

from __future__ import annotations

import _signal as signal
import errno
import os
import select
import time

from hooktui.core import ids
from hooktui.engine.exec_witness import Copy, Witness, let_go

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NoReturn

    from hooktui.engine.exec_witness import Relayed

_CHUNK = 65536
_PIECE = 4096  # what a pipe or socket that is ready for writing takes without making us wait
_PIPE = 65536  # what a pipe holds: all that a command can have left behind in one
_HANDED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
_NO_READER = select.POLLERR | select.POLLHUP | select.POLLNVAL
_POLL_WITHOUT_PIDFD_MS = 5
_CANNOT_RUN, _NOT_FOUND = 126, 127  # a shell's exit codes for a command that it cannot start


def relay(argv: tuple[str, ...], then: Callable[[Relayed], None]) -> int:
    """Run a command between our own streams; its exit code. A command that a signal ended ends us by the same signal.

    `then` is called with the copy in a process of its own, for which nobody waits. When nothing can be put between, the
    command runs alone.
    """
    try:
        run = _Relay(argv, then)
    except OSError:  # no memory, no descriptors, no processes: the host's hook comes first
        return _execute(argv)
    code = os.waitstatus_to_exitcode(run.to_the_end())
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


class _Hurry(Exception):
    """The host wants an end while we still wait for it to read the rest."""


class _Relay:
    """A running command, the three streams between it and the host, and who remembers them."""

    def __init__(self, argv: tuple[str, ...], then: Callable[[Relayed], None]) -> None:
        born = ids.new()
        self._started = time.monotonic()
        self._exited = False
        self._pid = 0
        self._early: list[int] = []
        copies = Copy(), Copy(), Copy()
        theirs_in, to_command = os.pipe()
        from_stdout, theirs_out = os.pipe()
        from_stderr, theirs_err = os.pipe()
        for number in _HANDED_ON:
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._hand_on)
        pid = os.fork()
        if pid == 0:
            _become(argv, (theirs_in, theirs_out, theirs_err))
        self._pid = pid
        for number in self._early:
            self._hand_on(number, None)
        for fd in (theirs_in, theirs_out, theirs_err):
            os.close(fd)
        os.set_blocking(to_command, False)
        self._stdin = _Lane(0, 0, to_command, copies[0])
        self._outputs = _Lane(1, from_stdout, 1, copies[1]), _Lane(2, from_stderr, 2, copies[2])
        self._exit_fd = _pidfd(self._pid)
        ends = {1: from_stdout, 2: from_stderr}
        self._witness = Witness(born, self._pid, self._exit_fd, ends, copies, then, not_for_it=to_command)

    def to_the_end(self) -> int:
        """Relay until the command has exited and all it wrote has been passed on; its wait status."""
        status = self._relayed()
        duration_ms = (time.monotonic() - self._started) * 1000
        self._stdin.end()
        self._pass_on_the_rest(patient=os.WIFEXITED(status))
        self._witness.tell_end(status, duration_ms)
        return status

    def _relayed(self) -> int:
        while True:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                self._exited, self._exit_fd = True, None
                return status
            self._turn(None if self._exit_fd is not None else _POLL_WITHOUT_PIDFD_MS)

    def _pass_on_the_rest(self, *, patient: bool) -> None:
        """What the command left in its pipes. A killed one would not have waited for its reader, so neither do we."""
        for lane in self._outputs:
            lane.left = _PIPE
        try:
            while self._turn(0) or (patient and self._is_pending() and self._turn(None)):
                continue
        except _Hurry:
            return

    def _is_pending(self) -> bool:
        return any(lane.pending for lane in self._outputs)

    def _turn(self, timeout_ms: int | None) -> bool:
        """Wait for something to happen and pass it on; False when nothing did."""
        lanes = [lane for lane in (self._stdin, *self._outputs) if not lane.over]
        poll = select.poll()
        for lane in lanes:
            for fd, flags in lane.interests():
                poll.register(fd, flags)
        if timeout_ms is None and self._exit_fd is not None:
            poll.register(self._exit_fd, select.POLLIN)
        ready = dict(poll.poll(timeout_ms))
        for lane in lanes:
            lane.react(ready)
            if lane.over:
                self._witness.tell_over(lane.stream)
        return bool(ready)

    def _hand_on(self, number: int, _frame: object) -> None:
        if self._exited:
            raise _Hurry
        if not self._pid:
            self._early.append(number)
            return
        try:
            os.kill(self._pid, number)
        except ProcessLookupError:
            return


class _Lane:
    """A standard stream on its way from `source` to `target`. `pending` has been read and not yet been written.

    `left`: how many bytes may still be read, None for any number.
    """

    def __init__(self, stream: int, source: int, target: int, copy: Copy) -> None:
        self.stream = stream
        self.source = source
        self.target = target
        self.pending = b""
        self.left: int | None = None
        self.over = False
        self._copy = copy

    def interests(self) -> Iterator[tuple[int, int]]:
        """What to wait for; that the target's reader goes away is always told."""
        yield self.target, select.POLLOUT if self.pending else 0
        if not self.pending and self.left != 0:
            yield self.source, select.POLLIN

    def react(self, ready: dict[int, int]) -> None:
        """Move what is ready to be moved."""
        if ready.get(self.target, 0) & _NO_READER:
            self.end()
        elif self.target in ready and self.pending:
            self._write()
        elif self.source in ready and not self.pending:
            self._read()

    def end(self) -> None:
        """Nothing more passes: either side learns of it as it would from the other."""
        if not self.over:
            self.over, self.pending = True, b""
            for fd in (self.source, self.target):
                let_go(fd)

    def _read(self) -> None:
        try:
            self.pending = os.read(self.source, _CHUNK if self.left is None else min(_CHUNK, self.left))
        except BlockingIOError:
            return
        except OSError:  # a stream that was closed, or a directory
            self.pending = b""
        if self.left is not None:
            self.left -= len(self.pending)
        self._copy.add(self.pending)
        if not self.pending:
            self.end()

    def _write(self) -> None:
        """One piece: more might make us wait."""
        try:
            self.pending = self.pending[os.write(self.target, self.pending[:_PIECE]) :]
        except BlockingIOError:
            return
        except OSError:  # nobody reads any more, or the disk is full
            self.end()


def _pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when the process exits; None where the system has none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _become(argv: tuple[str, ...], pipes: tuple[int, int, int]) -> NoReturn:
    """In the forked child: turn into the command."""
    try:
        for target, fd in enumerate(pipes):
            os.dup2(fd, target)
        code = _execute(argv)
    finally:
        os._exit(code)


def _execute(argv: tuple[str, ...]) -> int:
    """Become a command; says what a shell would and returns its exit code when there is no such command.

    Of how signals are handled exec hands on only what is ignored.
    """
    for number in _IGNORED_BY_PYTHON:
        signal.signal(number, signal.SIG_DFL)
    try:
        try:
            os.execvp(argv[0], argv)
        except OSError as error:
            if error.errno != errno.ENOEXEC:
                raise
            os.execv("/bin/sh", ("sh", *argv))  # a script without a first line that says who runs it: the shell's, by custom
    except OSError as error:
        os.write(2, f"hooktui: {error.strerror}: {argv[0]}\n".encode(errors="replace"))
        return _NOT_FOUND if error.errno == errno.ENOENT else _CANNOT_RUN
