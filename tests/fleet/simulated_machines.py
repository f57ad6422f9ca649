"""Fifty machines whose agents did what the demo's agents do, one of them without a guard."""

from __future__ import annotations

import copy
import json
import random
import socket
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hooktui.core import ids
from hooktui.fleet.fleet_records import Link, LoggedDispatch, RecordMaker, head
from hooktui.fleet.fleet_settings import FleetSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.core.report import LoggedReport
    from hooktui.fleet.fleet_records import FleetRecord
    from hooktui.fleet.otlp_sender import OtlpSender

MACHINES = 50
WITHOUT_GUARD, LOSES, SILENT = 17, 31, 44
GUARD, FAILING = "block-dangerous", "format-py"
_FAILS_FOR_S = 4 * 3600.0
_ROUNDS_H = (20.0, 3.2, 1.5)  # how many hours ago the agents of a machine began to work
_PAUSE_S = 20.0  # between two events
_BATCH = 500
_LOST = slice(40, 52)


@dataclass
class Machine:
    """A machine and its log's chain. `played` are the reports of the demo, oldest first, in the home `home`."""

    number: int
    played: Sequence[LoggedReport]
    home: str
    now: float
    seq: int = 0
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.number)
        self._maker = RecordMaker(FleetSettings("", level="full"), "")

    @property
    def name(self) -> str:
        return f"dev-{self.number:02}"

    def past(self) -> list[FleetRecord]:
        """The records of its last day, and the head of its chain."""
        ago = [hours * 3600 + self._random.uniform(-1800, 1800) for hours in _ROUNDS_H]
        shift = 3 * 86_400 if self.number == SILENT else 0
        starts = [self.now - shift - each for each in ago]
        records = [
            self.record(report, start + place * _PAUSE_S, f"{number}")
            for number, start in enumerate(starts)
            for place, report in enumerate(self.played)
        ]
        if self.number == LOSES:
            del records[_LOST]
        return [*records, head(Link(self.seq, "0" * 64), 1, round((self.now - shift) * 1e9))]

    def record(self, played: LoggedReport, at: float, round_name: str) -> FleetRecord:
        """The next record of its chain: a report of the demo, at another time and place."""
        self.seq += 1
        report: LoggedReport = json.loads(json.dumps(copy.deepcopy(played)).replace(self.home, f"/home/{self.name}"))
        number = ids.at_time(at) + self._random.randrange(1, 1000)
        report["id"] = ids.text(number)
        report["session_id"] = f"{report['session_id']}-{self.number:02}{round_name}"
        self._change_hooks(report, fails=self.now - at < _FAILS_FOR_S)
        states = [run["state"] for run in report["hooks"]]
        state = "failed" if "failed" in states else "ok"
        return self._maker.dispatch(LoggedDispatch(number, report, state), Link(self.seq, "0" * 64))

    def _change_hooks(self, report: LoggedReport, *, fails: bool) -> None:
        """Leave out the guard of the machine without one, and let only one rule fail."""
        if self.number == WITHOUT_GUARD:
            if any(run["label"] == GUARD and run["decision"] == "deny" for run in report["hooks"]):
                report["decision"] = report["effect"] = "none"
                report["reason"] = None
            report["hooks"] = [run for run in report["hooks"] if run["label"] != GUARD]
        for run in report["hooks"]:
            if run["label"] == FAILING and run["state"] != "skipped" and fails:
                run["state"], run["exit_code"], run["stderr"] = "failed", 127, "env: 'ruff': No such file or directory\n"
            elif run["state"] in ("failed", "timeout", "invalid-output", "started"):
                run["state"], run["exit_code"], run["duration_ms"] = "ok", 0, run["duration_ms"] or 12.0


def fleet(played: Sequence[LoggedReport], home: str) -> list[Machine]:
    return [Machine(number, played, home, time.time()) for number in range(1, MACHINES + 1)]


def ship(machine: Machine, records: Sequence[FleetRecord], sender: OtlpSender) -> None:
    """Send records as the machine would."""
    with host_named(machine.name):
        for start in range(0, len(records), _BATCH):
            sender.send(records[start : start + _BATCH], f"instance-of-{machine.name}")


@contextmanager
def host_named(name: str) -> Iterator[None]:
    """Run a block on a host of another name."""
    own, socket.gethostname = socket.gethostname, lambda: name
    try:
        yield
    finally:
        socket.gethostname = own
