"""The history of a hook's newest events: what counts, and that a large log costs no more than a small one."""

from __future__ import annotations

import sqlite3

from hooktui.log.read import hook_history
from hooktui.log.read.hook_history import RunHistory
from tests.log_world import NOON, LogWorld, run


async def history(log: LogWorld, version: str = "guard") -> RunHistory:
    return (await hook_history.read(log.db, [version]))[version]


async def test_runs_are_counted_by_state(log: LogWorld) -> None:
    for state in ("ok", "failed", "failed", "timeout", "invalid-output", "started", "interrupted"):
        log.add(runs=[run("guard", state)])
    guard = await history(log)
    counts = {state: sum(item.state == state for item in guard.runs) for state in ("ok", "failed", "timeout", "invalid-output")}
    assert counts == {"ok": 1, "failed": 2, "timeout": 1, "invalid-output": 1}
    assert (len(guard.runs), guard.unfinished, guard.matched) == (5, 2, 7)


async def test_skips_count_as_matched_or_unmatched(log: LogWorld) -> None:
    skips = ("tool-mismatch", "tool-mismatch", "pattern-mismatch", "untrusted", "blocked-earlier", "disabled", "overridden")
    for skip in skips:
        log.add(runs=[run("guard", "skipped", skip=skip)])
    guard = await history(log)
    assert (guard.unmatched, guard.matched) == (3, 2)
    assert guard.skips["tool-mismatch"] == 2


async def test_unmatched_tools_come_most_frequent_first(log: LogWorld) -> None:
    for tool in ("Read", "Write", "Read", None):
        log.add(tool=tool, runs=[run("guard", "skipped", skip="tool-mismatch")])
    log.add(tool="Bash", runs=[run("guard", "skipped", skip="untrusted")])
    guard = await history(log)
    assert (guard.tools, guard.unmatched_at) == (("Read", "Write"), NOON + 3)


async def test_newest_run_comes_first_with_its_output(log: LogWorld) -> None:
    log.add(runs=[run("guard")])
    log.add(runs=[run("guard", "failed", exit_code=1, stderr="Blocked", problems=("exited with 1",))])
    newest, oldest = (await history(log)).runs
    assert (newest.at, newest.exit_code, newest.stderr, newest.problems) == (NOON + 1, 1, "Blocked", ("exited with 1",))
    assert (oldest.at, oldest.state, oldest.problems) == (NOON, "ok", ())


async def test_streams_are_kept_if_they_may_explain_a_fault(log: LogWorld) -> None:
    long = "x" * (hook_history.TEXT + 1)
    log.add(runs=[run("guard", stdout=long, stderr=long)])
    log.add(runs=[run("guard", "invalid-output", stdout=long, stderr=long)])
    log.add(runs=[run("guard", decision="deny", via="json", stdout='{"decision": "deny"}')])
    log.add(runs=[run("guard", "timeout", stdout=long, stderr=long)])
    kept = [(len(item.stdout), len(item.stderr)) for item in (await history(log)).runs]
    assert kept == [(0, hook_history.TEXT), (20, 0), (hook_history.TEXT, 0), (0, 0)]


async def test_synthetic_events_do_not_count(log: LogWorld) -> None:
    log.add(runs=[run("guard", "failed")], synthetic=True)
    log.add(runs=[run("guard", "skipped", skip="tool-mismatch")], synthetic=True)
    log.add(runs=[run("guard")])
    guard = await history(log)
    assert ([item.state for item in guard.runs], guard.unmatched) == (["ok"], 0)


async def test_each_version_has_its_own_history(log: LogWorld) -> None:
    old = run("guard", "failed")
    log.add(runs=[old])
    log.add(runs=[old.replace(state="ok", hook=old.hook.replace(version="newer"))])
    assert [item.state for item in (await history(log, "newer")).runs] == ["ok"]
    assert [item.state for item in (await history(log)).runs] == ["failed"]


async def test_only_the_newest_events_are_read(log: LogWorld) -> None:
    log.add(runs=[run("guard", "failed")])
    for _ in range(hook_history.MOST_RUNS):
        log.add(runs=[run("guard")])
    guard = await history(log)
    assert (len(guard.runs), sum(item.state == "failed" for item in guard.runs)) == (hook_history.MOST_RUNS, 0)


def test_large_log_is_read_by_index(log: LogWorld) -> None:
    log.add(runs=[run("guard")])
    connection = sqlite3.connect(log.db)
    for sql in (hook_history.RUNS, hook_history.SKIPS):
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", {"hook": 1})]
        assert any("USING INDEX run_hook (hook=? AND state=?)" in step for step in plan)
        assert not any(step.startswith(("SCAN run", "SCAN dispatch")) for step in plan)


async def test_unknown_versions_are_left_out(log: LogWorld) -> None:
    assert await hook_history.read(log.db, ["guard"]) == {}
    log.add(runs=[run("guard")])
    assert await hook_history.read(log.db, ["other"]) == {}


async def test_invalid_effects_have_no_problems(log: LogWorld) -> None:
    log.add(runs=[run("guard", problems=("a",))])
    connection = sqlite3.connect(log.db)
    for effects in ('{"problems": [', '{"problems": "a"}', "[]", "7"):
        connection.execute("UPDATE run SET effects = ?", (effects,))
        connection.commit()
        assert (await history(log)).runs[0].problems == ()
    connection.close()
