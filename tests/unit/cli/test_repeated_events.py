"""One event that Copilot CLI delivers to two connections runs each hook once."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.command_world import CommandWorld


def test_a_program_that_calls_two_connections_for_one_event_gets_one_decision(world: CommandWorld) -> None:
    world.hook("guard", "#!/bin/sh\necho run >> runs.txt\necho token=ghp_0123456789abcdefghijABCDEFGHIJ012345 >&2\nexit 2\n")
    camel, pascal = copilot_payloads(world, timestamp=1_795_384_590_417)
    first = world.run("run", "preToolUse", "--host", "copilot", stdin=camel, code=2, COPILOT_CLI="1")
    second = world.run("run", "--host", "claude", stdin=pascal, code=2, COPILOT_CLI="1")
    assert json.loads(first.stdout)["permissionDecision"] == json.loads(second.stdout)["permissionDecision"] == "deny"
    assert (world.project / "runs.txt").read_text() == "run\n"
    assert len(world.run("log").stdout.splitlines()) == 1
    (kept,) = (world.home / ".local/state/hooktui/sessions/answers").iterdir()
    assert "ghp_" not in kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "other", [{"timestamp": 1_795_384_590_418}, {"session": "s2"}, {"command": "pwd"}, {"connection": "copilot"}]
)
def test_events_that_differ_in_anything_are_two(world: CommandWorld, other: dict[str, Any]) -> None:
    world.hook("count", "#!/bin/sh\necho run >> runs.txt\n")
    connection = other.pop("connection", "claude")
    camel, _ = copilot_payloads(world, timestamp=1_795_384_590_417)
    _, pascal = copilot_payloads(world, **{"timestamp": 1_795_384_590_417, **other})
    world.run("run", "preToolUse", "--host", "copilot", stdin=camel, COPILOT_CLI="1")
    world.run("run", "--host", connection, stdin=pascal, COPILOT_CLI="1")
    assert (world.project / "runs.txt").read_text() == "run\nrun\n"


def copilot_payloads(
    world: CommandWorld, timestamp: int, session: str = "s1", command: str = "ls"
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what Copilot CLI sends for one tool call to its own entry, in camelCase, and to Claude Code's."""
    moment = datetime.fromtimestamp(timestamp / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    call = {"command": command}
    camel = {"sessionId": session, "timestamp": timestamp, "toolName": "bash", "toolArgs": call}
    pascal = {"hook_event_name": "PreToolUse", "session_id": session, "timestamp": moment}
    return {**camel, "cwd": str(world.project)}, {
        **pascal, "cwd": str(world.project), "tool_name": "Bash", "tool_input": call,
    }  # fmt: skip


def test_claude_codes_connection_is_answered_as_copilot_cli_when_that_calls_it(world: CommandWorld) -> None:
    world.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n", trigger="pre-agent-turn")
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(world.project), "prompt": "do it"}
    from_copilot = {**payload, "timestamp": "2026-11-22T21:56:29.049Z"}
    answer = world.run("run", "--host", "claude", stdin=from_copilot, COPILOT_CLI="1").json()
    assert answer == {"decision": "block", "reason": "no"}
    assert world.run("run", "--host", "claude", stdin=payload, code=2, COPILOT_CLI="1").stderr == "no\n"
