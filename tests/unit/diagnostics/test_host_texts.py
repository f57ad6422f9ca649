"""Differences between hosts in variables and fields (formats.md §3, the table)."""

from __future__ import annotations

import json

import pytest

from tests.unit.diagnostics.host_files import CLAUDE, VSCODE, entry, found, grouped, one, put, script
from tests.unit.formats.agenthooks_world import World, place_of


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


IN = '#!/bin/bash\nINPUT=$(cat)\nx=$(echo "$INPUT" | jq -r '
COPILOT = ".github/hooks/copilot.json"


@pytest.mark.parametrize(
    ("event", "text", "field"),
    [
        ("SubagentStop", f"{IN}'.event_type // \"unknown\"')\ny=$(jq .hook_event_name)\n", "event_type"),
        ("SubagentStop", f"{IN}'.agent_name')\n", "agent_name"),
        ("Stop", f"{IN}'.tool_input.file_path // empty')\n", "tool_input"),
        ("UserPromptSubmit", f"{IN}.tool_name)\n", "tool_name"),
        ("PreToolUse", f"{IN}'.toolName // \"x\"')\n", "toolName"),
        # The script falls back to another field, or tests for the event first.
        ("PreToolUse", f"{IN}'.toolName // .name')\n", None),
        ("PreToolUse", f"{IN}'.tool_input.file_path')\n", None),
        ("PreToolUse", f"{IN}.tool_name)\ny=$(jq -r .agent_name)\n", None),  # of another host's agents
        ("Stop", f"{IN}.hook_event_name)\ny=$(jq .tool_input)\n", None),
        ("Stop", f"{IN}.prompt)\n", None),
    ],
)
def test_field_that_the_event_does_not_have(world: World, event: str, text: str, field: str | None) -> None:
    put(world, grouped("scripts/guard.sh", event), CLAUDE)
    script(world, text)
    named = [only.message.removeprefix("Claude Code ").removesuffix(": it is null") for only in found(world, "undefined-field")]
    assert [message.split(" on ")[0].split()[-1] for message in named] == ([field] if field else [])


def test_script_that_also_runs_on_a_tool_event_may_read_its_fields(world: World) -> None:
    command = [{"hooks": [{"type": "command", "command": "scripts/guard.sh"}]}]
    put(world, json.dumps({"hooks": {"Stop": command, "PostToolUse": command}}), CLAUDE)
    script(world, f"{IN}'.tool_input.file_path // empty')\n")
    assert found(world, "undefined-field") == []


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        ('s = data.get("session_id")', True),
        ('s = data.get("session_id", "") or "none"', True),
        ('s = data.get("session_id") or data.get("conversation_id")', False),
        ('s = data.get("conversation_id") or data.get("session_id")', False),
        ('if tool == "claude":\n    s = data.get("session_id")', False),
        ('if tool == "x":\n    s = data.get("session_id")', True),
        ('row["session_id"] = 1', False),
    ],
)
def test_field_of_another_host_is_fine_as_an_alternative(world: World, line: str, reported: bool) -> None:
    put(world, json.dumps({"version": 1, "hooks": {"preToolUse": [{"bash": "python3 scripts/log.py"}]}}), COPILOT)
    script(world, f"import json, sys\ndata = json.load(sys.stdin)\n{line}\n", "scripts/log.py")
    assert bool(found(world, "undefined-field")) == reported
