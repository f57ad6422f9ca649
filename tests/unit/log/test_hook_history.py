"""The history of a hook's newest events: what counts, and that a large log costs no more than a small one."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from hooktui.log.read import hook_history
from hooktui.log.read.connection import LogError
from tests.log_world import NOON, LogWorld, run

if TYPE_CHECKING:
    from pathlib import Path

    from hooktui.log.read.hook_history import RunHistory


@pytest.fixture
def world(tmp_path: Path) -> LogWorld:
    return LogWorld(str(tmp_path / "log.db"))


async def known(world: LogWorld, version: str = "guard") -> RunHistory:
    return (await hook_history.read(world.db, [version]))[version]


async def test_runs_are_counted_by_state(world: LogWorld) -> None:
    for state in ("ok", "failed", "failed", "timeout", "invalid-output", "started", "interrupted"):
        world.add(runs=[run("guard", state)])
    found = await known(world)
    counts = {state: sum(one.state == state for one in found.runs) for state in ("ok", "failed", "timeout", "invalid-output")}
    assert counts == {"ok": 1, "failed": 2, "timeout": 1, "invalid-output": 1}
    assert (len(found.runs), found.unfinished, found.matched) == (5, 2, 7)


async def test_skips_count_as_matched_or_unmatched(world: LogWorld) -> None:
    for skip in (
        "tool-mismatch",
        "tool-mismatch",
        "pattern-mismatch",
        "untrusted",
        "blocked-earlier",
        "disabled",
        "overridden",
    ):
        world.add(runs=[run("guard", "skipped", skip=skip)])
    found = await known(world)
    assert (found.unmatched, found.matched) == (3, 2)
    assert found.skips["tool-mismatch"] == 2


async def test_unmatched_tools_come_most_frequent_first(world: LogWorld) -> None:
    for tool in ("Read", "Write", "Read", None):
        world.add(tool=tool, runs=[run("guard", "skipped", skip="tool-mismatch")])
    world.add(tool="Bash", runs=[run("guard", "skipped", skip="untrusted")])
    found = await known(world)
    assert (found.tools, found.unmatched_at) == (("Read", "Write"), NOON + 3)


async def test_newest_run_comes_first_with_its_output(world: LogWorld) -> None:
    world.add(runs=[run("guard")])
    world.add(runs=[run("guard", "failed", exit_code=1, stderr="Blocked", problems=("exited with 1",))])
    newest, oldest = (await known(world)).runs
    assert (newest.at, newest.exit_code, newest.stderr, newest.problems) == (NOON + 1, 1, "Blocked", ("exited with 1",))
    assert (oldest.at, oldest.state, oldest.problems) == (NOON, "ok", ())


async def test_streams_are_kept_if_they_may_explain_a_fault(world: LogWorld) -> None:
    long = "x" * (hook_history.TEXT + 1)
    world.add(runs=[run("guard", stdout=long, stderr=long)])
    world.add(runs=[run("guard", "invalid-output", stdout=long, stderr=long)])
    world.add(runs=[run("guard", decision="deny", via="json", stdout='{"decision": "deny"}')])
    world.add(runs=[run("guard", "timeout", stdout=long, stderr=long)])
    kept = [(len(one.stdout), len(one.stderr)) for one in (await known(world)).runs]
    assert kept == [(0, hook_history.TEXT), (20, 0), (hook_history.TEXT, 0), (0, 0)]


async def test_synthetic_events_do_not_count(world: LogWorld) -> None:
    world.add(runs=[run("guard", "failed")], synthetic=True)
    world.add(runs=[run("guard", "skipped", skip="tool-mismatch")], synthetic=True)
    world.add(runs=[run("guard")])
    found = await known(world)
    assert ([one.state for one in found.runs], found.unmatched) == (["ok"], 0)


async def test_each_version_has_its_own_history(world: LogWorld) -> None:
    old = run("guard", "failed")
    world.add(runs=[old])
    world.add(runs=[old.replace(state="ok", hook=old.hook.replace(version="newer"))])
    assert [one.state for one in (await known(world, "newer")).runs] == ["ok"]
    assert [one.state for one in (await known(world)).runs] == ["failed"]


async def test_only_the_newest_events_are_read(world: LogWorld) -> None:
    world.add(runs=[run("guard", "failed")])
    for _ in range(hook_history.MOST_RUNS):
        world.add(runs=[run("guard")])
    found = await known(world)
    assert (len(found.runs), sum(one.state == "failed" for one in found.runs)) == (hook_history.MOST_RUNS, 0)


def test_large_log_is_read_by_index(world: LogWorld) -> None:
    world.add(runs=[run("guard")])
    connection = sqlite3.connect(world.db)
    for sql in (hook_history.RUNS, hook_history.SKIPS):
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", {"hook": 1})]
        assert any("USING INDEX run_hook (hook=? AND state=?)" in step for step in plan)
        assert not any(step.startswith(("SCAN run", "SCAN dispatch")) for step in plan)


async def test_unknown_versions_are_left_out(world: LogWorld) -> None:
    world.add(runs=[run("guard")])
    assert await hook_history.read(world.db, ["nobody"]) == {}


async def test_missing_log_has_no_history(tmp_path: Path) -> None:
    assert await hook_history.read(str(tmp_path / "none.db"), ["guard"]) == {}


async def test_unreadable_log_raises_log_error(world: LogWorld, tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no database at all, but long enough to be taken for one" * 100)
    with pytest.raises(LogError, match="cannot be read"):
        await hook_history.read(str(broken), ["guard"])
    world.add(runs=[run("guard")])
    connection = sqlite3.connect(world.db)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(LogError, match="newer hooktui"):
        await known(world)


async def test_invalid_effects_have_no_problems(world: LogWorld) -> None:
    world.add(runs=[run("guard", problems=("a",))])
    connection = sqlite3.connect(world.db)
    for effects in ('{"problems": [', '{"problems": "a"}', "[]", "7"):
        connection.execute("UPDATE run SET effects = ?", (effects,))
        connection.commit()
        assert (await known(world)).runs[0].problems == ()
    connection.close()
