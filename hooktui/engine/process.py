"""Hook processes: spawn them, write their stdin, read their output, and kill them at their deadline (formats.md §2).

Uses `os.fork` and one `poll` loop, because importing `subprocess` takes a quarter of the time of `hooktui run`. Each hook
leads its own session, so that a timeout kills every process it started. The result waits for the hook, not for a grandchild
that keeps a pipe open.
"""

from __future__ import annotations

import _signal as signal  # `signal` would import `enum`
import os
import select
import time

from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

OUTPUT_LIMIT = 10 * 1024 * 1024  # bytes kept of a stream; the rest is read and dropped
_CHUNK = 65536
_LAST_DRAIN = 1024 * 1024  # the most that a pipe holds when its writer has exited
_REAP_S = 0.5  # wait for a killed process to end
_POLL_WITHOUT_PIDFD_MS = 5
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Reset before exec, which would keep the two that Python ignores.
_RESET = (signal.SIGPIPE, signal.SIGXFSZ, *ENDING)


class Command(Record):
    """A command with its absolute working directory, whole environment and timeout."""

    argv: tuple[str, ...]
    stdin: bytes
    cwd: str
    env: Mapping[str, str]
    timeout_s: float


class Ended(Record):
    """The end of a process. One of exit_code, signal and spawn_error is set, none after a timeout or an interruption.

    `stdout` and `stderr` hold at most OUTPUT_LIMIT bytes; `overflow`: stdout was longer.
    """

    exit_code: int | None = None
    signal: int | None = None
    spawn_error: str | None = None
    timed_out: bool = False
    stdout: bytes = b""
    stderr: bytes = b""
    overflow: bool = False
    duration_ms: float = 0.0


def run(command: Command, meanwhile: Callable[[], None] | None = None) -> Ended:
    """Run a command to its end or deadline; calls `meanwhile` once while it runs."""
    return run_all([command], meanwhile)[0]


def run_all(commands: Sequence[Command], meanwhile: Callable[[], None] | None = None) -> list[Ended]:
    """Run commands side by side, each with its own deadline. Returns results in the order of the commands.

    Kills all process groups before it raises Interrupted or any other exception.
    """
    children = [_Child(command) for command in commands]
    try:
        with INTERRUPTIBLE:
            if meanwhile:
                meanwhile()
            _wait(children)
    finally:
        for child in children:
            child.kill()
    return [child.ended() for child in children]


def _wait(children: list[_Child]) -> None:
    live = children
    while live := [child for child in live if not child.over]:
        poll = select.poll()
        owner = {}
        for child in live:
            for fd, flags in child.interests():
                poll.register(fd, flags)
                owner[fd] = child
        for fd, _ in poll.poll(min(child.timeout_ms() for child in live)):
            owner[fd].react(fd)
        for child in live:
            child.check()


class _Child:
    """A running process and the parent's ends of its pipes."""

    def __init__(self, command: Command) -> None:
        self.started = time.monotonic()
        self.deadline = self.started + command.timeout_s
        self.over = False
        self._unsent = memoryview(command.stdin)
        self._read: dict[int, bytearray] = {}
        self._overflow: set[int] = set()
        self._result = Ended()
        self._spawn(command)

    def _spawn(self, command: Command) -> None:
        theirs_in, self._stdin = os.pipe()
        self._stdout, theirs_out = os.pipe()
        self._stderr, theirs_err = os.pipe()
        self._failure, theirs_failure = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            _become(command, (theirs_in, theirs_out, theirs_err), theirs_failure)
        for fd in (theirs_in, theirs_out, theirs_err, theirs_failure):
            os.close(fd)
        for fd in (self._stdin, self._stdout, self._stderr, self._failure):
            os.set_blocking(fd, False)
        self._read = {self._stdout: bytearray(), self._stderr: bytearray(), self._failure: bytearray()}
        self._open = {self._stdin, self._stdout, self._stderr, self._failure}
        self._exit_fd = _pidfd(self._pid)
        if self._exit_fd is not None:
            self._open.add(self._exit_fd)
        if not self._unsent:
            self._close(self._stdin)

    def interests(self) -> list[tuple[int, int]]:
        """File descriptors and the poll flags to wait for."""
        return [(fd, select.POLLOUT if fd == self._stdin else select.POLLIN) for fd in self._open]

    def timeout_ms(self) -> float:
        """Milliseconds until `check` is due."""
        left = max(self.deadline - time.monotonic(), 0) * 1000
        return left if self._exit_fd is not None else min(left, _POLL_WITHOUT_PIDFD_MS)

    def react(self, fd: int) -> None:
        """Read or write a pipe that is ready."""
        if fd == self._stdin:
            self._feed()
        elif fd in self._read and fd in self._open:
            self._drain(fd)

    def check(self) -> None:
        """Finish if the process has exited or its deadline has passed."""
        if self._reap():
            for fd in (self._stdout, self._stderr, self._failure):
                self._drain_rest(fd)
            self._finish()
        elif time.monotonic() >= self.deadline:
            self.kill()
            self._result = Ended(timed_out=True)

    def kill(self) -> None:
        """Kill the process group and close the pipes, unless the process is over."""
        if self.over:
            return
        # The process is not reaped, so the group ID was not reused. It may not have called setsid yet.
        for kill in (os.killpg, os.kill):
            try:
                kill(self._pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        latest = time.monotonic() + _REAP_S
        while not self._reap() and time.monotonic() < latest:
            time.sleep(0.001)
        for fd in (self._stdout, self._stderr):
            self._drain_rest(fd)
        self._result = Ended()
        self._finish()

    def ended(self) -> Ended:
        """The result, with the output."""
        failure = self._read[self._failure].decode(errors="replace")
        result = self._result if not failure else Ended(spawn_error=failure)
        return result.replace(
            stdout=bytes(self._read[self._stdout]),
            stderr=bytes(self._read[self._stderr]),
            overflow=self._stdout in self._overflow,
            duration_ms=(self._end - self.started) * 1000,
        )

    def _feed(self) -> None:
        try:
            sent = os.write(self._stdin, self._unsent[:_CHUNK])
        except BlockingIOError:
            return
        except BrokenPipeError:  # hooks need not read stdin
            sent = len(self._unsent)
        self._unsent = self._unsent[sent:]
        if not self._unsent:
            self._close(self._stdin)

    def _drain(self, fd: int) -> int:
        try:
            chunk = os.read(fd, _CHUNK)
        except BlockingIOError:
            return 0
        kept = self._read[fd]
        if len(kept) + len(chunk) > OUTPUT_LIMIT:
            self._overflow.add(fd)
        kept += chunk[: OUTPUT_LIMIT - len(kept)]
        if not chunk:
            self._close(fd)
        return len(chunk)

    def _drain_rest(self, fd: int) -> None:
        total = 0
        while fd in self._open and total < _LAST_DRAIN and (count := self._drain(fd)):
            total += count

    def _reap(self) -> bool:
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        if pid:
            code = os.waitstatus_to_exitcode(status)
            self._result = Ended(exit_code=code) if code >= 0 else Ended(signal=-code)
        return bool(pid)

    def _finish(self) -> None:
        self._end = time.monotonic()
        self.over = True
        for fd in tuple(self._open):
            self._close(fd)

    def _close(self, fd: int) -> None:
        self._open.discard(fd)
        os.close(fd)


def _pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when a process exits; None on systems without pidfds."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _become(command: Command, pipes: tuple[int, int, int], failure: int) -> None:
    """In the forked child: execute the command, or write the error to `failure`. Never returns."""
    try:
        os.setsid()
        for target, fd in enumerate(pipes):
            os.dup2(fd, target)
        for number in _RESET:
            signal.signal(number, signal.SIG_DFL)
        os.chdir(command.cwd)
        os.execvpe(command.argv[0], command.argv, command.env)
    except OSError as error:
        os.write(failure, f"{error.strerror}: {error.filename or command.argv[0]}".encode(errors="replace"))
    except ValueError as error:  # a null byte
        os.write(failure, str(error).encode(errors="replace"))
    finally:
        os._exit(127)


def start_detached(command: Command, on_end: Callable[[Ended], None]) -> None:
    """Run a command under its own supervisor and return at once. `on_end` is called in the supervisor.

    The supervisor is a grandchild in its own session without our streams: it outlives this process and does not delay a caller
    that reads our output to its end.
    """
    middle = os.fork()
    if middle:
        os.waitpid(middle, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            _close_streams()
            on_end(run(command))
    finally:
        os._exit(0)


def _close_streams() -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))


class Interrupted(BaseException):
    """The agent or the user has interrupted the hooks. Raised by a signal handler, only inside `INTERRUPTIBLE`."""


class _Interruptible:
    """A context manager in which a signal raises Interrupted."""

    def __init__(self) -> None:
        self.number = 0
        self._raises = False

    def __enter__(self) -> None:
        self._raises = True
        if self.number:
            self._interrupt()

    def __exit__(self, *_: object) -> None:
        self._raises = False

    def receive(self, number: int, _frame: object) -> None:
        """Handle a signal."""
        self.number = number
        if self._raises:
            self._interrupt()

    def _interrupt(self) -> None:
        self._raises = False  # ignore further signals during shutdown
        raise Interrupted(self.number)


INTERRUPTIBLE = _Interruptible()


def handle_signals(*numbers: int) -> None:
    """Let signals interrupt hooks instead of ending this process."""
    for number in numbers:
        signal.signal(number, INTERRUPTIBLE.receive)


def was_interrupted() -> bool:
    """Whether a signal has interrupted hooks."""
    return bool(INTERRUPTIBLE.number)
