"""How shipping goes: for `hooktui ship --status`, `doctor` and the app's header."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from typing import NamedTuple

from hooktui.core import ids
from hooktui.fleet import fleet_settings
from hooktui.fleet.extra import MissingExtraError
from hooktui.fleet.fleet_settings import FleetSettings, NotConfiguredError
from hooktui.fleet.ship_faults import HEADLINES, REMEDIES
from hooktui.fleet.ship_state import ShipState
from hooktui.log.read.connection import read_only_uri
from hooktui.log.read.rows import iso
from hooktui.log.store import import_journal, shipped
from hooktui.runner.journal import spool

_BUSY_S = 1.0
_LATE_S = {"auto": 600.0, "manual": 2 * 86_400.0}  # the header reports an event that waits longer; some ship once a day
_STARTED_S = 2.0
_RETRYING_S = 60.0  # after the time of the next attempt: later, no process makes it


class ShipStatus(NamedTuple):
    """The shipping of a log.

    `settings` is None if nothing is configured, as `why_not` says. `head` is the last sequence of the chain, `journal` the
    number of events that wait in the spool. `waiting_since` is when the oldest event happened that waits, in seconds since
    1970, 0 if none waits. `is_running`, `is_starting`: a shipper runs, or was started just now.
    """

    settings: FleetSettings | None
    why_not: str
    state: ShipState
    head: int
    journal: int
    waiting_since: float
    is_running: bool
    is_starting: bool = False

    @property
    def behind(self) -> int:
        return max(self.head - self.state.seq, 0) + self.journal

    @property
    def remedy(self) -> str:
        return REMEDIES.get(self.state.fault.kind, "") if self.state.fault else ""

    @property
    def is_late(self) -> bool:
        """Whether an event has waited for so long that a person should know."""
        late_s = _LATE_S[self.settings.ship if self.settings else "auto"]
        return bool(self.waiting_since) and time.time() - self.waiting_since > late_s

    @property
    def is_failing(self) -> bool:
        """Whether a process fails to ship now, or failed and left events that are late."""
        fault = self.state.fault
        return fault is not None and (self.is_late or time.time() < fault.retry_at + _RETRYING_S)

    @property
    def waiting(self) -> str:
        if self.behind:
            journal = f", {self.journal:,} of them in the journal" if self.journal else ""
            oldest = f", the oldest since {iso(self.waiting_since)}" if self.waiting_since else ""
            return f"{self.behind:,} of {self.head + self.journal:,} records wait{journal}{oldest}"
        return f"all {self.head:,} records shipped" if self.head else "nothing logged yet"

    @property
    def rejected(self) -> str:
        reason = self.state.rejection or "no reason given"
        return f"{_counted(self.state.rejected, 'record')} rejected by the collector: {reason}"

    @property
    def lost(self) -> str:
        return f"{_counted(self.state.lost, 'record')} lost: pruned, or too old, before they could be shipped"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def load(db: str, pause_s: float = _STARTED_S) -> ShipStatus:
    """The status of a log, after taking in its spool. Raises OSError.

    Starts a shipper that should run by itself and does not: it may have been killed. One that was started within `pause_s`
    may still begin to run.
    """
    settings, why_not = None, ""
    try:
        settings = fleet_settings.load()
    except (NotConfiguredError, MissingExtraError) as error:
        why_not = str(error)
    import_journal.take(db)
    state = ShipState.load(db)
    head, waiting_since = _waiting(db, state.seq)
    journal = 0 if spool.is_empty(db) else len(spool.entries(db))
    status = ShipStatus(settings, why_not, state, head, journal, waiting_since, shipped.is_running(db))
    if not status.behind or status.is_running:
        return status
    return status._replace(is_starting=shipped.start_shipper(db, pause_s))


def headline(db: str) -> str:
    """A few words for the app's header when the shipping of a log fails or is late; "" otherwise. Raises OSError."""
    status = load(db, shipped.PAUSE_S)
    if status.settings is None:
        return ""
    if status.state.fault and status.is_failing:
        return HEADLINES.get(status.state.fault.kind, "fleet: not shipping")
    return f"fleet: {status.behind:,} behind" if status.is_late else ""


def _waiting(db: str, seq: int) -> tuple[int, float]:
    """The last sequence of a log, and the time of the first record after another sequence; zeros without one."""
    if not os.path.exists(db):
        return 0, 0.0
    try:
        with closing(sqlite3.connect(read_only_uri(db), uri=True, timeout=_BUSY_S)) as connection:
            (head,) = connection.execute("SELECT ifnull(max(seq), 0) FROM link").fetchone()
            oldest = connection.execute("SELECT subject FROM link WHERE seq > ? ORDER BY seq LIMIT 1", (seq,)).fetchone()
    except sqlite3.Error:  # no chain, or no log of ours: `doctor` says more
        return 0, 0.0
    return int(head), ids.seconds(oldest[0]) if oldest else 0.0
