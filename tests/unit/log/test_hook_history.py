"""The history of a hook: its newest events, however large the log, and its versions."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from hooktui.core.model import Run
from hooktui.log.read import hook_history, hook_versions, recent_events
from hooktui.log.read.connection import LogError, as_stored
from hooktui.log.read.hook_history import RunHistory
from tests.command_world import CommandWorld
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
    log.add_all([log.made(runs=[run("guard")]) for _ in range(hook_history.MOST_RUNS)])
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


KEY = "agenthooks:user:guard"
FILE = "/home/me/.config/agents/hooks/guard/HOOK.md"


def skipped(why: str) -> Run:
    return run("guard", "skipped", skip=why)


async def read(log: LogWorld) -> hook_versions.HookLifetime:
    lifetime = await hook_versions.read(log.db, KEY, FILE)
    assert lifetime
    return lifetime


async def test_events_are_counted_by_state(log: LogWorld) -> None:
    log.add(decision="deny", runs=[run("guard", decision="deny"), run("other", decision="deny")])
    log.add(runs=[run("guard", "failed")])
    log.add(runs=[run("guard", "timeout")])
    log.add(runs=[skipped("tool-mismatch")])
    log.add(runs=[run("guard")], synthetic=True)
    log.add(runs=[run("other")])
    lifetime = await read(log)
    assert dict(lifetime.states) == {"ok": 1, "failed": 1, "timeout": 1, "skipped": 1}
    assert (lifetime.considered, lifetime.ran, lifetime.denied) == (4, 3, 1)


async def test_events_since_the_last_match_are_counted(log: LogWorld) -> None:
    log.add(runs=[run("guard")])
    log.add(runs=[skipped("blocked-earlier")])
    for why in ("tool-mismatch", "pattern-mismatch", "tool-mismatch"):
        log.add(runs=[skipped(why)])
    lifetime = await read(log)
    assert int(lifetime.last_matched) == NOON + 1
    assert lifetime.unmatched_since == 3


async def test_hook_that_never_matched(log: LogWorld) -> None:
    log.add_all([log.made(runs=[skipped("tool-mismatch")]) for _ in range(5)])
    lifetime = await read(log)
    assert (lifetime.last_matched, lifetime.unmatched_since, lifetime.p95_ms) == (0.0, 5, 0.0)


async def test_events_whose_matcher_was_not_tried_neither_match_nor_miss(log: LogWorld) -> None:
    log.add_all([log.made(runs=[skipped(why)]) for why in ("bad-matcher", "disabled", "invalid")])
    lifetime = await read(log)
    assert (lifetime.considered, lifetime.last_matched, lifetime.unmatched_since) == (3, 0.0, 0)


async def test_changes_of_the_text_have_times_and_diffs(log: LogWorld) -> None:
    guard = run("guard")
    for text, count in (("a\nb\n", 2), ("a\nc\n", 1), ("a\nb\n", 1)):
        log.add_all([log.made(runs=[guard.replace(hook=guard.hook.replace(version=text, text=text))]) for _ in range(count)])
    lifetime = await read(log)
    assert [(version.text, version.considered) for version in lifetime.versions] == [("a\nb\n", 3), ("a\nc\n", 1)]
    assert [int(version.first - NOON) for version in lifetime.versions] == [0, 2]
    ((changed, difference),) = hook_versions.changes(lifetime.versions)
    assert changed.text == "a\nc\n"
    assert difference.splitlines()[3:] == [" a", "-b", "+c"]


async def test_latencies_are_those_of_the_newest_runs(log: LogWorld) -> None:
    log.add_all([log.made(runs=[run("guard", duration_ms=float(number))], at=NOON + number * 3600) for number in range(48)])
    lifetime = await read(log)
    assert (lifetime.p50_ms, lifetime.p95_ms) == (23.0, 45.0)


async def test_unknown_hook_has_no_history(log: LogWorld) -> None:
    assert await hook_versions.read(log.db, KEY, FILE) is None
    log.add()
    assert await hook_versions.read(log.db, KEY, FILE) is None


async def test_same_id_in_another_file_is_another_hook(log: LogWorld) -> None:
    guard = run("guard")
    log.add(runs=[guard])
    log.add(runs=[guard.replace(hook=guard.hook.replace(file="/elsewhere/HOOK.md", version="2"))])
    assert (await read(log)).considered == 1


async def test_runs_of_another_version_count(log: LogWorld) -> None:
    guard = run("guard")
    log.add(runs=[guard])
    log.add(runs=[guard.replace(hook=guard.hook.replace(version="2"))])
    lifetime = await hook_versions.read(log.db, KEY, FILE)
    assert lifetime
    assert lifetime.ran == 2


async def test_changed_script_is_a_new_version(world: CommandWorld) -> None:
    directory = world.hook("guard", "#!/bin/sh\necho first\n")
    world.fire(tool_name="Shell")
    (directory / "scripts/run").write_text("#!/bin/sh\necho second\n")
    world.fire(tool_name="Shell")
    lifetime = await hook_versions.read(str(world.db), KEY, str(directory / "HOOK.md"))
    assert lifetime
    ((_, difference),) = hook_versions.changes(lifetime.versions)
    assert [line for line in difference.splitlines() if line[:1] in "+-"][2:] == ["-echo first", "+echo second"]
    assert "--- scripts/run\n#!/bin/sh\necho second\n" in lifetime.versions[-1].text


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


def test_lines_of_an_entry_stand_below_its_beginning_and_those_of_its_scripts_where_they_are() -> None:
    entry = '{\n          "type": "command"\n        }\n--- run.sh\n  exit 2\n'
    assert hook_versions.outdented(entry) == '{\n  "type": "command"\n}\n--- run.sh\n  exit 2\n'


def test_a_hook_that_was_only_indented_otherwise_has_changed() -> None:
    assert "+    a" in hook_versions.difference("{\n  a\n}", "{\n    a\n  }")
