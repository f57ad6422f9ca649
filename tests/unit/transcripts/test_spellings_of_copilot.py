"""Copilot CLI has two names for a tool, by the spelling of the hook's event: its reports of one call are one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.runner.exec_world import World
from tests.unit.transcripts.past_imports import imported, logged
from tests.unit.transcripts.test_unnamed_hooks import copilot


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def pascal(world: World, event: str, name: str, value: Any) -> None:
    """Let Copilot run a hook of an event in PascalCase, observed. Its payload leaves out an empty input."""
    payload = {"hook_event_name": event, "session_id": "s1", "cwd": str(world.project), "tool_name": name}
    stdin = payload | ({"tool_input": value} if value else {})
    world.observe("true", stdin=json.dumps(stdin).encode(), options=("--host", "copilot"))
    world.run("log")


def camel(world: World, event: str, name: str, value: Any) -> None:
    """Let Copilot call hooktui."""
    payload = {"sessionId": "s1", "cwd": str(world.project), "toolName": name, "toolArgs": value}
    world.run("run", event, "--host", "copilot", stdin=payload)


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize(
    ("name", "claudes", "value"),
    [
        ("bash", "Bash", {"command": "ls"}),
        ("apply_patch", "Edit", "*** Begin Patch"),
        ("edit", "Edit", {"path": "a"}),
        ("list_bash", "list_bash", {}),
    ],
)
def test_all_reports_of_a_call_are_one(world: World, name: str, claudes: str, value: Any, *, is_first: bool) -> None:
    for is_pascal in (is_first, not is_first):
        if is_pascal:
            pascal(world, "PreToolUse", claudes, value)
        else:
            camel(world, "preToolUse", name, value)
    copilot(
        world,
        ("session.start", {"sessionId": "s1", "context": {"cwd": str(world.project)}}),
        ("tool.execution_start", {"toolCallId": "c1", "toolName": name, "arguments": value}),
        ("tool.execution_complete", {"toolCallId": "c1", "success": True}),
    )
    imported(world)
    (report,) = logged(world, "event:pre-tool-call")
    assert (report["tool_name"], report["outcome"]) == (name, "ran")
    assert [hook["label"] for hook in report["hooks"]] == ["true"]
