"""Examples run through the real dispatch, each in a copy of the project, and leave nothing behind."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.command_world import CommandWorld, wait_until
from tests.unit.hook_tests.examples_world import DENIES, FORCE, below, entry, guard, leftovers, report_of, why, write

pytestmark = pytest.mark.slow  # runs hooks


def test_what_a_hook_md_denies_and_lets_pass(world: CommandWorld) -> None:
    guard(world)
    expect = {"decision": "deny", "by": "no-force-push", "reason": "force", "state": "ok"}
    write(world, {**FORCE, "expect": expect}, {"tool": "Shell", "input": {"command": "git push"}})
    report = report_of(world, "--trust")
    assert (report["passed"], report["failed"], report["unproved"]) == (2, 0, [])
    first, second = report["tests"]
    assert (first["name"], first["line"], first["passed"], first["expected"]) == ("example 1", 1, True, expect)
    assert first["got"]["by"] == ["no-force-push"]
    assert first["hooks"][0]["decision"] == "deny"
    assert second["hooks"][0]["skip"] == "pattern-mismatch"


def test_a_hook_without_approval_fails_the_examples_that_reach_it(world: CommandWorld) -> None:
    guard(world)
    write(world, FORCE, {"tool": "ReadFile", "input": {"path": "x"}})
    report = report_of(world, code=1)
    assert [test["why"] for test in report["tests"]] == [["no-force-push: not approved"], []]
    assert "--trust" in world.run("test", code=1).stdout
    assert world.run("status", "--json").json()["hooks"][0]["trust"] == "untrusted", "a test stores no approval"
    world.approve()
    write(world, {**FORCE, "expect": {"decision": "deny"}})
    report_of(world)
    (world.project / ".agents/hooks/no-force-push/scripts/run").write_text(DENIES + "# changed\n")
    assert why(world) == "no-force-push: changed since its approval"


def test_entries_of_a_host_run_for_that_host(world: CommandWorld) -> None:
    entry(world, 'grep -q "rm -rf" && echo "not in $CLAUDE_PROJECT_DIR" >&2 && exit 2; exit 0')
    call = {"tool": "Bash", "input": {"command": "rm -rf x"}}
    denied = {"decision": "deny", "reason": "not in {project}"}
    write(world, {**call, "host": "claude", "expect": denied}, call)
    report = report_of(world, "--trust")
    assert report["tests"][1]["differences"] == [
        f"deny in Claude Code (host: claude), none in agents that read HOOK.md: by {report['tests'][0]['got']['by'][0]}"
    ]


def test_hook_md_hooks_and_the_hosts_own_decide_together(world: CommandWorld) -> None:
    guard(world)
    allowed = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}
    entry(world, f"echo '{json.dumps(allowed)}'")
    call = {"host": "claude", "event": "PreToolUse", "tool": "Bash"}
    write(
        world,
        {**call, "input": {"command": "git push --force"}, "expect": {"decision": "deny", "by": "no-force-push"}},
        {**call, "input": {"command": "ls"}, "expect": {"decision": "allow"}},
    )
    report_of(world, "--trust")


def test_a_hosts_own_hooks_see_the_input_that_a_hook_md_has_not_rewritten(world: CommandWorld) -> None:
    guard(world, script='#!/bin/sh\necho \'{"modified_input": {"command": "ls"}}\'\n')
    entry(world, "grep -q 'push --force' && echo 'still a push' >&2 && exit 2; exit 0")
    expect = {"decision": "deny", "reason": "still a push"}
    write(world, {"host": "claude", "tool": "Bash", "input": {"command": "git push --force"}, "expect": expect})
    report_of(world, "--trust")


def test_a_hook_whose_approval_has_gaps_does_not_run_for_a_person_who_refuses_that(world: CommandWorld) -> None:
    guard(world, script='#!/bin/sh\ncat > /dev/null\n. "$UNKNOWN/more.sh"\nexit 2\n')
    write(world, {**FORCE, "expect": {"state": "failed"}})
    world.approve()
    report_of(world, code=None)
    world.configure("[trust]\nrequire_covered = true\n")
    assert "not covered by its approval" in why(world)


EXPECTED: tuple[tuple[str, dict[str, object]], ...] = (
    ('echo \'{"modified_input": {"command": "ls"}}\'', {"modified_input": {"command": "ls"}}),
    ('echo \'{"additional_context": "be careful"}\'', {"additional_context": "careful", "decision": "none"}),
    ('echo \'{"decision": "ask", "reason": "sure?"}\'', {"decision": "ask", "reason": "sure"}),
    ("exit 1", {"state": "failed", "decision": "none"}),
    ("sleep 100", {"state": "timeout", "by": "on-tool-4"}),
    ("echo nonsense", {"state": "invalid-output"}),
    ("exit 0", {"state": "ok", "modified_input": None}),
)


def test_everything_that_can_be_expected(world: CommandWorld) -> None:
    for number, (script, _) in enumerate(EXPECTED):
        guard(world, f"on-tool-{number}", f"#!/bin/sh\n{script}\n", timeout=300, matcher={"tool": f"^Tool{number}$"})
    write(world, *({**FORCE, "tool": f"Tool{number}", "expect": expect} for number, (_, expect) in enumerate(EXPECTED)))
    report_of(world, "--trust")


FAILURES: tuple[tuple[dict[str, object], str], ...] = (
    ({"decision": "none"}, "decision: expected none, got deny by no-force-push\nno-force-push: no force pushes"),
    ({"decision": "deny", "by": "other"}, "by: no hook named other listens to pre-tool-call"),
    ({"by": "no-forc-push"}, "did you mean no-force-push?"),
    ({"reason": "rebase"}, 'reason: expected "rebase" in it, got "no force pushes"'),
    ({"modified_input": {"command": "ls"}}, 'modified_input: expected {"command": "ls"}, got none'),
    ({"additional_context": "x"}, 'additional_context: expected "x" in it, got none'),
    ({"state": "failed"}, "state: expected failed, got ok"),
)


def test_a_failure_says_what_was_expected_and_what_came(world: CommandWorld) -> None:
    guard(world)
    write(world, *({**FORCE, "expect": expect} for expect, _ in FAILURES))
    tests = report_of(world, "--trust", code=1)["tests"]
    assert [
        test["why"] for test, (_, sentence) in zip(tests, FAILURES, strict=True) if sentence not in "\n".join(test["why"])
    ] == []


def test_a_guard_that_no_longer_matches_is_named_with_the_reason(world: CommandWorld) -> None:
    guard(world, matcher={"tool": "^Bash$"})
    write(world, {**FORCE, "expect": {"decision": "deny", "by": "no-force-push"}})
    assert why(world, "--trust").split("\n") == [
        "decision: expected deny, got none",
        "by: no-force-push did not run: tool Shell does not match ^Bash$",
    ]


def test_a_hook_of_the_person_runs_only_if_asked_for(world: CommandWorld) -> None:
    world.hook("mine", DENIES)
    write(world, {**FORCE, "expect": {"decision": "deny", "by": "mine"}})
    report_of(world, code=1)
    report_of(world, "--user")


def test_a_copy_holds_the_hook_to_the_copy_even_if_it_names_the_project(world: CommandWorld) -> None:
    script = world.project / "guard.sh"
    script.write_text('#!/bin/sh\necho written > "$(dirname "$0")/trace"; touch here; exit 2\n')
    script.chmod(0o755)
    entry(world, f"{script} --of {world.project}/sub", ".claude/settings.local.json")
    write(world, {"host": "claude", "tool": "Bash", "input": {"command": "ls"}, "expect": {"state": "ok"}})
    world.approve()
    before = below(world.project)
    report_of(world, code=0)
    assert below(world.project) == before


def test_absolute_paths_in_an_example_and_variables_of_agents_lead_to_the_copy(
    world: CommandWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = 'echo written > "$CLAUDE_PROJECT_DIR/trace"; echo written > "$(grep -o \'/[^" ]*/notes\')"; pwd >&2; exit 2'
    guard(world, script=f"#!/bin/sh\n{written}\n", matcher={})
    call = {"tool": "Shell", "input": {"command": f"cat {world.project}/notes"}, "payload": {"cwd": str(world.project)}}
    write(world, {**call, "expect": {"reason": "{project}"}}, {**call, "host": "claude", "expect": {"decision": "deny"}})
    before = below(world.project)
    world.run("test", "--trust", CLAUDE_PROJECT_DIR=str(world.project), PWD=str(world.project))
    assert below(world.project) == before


def test_each_example_begins_with_the_project_as_it_is(world: CommandWorld) -> None:
    guard(
        world,
        script='#!/bin/sh\ntest -e trace && echo "already there" >&2 && exit 2\ntouch trace; rm -rf .agents; chmod 000 .\n',
    )
    write(world, *[FORCE] * 6)
    before = below(world.project)
    report_of(world, "--trust")
    assert below(world.project) == before
    assert leftovers(world) == []


def test_an_example_in_place_runs_in_the_project_itself(world: CommandWorld) -> None:
    guard(world, script="#!/bin/sh\ntouch trace\n")
    write(world, {**FORCE, "in_place": True})
    report_of(world, "--trust")
    assert (world.project / "trace").exists()


def test_an_example_may_say_where_in_the_project_the_agent_is(world: CommandWorld) -> None:
    guard(world, script='#!/bin/sh\nbasename "$PWD" >&2; exit 2\n')
    (world.project / "sub").mkdir()
    (world.project / "sub/file").write_text("")
    write(world, {**FORCE, "payload": {"cwd": "{project}/sub"}, "expect": {"reason": "sub"}})
    report_of(world, "--trust")


def test_processes_that_a_hook_leaves_behind_are_ended(world: CommandWorld, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    background = f"(setsid sh -c 'sleep 0.4; touch {mark}' > /dev/null 2>&1 < /dev/null &)\n"
    guard(world, script=f"#!/bin/sh\n{background}exit 0\n")
    world.hook("late", f"#!/bin/sh\nsleep 0.05; touch {mark}.async\n", scope="project", **{"async": True})
    write(world, {**FORCE, "expect": {"by": "late", "state": "started"}})
    report_of(world, "--trust")
    assert Path(f"{mark}.async").exists(), "an async hook runs to its end"
    write(world, {**FORCE, "tool": "Shell", "input": {"command": "sleep"}}, *[{"tool": "ReadFile"}] * 3)
    report_of(world, "--trust")
    assert not mark.exists()


def test_what_a_hook_may_write_into_a_file_is_limited(world: CommandWorld) -> None:
    guard(world, script="#!/bin/sh\nhead -c 300000000 /dev/zero > big\nstat -c %s big >&2; exit 2\n", timeout=60_000)
    write(world, {**FORCE, "expect": {"decision": "deny", "reason": str(256 << 20)}})
    report_of(world, "--trust")
    assert leftovers(world) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl+c", "sigterm"])
def test_an_interrupted_test_leaves_nothing_behind(world: CommandWorld, tmp_path: Path, number: signal.Signals) -> None:
    begun = tmp_path / "begun"
    guard(world, script=f"#!/bin/sh\necho $$ > {begun}.new; mv {begun}.new {begun}; exec sleep 100\n", timeout=200_000)
    write(world, FORCE)
    running = world.start("test", "--trust")
    wait_until(begun.exists)
    running.interrupt(number)
    done = running.wait()
    assert done.code == (130 if number == signal.SIGINT else -number)
    assert "Traceback" not in done.stderr
    assert leftovers(world) == []
    wait_until(lambda: not Path(f"/proc/{begun.read_text().strip()}").exists())


def test_what_a_killed_test_has_left_is_removed_by_the_next(world: CommandWorld) -> None:
    stale = world.home / ".cache/hooktui-tests/killed"
    (stale / "0/project").mkdir(parents=True)
    (stale / "lock").write_text("")
    guard(world)
    write(world, {"tool": "ReadFile"})
    report_of(world, "--trust")
    assert leftovers(world) == []


def test_nothing_is_logged(world: CommandWorld) -> None:
    guard(world)
    write(world, {**FORCE, "expect": {"decision": "deny"}})
    report_of(world, "--trust")
    assert world.run("log", "--json").stdout == ""


def test_the_examples_of_a_worktree_run_with_the_approval_of_its_repository(world: CommandWorld) -> None:
    from tests.unit.hook_tests.test_project_copy import git

    guard(world)
    write(world, {**FORCE, "expect": {"decision": "deny"}})
    git(world.project, "init", "-q")
    git(world.project, "add", "--all")
    git(world.project, "commit", "-qm", "all")
    world.approve()
    git(world.project, "worktree", "add", "-q", str(world.home / "side"))
    report_of(world, str(world.home / "side"))


def test_a_guard_is_proved_by_an_example_that_notices_its_absence(world: CommandWorld) -> None:
    guard(world)
    guard(world, "second", matcher={"tool": "Shell", "pattern": "--force"}, priority=50)
    guard(world, "silent", "#!/bin/sh\nexit 0\n")
    write(world, {**FORCE, "expect": {"decision": "deny"}})
    report = report_of(world, "--trust", "--prove", code=1)
    assert report["failed"] == 0
    assert report["unproved"] == ["no-force-push", "second"], "each would deny in the other's place"
    write(
        world,
        {**FORCE, "expect": {"decision": "deny", "by": "no-force-push"}},
        {"tool": "Shell", "input": {"command": "rm --force"}, "expect": {"decision": "deny"}},
    )
    assert report_of(world, "--trust", "--prove")["unproved"] == []


def test_another_host_in_use_that_decides_otherwise_is_told(world: CommandWorld) -> None:
    guard(world, matcher={"tool": "^Shell$"})
    world.run("connect", "claude", "--scope", "project", "--yes")
    write(world, {**FORCE, "expect": {"decision": "deny"}})
    (test,) = report_of(world, "--trust")["tests"]
    (difference,) = test["differences"]
    assert difference.startswith("none in Claude Code (host: claude), deny in agents that read HOOK.md: ")
    assert difference.endswith("no-force-push did not run: tool Bash does not match ^Shell$")
