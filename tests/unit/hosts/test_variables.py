"""Variables that change what an agent program reads change what hooktui says of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_world import CommandWorld


@pytest.mark.parametrize("variable", ["OPENCODE_DISABLE_PROJECT_CONFIG", "OPENCODE_PURE"])
def test_opencode_loads_no_plugin_of_the_project(world: CommandWorld, variable: str) -> None:
    world.run("connect", "opencode", "--yes")
    assert "opencode calls hooktui" in world.run("status").stdout
    world.environment[variable] = "1"
    assert f"{variable} is set, so opencode does not load this plugin" in world.run("status").stdout
    world.environment[variable] = "0"
    assert "opencode calls hooktui" in world.run("status").stdout


def test_opencode_loads_plugins_above_a_directory_outside_of_git(world: CommandWorld) -> None:
    world.run("connect", "opencode", "--yes")
    below = world.project / "a/b"
    below.mkdir(parents=True)
    assert "opencode calls hooktui" in world.run("status", str(below)).stdout


def hooks(label: str) -> str:
    return json.dumps({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": f"echo {label}"}]}]}})


@pytest.mark.parametrize(("host", "program"), [("qwen", "QWEN_CODE"), ("gemini", "GEMINI_CLI")])
def test_settings_of_everyone_may_be_elsewhere(world: CommandWorld, tmp_path: Path, host: str, program: str) -> None:
    elsewhere = tmp_path / "etc"
    elsewhere.mkdir()
    for name in ("everyone.json", "system-defaults.json", "others.json"):
        (elsewhere / name).write_text(hooks(name))

    def listed() -> set[str]:
        return {hook["command"] for hook in world.run("list", "--json").json() if hook["format"] == host}

    world.environment[f"{program}_SYSTEM_SETTINGS_PATH"] = str(elsewhere / "everyone.json")
    assert listed() == {"echo everyone.json", "echo system-defaults.json"}
    world.environment[f"{program}_SYSTEM_DEFAULTS_PATH"] = str(elsewhere / "others.json")
    assert listed() == {"echo everyone.json", "echo others.json"}
    del world.environment[f"{program}_SYSTEM_SETTINGS_PATH"]
    assert listed() == {"echo others.json"}
