"""The version of an entry: what it says and what it starts, never where it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_world import CommandWorld

COMMANDS = ('"$HOME/.claude/hooks/guard.sh"', "~/.claude/hooks/guard.sh", "{home}/.claude/hooks/guard.sh")


def world_of(root: Path, command: str, *, matcher: str = "Bash", script: str = "exit 2\n") -> CommandWorld:
    """A home of its own with a guard of Claude Code."""
    root.mkdir()
    world = CommandWorld(root)
    guard = world.home / ".claude/hooks/guard.sh"
    guard.parent.mkdir(parents=True)
    guard.write_text(f"#!/bin/sh\n{script}")
    guard.chmod(0o755)
    entry = {"type": "command", "command": command.format(home=world.home)}
    settings = {"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [entry]}]}}
    (world.home / ".claude/settings.json").write_text(json.dumps(settings))
    return world


def version(world: CommandWorld) -> str:
    """The version that `list` prints."""
    (hook,) = world.run("list", "--json").json()
    assert len(hook["version"]) == 32
    return str(hook["version"])


@pytest.mark.parametrize("command", COMMANDS)
def test_equal_entries_in_two_homes_have_one_version(tmp_path: Path, command: str) -> None:
    one, other = (world_of(tmp_path / name, command) for name in ("one", "other"))
    assert version(one) == version(other)


@pytest.mark.parametrize("command", COMMANDS)
def test_gutted_script_and_narrowed_matcher_have_others(tmp_path: Path, command: str) -> None:
    usual = world_of(tmp_path / "usual", command)
    gutted = world_of(tmp_path / "gutted", command, script="exit 0\n")
    narrowed = world_of(tmp_path / "narrowed", command, matcher="Write")
    assert len({version(usual), version(gutted), version(narrowed)}) == 3


def test_gutted_guard_is_seen_in_the_next_report_though_it_never_decides(tmp_path: Path) -> None:
    world = CommandWorld(tmp_path)
    guard = world.hook("guard", '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n', matcher={"tool": "Bash"})
    library = guard / "scripts/lib.sh"
    library.write_text("exit 2\n")
    reported = [world.fire(tool_name=tool)["hooks"][0] for tool in ("Bash", "Edit")]
    library.write_text("exit 0\n")
    reported += [world.fire(tool_name=tool)["hooks"][0] for tool in ("Edit", "Bash")]
    assert [(hook["state"], hook["decision"]) for hook in reported] == [
        ("ok", "deny"), ("skipped", "none"), ("skipped", "none"), ("ok", "none"),
    ]  # fmt: skip
    before, skipped, gutted, silent = (hook["version"] for hook in reported)
    assert before == skipped != gutted == silent
    logged = world.run("log", "--json").stdout.splitlines()
    assert [json.loads(line)["hooks"][0]["version"] for line in logged] == [before, skipped, gutted, silent]
