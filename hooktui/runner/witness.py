"""The one who remembers a relayed command: a process beside it that outlives whatever the host does to the two of us.

It holds none of the host's streams any longer than it must, and nobody waits for it.
"""

from __future__ import annotations

import _signal as signal
import mmap
import os
import select
import time

from hooktui.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

KEPT = 10 * 1024 * 1024  # bytes of each stream that are kept; what is longer is cut, and that is told
_HEAD = 8
_CHUNK = 65536
_PATIENCE_S = 1.0  # how long grandchildren may still add to what is remembered
_LONGEST_MS = 3_600_000
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
    """The witness itself."""

    def __init__(
        self, number: int, pid: int, exit_fd: int | None, ends: dict[int, int], copies: tuple[Copy, Copy, Copy], hears: int
    ) -> None:
        self._id = number
        self._pid = pid
        self._exit_fd = exit_fd
        self._ends = ends
        self._copies = copies
        self._hears = hears

    def watch(self, then: Callable[[Relayed], None]) -> None:
        """Listen to the end, pass on what grandchildren still write, let go of everything, remember."""
        let_go(0)
        said = self._listen()
        status, duration_ms = said.split() if said else self._avenge()
        self._run_out(time.monotonic() + _PATIENCE_S)
        if self._ends and os.fork() == 0:  # a daemon, say: it must be served, and the log must not wait for its end
            self._run_out(float("inf"))
            return
        for stream in (1, 2):
            let_go(stream)
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
        while chunk := os.read(self._hears, _CHUNK):
            for place, sign in enumerate(chunk):
                if heard or sign == _END:
                    heard += chunk[place:]
                    break
                self._over(sign)
        return heard[1:]

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
        while self._ends:
            left_ms = (until - time.monotonic()) * 1000
            if left_ms <= 0:
                return
            poll = select.poll()
            for source in self._ends.values():
                poll.register(source, select.POLLIN)
            ready = {fd for fd, _ in poll.poll(min(left_ms, _LONGEST_MS))}
            for stream, source in list(self._ends.items()):
                if source in ready and not _pass_on(source, stream, self._copies[stream]):
                    self._over(stream)

    def _over(self, stream: int) -> None:
        source = self._ends.pop(stream, None)
        if source is not None:
            os.close(source)
            let_go(stream)


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
