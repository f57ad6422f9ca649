"""What a fleet's screens wait for, on millions of events made inside the engine: `make bench-fleet`.

`EVENTS` sets their number. The second figure is the engine's CPU time, for a machine that has other work.
"""

from __future__ import annotations

import asyncio
import os
import resource
import tempfile
import time
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from hooktui.fleet import accelerators
from hooktui.fleet.fleet_log import FleetLog
from hooktui.log.read.query import parse
from tests.fleet.world import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from hooktui.log.read.rows import DispatchRow

T = TypeVar("T")

EVENTS = int(os.environ.get("EVENTS", "10000000"))
_PORTION = 500_000
_MACHINES, _EVENTS_IN_SESSION = 500, 200
_DAYS = 30
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_US = 1_577_836_800_000_000  # of ids.py
_ROWS = Path(__file__).with_name("bench_events.sql")


def fill(engine: EngineProcess) -> None:
    """Make the events inside the engine, in portions, as collectors would insert them over the days."""
    engine.create()
    for statement in accelerators.statements("otel.otel_logs"):
        if "MATERIALIZE COLUMN" not in statement and "MATERIALIZE INDEX" not in statement:
            engine.client.command(statement)
    step = _DAYS * 86_400_000_000 // EVENTS
    begin = int(time.time() * 1e6) - EVENTS * step
    values = {"begin": begin, "step": step, "epoch": _US, "alphabet": _ALPHABET, "machines": _MACHINES}
    for first in range(0, EVENTS, _PORTION):
        count = min(_PORTION, EVENTS - first)
        engine.client.command(_ROWS.read_text().format(first=first, count=count, in_session=_EVENTS_IN_SESSION, **values))
        print(f"\r{first + count:,} events", end="", flush=True)
    print()


class Stopwatch:
    """Prints what a screen waits for, and the CPU time that it costs the engine."""

    def __init__(self, engine: EngineProcess) -> None:
        self._engine = engine

    async def time(self, about: str, limit_s: float | None, work: Awaitable[T]) -> T:
        began, cpu = time.perf_counter(), self._engine.cpu_s
        answer = await work
        took, cpu = time.perf_counter() - began, self._engine.cpu_s - cpu
        limit = f"   at most {limit_s} s{'' if took <= limit_s else '  ✕'}" if limit_s else ""
        print(f"{about:<44} {took:8.2f} s {cpu:8.2f} s{limit}", flush=True)
        return answer


async def first_page(fleet: FleetLog, text: str) -> list[DispatchRow]:
    """The rows that Live shows first."""
    async with aclosing(fleet.search(parse(text))) as batches:
        rows = await fleet.rows((await anext(batches))[:50])
    assert rows
    return rows


async def measure(engine: EngineProcess) -> None:
    """Ask what the screens ask."""
    timed = Stopwatch(engine).time
    fleet = await timed("open", None, FleetLog.open(engine.url("reader")))
    for text in ("", "decision:deny", "machine:machine-50 decision:deny", "state:failed", "hook:guard", "session:s-77"):
        await timed(f"page: {text or 'everything'}", 1.0, first_page(fleet, text))
    for text in ("zanzibar", "message", '"module_7.py and"'):
        await timed(f"words: {text}", 1.0, first_page(fleet, text))
    await timed("oldest and total", None, fleet.extent())
    await timed("projects", None, fleet.projects())
    rows = await timed("sessions", None, fleet.sessions())
    await timed("events of a session", 0.5, fleet.session_events(rows[len(rows) // 2].id))
    await timed("search to its end", None, fleet.newest(parse("")))
    await fleet.close()
    print(f"memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB   at most 200 MB")


def main() -> None:
    """Make the events and measure."""
    with tempfile.TemporaryDirectory() as directory:
        engine = EngineProcess(Path(directory))
        try:
            fill(engine)
            asyncio.run(measure(engine))
        finally:
            engine.kill()


if __name__ == "__main__":
    main()
