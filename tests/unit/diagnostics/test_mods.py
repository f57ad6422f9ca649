"""Mods beside guards, as `hooktui check` and `hooktui list` tell of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_world import CommandWorld
from tests.mod_world import PASSES, registering, write_mod

ALLOWS = "on('tool.check', () => ({ decision: 'allow' }))"
_OPEN = "the mod sk has no .catch at {}: where it fails, it decides nothing"


@pytest.fixture
def world(tmp_path: Path) -> CommandWorld:
    return CommandWorld(tmp_path)


def guard(world: CommandWorld, matcher: str = "Bash", event: str = "PreToolUse") -> None:
    entry = {"matcher": matcher, "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}
    write(world.project / ".claude/settings.json", {"hooks": {event: [entry]}})


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def mod(world: CommandWorld, *calls: str) -> Path:
    return write_mod(world.home / ".claude/skills/sk", registering(*calls))


def told(world: CommandWorld, code: str) -> list[str]:
    """The messages with a code."""
    checked = world.run("check", "--format", "json", code=None).json()
    return [problem["message"] for problem in checked["diagnostics"] if problem["code"] == code]


@pytest.mark.parametrize(
    ("call", "matcher", "overrules"),
    [
        (ALLOWS, "Bash", True),
        ("on('tool.call', () => ({ result: 'x' }))", "", True),
        ("on('tool.check', { tool: 'Bash' }, () => ({ decision: 'allow' }))", "Bash|Edit", True),
        ("on('tool.check', { tool: 'Edit' }, () => ({ decision: 'allow' }))", "Bash", False),
        ("on('tool.check', () => ({ decision: 'deny' }))", "Bash", False),
        (f"on('tool.check', {PASSES})", "Bash", False),
        ("on('prompt.submit', () => ({ text: 'x' }))", "Bash", False),
    ],
)
def test_mod_that_can_allow_what_a_guard_denies_is_told(world: CommandWorld, call: str, matcher: str, overrules: bool) -> None:
    guard(world, matcher)
    mod(world, call)
    assert bool(told(world, "mod-overrules")) is overrules


def test_mod_without_a_guard_overrules_nothing(world: CommandWorld) -> None:
    guard(world, event="PostToolUse")
    mod(world, ALLOWS)
    assert told(world, "mod-overrules") == []


def test_mod_that_is_off_overrules_nothing(world: CommandWorld) -> None:
    guard(world)
    mod(world, ALLOWS)
    write(world.home / ".claude/settings.json", {"enabledPlugins": {"sk@skills-dir": False}})
    assert told(world, "mod-overrules") == []


def test_message_names_the_mod_its_event_and_the_guard(world: CommandWorld) -> None:
    guard(world)
    mod(world, ALLOWS)
    assert told(world, "mod-overrules") == ["the mod sk can let a tool run that echo no denied: it answers tool.check"]


def test_mod_that_answers_without_a_catch_fails_open(world: CommandWorld) -> None:
    mod(world, ALLOWS, f"on('tool.call', () => ({{ deny: 'no' }})).catch({PASSES})", f"on('prompt.submit', {PASSES})")
    assert told(world, "fails-open") == [_OPEN.format("tool.check")]


def test_list_shows_mods_beside_the_hooks_of_their_event(world: CommandWorld) -> None:
    guard(world)
    mod(world, ALLOWS)
    listed = world.run("list").stdout
    assert "PreToolUse: a tool is about to run" in listed
    assert listed.index("mod tool.check") < listed.index("echo no")
    assert "Claude Code loads the mods in ~/.claude/skills unasked." in listed
    assert "Not listed: Claude Code's own mods, and those of --plugin-dir." in listed


def test_json_of_a_mod_is_that_of_a_hook_with_what_only_mods_have(world: CommandWorld) -> None:
    mod(world, "on('tool.check', { tool: options.tool }, () => ({ decision: 'allow' }))")
    [listed] = [hook for hook in world.run("list", "--json").json() if hook["format"] == "claude-mod"]
    wanted = {
        "name": "sk@skills-dir",
        "label": "sk",
        "event": "pre-tool-call",
        "event_as_written": "tool.check",
        "type": "mod",
        "scope": "user",
        "owner": "mod sk",
        "matcher": {"tool": None},
        "matcher_computed": True,
        "gates": True,
        "catches": False,
        "enabled": True,
        "why": None,
        "editable": False,
    }
    assert wanted.items() <= listed.items()


def test_try_of_a_mod_says_that_only_claude_code_can_run_it(world: CommandWorld) -> None:
    mod(world, ALLOWS)
    done = world.run("try", "sk", code=None, PATH="/nowhere")
    assert (done.code, "Claude Code is not installed here, or not on PATH" in done.stderr) == (1, True)


def test_mods_are_no_part_of_a_run(world: CommandWorld) -> None:
    guard(world)
    mod(world, ALLOWS)
    payload = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    report = world.run("run", "--host", "claude", "--format", "claude", "--json", stdin=payload, code=None)
    assert "skills-dir" not in report.stdout + report.stderr
