"""The newest events of a kind, with the outcome of one hook."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from hooktui.core.model import Run
from hooktui.log.read import recent_events
from hooktui.log.read.connection import LogError, as_stored
from tests.log_world import NOON, LogWorld, run

GUARD = "agenthooks:user:guard"


async def test_newest_events_come_first_with_their_payload(log: LogWorld) -> None:
    log.add(tool="Shell", payload={"n": 1})
    log.add("pre-session", payload={"n": 2})
    last = log.add(tool="Read", payload={"n": 3})
    events = await recent_events.read(log.db, "pre-tool-call", GUARD, 10)
    assert [(event.tool, event.payload) for event in events] == [("Read", {"n": 3}), ("Shell", {"n": 1})]
    assert (events[0].id, events[0].at) == (last, NOON + 2)
    assert [event.payload for event in await recent_events.read(log.db, "pre-tool-call", GUARD, 1)] == [{"n": 3}]


async def test_trials_are_left_out(log: LogWorld) -> None:
    log.add(synthetic=True)
    assert await recent_events.read(log.db, "pre-tool-call", GUARD, 10) == []


async def test_events_are_limited_to_a_project(log: LogWorld) -> None:
    log.add(project="/home/dev/app", payload={"n": 1})
    log.add(project="/home/dev/other", payload={"n": 2})
    events = await recent_events.read(log.db, "pre-tool-call", GUARD, 10, "/home/dev/app")
    assert [event.payload for event in events] == [{"n": 1}]


async def test_outcomes_of_all_versions_of_a_hook(log: LogWorld) -> None:
    denial = run("guard", decision="deny", reason="not that", why="matched tool Shell", duration_ms=3.5)
    log.add(runs=[run("other", decision="ask"), denial.replace(hook=denial.hook.replace(version="older"))])
    log.add(runs=[run("guard", "skipped", skip="tool-mismatch", why="tool Read does not match Shell")])
    log.add(runs=[run("guard", decision="allow", modified_input={"command": "ls"}, additional_context="careful")])
    log.add(runs=[run("other")])
    fresh, rewrote, skipped, denied = (event.outcome for event in await recent_events.read(log.db, "pre-tool-call", GUARD, 10))
    assert fresh is None
    assert rewrote is not None
    assert (rewrote.decision, rewrote.modified_input, rewrote.additional_context) == ("allow", {"command": "ls"}, "careful")
    assert skipped is not None
    assert (skipped.state, skipped.skip, skipped.why) == ("skipped", "tool-mismatch", "tool Read does not match Shell")
    assert denied is not None
    assert (denied.decision, denied.reason, denied.why, denied.duration_ms) == ("deny", "not that", "matched tool Shell", 3.5)


async def test_earlier_version_with_another_id_is_found_by_label_and_file(log: LogWorld) -> None:
    denial = run("guard", decision="deny")

    def earlier(identity: str, **fields: str) -> Run:
        return denial.replace(hook=denial.hook.replace(identity=identity, version=identity, **fields))

    log.add(runs=[earlier("claude:transcript:pre-tool-call:1", file="")])
    log.add(runs=[earlier("agenthooks:user:before")])
    log.add(runs=[earlier("agenthooks:user:other", file="/other/HOOK.md")])
    log.add(runs=[run("guard"), earlier("agenthooks:user:before")])
    file = denial.hook.file
    events = await recent_events.read(log.db, "pre-tool-call", GUARD, 10, label="guard", file=file)
    assert [event.outcome and event.outcome.decision for event in events] == ["none", None, "deny", "deny"]


async def test_other_hooks_that_denied_are_named(log: LogWorld) -> None:
    log.add(decision="deny", runs=[run("guard", decision="deny"), run("scan", decision="deny"), run("audit")])
    log.add(decision="deny")
    events = await recent_events.read(log.db, "pre-tool-call", GUARD, 10)
    assert [(event.decision, event.denied_by) for event in events] == [("deny", ()), ("deny", ("scan",))]


async def test_cut_payload_is_none(log: LogWorld) -> None:
    log.add(payload={"tool_input": {f"key {number}": "x" * 1000 for number in range(2000)}})
    [event] = await recent_events.read(log.db, "pre-tool-call", GUARD, 10)
    assert event.payload is None


async def test_missing_log_has_no_events_and_a_corrupt_one_raises(tmp_path: Path) -> None:
    assert await recent_events.read(str(tmp_path / "none.db"), "pre-tool-call", GUARD, 10) == []
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no database" * 1000)
    with pytest.raises(LogError):
        await recent_events.read(str(broken), "pre-tool-call", GUARD, 10)


async def test_large_log_is_read_by_the_event_index(log: LogWorld) -> None:
    log.add()
    values = {"event": "pre-tool-call", "hook": GUARD, "limit": 10, "project": None, "most": 100, "label": "", "file": ""}
    sql = recent_events._EVENTS.format(of_kind=recent_events._OF_KIND)
    with sqlite3.connect(log.db) as connection:
        connection.create_function("as_stored", 1, as_stored)
        plan = " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values))
    assert "USING INDEX dispatch_event" in plan
    assert "SCAN dispatch" not in plan
    assert "SCAN run" not in plan
