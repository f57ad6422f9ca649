"""Hook processes: spawn them, write their stdin, read their output, and kill them at their deadline (formats.md §2).

One `poll` loop serves them all: importing `subprocess` takes a quarter of the time of `hooktui run`. Each hook leads its own
session, so that a timeout kills every process it started. The result waits for the hook, not for a grandchild that keeps a
pipe open. When this process is killed, its hooks are killed too (`_tie`).
"""

from __future__ import annotations

import _signal as signal  # `signal` would import `enum`
import fcntl
import os
import select
import time

from hooktui.core.records import Record
from hooktui.hosts.shared.interpretation import Ended as Ended
from hooktui.runner import interruption, spawning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

OUTPUT_LIMIT = 10 * 1024 * 1024  # bytes kept of stdout; the rest is read and dropped
TEXT_LIMIT = 1024 * 1024  # bytes kept of a text for people: stderr, or stdout that is too long to be an answer
_CHUNK = 65536
_LAST_DRAIN = 1024 * 1024  # the most that a pipe holds when its writer has exited
_REAP_S = 0.5  # wait for a killed process to end
_POLL_WITHOUT_PIDFD_MS = 5
_FDS_A_HOOK = 8  # descriptors of ours while one hook runs
_FDS_RESERVED = 32  # for the log and for Python itself


class Command(Record):
    """A command with its absolute working directory, whole environment and timeout.

    `mark` is a line of the environment (NAME=value) that only this command has: by it the processes are found that it has
    detached from itself.
    """

    argv: tuple[str, ...]
    stdin: bytes
    cwd: str
    env: Mapping[str, str]
    timeout_s: float
    mark: str = ""


def run(command: Command, meanwhile: Callable[[], None] | None = None) -> Ended:
    """Run a command to its end or deadline; calls `meanwhile` once while it runs."""
    return run_all([command], meanwhile)[0]


def run_all(commands: Sequence[Command], meanwhile: Callable[[], None] | None = None) -> list[Ended]:
    """Run commands side by side, each with its own deadline. Returns results in the order of the commands.

    With too few descriptors or processes for all at once, the others start as the first ones end. Kills all processes before
    it raises Interrupted or any other exception.
    """
    children = [_Child(command) for command in commands]
    begun = False
    try:
        waiting = children[::-1]
        while live := [child for child in _started(children, waiting) if not child.over]:
            with interruption.INTERRUPTIBLE:
                if meanwhile and not begun:
                    begun = True
                    meanwhile()
                _wait(live, for_all=not waiting)
    finally:
        for child in children:
            child.kill()
    return [child.ended() for child in children]


def _started(children: list[_Child], waiting: list[_Child]) -> list[_Child]:
    """The children of which none is still `waiting`, after starting as many as the system allows (the last is the next)."""
    live = sum(child.is_live for child in children)
    most = max(1, (os.sysconf("SC_OPEN_MAX") - _FDS_RESERVED) // _FDS_A_HOOK)
    while waiting and live < most:
        try:
            waiting[-1].start()
            live += 1
        except OSError as error:
            if live and error.errno in spawning.EXHAUSTED:
                break  # try again when another has ended
            waiting[-1].give_up(error)
        waiting.pop()
    return children[: len(children) - len(waiting)]


def _wait(live: list[_Child], *, for_all: bool) -> None:
    """Wait until all children have ended, or the first of them."""
    count = len(live)
    while live and (for_all or len(live) == count):
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
        live = [child for child in live if not child.over]


class _Child:
    """A process and the parent's ends of its pipes. It is `over` when nothing is left to wait for."""

    def __init__(self, command: Command) -> None:
        self.over = False
        self.deadline = float("inf")
        self._command = command
        self._pid = 0
        self._unsent = memoryview(command.stdin)
        self._read: dict[int, bytearray] = {}
        self._overflow: set[int] = set()
        self._result = Ended()
        self._started = self._end = 0.0

    @property
    def is_live(self) -> bool:
        return bool(self._pid) and not self.over

    def start(self) -> None:
        """Start the process. Raises OSError if the system does not allow it."""
        self._started = time.monotonic()
        self.deadline = self._started + self._command.timeout_s
        pipes = _pipes(5)
        (theirs_in, self._stdin), (self._stdout, theirs_out), (self._stderr, theirs_err), failure, tie = pipes
        self._failure, theirs_failure = failure
        command = self._command
        try:
            self._pid = spawning.spawn(
                command.argv, command.cwd, command.env, (theirs_in, theirs_out, theirs_err), theirs_failure
            )
        except OSError:
            _close_all(pipes)
            raise
        self._tie = _tie(tie, self._pid)  # first: until then, the process would outlive us
        _close_all([(theirs_in, theirs_out, theirs_err, theirs_failure)])
        for fd in (self._stdin, self._stdout, self._stderr, self._failure):
            os.set_blocking(fd, False)
        self._read = {self._stdout: bytearray(), self._stderr: bytearray(), self._failure: bytearray()}
        self._open = {self._stdin, self._stdout, self._stderr, self._failure}
        self._exit_fd = _pidfd(self._pid)
        if self._exit_fd is not None:
            self._open.add(self._exit_fd)
        if not self._unsent:
            self._close(self._stdin)

    def give_up(self, error: OSError) -> None:
        self._result = Ended(spawn_error=_message(error), exhausted=error.errno in spawning.EXHAUSTED)
        self.over = True

    def interests(self) -> list[tuple[int, int]]:
        return [(fd, select.POLLOUT if fd == self._stdin else select.POLLIN) for fd in self._open]

    def timeout_ms(self) -> float:
        """Milliseconds until `check` is due."""
        left = max(self.deadline - time.monotonic(), 0) * 1000
        return left if self._exit_fd is not None else min(left, _POLL_WITHOUT_PIDFD_MS)

    def react(self, fd: int) -> None:
        if fd == self._stdin:
            self._feed()
        elif fd in self._read and fd in self._open:
            self._drain(fd)

    def check(self) -> None:
        if self._reap():
            for fd in (self._stdout, self._stderr, self._failure):
                self._drain_rest(fd)
            self._finish()
        elif time.monotonic() >= self.deadline:
            self.kill()
            self._result = Ended(timed_out=True)

    def kill(self) -> None:
        """Kill the process with all that it has started, and close the pipes, if it is live."""
        if not self.is_live:
            return
        from hooktui.runner import process_tree  # rarely needed

        # The process is not reaped, so its ID was not reused.
        process_tree.kill(self._pid, self._command.mark)
        latest = time.monotonic() + _REAP_S
        while not self._reap() and time.monotonic() < latest:
            time.sleep(0.001)
        for fd in (self._stdout, self._stderr):
            self._drain_rest(fd)
        self._result = Ended()
        self._finish()

    def ended(self) -> Ended:
        if not self._pid:
            return self._result
        failure = self._read[self._failure].decode(errors="replace")
        result = self._result if not failure else Ended(spawn_error=failure)
        return result.replace(
            stdout=bytes(self._read[self._stdout]),
            stderr=bytes(self._read[self._stderr]),
            overflow=self._stdout in self._overflow,
            duration_ms=(self._end - self._started) * 1000,
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
        limit = OUTPUT_LIMIT if fd == self._stdout else TEXT_LIMIT
        if len(kept) + len(chunk) > limit:
            self._overflow.add(fd)
        kept += chunk[: limit - len(kept)]
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
        _untie(self._tie)
        for fd in tuple(self._open):
            self._close(fd)

    def _close(self, fd: int) -> None:
        self._open.discard(fd)
        os.close(fd)


def _pipes(count: int) -> list[tuple[int, int]]:
    """Pipes, as their reading and writing ends. Raises OSError and leaves none open."""
    pipes: list[tuple[int, int]] = []
    try:
        for _ in range(count):
            pipes.append(os.pipe())  # noqa: PERF401  # those that are open are closed below
    except OSError:
        _close_all(pipes)
        raise
    return pipes


def _close_all(groups: Sequence[tuple[int, ...]]) -> None:
    for fds in groups:
        for fd in fds:
            os.close(fd)


def _tie(ends: tuple[int, int], group: int) -> tuple[int, int]:
    """Let the kernel kill a process group when this process dies; returns the ends of the pipe that does it.

    Nothing is ever written to the pipe. When the process dies, however that happens, one end is closed before the other, and
    the kernel sends the owner of the other the signal that announces input. Linux only: elsewhere the signal is fixed.
    """
    if hasattr(fcntl, "F_SETSIG"):
        try:
            for fd in ends:
                fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGKILL)
                fcntl.fcntl(fd, fcntl.F_SETOWN, -group)
                fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC)
        except OSError:  # a system that only resembles Linux
            pass
    return ends


def _untie(ends: tuple[int, int]) -> None:
    """Close the ends of `_tie` without killing what is left of the group."""
    for fd in ends:
        if hasattr(fcntl, "F_SETSIG"):
            fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) & ~os.O_ASYNC)
    _close_all([ends])


def _pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when a process exits; None on systems without pidfds."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _message(error: OSError) -> str:
    return f"{error.strerror}: {error.filename}" if error.filename else error.strerror or str(error)


def start_detached(command: Command, on_start: Callable[[], None], on_end: Callable[[Ended], None]) -> None:
    """Run a command under its own supervisor and return at once. `on_start` and `on_end` are called in the supervisor.

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
            on_start()
            on_end(run(command))
    finally:
        os._exit(0)


def _close_streams() -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
