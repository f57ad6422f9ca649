"""Which files the real Copilot CLI runs, of its own and of others, and that a guard decides once beside other connections."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.hosts.hook_scripts import DENIES, REASON, answering, command
from tests.hosts.other_programs import CopilotWorld
from tests.hosts.scripted_model import say
from tests.hosts.test_seen_in_copilot import POWERSHELL, ROWS, Row

_NOTE = {"type": "command", "command": "cat > /dev/null; echo fired >> fired.txt"}
_CAMEL = {"type": "command", "bash": _NOTE["command"]}


@pytest.mark.parametrize(
    ("content", "fires"),
    [
        ({"version": 1, "hooks": {"preToolUse": [_CAMEL]}}, True),
        ({"hooks": {"SessionEnd": [_NOTE]}}, True),
        ({"hooks": {"SessionEnd": [_NOTE], "sessionStart": None}}, False),
        ({"disableAllHooks": "false", "hooks": {"preToolUse": [_CAMEL]}}, False),
        ({"preToolUse": [_CAMEL]}, False),
        ({"PreToolUse": [_NOTE]}, False),
        ({"version": 1, "preToolUse": [_CAMEL]}, False),
        ([{"hooks": {"preToolUse": [_CAMEL]}}], False),
        ([{"hooks": {"PreToolUse": [_NOTE]}}], False),
    ],
)
def test_copilot_runs_the_hooks_unless_check_reports_an_error(copilot: CopilotWorld, content: Any, fires: bool) -> None:
    copilot.write(".github/hooks/own.json", content)
    report = copilot.run("check", "--format", "json", code=0 if fires else 1).json()
    assert bool(report["errors"]) is not fires, report["diagnostics"]
    copilot.session()
    assert (copilot.project / "fired.txt").exists() is fires


@pytest.mark.parametrize(
    ("files", "fires"),
    [
        ({"~/.copilot/settings.json": True}, True),
        ({".github/copilot/settings.json": True}, False),
        ({".github/copilot/settings.json": True, ".github/copilot/settings.local.json": False}, True),
        ({".claude/settings.json": True}, False),
        ({".claude/settings.json": True, ".claude/settings.local.json": False}, True),
        ({".claude/settings.local.json": True, ".github/copilot/settings.json": False}, True),
        ({".claude/settings.local.json": False, ".github/copilot/settings.json": True}, False),
    ],
    ids=str,
)
def test_settings_of_a_project_switch_off_all_hooks(copilot: CopilotWorld, files: dict[str, bool], fires: bool) -> None:
    copilot.write("~/.copilot/hooks/own.json", {"version": 1, "hooks": {"preToolUse": [_CAMEL]}})
    copilot.write(".github/hooks/own.json", {"version": 1, "hooks": {"preToolUse": [_CAMEL]}})
    for name, off in files.items():
        copilot.write(name, {"disableAllHooks": off})
    copilot.session()
    assert (copilot.project / "fired.txt").exists() is fires
    assert {hook["enabled"] for hook in copilot.run("list", "--json").json()} == {fires}


_OWN = "~/.copilot/hooks/own.json"
_CALL = {"command": "echo original >> ran.txt", "description": "a step"}


@pytest.mark.parametrize("scope", ["project", "local"])
def test_connecting_claude_leaves_the_persons_own_guard_on(copilot: CopilotWorld, scope: str) -> None:
    deny = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": REASON}
    guard = {"matcher": "Bash", "hooks": [{"type": "command", "command": command({"hookSpecificOutput": deny})}]}
    file = {"project": ".claude/settings.json", "local": ".claude/settings.local.json"}[scope]
    copilot.write(file, {"hooks": {"PreToolUse": [guard]}})
    copilot.run("connect", "claude", "--scope", scope, "--yes")
    session = copilot.session()
    assert REASON in session.heard
    assert not copilot.marker.exists()
    assert "could not be loaded" not in session.result


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_hooktui_decides_as_copilot_does(copilot: CopilotWorld, row: Row) -> None:
    copilot.write(_OWN, {"version": 1, "hooks": {row.event: row.entries}})
    report = _fire(copilot, row.event)
    assert (report["decision"] == "deny") != row.ran
    assert not row.told or REASON in report["reason"]


def test_a_denial_stops_the_later_hooks(copilot: CopilotWorld) -> None:
    entries = [{"type": "command", "bash": text} for text in (command("", REASON, 2), "echo ran >> second.txt")]
    copilot.write(_OWN, {"version": 1, "hooks": {"preToolUse": entries}})
    assert [hook["state"] for hook in _fire(copilot, "preToolUse")["hooks"]] == ["ok", "skipped"]
    assert not (copilot.project / "second.txt").exists()


def test_an_entry_that_denies_everything_is_an_error(copilot: CopilotWorld) -> None:
    copilot.write(_OWN, {"version": 1, "hooks": {"preToolUse": [POWERSHELL]}})
    assert _fire(copilot, "preToolUse")["decision"] == "deny"
    found = copilot.run("check", "--format", "json", code=1).json()["diagnostics"]
    assert "denies-everything" in {item["code"] for item in found if item["severity"] == "error"}


def _fire(copilot: CopilotWorld, event: str) -> dict[str, Any]:
    """Run `hooktui run` on the usual call, with the payload that Copilot sends for this spelling of the event."""
    payload: dict[str, Any]
    if event == "PreToolUse":
        payload = {"hook_event_name": event, "session_id": "s", "tool_name": "Bash", "tool_input": _CALL}
    else:
        payload = {"sessionId": "s", "timestamp": 1, "toolName": "bash", "toolArgs": _CALL}
    stdin = json.dumps(payload | {"cwd": str(copilot.project)})
    report = copilot.run("run", event, "--host", "copilot", "--format", "copilot", "--json", stdin=stdin, code=None).json()
    assert isinstance(report, dict)
    return report


COUNTS = "#!/bin/sh\ncat > /dev/null\necho run >> runs.txt\n"


@pytest.fixture(params=["claude", "vscode"])
def both(copilot: CopilotWorld, request: pytest.FixtureRequest) -> CopilotWorld:
    for host in (request.param, "copilot"):
        copilot.run("connect", host, "--yes")
    return copilot


def test_each_hook_runs_once_and_each_event_is_logged_once(both: CopilotWorld) -> None:
    rewritten = {"command": "echo rewritten >> ran.txt", "description": "a step"}
    rewrite = answering(decision="allow", modified_input=rewritten, additional_context="mind the gap")
    both.hook("count", COUNTS)
    both.hook("count-prompts", COUNTS, trigger="pre-agent-turn")
    both.hook("guard", DENIES, matcher={"pattern": "denied"})
    both.hook("rewrite", rewrite, matcher={"pattern": "original"})
    commands = ("echo a", "echo a", "echo denied > denied.txt", "echo original >> ran.txt")
    session = both.session(*map(both.shell, commands), say("all done"))
    assert (both.project / "runs.txt").read_text() == "run\n" * 5
    assert [report["host"] for report in both.decisions("event:pre-tool-call")] == ["copilot"] * 4
    assert REASON in session.heard
    assert not (both.project / "denied.txt").exists()
    assert both.marker.read_text() == "rewritten\n"
    assert session.heard.count("mind the gap") == 1


def test_a_denied_prompt_is_not_sent(both: CopilotWorld) -> None:
    both.hook("guard", DENIES, trigger="pre-agent-turn")
    session = both.session()
    assert (session.turns, REASON in session.result) == (0, True)


def test_a_gate_counts_each_denial_once(both: CopilotWorld) -> None:
    both.hook("gate", DENIES, trigger="pre-agent-turn-stop")
    assert both.session(*(say(f"turn {number}") for number in range(20))).turns == 4
    assert [report["decision"] for report in both.decisions("event:pre-agent-turn-stop")] == ["deny"] * 3 + ["none"]
