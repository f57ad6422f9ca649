"""The whole history of a hook in the log."""

from __future__ import annotations

from hooktui.core.model import Run
from hooktui.log.read import hook_versions
from tests.command_world import CommandWorld
from tests.log_world import NOON, LogWorld, run

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
    for _ in range(5):
        log.add(runs=[skipped("tool-mismatch")])
    lifetime = await read(log)
    assert (lifetime.last_matched, lifetime.unmatched_since, lifetime.p95_ms) == (0.0, 5, 0.0)


async def test_changes_of_the_text_have_times_and_diffs(log: LogWorld) -> None:
    guard = run("guard")
    for text, count in (("a\nb\n", 2), ("a\nc\n", 1), ("a\nb\n", 1)):
        for _ in range(count):
            log.add(runs=[guard.replace(hook=guard.hook.replace(version=text, text=text))])
    lifetime = await read(log)
    assert [(version.text, version.considered) for version in lifetime.versions] == [("a\nb\n", 3), ("a\nc\n", 1)]
    assert [int(version.first - NOON) for version in lifetime.versions] == [0, 2]
    ((changed, difference),) = hook_versions.changes(lifetime.versions)
    assert changed.text == "a\nc\n"
    assert difference.splitlines()[3:] == [" a", "-b", "+c"]


async def test_latencies_are_those_of_the_newest_runs(log: LogWorld) -> None:
    for number in range(48):
        log.add(runs=[run("guard", duration_ms=float(number))], at=NOON + number * 3600)
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
