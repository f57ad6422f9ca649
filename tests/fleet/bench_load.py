"""What a fleet's collector and engine bear, and what shipping costs a machine: part of `make bench-fleet`.

`RATE` and `SECONDS` set the load, `DISPATCHES` the length of the log that is shipped. The figures hold for a machine without
other work; its load average is printed first.
"""

from __future__ import annotations

import asyncio
import os
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.command_world import CommandWorld
from tests.fleet.collector import Collector
from tests.fleet.load import arrive
from tests.fleet.load_generator import MACHINES
from tests.fleet.ship_world import configure
from tests.fleet.world import DATABASE, EngineProcess
from tests.log_world import LogWorld, run

RATE, SECONDS = int(os.environ.get("RATE", "10000")), int(os.environ.get("SECONDS", "60"))
DISPATCHES = int(os.environ.get("DISPATCHES", "200000"))
_PORTION = 2000
_FOUND_S = 3.0


def bear_load(engine: EngineProcess) -> None:
    """Send what a thousand machines send, and count what arrived."""
    arrival = asyncio.run(arrive(engine, RATE, SECONDS))
    sent, total = arrival.sent, RATE * SECONDS
    lost, twice = total - arrival.events, arrival.records - arrival.events
    print(f"{MACHINES:,} connections, {RATE:,} records/s for {SECONDS} s; requests at most {sent.late_ms:.0f} ms late")
    print(f"refused {sent.refused}, lost {lost}, stored twice {twice}, counted twice {arrival.counted - arrival.events}")
    p50, p95, most = (_quantile(arrival.waits_s, share) for share in (0.5, 0.95, 1.0))
    verdict = "" if p95 <= _FOUND_S else "  ✕"
    print(f"found after p50 {p50:.2f} s, p95 {p95:.2f} s, at most {most:.2f} s   p95 at most {_FOUND_S} s{verdict}")
    cpu = {"generator": sent.cpu_s, "collector": arrival.collector_cpu_s, "engine and its readers": arrival.engine_cpu_s}
    print("CPU " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in cpu.items()), flush=True)


def _quantile(waits_s: Sequence[float], share: float) -> float:
    return waits_s[round(share * (len(waits_s) - 1))] if waits_s else float("inf")


def ship(engine: EngineProcess, directory: Path) -> None:
    """Ship a long log once."""
    world = CommandWorld(directory)
    world.db.parent.mkdir(parents=True)
    log = LogWorld(str(world.db))
    runs = [run("block-dangerous", duration_ms=3.1), run("audit", duration_ms=4.0), run("format-py", "skipped")]
    for _ in range(0, DISPATCHES, _PORTION):
        log.add_all([log.made(tool="Shell", host="claude", runs=runs) for _ in range(_PORTION)])
    engine.create()
    with Collector(engine, DATABASE) as collector:
        configure(world, collector.url)
        began, cpu_s = time.monotonic(), _children_cpu_s()
        shipping = world.start("ship", "--once")
        assert shipping.process.wait() == 0
        took_s, cpu_s = time.monotonic() - began, _children_cpu_s() - cpu_s
        world.end()
    print(f"shipped {DISPATCHES:,} dispatches in {took_s:.1f} s, {DISPATCHES / cpu_s:,.0f} for each second of CPU", flush=True)


def _children_cpu_s() -> float:
    """The CPU time of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    print("load average {:.1f} {:.1f} {:.1f}".format(*os.getloadavg()))
    with tempfile.TemporaryDirectory() as directory:
        engine = EngineProcess(Path(directory) / "engine")
        try:
            bear_load(engine)
            ship(engine, Path(directory))
        finally:
            engine.kill()


if __name__ == "__main__":
    main()
