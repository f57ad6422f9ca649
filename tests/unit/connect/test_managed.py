"""Claude Code connected for everyone on the machine: a file of hooktui's own beside those of the administrator."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hooktui import connect, hosts
from hooktui.catalog import catalog
from hooktui.connect.connection_places import ConnectionSite
from hooktui.core import paths
from hooktui.screens.services import connection_offers
from tests.command_world import CommandWorld


class Machine(CommandWorld):
    """`etc` is in place of the machine's own."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.etc = root / "etc"
        self.etc.mkdir()
        self.drop_in = self.etc / "claude-code/managed-settings.d/hooktui.json"
        self.launcher = self.etc / "hooktui/hook"

    def files(self) -> dict[Path, bytes | None]:
        return {path: path.read_bytes() if path.is_file() else None for path in self.etc.rglob("*")}

    def administrator(self, name: str, **settings: object) -> Path:
        """Write a file of the administrator."""
        path = self.etc / "claude-code" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings))
        return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    world = Machine(tmp_path)
    spec = hosts.spec("claude")
    files = tuple(file.replace(path=file.path.replace("/etc", str(world.etc), 1)) for file in spec.files)
    here = spec.replace(files=files)
    monkeypatch.setitem(hosts._specs, "claude", here)
    monkeypatch.setitem(connect.SITES, "claude", ConnectionSite(here))
    monkeypatch.setattr(paths, "managed_launcher", lambda: str(world.launcher))
    return world


def test_entries_call_a_launcher_that_belongs_to_the_machine(machine: Machine) -> None:
    output = machine.run("connect", "claude", "--scope", "managed", "--yes").stdout
    assert "mods of users no longer hear the events of hooks" in output
    groups = json.loads(machine.drop_in.read_text())["hooks"].values()
    assert {group[0]["hooks"][0]["command"] for group in groups} == {f"{machine.launcher} claude"}
    assert not Path(machine.home, ".local/share/hooktui/hook").exists(), "nobody calls the user's own"
    (state,) = machine.run("status", "--json").json()["connections"]
    assert (state["scope"], state["file"], state["works"]) == ("managed", str(machine.drop_in), True)
    assert "already connected" in machine.run("connect", "claude", "--scope", "managed", "--yes").stdout


def test_only_disconnecting_that_scope_takes_it_out(machine: Machine) -> None:
    machine.administrator("managed-settings.d/10-hooks.json", cleanupPeriodDays=30)
    before = machine.files()
    machine.run("connect", "claude", "--scope", "managed", "--yes")
    connected = machine.files()
    told = machine.run("disconnect", "claude", "--yes").stdout
    assert "still connects Claude Code for everyone on this machine: hooktui disconnect claude --scope managed" in told
    assert machine.files() == connected
    machine.run("disconnect", "claude", "--scope", "managed", "--yes")
    assert machine.files() == before


def test_directories_that_connect_made_are_removed(machine: Machine) -> None:
    machine.run("connect", "claude", "--scope", "managed", "--yes")
    machine.run("disconnect", "claude", "--scope", "managed", "--yes")
    assert machine.files() == {}


def test_another_administrator_can_disconnect(machine: Machine) -> None:
    machine.run("connect", "claude", "--scope", "managed", "--yes")
    (machine.home / ".local/state/hooktui/connections.json").unlink()
    machine.run("disconnect", "claude", "--scope", "managed", "--yes")
    assert not machine.drop_in.exists()
    assert list(machine.launcher.parent.glob("*")) == []


def test_everyone_can_read_it_whatever_the_umask(machine: Machine) -> None:
    before = os.umask(0o077)
    try:
        machine.run("connect", "claude", "--scope", "managed", "--yes")
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in machine.etc.rglob("*")}
    assert modes == {
        **dict.fromkeys(("claude-code", "managed-settings.d", "hooktui", "hook"), 0o755),
        **dict.fromkeys(("hooktui.json", "hook.bundle"), 0o644),
    }


@pytest.mark.parametrize("command", ["connect", "disconnect"])
def test_others_than_root_are_told_what_to_do(machine: Machine, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    if command == "disconnect":
        machine.run("connect", "claude", "--scope", "managed", "--yes")
    before, access = machine.files(), os.access
    closed = str(machine.etc)
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).startswith(closed) and access(path, mode))
    ended = machine.run(command, "claude", "--scope", "managed", "--yes", code=1)
    assert f"nothing was changed: you may not write to {machine.drop_in.parent}: run the command as root" in ended.stderr
    assert machine.files() == before
    assert str(machine.drop_in) in machine.run(command, "claude", "--scope", "managed", "--dry-run").stdout


def test_the_administrators_own_commands_are_not_observed(machine: Machine) -> None:
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}
    path = machine.administrator("managed-settings.d/10-hooks.json", hooks=hooks)
    before = path.read_bytes()
    for scope in (("--scope", "managed"), ()):
        told = machine.run("connect", "claude", *scope, "--observe", "--yes").stdout
        assert f"1 command in {path} is not observed: only an administrator can change the file" in told
        assert path.read_bytes() == before


def test_the_app_does_not_offer_it(machine: Machine) -> None:
    machine.run("connect", "claude", "--scope", "managed", "--yes")
    loaded, site = catalog.load(str(machine.project)), connect.SITES["claude"]
    assert connection_offers.scopes(loaded, site) == ["local", "project", "user"]
    assert connection_offers.disconnections(loaded, site)[0].visible == ()


def test_other_programs_have_no_such_scope(machine: Machine) -> None:
    assert "has no scope managed" in machine.run("connect", "codex", "--scope", "managed", "--yes", code=2).stderr
