"""The one who remembers a relayed command: a process beside it that outlives whatever the host does to the two of us.

It holds none of the host's streams any longer than it must, and nobody waits for it.
"""

from __future__ import annotations

import _signal as signal
import mmap
import os
import select
import time

from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

KEPT = 10 * 1024 * 1024  # bytes of each stream that are kept; what is longer is cut, and that is told
_HEAD = 8
_CHUNK = 65536
_PATIENCE_S = 1.0  # how long grandchildren may still add to what is remembered
_EVENT_S = 0.25  # how long a host is heard that speaks to a command which no longer listens
_LONGEST_S = 1_000_000
_END = ord("=")  # what follows it is the wait status and the milliseconds


class Relayed(Record):
    """What passed through, and how the command ended: a wait status as `os.waitpid` gives it.

    `id`: of the moment at which it began. `cut`: stdout was longer than what is kept.
    """

    id: int
    status: int
    stdin: bytes
    stdout: bytes
    stderr: bytes
    cut: bool
    duration_ms: float


class Copy:
    """The first bytes of a stream, in memory that two processes share. Raises OSError when there is none."""

    def __init__(self) -> None:
        self._map = mmap.mmap(-1, _HEAD + KEPT)

    def add(self, chunk: bytes) -> None:
        """Keep what still fits, and count the rest."""
        length = self.length
        fits = chunk[: max(KEPT - length, 0)]
        start = _HEAD + length
        self._map[start : start + len(fits)] = fits
        self._map[:_HEAD] = (length + len(chunk)).to_bytes(_HEAD, "little")

    @property
    def length(self) -> int:
        """How many bytes there were, kept or not."""
        return int.from_bytes(self._map[:_HEAD], "little")

    def content(self) -> bytes:
        """The bytes that were kept."""
        return self._map[_HEAD : _HEAD + min(self.length, KEPT)]


class Witness:
    """Our end of the line to the witness.

    `ends`: the command's outputs, by the standard stream that each goes to. `exit_fd`: the command's pidfd, if there is one.
    The witness is a grandchild in a session of its own: no signal to our group, or to our children, reaches it.
    """

    def __init__(
        self,
        number: int,
        pid: int,
        exit_fd: int | None,
        ends: Mapping[int, int],
        copies: tuple[Copy, Copy, Copy],
        then: Callable[[Relayed], None],
        *,
        not_for_it: int,
    ) -> None:
        try:
            hears, self._tells = os.pipe()
            middle = os.fork()
        except OSError:  # no witness, no record; the command runs already
            self._tells = -1
            return
        if middle:
            os.close(hears)
            os.waitpid(middle, 0)
            return
        try:
            os.setsid()
            if os.fork() == 0:
                os.close(self._tells)
                os.close(not_for_it)
                _Watch(number, pid, exit_fd, dict(ends), copies, hears).watch(then)
        finally:
            os._exit(0)

    def tell_over(self, stream: int) -> None:
        """Nothing more goes to a standard stream."""
        self._tell(bytes([stream]))

    def tell_end(self, status: int, duration_ms: float) -> None:
        """The command has ended; what is still in its pipes is the witness's to pass on."""
        self._tell(bytes([_END]) + f"{status} {duration_ms}".encode())

    def _tell(self, message: bytes) -> None:
        try:
            os.write(self._tells, message)
        except OSError:  # it has gone: nothing is remembered, and the host need not know
            return


class _Watch:
    """The witness itself. `_deaf_until`: how long the host is still heard that speaks to a command which no longer listens."""

    def __init__(
        self, number: int, pid: int, exit_fd: int | None, ends: dict[int, int], copies: tuple[Copy, Copy, Copy], hears: int
    ) -> None:
        self._id = number
        self._pid = pid
        self._exit_fd = exit_fd
        self._ends = ends
        self._copies = copies
        self._hears = hears
        self._deaf_until: float | None = None
        self._has_stdin = True

    def watch(self, then: Callable[[Relayed], None]) -> None:
        """Listen to the end, pass on what grandchildren still write, let go of everything, remember."""
        said = self._listen()
        status, duration_ms = said.split() if said else self._avenge()
        self._run_out(time.monotonic() + _PATIENCE_S)
        if self._ends and os.fork() == 0:  # a daemon, say: it must be served, and the log must not wait for its end
            self._let_go_of_stdin()
            self._run_out(float("inf"))
            return
        for stream in (1, 2):
            let_go(stream)
        self._hear_out()
        stdin, stdout, stderr = self._copies
        relayed = Relayed(
            id=self._id,
            status=int(status),
            stdin=stdin.content(),
            stdout=stdout.content(),
            stderr=stderr.content(),
            cut=stdout.length > KEPT,
            duration_ms=float(duration_ms),
        )
        then(relayed)

    def _listen(self) -> bytes:
        """What was said of the end; empty when the relay was killed before it could."""
        heard = b""
        while chunk := self._next_word():
            for sign in chunk:
                if heard or sign == _END:
                    heard += bytes([sign])
                else:
                    self._over(sign)
        return heard[1:]

    def _next_word(self) -> bytes:
        while self._deaf_until is not None:
            ready = _ready((self._hears, 0), self._deaf_until)
            if self._hears in ready:
                break
            if not ready or not self._hear():
                self._deaf_until = None
                self._let_go_of_stdin()
        return os.read(self._hears, _CHUNK)

    def _avenge(self) -> tuple[int, float]:
        """The host meant the command when it killed the relay."""
        try:
            if self._exit_fd is not None:
                signal.pidfd_send_signal(self._exit_fd, signal.SIGKILL)
            else:
                os.kill(self._pid, signal.SIGKILL)
        except OSError:  # it was killed as well
            pass
        return int(signal.SIGKILL), 0.0

    def _run_out(self, until: float) -> None:
        """Go on for what the command left behind, as long as that holds the pipes, or until a moment."""
        while self._ends and (ready := _ready(self._ends.values(), until)):
            for stream, source in list(self._ends.items()):
                if source in ready and not _pass_on(source, stream, self._copies[stream]):
                    self._over(stream)

    def _hear_out(self) -> None:
        """What the host was still saying when the command ended: it tells what the event was."""
        until = self._deaf_until or time.monotonic() + _EVENT_S
        while self._has_stdin and _ready((0,), until) and self._hear():
            continue
        self._let_go_of_stdin()

    def _hear(self) -> bool:
        """Keep one chunk of what the host says; False at the end."""
        try:
            chunk = os.read(0, _CHUNK)
        except OSError:
            return False
        self._copies[0].add(chunk)
        return bool(chunk)

    def _over(self, stream: int) -> None:
        """One of the standard streams leads nowhere any more."""
        if stream == 0:
            self._deaf_until = time.monotonic() + _EVENT_S
        elif stream in self._ends:
            os.close(self._ends.pop(stream))
            let_go(stream)

    def _let_go_of_stdin(self) -> None:
        if self._has_stdin:
            self._has_stdin = False
            let_go(0)


def _ready(fds: Iterable[int], until: float) -> set[int]:
    """Which descriptors can be read; none when a moment (`time.monotonic`) has come before one could."""
    poll = select.poll()
    for fd in fds:
        poll.register(fd, select.POLLIN)
    return {fd for fd, _ in poll.poll(min(max(until - time.monotonic(), 0), _LONGEST_S) * 1000)}


def _pass_on(source: int, target: int, copy: Copy) -> bool:
    """One chunk from a pipe to the host; False at either end."""
    chunk = os.read(source, _CHUNK)
    copy.add(chunk)
    rest = memoryview(chunk)
    try:
        while rest:
            rest = rest[os.write(target, rest) :]
    except OSError:
        return False
    return bool(chunk)


def let_go(fd: int) -> None:
    """Close a descriptor; a standard stream gets a stand-in, so that no other file ever gets its number."""
    if fd > 2:
        os.close(fd)
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, fd)
    os.close(nowhere)
