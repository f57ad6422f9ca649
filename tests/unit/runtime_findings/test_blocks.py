"""Findings about hooks that tried to block and did not."""

from __future__ import annotations

import json

import pytest

from tests.command_world import CommandWorld, wait_until
from tests.unit.runtime_findings.hooks_that_ran import answering, check, command_of, fire, only, place, running, saying


def test_exit_1_with_words_of_blocking_is_weak_at_the_exit(world: CommandWorld) -> None:
    directory = saying(world, "Blocked: rm -rf /\n", "\n\n\nif true; then\n    exit 1\nfi")
    for _ in range(2):
        world.fire()
    found = only(world, "weak-exit")
    assert (found["file"], place(found)) == (str(directory / "scripts/run"), (7, 5, 11))
    assert "“Blocked: rm -rf /”; seen in all of its last 2 runs, most recently on 20" in found["message"]
    assert (found["severity"], found["hint"]) == ("warning", "exit 2 with the reason on stderr")


def test_without_an_exit_in_its_text_a_weak_exit_is_at_the_scripts_first_line(world: CommandWorld) -> None:
    directory = saying(world, "Refused\n", "false")
    world.fire()
    found = only(world, "weak-exit")
    assert (found["file"], place(found)) == (str(directory / "scripts/run"), (1, 1, 10))
    assert "seen in its only run, most recently on 20" in found["message"]


def test_a_problem_that_the_text_shows_too_is_reported_once_with_its_count(world: CommandWorld) -> None:
    world.hook("guard", '#!/bin/sh\necho "Blocked" >&2\nexit 1\n')
    before = only(world, "weak-exit")
    world.fire()
    after = only(world, "weak-exit")
    assert after["message"].startswith(f"{before['message']}; seen in its only run")
    assert {**before, "message": ""} == {**after, "message": ""}


def test_one_script_that_two_hooks_run_is_reported_once(world: CommandWorld) -> None:
    script = world.home / "guard.sh"
    script.write_text('#!/bin/sh\ncat "$HOME/said" >&2\n\n\n\nexit 1\n')
    script.chmod(0o755)
    (world.home / "said").write_text("Blocked\n")
    path = running(world, str(script))
    hooks = json.loads(path.read_text())["hooks"]
    path.write_text(json.dumps({"hooks": {**hooks, "PostToolUse": hooks["PreToolUse"]}}))
    fire(world, "claude")
    fire(world, "claude", "PostToolUse")
    found = only(world, "weak-exit")
    assert (found["file"], place(found), found["message"].count("seen in")) == (str(script), (6, 1, 7), 1)


@pytest.mark.parametrize("said", ["sh: cannot create /x: Permission denied", "curl: (7) Connection refused", "oops", ""])
def test_exit_1_without_words_of_blocking_is_a_failure(said: str, world: CommandWorld) -> None:
    saying(world, said, "exit 1")
    world.fire()
    assert check(world) == []


def test_where_a_failing_hook_denies_exit_1_is_a_block(world: CommandWorld) -> None:
    saying(world, "Blocked\n", "false")
    world.configure('[run]\non_hook_failure = "deny"\n')
    assert world.fire()["decision"] == "deny"
    assert check(world) == []


def test_an_async_hook_cannot_block_anyway(world: CommandWorld) -> None:
    saying(world, "Blocked\n", "exit 1", **{"async": True})
    world.fire()
    wait_until(lambda: world.run("log", "state:failed").stdout)
    assert check(world) == []


def test_a_block_on_stop_that_claude_does_not_see(world: CommandWorld) -> None:
    answer = {"hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": "tests fail"}}
    path = answering(world, answer, "Stop")
    fire(world, "claude", "Stop")
    found = only(world, "host-misses-block")
    assert (found["file"], place(found), found["hosts"]) == (str(path), command_of(path), ["claude"])


def test_a_block_on_stop_that_vscode_does_not_see(world: CommandWorld) -> None:
    path = answering(world, {"decision": "block", "reason": "tests fail"}, "Stop", ".copilot/hooks/gate.json")
    fire(world, "vscode", "Stop")
    found = only(world, "host-misses-block")
    assert (found["file"], place(found), found["hosts"]) == (str(path), command_of(path), ["vscode"])


def test_a_block_on_stop_in_both_places_is_seen_by_all(world: CommandWorld) -> None:
    block = {"decision": "block", "reason": "tests fail"}
    answering(world, {**block, "hookSpecificOutput": {"hookEventName": "Stop", **block}}, "Stop", ".copilot/hooks/gate.json")
    fire(world, "vscode", "Stop")
    assert check(world) == []


def test_a_rejection_without_a_reason_that_azure_takes_as_approval(world: CommandWorld) -> None:
    (world.project / "said").write_text('{"ok": false}')
    gate = {"type": "command", "command": "cat said"}
    agent = {"kind": "ExtendedAgent", "metadata": {"name": "a"}, "spec": {"hooks": {"Stop": [gate]}}}
    (world.project / "azuresre.yaml").write_text(json.dumps({"api_version": "azuresre.ai/v2", **agent}))
    status = world.run("status", "--json").json()
    world.run("trust", "--hash", status["hash"])
    payload = {"hook_event_name": "Stop", "agent_name": "a", "cwd": str(world.project), "session_id": "s"}
    world.run("run", "--host", "azure", "--format", "azure", "--project", str(world.project), stdin=payload, code=None)
    found = only(world, "host-misses-block")
    assert found["message"].startswith("rejected without a reason, which the agent takes as approval; seen in its only run")
    assert found["hosts"] == ["azure"]
