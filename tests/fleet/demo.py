"""`make demo-fleet`: a collector, ClickHouse's engine and fifty simulated machines on this one, and the app on them.

Everything listens on loopback, writes to a temporary folder, and ends with the app.
"""

from __future__ import annotations

import asyncio
import random
import signal
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hooktui import demo
from hooktui.cli.main import open_app
from hooktui.core.report import LoggedReport
from hooktui.fleet.fleet_settings import FleetSettings
from hooktui.fleet.otlp_sender import OtlpSender
from hooktui.log.read.query import parse
from hooktui.log.read.reader import LogReader
from tests.fleet import simulated_machines
from tests.fleet.collector import Collector
from tests.fleet.simulated_machines import Machine
from tests.fleet.world import DATABASE, EngineProcess

BANNER = "Demo: 50 simulated machines · {hooks-screen} hooks · {live-screen} live · {filter} filter · {help} help · {quit} quit"
_PAUSE_S = 1.5  # between two new events
_ARRIVAL_S = 30.0


def main() -> None:
    """Start everything, show the app, end everything."""
    signal.signal(signal.SIGTERM, lambda *_: exit(143))
    with tempfile.TemporaryDirectory(prefix="hooktui-fleet-", ignore_cleanup_errors=True) as directory:
        world = demo.build(f"{directory}/demo")
        with ThreadPoolExecutor(max_workers=1) as pool:
            print("Starting ClickHouse's engine and a collector, and letting agents work …", flush=True)
            starting = pool.submit(_start_engine, Path(directory) / "engine")
            list(demo.play(world, pace=0))
            with world.entered():
                played = asyncio.run(_reports())
            engine = starting.result()
        try:
            with Collector(engine, DATABASE) as collector:
                _run(world, engine, collector, played)
        finally:
            engine.close()
            demo.settle(world)


def _start_engine(directory: Path) -> EngineProcess:
    engine = EngineProcess(directory)
    engine.create()
    return engine


async def _reports() -> list[LoggedReport]:
    """What the demo's agents did, oldest first."""
    log = await LogReader.open()
    try:
        return await log.reports((await log.newest(parse("")))[::-1])
    finally:
        await log.close()


def _run(world: demo.World, engine: EngineProcess, collector: Collector, played: Sequence[LoggedReport]) -> None:
    machines = simulated_machines.fleet(played, world.home)
    sender = OtlpSender(FleetSettings(f"{collector.url}/v1/logs", compresses=False))
    print(f"Shipping a day of {len(machines)} machines …", flush=True)
    sent = 0
    for machine in machines:
        records = machine.past()
        simulated_machines.ship(machine, records, sender)
        sent += len(records)
    _wait_for(engine, sent)
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=1) as pool, world.entered():
        working = pool.submit(_keep_working, machines, sender, stop)
        try:
            open_app(world.project, banner=BANNER, mode="fleet", fleet=engine.url("reader"))
        finally:
            stop.set()
            working.result()


def _wait_for(engine: EngineProcess, count: int) -> None:
    """Wait until the collector has stored what it took, for some seconds at most."""
    deadline = time.monotonic() + _ARRIVAL_S
    while time.monotonic() < deadline:
        ((stored,),) = engine.client.query(f"SELECT count() FROM {DATABASE}.otel_logs").result_rows
        if stored >= count:
            return
        time.sleep(0.1)


def _keep_working(machines: Sequence[Machine], sender: OtlpSender, stop: threading.Event) -> None:
    """Let agents work on a machine after the other while the app is open."""
    chosen = random.Random(0)
    while not stop.wait(_PAUSE_S):
        machine = chosen.choice([machine for machine in machines if machine.number != simulated_machines.SILENT])
        simulated_machines.ship(machine, [machine.record(chosen.choice(machine.played), time.time(), "9")], sender)


if __name__ == "__main__":
    main()
