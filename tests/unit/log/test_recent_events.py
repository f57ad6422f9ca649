"""The newest events of a kind, with the outcome of one hook."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from hooktui.log.read import recent_events
from hooktui.log.read.connection import LogError, as_stored
from tests.log_world import NOON, LogWorld, run

if TYPE_CHECKING:
    from pathlib import Path

GUARD = "agenthooks:user:guard"


@pytest.fixture
def world(tmp_path: Path) -> LogWorld:
    return LogWorld(str(tmp_path / "log.db"))


async def test_newest_events_come_first_with_their_payload(world: LogWorld) -> None:
    world.add(tool="Shell", payload={"n": 1})
    world.add("pre-session", payload={"n": 2})
    last = world.add(tool="Read", payload={"n": 3})
    found = await recent_events.read(world.db, "pre-tool-call", GUARD, 10)
    assert [(one.tool, one.payload) for one in found] == [("Read", {"n": 3}), ("Shell", {"n": 1})]
    assert (found[0].id, found[0].at) == (last, NOON + 2)
    assert [one.payload for one in await recent_events.read(world.db, "pre-tool-call", GUARD, 1)] == [{"n": 3}]


async def test_trials_are_left_out(world: LogWorld) -> None:
    world.add(synthetic=True)
    assert await recent_events.read(world.db, "pre-tool-call", GUARD, 10) == []


async def test_events_are_limited_to_a_project(world: LogWorld) -> None:
    world.add(project="/home/dev/app", payload={"n": 1})
    world.add(project="/home/dev/other", payload={"n": 2})
    found = await recent_events.read(world.db, "pre-tool-call", GUARD, 10, "/home/dev/app")
    assert [one.payload for one in found] == [{"n": 1}]


async def test_outcomes_of_all_versions_of_a_hook(world: LogWorld) -> None:
    denial = run("guard", decision="deny", reason="not that", why="matched tool Shell", duration_ms=3.5)
    world.add(runs=[run("other", decision="ask"), denial.replace(hook=denial.hook.replace(version="older"))])
    world.add(runs=[run("guard", "skipped", skip="tool-mismatch", why="tool Read does not match Shell")])
    world.add(runs=[run("guard", decision="allow", modified_input={"command": "ls"}, additional_context="careful")])
    world.add(runs=[run("other")])
    fresh, rewrote, skipped, denied = (one.outcome for one in await recent_events.read(world.db, "pre-tool-call", GUARD, 10))
    assert fresh is None
    assert rewrote is not None
    assert (rewrote.decision, rewrote.modified_input, rewrote.additional_context) == ("allow", {"command": "ls"}, "careful")
    assert skipped is not None
    assert (skipped.state, skipped.skip, skipped.why) == ("skipped", "tool-mismatch", "tool Read does not match Shell")
    assert denied is not None
    assert (denied.decision, denied.reason, denied.why, denied.duration_ms) == ("deny", "not that", "matched tool Shell", 3.5)


async def test_cut_payload_is_none(world: LogWorld) -> None:
    world.add(payload={"tool_input": {f"key {number}": "x" * 1000 for number in range(2000)}})
    [found] = await recent_events.read(world.db, "pre-tool-call", GUARD, 10)
    assert found.payload is None


async def test_missing_log_has_no_events_and_a_corrupt_one_raises(tmp_path: Path) -> None:
    assert await recent_events.read(str(tmp_path / "none.db"), "pre-tool-call", GUARD, 10) == []
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no database" * 1000)
    with pytest.raises(LogError):
        await recent_events.read(str(broken), "pre-tool-call", GUARD, 10)


async def test_large_log_is_read_by_the_event_index(world: LogWorld) -> None:
    world.add()
    values = {"event": "pre-tool-call", "hook": GUARD, "limit": 10, "project": None, "most": 100}
    sql = recent_events._EVENTS.format(of_kind=recent_events._OF_KIND)
    with sqlite3.connect(world.db) as connection:
        connection.create_function("as_stored", 1, as_stored)
        plan = " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values))
    assert "USING INDEX dispatch_event" in plan
    assert "SCAN dispatch" not in plan
    assert "SCAN run" not in plan
