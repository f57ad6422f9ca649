"""Handlers that run twice, and similar ones that do not."""

from __future__ import annotations

import json

import pytest

from tests.unit.diagnostics.host_files import CLAUDE, VSCODE, found, grouped, one, put
from tests.unit.formats.agenthooks_world import World
from tests.unit.formats.json_world import write


def handlers(*entries: dict[str, object]) -> str:
    hooks = [{"type": "command", "command": "true", **entry} for entry in entries]
    return json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}})


def use_copilot(world: World) -> None:
    write(world.home / ".copilot/config.json", "{}")


def test_same_handler_twice_in_a_file_is_reported(world: World) -> None:
    put(world, handlers({"timeout": 5}, {"timeout": 5}), CLAUDE)
    only = one(world, "duplicate-hook")
    assert (only.severity, (only.hook or "").endswith("settings.json:PreToolUse:2")) == ("warning", True)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"if": "Bash(git push *)"}, {"if": "Bash(rm *)"}),
        ({"if": "Bash(git push *)"}, {}),
        ({"timeout": 5}, {"timeout": 10}),
        ({"shell": "bash"}, {"shell": "powershell"}),
        ({"async": True}, {}),
    ],
)
def test_handlers_that_differ_in_their_options_are_no_duplicates(
    world: World, first: dict[str, object], second: dict[str, object]
) -> None:
    put(world, handlers(first, second), CLAUDE)
    assert found(world, "duplicate-hook") == []


def test_claude_runs_a_handler_in_two_files_once(world: World) -> None:
    put(world, grouped("true"), CLAUDE)
    put(world, grouped("true"), ".claude/settings.local.json")
    assert found(world, "runs-twice") == []


def test_copilot_runs_both_files_and_the_hint_names_the_one_to_delete(world: World) -> None:
    use_copilot(world)
    write(world.project / "guard.sh", "").chmod(0o755)
    put(world, grouped('"$CLAUDE_PROJECT_DIR"/guard.sh', matcher="Bash"), CLAUDE)
    entry = {"type": "command", "bash": "./guard.sh", "matcher": "Bash"}
    put(world, json.dumps({"version": 1, "hooks": {"PreToolUse": [entry]}}))
    only = one(world, "runs-twice")
    assert (only.hosts, only.file.endswith(VSCODE)) == (("copilot",), True)
    assert only.hint.startswith("deleting it here takes it from VS Code") or only.hint.startswith("delete it here")


def test_different_conditions_in_two_files_run_once_each(world: World) -> None:
    use_copilot(world)
    put(world, handlers({"if": "Bash(git *)"}), CLAUDE)
    put(world, json.dumps({"version": 1, "hooks": {"PreToolUse": [{"bash": "true", "matcher": "Bash"}]}}))
    assert found(world, "runs-twice") == []
