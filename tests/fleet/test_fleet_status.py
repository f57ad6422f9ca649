"""`hooktui fleet status`: what is wrong in a fleet, as JSON and as an exit code."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.fleet import hostile_rows, overview_world
from tests.fleet.world import log_rows
from tests.log_world import LogWorld, run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.command_world import CommandWorld
    from tests.fleet.world import EngineProcess


def test_every_fault_is_in_the_json_and_in_the_exit_code(engine: EngineProcess, world: CommandWorld, tmp_path: Path) -> None:
    now = time.time()
    rows = overview_world.rows(tmp_path, now)
    broken = {**rows[0], "Body": "{}", "Timestamp": f"{now - 60:.6f}"}
    engine.create("status")
    engine.insert([*rows, broken, hostile_rows.of_sender(rows[0], now + 3600)], "status")
    url = engine.url("reader", database="status")
    state = world.run("fleet", "status", "--json", "--fleet", url, code=1).json()
    assert state["machines"] == {"seen": overview_world.MACHINES + 1, "silent": ["dev-7"]}
    assert {"machine": "dev-1", "hook": "block-dangerous", "why": "missing"} in state["baseline"]["missing"]
    assert {"machine": "dev-2", "hook": "no-secrets", "why": "not approved"} in state["baseline"]["missing"]
    differs = {"machine": "dev-3", "hook": "block-dangerous", "version": "new", "expected": "old"}
    assert state["baseline"]["differs"] == [differs]
    assert [(each["hook"], len(each["machines"])) for each in state["failing"]] == [("format-py", overview_world.MACHINES - 1)]
    assert state["lost"] == [{"machine": "dev-4", "records": 3}]
    ((ahead),) = state["clock"]
    assert (ahead["machine"], ahead["ahead_s"]) == (hostile_rows.SENDER, pytest.approx(3600, abs=60))
    assert (state["conflicts"], state["unreadable"]) == ([], 1)
    printed = world.run("fleet", "status", "--fleet", url, code=1).stdout
    for line in ("✕ dev-1: block-dangerous missing", "≠ dev-3: block-dangerous differs", "○ dev-7: silent", "▲ 1 unreadable"):
        assert line in printed.splitlines()


def test_a_healthy_fleet_exits_with_0_and_an_unreadable_one_with_2(
    engine: EngineProcess, world: CommandWorld, log: LogWorld
) -> None:
    log.add(at=time.time() - 60, runs=[run("guard")])
    engine.create("healthy")
    engine.insert(log_rows(log.db), "healthy")
    assert world.run("fleet", "status", "--fleet", engine.url("reader", database="healthy")).stdout == (
        "1 machine, 0 faults; hooks compared with most machines\n"
    )
    refused = world.run("fleet", "status", "--fleet", "clickhouse://127.0.0.1:1/otel", code=2)
    assert refused.stderr == "hooktui: 127.0.0.1:1/otel: cannot be reached: connection refused\n"
