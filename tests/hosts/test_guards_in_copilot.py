"""Every guard decides in the real Copilot CLI, and hooktui decides with Copilot's own hooks as Copilot does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.hosts.copilot_cli import CopilotWorld
from tests.hosts.hook_scripts import REASON, command
from tests.hosts.test_seen_in_copilot import ROWS, Row

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
    entry = {"type": "command", "powershell": "exit 0"}
    copilot.write(".github/hooks/own.json", {"version": 1, "hooks": {"preToolUse": [entry]}})
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
