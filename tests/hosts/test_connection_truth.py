"""hooktui reports each connection as the real Claude Code treats it: whether it calls us, and why not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.seen_in_claude import LOCAL, PROJECT, USER
from tests.hosts.claude_code import IN_BOTH_VERSIONS, ClaudeWorld
from tests.hosts.hook_scripts import DENIES, REASON
from tests.hosts.managed_settings import namespace


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection as `status`, `check` and `doctor` see it, and whether Claude called us."""

    works: bool
    why: str
    codes: set[str]
    doctor: int
    called: bool


def connection(world: ClaudeWorld, scope: str, **how: Any) -> Connection:
    """Run Claude, and ask hooktui in the same directory and environment."""
    world.session(**how)
    status = json.loads(world.hooktui("status", "--json", **how).stdout)
    (state,) = [state for state in status["connections"] if state["host"] == "claude" and state["scope"] == scope]
    check = json.loads(world.hooktui("check", "--format", "json", **how).stdout)
    codes = {item["code"] for item in check["diagnostics"]}
    doctor = world.hooktui("doctor", **how).code
    return Connection(state["works"], state["why"] or "", codes, doctor, bool(world.decisions()))


def assert_told(seen: Connection, word: str) -> None:
    """Assert that Claude did not call us, and that every command says so, with the reason."""
    assert not seen.called
    assert not seen.works
    assert word in seen.why
    assert seen.codes & {"not-connected", "host-skips-file"}, "one mistake is one diagnostic"
    assert seen.doctor == 1


@pytest.fixture(params=["user", "project", "local"])
def scope(request: pytest.FixtureRequest) -> str:
    assert isinstance(request.param, str)
    return request.param


_FILES = {"user": USER, "project": PROJECT, "local": LOCAL}


def test_connect_writes_local_settings_that_git_does_not_see(world: ClaudeWorld) -> None:
    (world.project / "file").touch()
    world.commit()
    world.run("connect", "claude", "--yes")
    assert world.settings(LOCAL).exists()
    assert not world.settings(PROJECT).exists()
    assert world.changes_in_git() == ""
    assert connection(world, "local").called
    world.run("disconnect", "claude", "--yes")
    assert not world.settings(LOCAL).exists()
    assert "settings.local" not in (world.project / ".git/info/exclude").read_text()


def test_a_connection_that_works(world: ClaudeWorld, scope: str) -> None:
    world.run("connect", "claude", "--scope", scope, "--yes")
    seen = connection(world, scope)
    assert (seen.called, seen.works, seen.why, seen.doctor) == (True, True, "", 0)
    assert "not-connected" not in seen.codes


def test_comments_in_its_file(world: ClaudeWorld, scope: str) -> None:
    world.run("connect", "claude", "--scope", scope, "--yes")
    file = world.settings(_FILES[scope])
    file.write_text("// mine\n" + file.read_text())
    assert_told(connection(world, scope), "comment")


@pytest.mark.parametrize("by", [USER, PROJECT, LOCAL])
def test_hooks_that_are_switched_off(world: ClaudeWorld, by: str) -> None:
    world.run("connect", "claude", "--scope", "project", "--yes")
    file = world.settings(by)
    settings = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps(settings | {"disableAllHooks": True}))
    assert_told(connection(world, "project"), "disableAllHooks")


def test_local_settings_switch_hooks_on_again(world: ClaudeWorld) -> None:
    world.settings(PROJECT).write_text(json.dumps({"disableAllHooks": True}))
    world.run("connect", "claude", "--scope", "user", "--yes")
    world.settings(LOCAL).write_text(json.dumps({"disableAllHooks": False}))
    seen = connection(world, "user")
    assert (seen.called, seen.works, seen.doctor) == (True, True, 0)


@pytest.mark.parametrize("policy", ["allowManagedHooksOnly", "disableAllHooks"])
def test_a_managed_policy(world: ClaudeWorld, tmp_path: Path, policy: str) -> None:
    world.run("connect", "claude", "--scope", "project", "--yes")
    assert_told(connection(world, "project", inside=namespace(tmp_path, {policy: True})), policy)


def test_another_config_directory(world: ClaudeWorld, tmp_path: Path) -> None:
    world.run("connect", "claude", "--scope", "user", "--yes")
    assert_told(connection(world, "user", CLAUDE_CONFIG_DIR=str(tmp_path / "elsewhere")), "CLAUDE_CONFIG_DIR")


def test_connecting_in_another_config_directory(world: ClaudeWorld, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    world.hooktui("connect", "claude", "--scope", "user", "--yes", CLAUDE_CONFIG_DIR=str(elsewhere))
    assert (elsewhere / "settings.json").exists()
    assert not (world.home / ".claude/settings.json").exists()
    seen = connection(world, "user", CLAUDE_CONFIG_DIR=str(elsewhere))
    assert (seen.called, seen.works, seen.doctor) == (True, True, 0)


def test_a_project_connection_seen_from_a_subdirectory(world: ClaudeWorld) -> None:
    (world.project / "sub").mkdir()
    (world.project / "sub/file").touch()
    world.run("connect", "claude", "--scope", "project", "--yes")
    world.commit()
    assert_told(connection(world, "project", sub="sub"), "sub")


@IN_BOTH_VERSIONS
def test_the_local_connection_of_the_main_checkout_serves_a_worktree(world: ClaudeWorld) -> None:
    world.hook("guard", DENIES)
    (world.project / "file").touch()
    world.commit()
    world.run("connect", "claude", "--scope", "local", "--yes")
    assert REASON in world.session(options=("--worktree", "other")).heard
    seen = json.loads(world.hooktui("status", "--json", sub=".claude/worktrees/other").stdout)["connections"]
    assert {(state["scope"], state["works"]) for state in seen} == {("local", True)}  # 2.1.197 copies the file there, too
