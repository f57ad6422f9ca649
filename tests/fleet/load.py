"""A load on a real collector and engine: what of it is stored, and how soon a reader of the fleet finds it."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.core import ids
from hooktui.fleet import overview
from hooktui.fleet.fleet_log import FleetLog
from hooktui.log.read.query import parse
from tests.fleet.collector import Collector
from tests.fleet.load_generator import MACHINES, Sent
from tests.fleet.world import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.fleet.world import EngineProcess

DATABASE = "load"
_FOLLOWED = parse("machine:m0*77")  # ten machines, whose requests are spread over each second
_FOLLOWED_MACHINES = MACHINES // 100
_POLL_S = 0.5
_RECENT_S = 5.0
_STORED_S = 60.0
_HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class Arrival:
    """What came of a load: records and different events in the table, and what a reader counts in it.

    `waits_s`: how long after an event of the followed machines a reader found it, sorted. CPU times in seconds.
    """

    sent: Sent
    records: int
    events: int
    counted: int
    counted_by_machine: int
    machines: int
    lost: int
    waits_s: Sequence[float]
    collector_cpu_s: float
    engine_cpu_s: float


async def arrive(engine: EngineProcess, rate: int, seconds: int) -> Arrival:
    """Send `rate` records a second from all machines, and read the fleet meanwhile."""
    engine.create(DATABASE)
    with Collector(engine, DATABASE) as collector:
        fleet = await FleetLog.open(engine.url("reader", database=DATABASE))
        before = collector.cpu_s, engine.cpu_s
        arguments = ("-m", "tests.fleet.load_generator", *map(str, (collector.port, rate, seconds)))
        generator = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=asyncio.subprocess.PIPE, cwd=ROOT)
        ended = asyncio.create_task(generator.communicate())
        waits_s = await _follow(fleet, ended, rate * seconds // MACHINES * _FOLLOWED_MACHINES)
        sent = Sent(**json.loads((await ended)[0]))
        records, events = await _stored(fleet, sent.taken)
        collector_cpu, engine_cpu = collector.cpu_s - before[0], engine.cpu_s - before[1]
        counted = await fleet.count(parse(""))
        machines = (await overview.read(fleet.database, parse(""), _HOUR_S)).machines
        await fleet.close()
    by_machine, lost = sum(machine.events for machine in machines), sum(machine.lost for machine in machines)
    counts = (records, events, counted, by_machine, len(machines), lost)
    return Arrival(sent, *counts, waits_s, collector_cpu, engine_cpu)


async def _follow(fleet: FleetLog, ended: asyncio.Task[tuple[bytes, bytes]], expected: int) -> list[float]:
    """Look for new events of the followed machines until all were found, or too late after the end; their waits, sorted."""
    waits_s: dict[int, float] = {}
    deadline = float("inf")
    while len(waits_s) < expected and time.monotonic() < deadline:
        await asyncio.sleep(_POLL_S)
        if ended.done() and deadline == float("inf"):
            deadline = time.monotonic() + _STORED_S
        recent = 0 if ended.done() else ids.at_time(time.time() - _RECENT_S)
        numbers = await fleet.newer(_FOLLOWED, recent)
        now = time.time()
        for number in numbers:
            waits_s.setdefault(number, now - ids.seconds(number))
    return sorted(waits_s.values())


async def _stored(fleet: FleetLog, expected: int) -> tuple[int, int]:
    """The records and the different events in the table, once as many are stored as a collector took."""
    table = fleet.database.table
    sql = f"SELECT count(), uniqExact({table.instance}, {table.id}) FROM {table.name} WHERE {table.dispatches}"
    deadline = time.monotonic() + _STORED_S
    while True:
        ((records, events),) = await fleet.database.rows(sql)
        if records >= expected or time.monotonic() > deadline:
            return records, events
        await asyncio.sleep(_POLL_S)
