"""Required hooks: what `status`, `doctor` and the header say where one is missing, differs or cannot run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hooktui.catalog import catalog, required_hooks
from hooktui.config import managed as administrator
from hooktui.core import paths
from tests.command_world import CommandWorld

OTHER = "0" * 32


class Machine(CommandWorld):
    """`managed` is the managed file, and the owner of this process its administrator."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.managed = root / "managed.toml"

    def version(self, name: str) -> str:
        """The version of a hook, as an administrator reads it."""
        (version,) = {hook["version"] for hook in self.run("list", "--json").json() if hook["name"] == name}
        assert len(version) == 32
        return str(version)

    def require(self, name: str, *versions: str) -> None:
        """Require a hook in one of several versions."""
        entries = "".join(f'[[required]]\nname = "{name}"\nversion = "{version}"\n' for version in versions)
        self.managed.write_text(entries or f'[[required]]\nname = "{name}"\n')

    def state(self) -> tuple[str, str]:
        """The state of the only required hook, and why."""
        (required,) = self.run("status", "--json").json()["required"]
        return required["state"], required["why"]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    world = Machine(tmp_path)
    monkeypatch.setattr(paths, "managed_file", lambda: str(world.managed))
    monkeypatch.setattr(administrator, "MANAGED_BY", os.getuid())
    world.run("connect", "claude", "--yes")
    return world


def test_version_says_whether_it_is_the_required_one(machine: Machine) -> None:
    directory = machine.hook("guard", "#!/bin/sh\nexit 2\n")
    version = machine.version("guard")
    machine.require("guard", version)
    assert machine.state() == ("ok", "")
    machine.require("guard", OTHER, version)  # during a rollout, the old one too
    assert machine.state() == ("ok", "")
    (directory / "scripts/run").write_text("#!/bin/sh\nexit 0\n")
    gutted = machine.version("guard")
    assert machine.state() == ("differs", f"{directory}/HOOK.md has {gutted}")
    told = machine.run("status").stdout
    assert " ".join(told.split()).count("required hook guard differs from the required version") == 1
    (finding,) = [check for check in machine.run("doctor", "--json", code=1).json()["checks"] if check["about"] == "required"]
    assert (finding["state"], "guard differs" in finding["message"]) == ("problem", True)
    assert machine.run("doctor", "--json", code=1).json()["required"][0]["found"] == gutted


def test_any_version_satisfies_a_hook_required_by_name(machine: Machine) -> None:
    machine.require("guard")
    assert machine.state() == ("missing", "")
    machine.hook("guard")
    assert machine.state() == ("ok", "")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda hook: (hook / "HOOK.md").rename(hook / "HOOK.md.off"), "it is off"),
        (lambda hook: (hook / "scripts/run").unlink(), "nothing to run: scripts/ contains none of run, run.sh, run.py"),
        (lambda hook: hook.chmod(0o777), ". is writable by everybody"),
    ],
)
def test_hook_that_does_not_run_is_no_required_hook(machine: Machine, spoil: Callable[[Path], object], why: str) -> None:
    directory = machine.hook("guard")
    machine.require("guard", machine.version("guard"))
    spoil(directory)
    assert machine.state()[0] == "cannot-run"
    assert machine.state()[1].endswith(why.removeprefix("."))


def test_project_hook_is_required_in_vain_until_it_is_approved(machine: Machine) -> None:
    machine.hook("guard", scope="project")
    machine.require("guard")
    assert machine.state() == ("cannot-run", "it is not approved")


def test_hook_that_no_agent_calls_cannot_run(machine: Machine) -> None:
    machine.hook("guard")
    machine.require("guard")
    machine.run("disconnect", "claude", "--yes")
    assert machine.state() == ("cannot-run", "no agent program is connected")


@pytest.mark.parametrize(
    "change",
    [
        {"command": "{} || true"},
        {"command": "{} --help"},
        {"command": "HOME=/nowhere {}"},
        {"async": True},
        {"timeout": 0.001},
        {"if": "Bash(ls)"},
        {"matcher": "Other"},
        {"disableAllHooks": True},
        None,
    ],
)
def test_hook_whose_connection_was_spoiled_cannot_run(machine: Machine, change: dict[str, Any] | None) -> None:
    machine.hook("guard", "#!/bin/sh\nexit 2\n")
    machine.require("guard")
    assert machine.state() == ("ok", "")
    settings = machine.project / ".claude/settings.local.json"
    values = json.loads(settings.read_text())
    (group,) = values["hooks"]["PreToolUse"]
    (entry,) = group["hooks"]
    for key, value in (change or {}).items():
        holder = {"matcher": group, "disableAllHooks": values}.get(key, entry)
        holder[key] = value.format(entry["command"]) if key == "command" else value
    if change is None:
        del values["hooks"]["PreToolUse"]
    settings.write_text(json.dumps(values))
    assert machine.state() == ("cannot-run", "no agent program calls hooktui for pre-tool-call")
    assert not [line for line in machine.run("list").stdout.splitlines() if "● ok" in line and "guard" in line]
    assert "not-connected" in machine.run("check").stdout
    assert machine.run("doctor", code=1).stdout.count("required hook guard cannot run") == 1
    if change != {"disableAllHooks": True}:
        machine.run("connect", "claude", "--yes")
        assert machine.state() == ("ok", "")


def test_entry_of_a_host_is_found_by_its_label(machine: Machine) -> None:
    script = machine.home / ".claude/hooks/guard.sh"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\nexit 2\n")
    script.chmod(0o755)
    settings = (
        '{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "~/.claude/hooks/guard.sh"}]}]}}'
    )
    (machine.home / ".claude/settings.json").write_text(settings)
    loaded = [hook for hook in machine.run("list", "--json").json() if hook["label"] == "guard.sh"]
    machine.require("guard.sh", loaded[0]["version"])
    assert machine.state() == ("ok", "")
    script.write_text("#!/bin/sh\nexit 0\n")
    assert machine.state()[0] == "differs"


def test_header_names_the_only_one_that_is_wrong(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.require("guard")
    monkeypatch.setenv("HOME", str(machine.home))
    assert [state.word for state in required_hooks.unmet(catalog.load(str(machine.project)))] == ["guard missing"]
