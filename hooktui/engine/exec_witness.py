"""The witness of a relayed command: a separate process that records it even if the host kills the command and the relay.

The relay answers as soon as the witness has kept what the command did in a file. So it is recorded even if the host ends, and
all processes with it, when it has the answer.
"""

from __future__ import annotations

import _signal as signal
import mmap
import os
import select
import time

from hooktui.core import fast_json
from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Protocol

    class Recording(Protocol):
        """What the witness does for the log."""

        def prepare(self) -> None:
            """Prepare keeping while the command runs."""

        def keep(self, relayed: Relayed) -> None:
            """Keep what the command did, before the host gets the answer."""

        def record(self, relayed: Relayed) -> None:
            """Record it, after that."""


KEPT = 10 * 1024 * 1024  # bytes kept of each stream
_HEAD = 8  # bytes of the length before a copy
_CHUNK = 65536
_OUTPUT_S = 1.0  # wait for the output of grandchildren
_STDIN_S = 0.25  # wait for the rest of the event when the command no longer reads it
_PATIENCE_S = 2.0  # the host waits no longer for the witness
_LONGEST_S = 1_000_000
_EXIT = ord("=")  # precedes the wait status and the milliseconds


class Relayed(Record):
    """The streams of a relayed command and its wait status (`os.waitpid`).

    `id` is the time-ordered ID of its start. `cut`: stdout was longer than KEPT.
    """

    id: int
    status: int
    stdin: bytes
    stdout: bytes
    stderr: bytes
    cut: bool
    duration_ms: float


class Copy:
    """The first bytes of a stream, in memory shared by two processes. Raises OSError without memory."""

    def __init__(self) -> None:
        self._map = mmap.mmap(-1, _HEAD + KEPT)

    def add(self, chunk: bytes) -> None:
        """Append the part that fits and count the rest."""
        length = self.length
        fits = chunk[: max(KEPT - length, 0)]
        start = _HEAD + length
        self._map[start : start + len(fits)] = fits
        self._map[:_HEAD] = (length + len(chunk)).to_bytes(_HEAD, "little")

    @property
    def length(self) -> int:
        """The number of bytes, kept or not."""
        return int.from_bytes(self._map[:_HEAD], "little")

    def content(self) -> bytes:
        """The kept bytes."""
        return self._map[_HEAD : _HEAD + min(self.length, KEPT)]


class Witness:
    """The relay's connection to the witness.

    `outputs` maps standard streams to the read ends of the command's pipes. `exit_fd` is the command's pidfd, None without
    pidfds. `closed_in_witness` is a descriptor that only the relay needs. The witness is a grandchild in its own session: no
    signal to our group or our children reaches it.
    """

    def __init__(
        self,
        number: int,
        pid: int,
        exit_fd: int | None,
        outputs: Mapping[int, int],
        copies: tuple[Copy, Copy, Copy],
        recording: Recording,
        *,
        closed_in_witness: int,
    ) -> None:
        try:
            reports, self._pipe = os.pipe()
            self._kept, kept = os.pipe()
            middle = os.fork()
        except OSError:  # the command already runs; it is not recorded
            self._pipe = self._kept = -1
            return
        if middle:
            os.close(reports)
            os.close(kept)
            os.waitpid(middle, 0)
            return
        try:
            os.setsid()
            if os.fork() == 0:
                for fd in (self._pipe, self._kept, closed_in_witness):
                    os.close(fd)
                _Watch(number, pid, exit_fd, dict(outputs), copies, reports, kept).watch(recording)
        finally:
            os._exit(0)

    def report_closed(self, stream: int) -> None:
        """Report that a standard stream is closed."""
        self._report(bytes([stream]))

    def report_exit(self, status: int, duration_ms: float) -> None:
        """Report that the command has exited, and wait until the witness has kept what it did."""
        self._report(bytes([_EXIT]) + f"{status} {duration_ms}".encode())
        os.close(self._pipe)
        _ready((self._kept,), time.monotonic() + _PATIENCE_S)

    def _report(self, message: bytes) -> None:
        try:
            os.write(self._pipe, message)
        except OSError:  # the witness was killed: nothing is recorded
            return


class _Watch:
    """The witness process. `_stdin_deadline`: until then it reads the stdin that the command no longer reads."""

    def __init__(
        self,
        number: int,
        pid: int,
        exit_fd: int | None,
        outputs: dict[int, int],
        copies: tuple[Copy, Copy, Copy],
        reports: int,
        kept: int,
    ) -> None:
        self._id = number
        self._started = time.monotonic()
        self._pid = pid
        self._exit_fd = exit_fd
        self._outputs = outputs
        self._copies = copies
        self._reports = reports
        self._kept = kept
        self._stdin_deadline: float | None = None
        self._has_stdin = True

    def watch(self, recording: Recording) -> None:
        """Wait for the exit, keep what the command did, forward the output of grandchildren, release all streams, record."""
        recording.prepare()
        report = self._exit_report()
        status, duration_ms = report.split() if report else self._kill_command()
        self._read_rest_of_stdin()
        recording.keep(self._relayed(int(status), float(duration_ms)))
        self._let_relay_answer()
        self._forward_until(time.monotonic() + _OUTPUT_S)
        if self._outputs and os.fork() == 0:  # forward the output of a daemon while its parent records the command
            self._forward_until(float("inf"))
            return
        for stream in (1, 2):
            release(stream)
        recording.record(self._relayed(int(status), float(duration_ms)))

    def _relayed(self, status: int, duration_ms: float) -> Relayed:
        stdin, stdout, stderr = self._copies
        return Relayed(
            id=self._id,
            status=status,
            stdin=stdin.content(),
            stdout=stdout.content(),
            stderr=stderr.content(),
            cut=stdout.length > KEPT,
            duration_ms=duration_ms,
        )

    def _let_relay_answer(self) -> None:
        """Tell the relay not to wait any longer."""
        try:
            os.write(self._kept, b"!")
        except OSError:  # it was killed, or has not waited
            return

    def _exit_report(self) -> bytes:
        """The report of the command's exit; empty if the relay was killed first."""
        report = b""
        while chunk := self._next_chunk():
            for byte in chunk:
                if report or byte == _EXIT:
                    report += bytes([byte])
                else:
                    self._close(byte)
        return report[1:]

    def _next_chunk(self) -> bytes:
        while self._stdin_deadline is not None:
            ready = _ready((self._reports, 0), self._stdin_deadline)
            if self._reports in ready:
                break
            if not ready or not self._read_stdin():
                self._stdin_deadline = None
                self._release_stdin()
        return os.read(self._reports, _CHUNK)

    def _kill_command(self) -> tuple[int, float]:
        """Kill the command like its relay; returns its wait status and duration."""
        try:
            if self._exit_fd is not None:
                signal.pidfd_send_signal(self._exit_fd, signal.SIGKILL)
            else:
                os.kill(self._pid, signal.SIGKILL)
        except OSError:  # it was killed with the relay
            pass
        return int(signal.SIGKILL), (time.monotonic() - self._started) * 1000

    def _forward_until(self, deadline: float) -> None:
        """Forward the output of the command's children until they close the pipes or the deadline passes."""
        while self._outputs and (ready := _ready(self._outputs.values(), deadline)):
            for stream, source in list(self._outputs.items()):
                if source in ready and not _forward(source, stream, self._copies[stream]):
                    self._close(stream)

    def _read_rest_of_stdin(self) -> None:
        """Read the rest of the event, which the log records; a host may leave the stream open behind it."""
        deadline = self._stdin_deadline or time.monotonic() + _STDIN_S
        while self._has_stdin and not self._has_whole_event() and _ready((0,), deadline) and self._read_stdin():
            continue
        self._release_stdin()

    def _has_whole_event(self) -> bool:
        content = self._copies[0].content()
        return content.rstrip().endswith(b"}") and bool(fast_json.parse_object(content))

    def _read_stdin(self) -> bool:
        """Copy one chunk of stdin; False at its end."""
        try:
            chunk = os.read(0, _CHUNK)
        except OSError:
            return False
        self._copies[0].add(chunk)
        return bool(chunk)

    def _close(self, stream: int) -> None:
        if stream == 0:
            self._stdin_deadline = time.monotonic() + _STDIN_S
        elif stream in self._outputs:
            os.close(self._outputs.pop(stream))
            release(stream)

    def _release_stdin(self) -> None:
        if self._has_stdin:
            self._has_stdin = False
            release(0)


def _ready(fds: Iterable[int], deadline: float) -> set[int]:
    """Wait until descriptors are readable and return those; none if `deadline` (`time.monotonic`) passes first."""
    poll = select.poll()
    for fd in fds:
        poll.register(fd, select.POLLIN)
    return {fd for fd, _ in poll.poll(min(max(deadline - time.monotonic(), 0), _LONGEST_S) * 1000)}


def _forward(source: int, target: int, copy: Copy) -> bool:
    """Forward one chunk from a pipe to the host; False if either is closed."""
    chunk = os.read(source, _CHUNK)
    copy.add(chunk)
    rest = memoryview(chunk)
    try:
        while rest:
            rest = rest[os.write(target, rest) :]
    except OSError:
        return False
    return bool(chunk)


def release(fd: int) -> None:
    """Close a descriptor. The null device replaces a standard stream, so that no other file gets its number."""
    if fd > 2:
        os.close(fd)
        return
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, fd)
    os.close(null)
