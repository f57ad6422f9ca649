"""Answers whose meaning has changed between versions of Claude Code: the real one, `run`, `try` and the log agree."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.command_world import wait_until
from tests.conformance.seen_in_claude import PROJECT
from tests.hosts.claude_code import IN_BOTH_VERSIONS, ClaudeWorld
from tests.hosts.hook_scripts import DENIES, REASON, answering, command
from tests.hosts.scripted_model import bash, say, use

_AGENT = use("Agent", description="a part", prompt="do a part", subagent_type="general-purpose", run_in_background=False)
_BY_AGENT = (_AGENT, bash("echo original >> ran.txt"), say("part done"), say("all done"))


def own(world: ClaudeWorld, entry: dict[str, Any], matcher: str = "Bash") -> None:
    """One of Claude's own hooks in the project, observed."""
    settings = {"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [{"type": "command", **entry}]}]}}
    world.settings(PROJECT).write_text(json.dumps(settings, indent=2))
    world.run("connect", "claude", "--scope", "project", "--observe", "--yes")


@IN_BOTH_VERSIONS
@pytest.mark.parametrize(
    "entry",
    [{"command": "cat >/dev/null; exit 1"}, {"command": "/nowhere/guard"}, {"command": "sleep 20", "timeout": 1}],
    ids=["exit 1", "missing program", "timeout"],
)
def test_a_failure_blocks_where_the_entry_says_so(world: ClaudeWorld, entry: dict[str, Any]) -> None:
    own(world, {**entry, "onFailure": "block"})
    world.session()
    assert world.marker.exists() != world.new_answers
    wait_until(lambda: _runs(world))
    assert [run["decision"] for run in _runs(world)] == ["deny" if world.new_answers else "none"]


def test_a_gate_holds_whatever_its_reason_says(world: ClaudeWorld) -> None:
    reason = "tests failed: x.py: No such file or directory"
    world.hook("gate", f"#!/bin/sh\ncat > /dev/null\necho '{reason}' >&2\nexit 2\n", trigger="pre-agent-turn-stop")
    world.run("connect", "claude", "--yes")
    session = world.session()
    assert reason in session.heard
    assert session.turns > 2


def test_a_try_honours_on_failure_as_the_newest_version_does(world: ClaudeWorld) -> None:
    own(world, {"command": "cat >/dev/null; exit 1", "onFailure": "block"})
    (hook,) = [hook for hook in world.run("list", "--json").json() if hook["command"].endswith("exit 1")]
    world.trust()
    assert world.run("try", hook["id"], "--json", code=None).json()["decision"] == "deny"
    assert "unknown-key" not in world.run("check", "--format", "json", code=None).stdout


def test_keys_of_the_newest_version_lose_nothing_and_are_known(world: ClaudeWorld) -> None:
    rewakes = {"asyncRewake": True, "rewakeMessage": "It failed.", "rewakeSummary": "failed"}
    entries = [
        {"type": "command", "command": "true", "onFailure": "block", **rewakes},
        {"type": "prompt", "prompt": "Judge it.", "continueOnBlock": True},
    ]
    guard = {"matcher": "Bash", "hooks": [{"type": "command", "command": command("", REASON, 2)}]}
    settings = {"hooks": {"PreToolUse": [guard], "PostToolUseFailure": [{"matcher": "*", "hooks": entries}]}}
    world.settings(PROJECT).write_text(json.dumps(settings))
    assert REASON in world.session().heard
    diagnostics = world.run("check", "--format", "json", code=None).json()["diagnostics"]
    assert {item["code"] for item in diagnostics} <= {"untrusted", "no-hook-file"}


@IN_BOTH_VERSIONS
def test_a_stop_before_a_tool_denies_it_and_stops_the_agent(world: ClaudeWorld) -> None:
    world.configure('[run]\nformats = ["agenthooks", "vscode"]\n')
    stop = {"type": "command", "command": command({"continue": False, "stopReason": REASON})}
    world.settings("~/.copilot/hooks/stop.json").write_text(json.dumps({"hooks": {"PreToolUse": [stop]}}))
    world.run("connect", "claude", "--yes")
    session = world.session()
    assert not world.marker.exists()
    assert session.turns == (1 if world.new_answers else 2)  # 2.1.197 denies and continues
    assert (REASON in session.heard) != world.new_answers
    assert [report["effect"] for report in world.decisions("event:pre-tool-call")] == ["stop"]


@pytest.mark.parametrize("matcher", ["Task", "Edit|Task", "^Task$", "Tas."])
def test_task_matches_the_tool_agent(world: ClaudeWorld, matcher: str) -> None:
    own(world, {"command": command("", REASON, 2)}, matcher)
    assert REASON in world.session(*_BY_AGENT).heard
    (hook,) = [hook for hook in world.run("list", "--json").json() if REASON in hook["command"]]
    world.trust()
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": {}, "cwd": str(world.project)}
    dry = world.run("run", "--host", "claude", "--format", "claude", "--dry-run", "--json", stdin=payload).json()
    assert [run["state"] for run in dry["hooks"] if run["name"] == hook["name"]] == ["would-run"]


def test_part_of_task_matches_nothing(world: ClaudeWorld) -> None:
    own(world, {"command": command("", REASON, 2)}, "Tas")
    assert REASON not in world.session(*_BY_AGENT).heard


def test_a_hook_for_task_decides_on_the_tool_agent(world: ClaudeWorld) -> None:
    world.hook("guard", DENIES, matcher={"tool": "^Task$"})
    world.run("connect", "claude", "--yes")
    assert REASON in world.session(*_BY_AGENT).heard


def test_a_hook_after_a_subagent_gets_its_last_message(world: ClaudeWorld) -> None:
    script = "#!/bin/sh\ngrep -q 'part done' && touch knows.txt\n"
    world.hook("note", script, trigger="post-subagent")
    world.run("connect", "claude", "--yes")
    world.session(*_BY_AGENT)
    assert (world.project / "knows.txt").exists()


def test_a_rewrite_reads_rewrote(world: ClaudeWorld) -> None:
    world.hook("rewrite", answering(modified_input={"command": "echo rewritten > ran.txt", "description": "another"}))
    world.run("connect", "claude", "--yes")
    world.session()
    assert world.marker.read_text() == "rewritten\n"
    assert [report["effect"] for report in world.decisions("effect:rewrite")] == ["rewrite"]
    assert "rewrote" in world.run("log", "effect:rewrite").stdout


def _runs(world: ClaudeWorld) -> list[dict[str, Any]]:
    """The hooks that the log has for calls of a tool."""
    return [run for report in world.decisions("event:pre-tool-call") for run in report["hooks"]]


def test_an_if_for_edits_is_for_no_other_tool(world: ClaudeWorld) -> None:
    own(world, {"command": "touch fired; exit 2", "if": "Edit(*.txt)"}, matcher="Edit|Write")
    world.session(use("Write", file_path=str(world.project / "new.txt"), content="text"), say("all done"))
    assert not (world.project / "fired").exists()
    (hook,) = [hook for hook in world.run("list", "--json").json() if "fired" in hook["command"]]
    world.trust()
    payload = {"tool_name": "Write", "tool_input": {"file_path": "new.txt", "content": "text"}}
    (world.home / "event.json").write_text(json.dumps(payload))
    tried = world.run("try", hook["id"], "--payload", str(world.home / "event.json"), "--json", code=None).json()
    assert [run["skip"] for run in tried["hooks"]] == ["tool-mismatch"]


@pytest.mark.parametrize("command", ["exit 2", """echo '{"decision": "block", "reason": "no"}'"""])
def test_a_skills_shell_command_is_denied(world: ClaudeWorld, command: str) -> None:
    world.settings(".claude/commands/hi.md").write_text("---\nallowed-tools: Bash(*)\n---\n!`touch ran.txt`\n")
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "if": "Bash(touch *)", "command": command}]}
    world.settings(PROJECT).write_text(json.dumps({"hooks": {"PreSkillShellCommand": [entry]}}))
    assert world.run("check", "--format", "json").json()["diagnostics"] == []
    world.session(say("all done"), prompt="/hi")
    assert not world.marker.exists()
