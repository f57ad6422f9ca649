"""A matcher is judged as a whole, as its host matches: what never matches is reported, a spare name is not."""

from __future__ import annotations

import json

import pytest

from tests.unit.diagnostics.host_files import CLAUDE, GEMINI, found, grouped, one, put
from tests.unit.formats.agenthooks_world import World

CODEX, QWEN, CURSOR = ".codex/hooks.json", ".qwen/settings.json", ".cursor/hooks.json"
COPILOT = ".github/copilot/settings.json"
EVENTS = {GEMINI: "BeforeTool"}


def put_matcher(world: World, file: str, matcher: str, event: str = "") -> None:
    put(world, grouped("true", event or EVENTS.get(file, "PreToolUse"), matcher), file)


@pytest.mark.parametrize(
    ("file", "matcher"),
    [
        (CLAUDE, "Bash|PowerShell|Shell|Read"),  # Shell is Cursor's name of Bash
        (CLAUDE, "Write|write|Edit|write_file|replace_file_content"),
        (CLAUDE, "Bash|run_shell_command|execute_command"),
        (CLAUDE, "Edit|MultiEdit|create_file|Write"),
        (CLAUDE, "mcp__github__create_issue|Bash"),
        (CLAUDE, "^(?!Bash)"),
        (CLAUDE, "*"),
        (CLAUDE, ""),
        (CLAUDE, "CronCreate"),
        (CLAUDE, "Monitor|ListAgents"),
        (CODEX, "*"),
        (QWEN, "*"),
        (CODEX, "Read|Bash"),
        (CODEX, "Edit|Write|apply_patch"),
        (CODEX, "^(Edit|Write)$"),
        (CODEX, "spawn_agent"),  # may be a tool
        (CODEX, "mcp__.*"),
        (GEMINI, "run_shell_command|Bash"),
        (GEMINI, "shell"),
        (GEMINI, ".*(run_command|run_shell_command).*"),
        (GEMINI, "mcp_server_.*"),
        (GEMINI, "my_own_tool"),
        (QWEN, "Edit|Bash"),
        (QWEN, "Bash"),
        (COPILOT, "Write|Bash"),
        (COPILOT, "bash|view"),
        (COPILOT, "Ba.*"),
        (COPILOT, " bash"),
        (COPILOT, "^(?!view).*$"),
    ],
)
def test_matcher_that_can_match_needs_no_advice(world: World, file: str, matcher: str) -> None:
    put_matcher(world, file, matcher)
    assert found(world, "matches-nothing") == []


@pytest.mark.parametrize(
    ("file", "matcher", "severity", "hint"),
    [
        (CODEX, "exec_command", "warning", "did you mean Bash?"),
        (CODEX, "shell", "warning", "did you mean Bash?"),
        (CODEX, "local_shell", "warning", "did you mean Bash?"),
        (CODEX, "unified_exec", "warning", "did you mean Bash?"),
        (CODEX, "^shell$", "warning", "did you mean Bash?"),
        (CODEX, "Read", "warning", "its tools are Bash, apply_patch, view_image, update_plan, web_search …"),
        (GEMINI, ".*run_command.*", "warning", "did you mean run_shell_command?"),
        (GEMINI, ".*(write_to_file|replace_file_content).*", "warning", "did you mean write_file or replace?"),
        (QWEN, "^Bash$", "warning", "did you mean run_shell_command?"),
        (COPILOT, "^bash$", "warning", "did you mean Bash?"),
        (COPILOT, "^(view|Bas)$", "warning", "did you mean Read?"),
        (CLAUDE, "editFiles", "warning", "its tools are Bash, Read, Write, Edit, WebFetch, MultiEdit …"),
        (CLAUDE, "Foo", "info", "check the spelling"),
        (CLAUDE, "Bash|Foo", "info", "check the spelling"),
        (CLAUDE, "Bash|WriteBash", "info", "check the spelling"),
        (CLAUDE, "^Wirte$", "warning", "did you mean Write?"),
        (CLAUDE, "Edit|create_file", "warning", "did you mean Write?"),
    ],
)
def test_matcher_that_misses_is_reported_by_its_certainty(
    world: World, file: str, matcher: str, severity: str, hint: str
) -> None:
    put_matcher(world, file, matcher)
    only = one(world, "matches-nothing")
    assert (only.severity, only.hint) == (severity, hint)


@pytest.mark.parametrize(
    ("event", "matcher", "reported"),
    [
        ("SubagentStop", "Stop", True),
        ("SubagentStart", "Bash|Read", True),
        ("SubagentStop", "Explore", False),
        ("SubagentStop", "reviewer|Stop", False),
        ("SubagentStop", "*", False),
    ],
)
def test_subagents_are_matched_by_their_type(world: World, event: str, matcher: str, reported: bool) -> None:
    put_matcher(world, CLAUDE, matcher, event)
    problems = [(only.severity, only.message) for only in found(world, "matches-nothing")]
    message = f"{matcher} matches nothing: on {event}, Claude Code matches the agent's type"
    assert problems == ([("warning", message)] if reported else [])


def test_hook_that_never_runs_denies_nothing(world: World) -> None:
    entry = {"command": "echo hello", "matcher": "Bash"}
    put(world, json.dumps({"version": 1, "hooks": {"preToolUse": [entry]}}), CURSOR)
    assert one(world, "matches-nothing").hint == "did you mean Shell?"
    assert found(world, "denies-everything") == []


@pytest.mark.parametrize(
    ("event", "matcher", "reported"),
    [
        ("SessionStart", "fork", False),
        ("SessionStart", "startup|resume", False),
        ("SessionStart", "begin", True),
        ("Notification", "plugin_notification", False),
        ("Notification", "permision_prompt", True),
        ("Notification", "reload_notification", False),  # perhaps a kind of a later version
    ],
)
def test_what_a_session_or_notification_is_matched_with(world: World, event: str, matcher: str, *, reported: bool) -> None:
    put_matcher(world, CLAUDE, matcher, event)
    assert bool(found(world, "matches-nothing")) is reported


@pytest.mark.parametrize(
    ("event", "matcher", "reported"),
    [
        ("SessionStart", "startup", False),
        ("SessionStart", "*", False),
        ("SessionStart", "startup|resume", True),
        ("SessionStart", ".*", True),
        ("SessionEnd", ".*", True),
        ("PreCompress", "manual|auto", True),
    ],
)
def test_gemini_matches_a_session_with_one_exact_value(world: World, event: str, matcher: str, *, reported: bool) -> None:
    put_matcher(world, GEMINI, matcher, event)
    assert [only.hint for only in found(world, "matches-nothing")] == ["remove the matcher to run every time"] * reported
