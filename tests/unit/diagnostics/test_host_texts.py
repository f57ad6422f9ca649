"""Differences between hosts in variables and fields (formats.md §3, the table)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.diagnostics.host_files import CLAUDE, VSCODE, entry, found, grouped, one, put, script
from tests.unit.formats.agenthooks_world import place_of

if TYPE_CHECKING:
    from tests.unit.formats.agenthooks_world import World


def test_a_variable_that_no_host_sets_is_empty(world: World) -> None:
    marked = (
        '{"hooks": {"PostToolUse": [{"type": "command", "command": "npx prettier --write \\"«$TOOL_INPUT_FILE_PATH»\\""}]}}'
    )
    place = put(world, marked)
    only = one(world, "undefined-variable")
    assert (only.severity, only.hosts, place_of(only)) == ("warning", ("vscode",), place)


@pytest.mark.parametrize(("file", "reported"), [(VSCODE, 1), (CLAUDE, 0)])
def test_claude_sets_its_project_directory(world: World, file: str, reported: int) -> None:
    put(world, grouped('cd "$CLAUDE_PROJECT_DIR" && make'), file)
    assert len(found(world, "undefined-variable")) == reported


@pytest.mark.parametrize("name", ["CLAUDE_FILE_PATHS", "CLAUDE_TOOL_INPUT", "CLAUDE_PLUGIN_ROOT"])
def test_variables_that_claude_does_not_set_are_reported(world: World, name: str) -> None:
    put(world, grouped(f'prettier --write "${name}"'), CLAUDE)
    assert name in one(world, "undefined-variable").message


def test_a_variable_that_the_hook_sets_itself_is_defined(world: World) -> None:
    put(world, entry("ls $CLAUDE_PROJECT_DIR", env={"CLAUDE_PROJECT_DIR": "."}))
    assert found(world, "undefined-variable") == []


@pytest.mark.parametrize(
    ("file", "event", "field", "right"),
    [
        (VSCODE, "PreToolUse", "sessionId", "session_id"),
        (CLAUDE, "PreToolUse", "sessionId", "session_id"),
        (VSCODE, "PreToolUse", "toolArgs", "tool_input"),
        (VSCODE, "preToolUse", "tool_name", "toolName"),
    ],
)
def test_field_in_another_hosts_spelling_is_reported(world: World, file: str, event: str, field: str, right: str) -> None:
    put(world, grouped("./scripts/guard.sh", event), file)
    place = script(world, f"#!/bin/bash\nINPUT=$(cat)\nX=$(echo \"$INPUT\" | jq -r '«.{field}»')\n")
    only = one(world, "undefined-field")
    assert (only.severity, place_of(only)) == ("warning", place)
    assert right in only.hint


@pytest.mark.parametrize(
    ("event", "program"),
    [
        ("PreToolUse", "jq -r .session_id"),
        ("PreToolUse", "jq -r '.session_id // .sessionId'"),
        ("PreToolUse", "jq -r '.sessionId // empty'"),
        ("PreToolUse", "jq -r .data.sessionId"),
        ("preToolUse", "jq -r .sessionId"),
        ("PreToolUse", "grep sessionId"),
    ],
)
def test_other_reads_are_not_reported(world: World, event: str, program: str) -> None:
    put(world, entry(program, event))
    assert found(world, "undefined-field") == []
