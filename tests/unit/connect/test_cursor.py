"""Cursor calls hooktui through its own connection and through Claude Code's; each hook runs once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hooktui.connect import launcher
from tests.command_world import CommandWorld

REASON = "not while the moon is full"
DENIES = f"#!/bin/sh\necho {REASON} >&2\nexit 2\n"
CALL = {
    "hook_event_name": "preToolUse",
    "conversation_id": "c",
    "cursor_version": "2",
    "tool_name": "Shell",
    "tool_input": {"command": "ls"},
    "tool_use_id": "t",
}


@pytest.fixture
def world(tmp_path: Path) -> CommandWorld:
    made = CommandWorld(tmp_path)
    made.hook("guard", DENIES)
    return made


def called(world: CommandWorld, connection: str) -> dict[str, str]:
    """What Cursor gets from a connection for a call of its shell."""
    payload = CALL | {"workspace_roots": [str(world.project)]}
    done = world.run("run", "--host", connection, stdin=payload, CURSOR_VERSION="2")
    answer: dict[str, str] = json.loads(done.stdout)
    return answer


def test_claudes_connection_alone_denies_in_cursors_words(world: CommandWorld) -> None:
    world.run("connect", "claude", "--yes")
    assert called(world, "claude")["permission"] == "deny"


def test_with_both_connections_only_cursors_own_runs_the_hooks(world: CommandWorld) -> None:
    world.run("connect", "claude", "--yes")
    world.run("connect", "cursor", "--yes")
    assert called(world, "cursor")["user_message"] == REASON
    assert called(world, "claude") == {}
    reports = world.run("log", "--json").stdout.splitlines()
    assert [json.loads(report)["host"] for report in reports] == ["cursor"]


def test_entries_that_guard_fail_closed(world: CommandWorld) -> None:
    world.run("connect", "cursor", "--yes")
    hooks = json.loads((world.project / ".cursor/hooks.json").read_text())["hooks"]
    closed = {step for step, (entry,) in hooks.items() if entry.get("failClosed")}
    assert closed == {"preToolUse", "subagentStart"}
    assert '"permission": "deny", "user_message": "hooktui is gone' in launcher.text()
