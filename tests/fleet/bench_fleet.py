"""What a fleet's screens wait for, on millions of events made inside the engine: `make bench-fleet`.

`EVENTS` sets their number. The second figure is the engine's CPU time, for a machine that has other work.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable
from contextlib import aclosing
from pathlib import Path
from typing import TypeVar

from hooktui.fleet import clickhouse_table, overview
from hooktui.fleet.clickhouse_table import LogTable
from hooktui.fleet.fleet_log import FleetLog
from hooktui.log.read.connection import LogError
from hooktui.log.read.query import parse
from hooktui.log.read.rows import DispatchRow
from tests.fleet.world import EngineProcess

T = TypeVar("T")

EVENTS = int(os.environ.get("EVENTS", "10000000"))
_PORTION = 500_000
_MACHINES, _EVENTS_IN_SESSION = 500, 200
_DAYS = 30
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_US = 1_577_836_800_000_000  # of ids.py
_WINDOWS_S = {"hour": 3600.0, "day": 86_400.0, "week": 604_800.0, "30 days": 2_592_000.0}
_SIZES = """SELECT sumIf(bytes, name LIKE 'Hooktui%') AS columns, sumIf(bytes, name LIKE 'hooktui_%') AS indexes, sum(bytes)
    FROM (SELECT name, data_compressed_bytes AS bytes FROM system.columns WHERE table = 'otel_logs' UNION ALL
    SELECT name, data_compressed_bytes FROM system.data_skipping_indices WHERE table = 'otel_logs')"""
_COLUMNS = "SELECT name FROM system.columns WHERE table = 'otel_logs' AND name LIKE 'Hooktui%'"
_INDEXES = "SELECT name FROM system.data_skipping_indices WHERE table = 'otel_logs' AND name LIKE 'hooktui_%'"
_MOST_MB = 200
_PAGES = ("", "decision:deny", "machine:machine-50 decision:deny", "state:failed", "hook:guard", "session:s-77")
_WORDS = ("zanzibar", "message", '"module_7.py and"')
_ABSENT = ("tool:Nobody", "machine:nowhere", "hook:no*body", "state:skipped", "nowhere")
_ROWS = Path(__file__).with_name("bench_events.sql")


def fill(engine: EngineProcess) -> None:
    """Make the events inside the engine, in portions, as collectors would insert them over the days."""
    engine.create()
    for statement in clickhouse_table.schema_statements(LogTable("otel.otel_logs")):
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
        async for batch in batches:
            return await fleet.rows(batch[:50])
    return []


async def measure(engine: EngineProcess) -> None:
    """Ask what the screens ask."""
    stopwatch = Stopwatch(engine)
    timed = stopwatch.time
    fleet = await timed("open", None, FleetLog.open(engine.url("reader")))
    for text in _PAGES:
        assert await timed(f"page: {text or 'everything'}", 1.0, first_page(fleet, text))
    for text in _WORDS:
        assert await timed(f"words: {text}", 1.0, first_page(fleet, text))
    for text in _ABSENT:
        assert not await timed(f"absent: {text}", None, first_page(fleet, text))
    await timed("oldest and total", None, fleet.extent())
    await timed("projects", None, fleet.projects())
    rows = await timed("sessions", None, fleet.sessions())
    await timed("sessions with trouble", None, fleet.sessions(trouble=True))
    await timed("sessions with a word in the title", None, fleet.sessions(text="work on 77"))
    await timed("events of a session", 0.5, fleet.session_events(rows[len(rows) // 2].id))
    await timed("search to its end", None, fleet.newest(parse("")))
    await _measure_overview(fleet, stopwatch)
    await fleet.close()


async def measure_standard(engine: EngineProcess) -> None:
    """Ask the same table without what `hooktui fleet schema` adds, as far as somebody would wait for it."""
    drop_accelerators(engine)
    print("without `hooktui fleet schema`:")
    stopwatch = Stopwatch(engine)
    timed = stopwatch.time
    fleet = await FleetLog.open(engine.url("reader"))
    for text in (*_PAGES, *_WORDS):
        await timed(f"page: {text or 'everything'}", None, first_page(fleet, text))
    await timed("sessions", None, fleet.sessions())
    try:
        await _measure_overview(fleet, stopwatch)
    except LogError as error:
        print(error)
    await fleet.close()


async def _measure_overview(fleet: FleetLog, stopwatch: Stopwatch) -> None:
    for name, window_s in _WINDOWS_S.items():
        await stopwatch.time(f"overview: {name}", None, overview.read(fleet.database, parse(""), window_s))


def drop_accelerators(engine: EngineProcess) -> None:
    """Make the table that of the collectors again."""
    for kind, names in (("INDEX", _INDEXES), ("COLUMN", _COLUMNS)):
        for (name,) in engine.client.query(names).result_rows:
            engine.client.command(f"ALTER TABLE otel.otel_logs DROP {kind} {name}")


def measure_app(engine: EngineProcess) -> None:
    """What the app waits for, and its memory, in a process and a home of its own."""
    with tempfile.TemporaryDirectory() as home:
        command = (sys.executable, "-m", "tests.fleet.bench_app", engine.url("reader"))
        done = subprocess.run(command, env={**os.environ, "HOME": home}, check=True, capture_output=True)
    took: dict[str, float] = json.loads(done.stdout)
    memory = took.pop("memory")
    for name, milliseconds in took.items():
        print(f"app: {name:<39} {milliseconds / 1000:8.2f} s")
    print(f"app: {'memory':<39} {memory:8.0f} MB   at most {_MOST_MB} MB{'' if memory <= _MOST_MB else '  ✕'}")


def print_sizes(engine: EngineProcess) -> None:
    """Bytes of an event on the disk, and those that the accelerators take."""
    ((columns, indexes, total),) = engine.client.query(_SIZES).result_rows
    shares = [f"{size / EVENTS:.0f}" for size in (total, columns, indexes)]
    print(f"bytes of an event: {shares[0]}; `hooktui fleet schema`: {shares[1]} for columns, {shares[2]} for indexes")


def main() -> None:
    """Make the events and measure."""
    with tempfile.TemporaryDirectory() as directory:
        engine = EngineProcess(Path(directory))
        try:
            fill(engine)
            print_sizes(engine)
            asyncio.run(measure(engine))
            measure_app(engine)
            asyncio.run(measure_standard(engine))
        finally:
            engine.kill()


if __name__ == "__main__":
    main()
