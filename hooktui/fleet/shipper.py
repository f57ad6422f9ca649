"""Ship a log: read what is new in its chain, send it in batches, and note each batch that the collector took.

A batch counts as shipped only once its position is on the disk, so a shipper that is killed sends it again: every record
arrives at least once, with the same key. It can therefore be ended at any moment.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from hooktui.core import ids, paths
from hooktui.fleet import fleet_records, ship_faults
from hooktui.fleet.fleet_records import FleetRecord, Link, RecordMaker
from hooktui.fleet.fleet_settings import FleetSettings
from hooktui.fleet.outbox import Batch, Outbox
from hooktui.fleet.ship_faults import SendError
from hooktui.fleet.ship_state import ShipFault, ShipState
from hooktui.log.read.connection import LogError
from hooktui.log.store import shipped
from hooktui.runner.journal import spool

_DAY_S = 86_400
_HEAD_S = 3600.0  # after which the head is sent although nothing is new
_LOOK_S = 0.25  # between two looks at the log's files; events of one moment share a request
_SMALLEST = 16 * 1024  # bytes below which a record is not cut any further


class Receipt(NamedTuple):
    """What a collector took: all but the `rejected` records, which it will never take; `message` says why.

    `trimmed` counts the records that were cut before.
    """

    rejected: int = 0
    message: str = ""
    trimmed: int = 0


class ShipperRunningError(Exception):
    """Another process ships this log."""


@contextmanager
def locked(db: str) -> Iterator[None]:
    """Be the one process that ships a log, in a block. Raises ShipperRunningError."""
    with shipped.lock(db) as lock:
        if not lock.held:
            process = os.pread(lock.fd, 20, 0).decode(errors="replace").strip()
            raise ShipperRunningError(f"another process ships this log{f': {process}' if process else ''}")
        os.ftruncate(lock.fd, 0)
        os.pwrite(lock.fd, b"%d\n" % os.getpid(), 0)
        yield


@dataclass(slots=True)
class Shipper:
    """Ships a log; `state` is what the file beside the log says, or will say at the next change.

    `send`: sends records of an instance in one request, or raises SendError unless the collector took them.
    `next_head`: when the head is due although nothing is new, by the monotonic clock; at once in a new process.
    `is_outdated`: whether the settings have changed, so that nothing more may be sent by them.
    """

    db: str
    settings: FleetSettings
    send: Callable[[Sequence[FleetRecord], str], Receipt]
    state: ShipState
    next_head: float = 0.0
    is_outdated: Callable[[], bool] = lambda: False

    def ship(self) -> int:
        """Send what waits; the number of records. Raises SendError, after noting it in the state."""
        try:
            return self._ship()
        except (SendError, LogError, OSError) as error:
            fault = error if isinstance(error, SendError) else SendError("log", _log_fault(error))
            self.state = note_failure(self.state, fault)
            with suppress(OSError):  # the disk is full; nothing is sent again before the position is saved
                self.state.save(self.db)
            raise fault from error

    def _ship(self) -> int:
        outbox = Outbox(self.db)
        try:
            self.state = resumed(outbox, self.state)
            first = shipped.requested(self.db)
            if first:
                with suppress(ValueError):  # it was pruned meanwhile
                    self.state = rewound(outbox, self.state, first)
            before = self.state.sent
            if self.state != ShipState.load(self.db):
                self.state.save(self.db)  # the instance and the salt of whatever is sent now
            if first:
                os.unlink(shipped.request_path(self.db))
            self._skip_lost(outbox)
            maker = RecordMaker(self.settings, self.state.salt)
            for batch in outbox.batches(self.state.seq, maker):
                if self.is_outdated():
                    return self.state.sent - before
                self._deliver(batch)
            if self.state.sent > before or time.monotonic() >= self.next_head:
                self._send_head(outbox)
            return self.state.sent - before
        finally:
            outbox.close()

    def _skip_lost(self, outbox: Outbox) -> None:
        """Pass over links that were pruned, and events that are too old, and tell the fleet how many there were."""
        first, last = outbox.ends()
        after = max(self.state.seq, first - 1) if first else self.state.seq
        if self.settings.max_days:
            after = outbox.first_recent(after, time.time() - self.settings.max_days * _DAY_S) - 1
        if not last or after <= self.state.seq or self.is_outdated():
            return
        link = outbox.link(after) or Link(after, "")
        gap = fleet_records.gap(link, self.state.seq + 1, ids.new())
        self._deliver(Batch((gap,), link))

    def _deliver(self, batch: Batch) -> None:
        done = self._send(batch.records)
        self.state = replace(
            self.state,
            seq=batch.last.seq,
            hash=batch.last.hash,
            sent=self.state.sent + len(batch.records) - done.rejected,
            rejected=self.state.rejected + done.rejected,
            rejection=done.message or self.state.rejection,
            lost=self.state.lost + batch.lost,
            trimmed=self.state.trimmed + done.trimmed,
            shipped_at=time.time(),
            fault=None,
        )
        self.state.save(self.db)

    def _send(self, records: Sequence[FleetRecord]) -> Receipt:
        """Send records in as many requests as it takes. Raises SendError."""
        try:
            receipt = self.send(records, self.state.instance)
        except SendError as error:
            if not error.blames_records:
                raise
            if len(records) > 1:
                return self._send_halves(records)
            (record,) = records
            smaller = fleet_records.trimmed(record, record.size // 4) if record.name == fleet_records.DISPATCH else record
            if record.size <= _SMALLEST or smaller.size >= record.size:
                raise
            return self._send([smaller])
        rejected = min(max(receipt.rejected, 0), len(records))
        return receipt._replace(rejected=rejected, trimmed=sum(record.trimmed for record in records))

    def _send_halves(self, records: Sequence[FleetRecord]) -> Receipt:
        """Send records that were refused together. What is refused alone counts as rejected if the collector takes others.

        Otherwise one record would hold back all later ones for ever. Raises SendError if all are refused.
        """
        middle = len(records) // 2
        receipt, is_refused = Receipt(), False
        for half in (records[:middle], records[middle:]):
            try:
                done = self._send(half)
            except SendError as error:
                if not error.blames_records or is_refused:
                    raise
                done, is_refused = Receipt(len(half), str(error)), True
            message = done.message or receipt.message
            receipt = Receipt(receipt.rejected + done.rejected, message, receipt.trimmed + done.trimmed)
        return receipt

    def _send_head(self, outbox: Outbox) -> None:
        """Tell the fleet up to where the chain was shipped, so that it can find what was lost on the way.

        For a day also where it began: the first records of a new machine may be lost.
        """
        if not self.state.seq:
            return
        self.next_head = 0.0
        link = Link(self.state.seq, self.state.hash)
        head = fleet_records.head(link, outbox.ends()[0], time.time_ns())
        beginning = outbox.beginning(self.state.began)
        is_new = beginning is not None and head.time_ns - beginning.time_ns < _DAY_S * 1_000_000_000
        self.send([beginning, head] if beginning and is_new else [head], self.state.instance)
        self.next_head = time.monotonic() + _HEAD_S
        if self.state.fault:
            self.state = replace(self.state, fault=None)
            self.state.save(self.db)


def _log_fault(error: LogError | OSError) -> str:
    return str(error) if isinstance(error, LogError) else f"the position cannot be saved: {error.strerror or error}"


def note_failure(state: ShipState, error: SendError) -> ShipState:
    """The state after another failed attempt, with the time of the next."""
    attempts = state.fault.attempts + 1 if state.fault else 1
    now = time.time()
    fault = ShipFault(
        kind=error.kind,
        message=str(error),
        since=state.fault.since if state.fault else now,
        attempts=attempts,
        retry_at=now + ship_faults.pause_s(attempts, error.retry_after_s),
    )
    return replace(state, fault=fault)


def resumed(outbox: Outbox, state: ShipState) -> ShipState:
    """The state to go on from: a new one if another log has taken the place of the shipped one, or on another machine."""
    state = state.on_this_machine()
    _, last = outbox.ends()
    link = outbox.link(state.seq)
    if state.seq and last and (last < state.seq or (link and state.hash and link.hash != state.hash)):
        return state.for_new_log()
    return state


def rewound(outbox: Outbox, state: ShipState, seq: int) -> ShipState:
    """The state that ships again from a sequence on. Raises ValueError for a sequence that the log does not have."""
    first, last = outbox.ends()
    if not first <= seq <= last:
        raise ValueError(f"the log has the sequences {first} to {last}")
    before = outbox.link(seq - 1)
    return replace(state, seq=seq - 1, hash=before.hash if before else "", fault=None)


class LogChanges:
    """Tells when a log, its spool, the configuration, or what is asked of the shipper changes.

    `idle_s`: after so many seconds without changes there is nothing to wait for.
    """

    def __init__(self, db: str, idle_s: float | None) -> None:
        self._lock = shipped.lock_path(db)
        self._idle_s = idle_s
        self._files = (db, db + "-wal", spool.path_of(db), shipped.request_path(db))
        self._written = _written(self._files)
        self._configuration = _written((paths.config_file(), paths.managed_file()))

    def is_reconfigured(self) -> bool:
        return _written((paths.config_file(), paths.managed_file())) != self._configuration

    def wait(self, pause_s: float | None) -> bool:
        """Wait for a time in seconds, or for a change since the last wait (None), an hour at most; whether to go on."""
        began = time.monotonic()
        while not self.is_reconfigured() and os.path.exists(self._lock):  # without it, another shipper may begin
            waited = time.monotonic() - began
            written = _written(self._files)
            if waited >= (_HEAD_S if pause_s is None else pause_s) or (pause_s is None and written != self._written):
                self._written = written
                return True
            if pause_s is None and self._idle_s is not None and waited > self._idle_s:
                return False
            time.sleep(_LOOK_S)
        return False


def _written(files: Iterable[str]) -> tuple[object, ...]:
    """What tells when files were written. Not their ctime: as root, SQLite sets the owner of the WAL whenever it opens it."""
    return tuple((known[0], *known[2:]) if (known := paths.stamp(path)) else None for path in files)


def follow(shipper: Shipper, wait: Callable[[float | None], bool], report: Callable[[str], None]) -> None:
    """Ship for ever: `wait` for changes of the log, or for a time in seconds before the next attempt, until it says no.

    `report` gets a sentence when shipping begins to fail, and when it works again.
    """
    failing = ""
    while True:
        try:
            shipper.ship()
        except SendError as error:
            fault = shipper.state.fault
            assert fault is not None
            if failing != fault.kind:
                report(str(error))
            failing = fault.kind
            going_on = wait(max(fault.retry_at - time.time(), 0.0))
        else:
            if failing:
                report("shipping works again")
            failing = ""
            going_on = wait(None)
        if not going_on:
            return
