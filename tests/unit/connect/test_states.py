"""Whether a host really calls hooktui, as `status`, `list` and `doctor` say."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hooktui import hosts
from tests.command_world import CommandWorld

FILES = {"user": "~/.claude/settings.json", "project": ".claude/settings.json", "local": ".claude/settings.local.json"}


class World(CommandWorld):
    def settings(self, scope: str) -> Path:
        name = FILES[scope]
        path = self.home / name[2:] if name.startswith("~/") else self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def put(self, scope: str, **values: Any) -> None:
        """Set keys of a settings file."""
        path = self.settings(scope)
        before = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps({**before, **values}))

    def connections(self, **env: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.run("status", "--json", code=0, **env).json()["connections"]
        return found

    def not_connected(self, *options: str, **env: str) -> list[dict[str, Any]]:
        diagnostics = self.run("check", "--format", "json", *options, code=None, **env).json()["diagnostics"]
        return [found for found in diagnostics if found["code"] == "not-connected"]

    def why(self, **env: str) -> str:
        """Why the only connection does not work, which every command says."""
        (state,) = self.connections(**env)
        assert not state["works"]
        assert state["why"] in self.run("doctor", code=1, **env).stdout
        assert state["why"] in self.run("list", code=0, **env).stdout
        assert state["why"] in self.run("status", code=0, **env).stdout
        (found,) = self.not_connected(**env)
        assert state["why"] in found["message"]
        return str(state["why"])


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_nothing_is_connected_at_first(world: World) -> None:
    assert world.connections() == []


@pytest.mark.parametrize("scope", FILES)
def test_connection_that_works(world: World, scope: str) -> None:
    world.run("connect", "claude", "--scope", scope, "--yes")
    assert world.connections() == [
        {
            "host": "claude",
            "scope": scope,
            "file": str(world.settings(scope)),
            "works": True,
            "why": "",
            "host_trust": None,
        }
    ]
    assert world.not_connected() == []
    sentence = "Claude Code calls hooktui for 12 events"
    assert sentence in world.run("list").stdout
    assert sentence in world.run("doctor").stdout


@pytest.mark.parametrize("scope", FILES)
def test_comments_lose_the_file(world: World, scope: str) -> None:
    world.run("connect", "claude", "--scope", scope, "--yes")
    world.settings(scope).write_text("// mine\n" + world.settings(scope).read_text())
    assert "comments" in world.why()


@pytest.mark.parametrize("by", FILES)
def test_hooks_are_disabled_by_any_settings(world: World, by: str) -> None:
    world.run("connect", "claude", "--scope", "project", "--yes")
    world.put(by, disableAllHooks=True)
    assert "disableAllHooks" in world.why()


def test_local_settings_enable_hooks_again(world: World) -> None:
    world.run("connect", "claude", "--scope", "user", "--yes")
    world.put("project", disableAllHooks=True)
    world.put("local", disableAllHooks=False)
    assert [state["works"] for state in world.connections()] == [True]


def test_another_config_directory_is_read_instead(world: World, tmp_path: Path) -> None:
    world.run("connect", "claude", "--scope", "user", "--yes")
    assert "CLAUDE_CONFIG_DIR" in world.why(CLAUDE_CONFIG_DIR=str(tmp_path / "elsewhere"))


def test_user_connection_goes_to_the_config_directory(world: World, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    world.run("connect", "claude", "--scope", "user", "--yes", CLAUDE_CONFIG_DIR=str(elsewhere))
    assert (elsewhere / "settings.json").exists()
    assert not world.settings("user").exists()


@pytest.mark.parametrize("key", ["allowManagedHooksOnly", "disableAllHooks"])
def test_policy_of_an_organization(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    policy = tmp_path / "managed-settings.json"
    policy.write_text(json.dumps({key: True}))
    spec = hosts.spec("claude")
    files = tuple(file.replace(path=str(policy)) if file.path.endswith(policy.name) else file for file in spec.files)
    monkeypatch.setitem(hosts._specs, "claude", spec.replace(files=files))
    world.run("connect", "claude", "--scope", "user", "--yes")
    assert key in world.why()


def test_server_of_an_organization_silences_a_connection_and_is_named(world: World) -> None:
    remote = world.settings("user").with_name("remote-settings.json")
    remote.write_text('{"allowManagedHooksOnly": true}')
    os.utime(remote, (1_800_000_000, 1_800_000_000))
    world.run("connect", "claude", "--scope", "user", "--yes")
    assert "allowManagedHooksOnly" in world.why(ANTHROPIC_API_KEY="none")
    managed = {"host": "Claude Code", "source": "remote", "file": str(remote), "date": "2027-01-15"}
    sentence = "Claude Code obeys ~/.claude/remote-settings.json (2027-01-15), managed settings from your organization's server"
    for command in ("status", "doctor"):
        assert world.run(command, "--json", code=None, ANTHROPIC_API_KEY="none").json()["managed"] == managed
        assert sentence in world.run(command, code=None, ANTHROPIC_API_KEY="none").stdout
    assert world.run("status", "--json").json()["managed"] is None


def test_file_of_the_project_is_not_read_from_a_subdirectory(world: World) -> None:
    world.run("connect", "claude", "--scope", "project", "--yes")
    (world.project / ".git").mkdir()
    (world.project / "sub").mkdir()
    (state,) = world.run("status", "--json", str(world.project / "sub")).json()["connections"]
    assert (state["works"], state["file"]) == (False, str(world.settings("project")))
    assert state["why"] in world.run("doctor", str(world.project / "sub"), code=1).stdout
    assert "started in sub" in state["why"]
    world.run("disconnect", "claude", "--yes")
    connected = world.run("connect", "claude", "--scope", "project", "--project", str(world.project / "sub"), "--yes")
    assert "Note: Claude Code does not call hooktui" in connected.stdout


@pytest.mark.parametrize("scope", ["local", "user"])
def test_other_connections_serve_subdirectories_too(world: World, scope: str) -> None:
    (world.project / ".git").mkdir()
    (world.project / "sub").mkdir()
    world.run("connect", "claude", "--scope", scope, "--project", str(world.project / "sub"), "--yes")
    (state,) = world.run("status", "--json", str(world.project / "sub")).json()["connections"]
    assert (state["works"], state["file"]) == (True, str(world.settings(scope)))


def test_launcher_that_is_gone(world: World) -> None:
    world.run("connect", "claude", "--yes")
    (world.home / ".local/share/hooktui/hook").unlink()
    assert world.why().endswith("/hooktui/hook cannot be run")
    assert "hooktui connect claude --scope local" in world.run("doctor", code=1).stdout
    world.run("connect", "claude", "--yes")
    assert world.connections()[0]["works"]


def test_check_points_at_the_entry_that_does_not_work(world: World) -> None:
    world.run("connect", "claude", "--yes")
    (world.home / ".local/share/hooktui/hook").unlink()
    (found,) = world.not_connected("--host", "claude")
    assert found["file"] == str(world.settings("local"))
    lines = world.settings("local").read_text().splitlines()
    assert "hooktui/hook" in "".join(lines[found["line"] - 1 :][:3])
    assert found["hint"] == "hooktui connect claude --scope local"
    assert world.not_connected("--host", "vscode") == []


def test_python_of_an_older_entry_that_is_gone(world: World) -> None:
    entry = {"type": "command", "command": "/gone/python -I -m hooktui run --host claude"}
    world.put("local", hooks={"Stop": [{"matcher": "", "hooks": [entry]}]})
    assert world.why() == "/gone/python cannot be run"
    world.run("connect", "claude", "--yes")
    assert "/gone" not in world.settings("local").read_text()


def test_two_connections_by_one_launcher_call_once(world: World) -> None:
    world.run("connect", "claude", "--scope", "user", "--yes")
    world.run("connect", "claude", "--scope", "local", "--yes")
    assert [(state["works"], state["why"]) for state in world.connections()] == [(True, "")] * 2


def test_two_installations_run_each_hook_twice(world: World) -> None:
    world.run("connect", "claude", "--scope", "user", "--yes")
    launcher = world.home / "other/hooktui/hook"
    launcher.parent.mkdir(parents=True)
    launcher.write_text((world.home / ".local/share/hooktui/hook").read_text())
    launcher.chmod(0o755)
    entry = {"type": "command", "command": f"{launcher} claude"}
    world.put("local", hooks={"Stop": [{"matcher": "*", "hooks": [entry]}]})
    assert [state["works"] for state in world.connections()] == [True, True]
    checks = world.run("doctor", "--json", code=1).json()["checks"]
    (doctor,) = [check for check in checks if check["about"] == "connections" and check["state"] == "problem"]
    (check,) = world.run("check", "--format", "json").json()["diagnostics"]
    assert "each hook runs twice" in doctor["detail"]
    assert (check["code"], check["message"], check["hint"]) == ("runs-twice", doctor["detail"], doctor["remedy"])
    assert doctor["remedy"].startswith("hooktui disconnect claude --scope ")


def test_copilot_runs_entries_of_two_scopes_twice(world: World) -> None:
    world.run("connect", "copilot", "--scope", "user", "--yes")
    assert "each hook runs twice" in world.run("connect", "copilot", "--scope", "project", "--yes").stdout


def test_disabled_host_has_no_remedy(world: World) -> None:
    world.run("connect", "claude", "--yes")
    world.put("local", disableAllHooks=True)
    checks = world.run("doctor", "--json", code=1).json()["checks"]
    (found,) = [check for check in checks if check["about"] == "connections"]
    assert (found["state"], found["remedy"]) == ("problem", "")


def test_connecting_an_observing_connection_again_still_observes(world: World) -> None:
    world.put("project", hooks={"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]})
    world.run("connect", "claude", "--scope", "project", "--yes")
    assert "your own hooks are not recorded" in world.run("status").stdout
    world.run("connect", "claude", "--scope", "project", "--observe", "--yes")
    assert "records 1 hook of your own" in world.run("status").stdout
    (world.home / ".local/share/hooktui/hook").unlink()
    assert "hooktui connect claude --scope project --observe" in world.run("doctor", code=1).stdout
    world.run("connect", "claude", "--scope", "project", "--yes")
    assert "records 1 hook of your own" in world.run("status").stdout


def test_disconnect_names_the_connection_of_the_user(world: World) -> None:
    world.run("connect", "claude", "--scope", "user", "--yes")
    output = world.run("disconnect", "claude", "--yes").stdout
    assert "Claude Code is not connected in this project" in output
    assert "hooktui disconnect claude --scope user" in output


def test_connect_warns_of_a_local_file_that_git_tracks(world: World) -> None:
    world.put("local", model="x")
    for arguments in (("init", "-q"), ("add", "-f", ".")):
        subprocess.run(("git", "-C", str(world.project), *arguments), check=True)
    assert "git tracks this file" in world.run("connect", "claude", "--yes").stdout


def status(world: World) -> list[str]:
    """What `status` says of agents and recording, which comes before the approvals."""
    text = world.run("status").stdout
    return text.partition("\n\n")[0].splitlines()


def test_status_begins_with_who_calls_hooktui_and_what_is_recorded(world: World) -> None:
    hooks = [{"type": "command", "command": name} for name in ("one", "two")]
    world.put("project", hooks={"Stop": [{"hooks": hooks}]})
    assert status(world) == [
        "Claude Code does not call hooktui; nothing is recorded (connect: hooktui connect claude)",
        "hooktui records nothing: no agent program calls it.",
    ]
    (world.home / ".claude/projects").mkdir(parents=True)
    [line] = status(world)
    assert line == "Claude Code does not call hooktui; hooktui reads its transcripts (connect: hooktui connect claude)"
    world.hook("guard")
    world.run("connect", "claude", "--yes")
    first, last = status(world)
    assert first.endswith("settings.local.json); your own hooks are known from its transcripts only")
    assert last == "hooktui is recording 1 of 3 hooks."
    world.run("connect", "claude", "--observe", "--yes")
    first, last = status(world)
    assert first.endswith("settings.local.json), and records 2 hooks of your own")
    assert last == "hooktui is recording 3 hooks."


def test_status_names_the_agents_that_are_not_connected_beside_one_that_is(world: World) -> None:
    (world.project / ".gemini").mkdir()
    (world.project / ".gemini/settings.json").write_text(
        json.dumps({"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "x"}]}]}})
    )
    world.run("connect", "claude", "--yes")
    called, silent, recorded = status(world)
    assert called.startswith("Claude Code calls hooktui for 12 events")
    assert silent.startswith("Gemini CLI does not call hooktui")
    assert recorded == "hooktui is recording 0 of 1 hook."
