"""From the log through a real collector into a real engine: each event is stored, whoever is killed on the way."""

from __future__ import annotations

import asyncio
import json
import random
import socket
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hooktui.fleet import overview
from hooktui.fleet.fleet_log import FleetLog
from hooktui.fleet.ship_state import ShipState
from hooktui.log.read.query import parse
from tests.command_world import CommandWorld, wait_until
from tests.fleet.collector import Collector
from tests.fleet.ship_world import configure, log
from tests.fleet.world import JSON, EngineProcess
from tests.log_world import LogWorld, busy_day

__all__ = ["log"]

DATABASE = "delivery"
NAME = "LogAttributes['event.name']"
_HOUR_S = 3600.0
SEQ = "toUInt64(LogAttributes['hooktui.seq'])"


class Fleet:
    """An engine of its own, which can be killed, behind a collector."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.engine = EngineProcess(directory)
        self.engine.create(DATABASE)
        self.collector = Collector(self.engine, DATABASE)

    def start_engine(self) -> None:
        self.engine = EngineProcess(self._directory, self.engine.port)

    def stored(self, name: str = "hooktui.dispatch") -> list[int]:
        """The sequences of the stored records of one kind."""
        sql = f"SELECT {SEQ} FROM {DATABASE}.otel_logs WHERE {NAME} = '{name}' ORDER BY 1"
        return [row[0] for row in self.engine.client.query(sql).result_rows]

    def gap(self) -> int | None:
        """The first sequence that is missing below the newest head that was stored."""
        head = max(self.stored("hooktui.head"), default=0)
        missing = set(range(1, head + 1)) - {*self.stored(), *self.stored("hooktui.note")}
        return min(missing, default=None)

    def lost(self) -> tuple[int, int]:
        """What the overview says of the machine: how many records never arrived, and the first of them."""

        async def read() -> tuple[int, int]:
            log = await FleetLog.open(self.engine.url("reader", database=DATABASE))
            (machine,) = (await overview.read(log.database, parse(""), _HOUR_S)).machines
            first = await overview.first_lost(log.database, _HOUR_S, machine.instance)
            await log.close()
            return machine.lost, first

        return asyncio.run(read())

    def has_filled(self, seq: int) -> bool:
        """Whether a sequence that was missing has been stored."""
        return seq in self.stored()


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    fleet = Fleet(tmp_path / "engine")
    with fleet.collector:
        yield fleet
    fleet.engine.close()


def is_shipped(log: LogWorld, seq: int) -> bool:
    return ShipState.load(log.db).seq >= seq


def ship(world: CommandWorld, *options: str) -> None:
    """Ship until nothing waits, as a service would."""
    world.run("ship", "--once", *options, code=None)
    wait_until(lambda: world.run("ship", "--once", code=None).code == 0)


def test_the_engine_has_every_event_with_its_machine(world: CommandWorld, log: LogWorld, fleet: Fleet) -> None:
    configure(world, fleet.collector.url, level="full")
    busy_day(log)
    world.run("ship", "--once", OTEL_RESOURCE_ATTRIBUTES="team=payments")
    events = world.run("log", "--json").stdout.splitlines()
    wait_until(lambda: len(fleet.stored()) == len(events))
    sql = f"SELECT DISTINCT ResourceAttributes['team'], ScopeName, ServiceName FROM {DATABASE}.otel_logs"
    assert fleet.engine.client.query(sql).result_rows == [("payments", "hooktui", "hooktui")]


def test_attributes_of_type_json_are_read_as_well(world: CommandWorld, log: LogWorld, engine: EngineProcess) -> None:
    engine.create(DATABASE, JSON)
    busy_day(log)
    with Collector(engine, DATABASE, json=True) as collector:
        configure(world, collector.url, level="full")
        world.run("ship", "--once")
        read = ("log", "--json", "--fleet", engine.url("reader", database=DATABASE))
        expected = world.run("log", "--json").stdout.splitlines()
        wait_until(lambda: len(world.run(*read).stdout.splitlines()) == len(expected))
        shipped = [json.loads(line) for line in world.run(*read).stdout.splitlines()]
    added = {"machine": socket.gethostname(), "level": "full"}
    here = [{**json.loads(line), **added} for line in expected]
    for report in (*shipped, *here):
        del report["hooks_recorded"]  # on the machine it is completed with the hook files that are there
    assert shipped == here


def test_what_a_collector_acknowledged_and_lost_is_a_gap(world: CommandWorld, log: LogWorld, fleet: Fleet) -> None:
    configure(world, fleet.collector.url)
    began = time.time() - 60
    log.add_all([log.made(at=began + number) for number in range(3)])
    fleet.engine.kill()
    world.run("ship", "--once")
    fleet.collector.kill()
    fleet.start_engine()
    fleet.collector.start()
    log.add(at=began + 3)
    world.run("ship", "--once")
    wait_until(lambda: fleet.stored("hooktui.head") == [4])
    assert (fleet.stored(), fleet.gap()) == ([4], 1)
    lost, first_lost = fleet.lost()
    assert lost == 3
    world.run("ship", "--once", "--from", str(first_lost))
    wait_until(lambda: fleet.gap() is None)
    assert fleet.lost() == (0, 0)


def test_each_event_is_stored_whoever_is_killed(world: CommandWorld, log: LogWorld, fleet: Fleet) -> None:
    configure(world, fleet.collector.url, level="full")
    chance, text = random.Random(19), "x" * 100_000
    for victim in ("shipper", "collector", "engine", "shipper", "collector"):
        log.add_all([log.made(payload={"text": text}) for _ in range(40)])
        before = ShipState.load(log.db).seq
        moment = before + chance.randrange(30)
        shipper = world.start("ship", "--once")
        wait_until(partial(is_shipped, log, moment))
        if victim == "shipper":
            shipper.process.kill()
        elif victim == "collector":
            fleet.collector.kill()
            fleet.collector.start()
        else:
            fleet.engine.kill()
            fleet.start_engine()
        shipper.process.wait(30)
        ship(world)
    log.add()
    ship(world)
    wait_until(lambda: 201 in fleet.stored("hooktui.head"))
    fillings = 0
    while (gap := fleet.gap()) is not None:
        assert fillings < 5
        fillings += 1
        ship(world, "--from", str(gap))
        wait_until(partial(fleet.has_filled, gap))
    assert set(fleet.stored()) == set(range(1, 202))
    key = "ResourceAttributes['service.instance.id'], LogAttributes['hooktui.id']"
    sql = f"SELECT uniqExact({key}) FROM {DATABASE}.otel_logs WHERE {NAME} = 'hooktui.dispatch'"
    stored: Any = fleet.engine.client.query(sql).result_rows
    assert stored == [(201,)]
