"""The file of a connection in each scope, and whether git sees it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.command_world import CommandWorld

LOCAL, PROJECT, USER = ".claude/settings.local.json", ".claude/settings.json", ".claude/settings.json"


@pytest.fixture
def world(tmp_path: Path) -> CommandWorld:
    return CommandWorld(tmp_path)


@pytest.fixture
def repository(world: CommandWorld) -> CommandWorld:
    git(world, "init", "-q")
    (world.project / "file").touch()
    git(world, "add", "file")
    git(world, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "first")
    return world


def git(world: CommandWorld, *arguments: str, inside: str = ".") -> str:
    command = ["git", *arguments]
    done = subprocess.run(
        command, cwd=world.project / inside, env=world.environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_claude_is_connected_in_the_local_settings_that_git_does_not_see(repository: CommandWorld) -> None:
    exclude = repository.project / ".git/info/exclude"
    before = exclude.read_bytes()
    output = repository.run("connect", "claude", "--yes").stdout
    assert f"keep {LOCAL} out of git" in output
    assert (repository.project / LOCAL).exists()
    assert git(repository, "status", "--porcelain") == ""
    repository.run("disconnect", "claude", "--yes")
    assert exclude.read_bytes() == before
    assert git(repository, "status", "--porcelain") == ""


@pytest.mark.parametrize("state", ["empty", "missing"])
def test_an_exclude_file_that_is_empty_or_missing_gets_its_line(repository: CommandWorld, state: str) -> None:
    exclude = repository.project / ".git/info/exclude"
    exclude.write_text("")
    if state == "missing":
        exclude.unlink()
        exclude.parent.rmdir()
    repository.run("connect", "claude", "--yes")
    assert (repository.project / LOCAL).exists()
    assert git(repository, "status", "--porcelain") == ""


def test_lines_of_others_in_the_exclude_file_stay(repository: CommandWorld) -> None:
    exclude = repository.project / ".git/info/exclude"
    repository.run("connect", "claude", "--yes")
    exclude.write_text(f"# first\n{exclude.read_text()}/mine\n")
    repository.run("disconnect", "claude", "--yes")
    assert exclude.read_text().startswith("# first\n")
    assert exclude.read_text().endswith("\n/mine\n")
    assert "settings.local" not in exclude.read_text()


def test_a_file_that_git_ignores_anyway_needs_no_line(repository: CommandWorld) -> None:
    (repository.project / ".gitignore").write_text("*.local.json\n")
    before = (repository.project / ".git/info/exclude").read_bytes()
    assert "out of git" not in repository.run("connect", "claude", "--yes").stdout
    assert (repository.project / ".git/info/exclude").read_bytes() == before


def test_worktrees_share_the_exclude_file_of_their_repository(repository: CommandWorld) -> None:
    git(repository, "worktree", "add", "-q", "../other")
    other = repository.project.parent / "other"
    repository.run("connect", "claude", "--project", str(other), "--yes")
    assert (other / LOCAL).exists()
    assert f"/{LOCAL}\n" in (repository.project / ".git/info/exclude").read_text()
    assert git(repository, "status", "--porcelain", inside="../other") == ""


def test_line_stays_while_another_worktree_is_connected(repository: CommandWorld) -> None:
    git(repository, "worktree", "add", "-q", "../other")
    other = repository.project.parent / "other"
    exclude = repository.project / ".git/info/exclude"
    before = exclude.read_bytes()
    repository.run("connect", "claude", "--yes")
    repository.run("connect", "claude", "--project", str(other), "--yes")
    repository.run("disconnect", "claude", "--yes")
    assert git(repository, "status", "--porcelain", inside="../other") == ""
    repository.run("disconnect", "claude", "--project", str(other), "--yes")
    assert exclude.read_bytes() == before


def test_outside_a_repository_nothing_is_hidden(world: CommandWorld) -> None:
    world.run("connect", "claude", "--yes")
    assert sorted(path.name for path in world.project.iterdir()) == [".claude"]


def test_connection_is_written_at_the_root_of_the_project(repository: CommandWorld) -> None:
    sub = repository.project / "sub"
    sub.mkdir()
    repository.run("connect", "vscode", "--project", str(sub), "--yes")
    assert (repository.project / ".github/hooks/hooktui.json").exists()
    assert list(sub.iterdir()) == []


@pytest.mark.parametrize("scopes", [("project", "local", "user"), ("local", "project", "user")])
def test_disconnect_takes_out_every_connection_of_the_project_and_not_the_users(
    world: CommandWorld, scopes: tuple[str, ...]
) -> None:
    for scope in scopes:
        world.run("connect", "claude", "--scope", scope, "--yes")
    world.run("disconnect", "claude", "--yes")
    assert list(world.project.iterdir()) == []
    assert (world.home / USER).exists()
    world.run("disconnect", "claude", "--scope", "user", "--yes")
    assert not (world.home / USER).exists()


def test_disconnect_with_a_scope_leaves_the_others(world: CommandWorld) -> None:
    for scope in ("project", "local"):
        world.run("connect", "claude", "--scope", scope, "--yes")
    world.run("disconnect", "claude", "--scope", "local", "--yes")
    assert [path.name for path in (world.project / ".claude").iterdir()] == ["settings.json"]


def test_in_the_home_directory_disconnect_leaves_the_users_connection(world: CommandWorld) -> None:
    world.run("connect", "claude", "--scope", "user", "--yes")
    world.run("disconnect", "claude", "--project", str(world.home), "--yes")
    assert (world.home / USER).exists()


def test_a_scope_that_the_host_does_not_have_is_an_error(world: CommandWorld) -> None:
    assert "VS Code has no scope local" in world.run("connect", "vscode", "--scope", "local", code=2).stderr


def test_all_connects_what_is_installed(world: CommandWorld, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "claude").write_text("#!/bin/sh\n")
    (programs / "claude").chmod(0o755)
    (world.home / ".copilot").mkdir()
    (world.home / ".copilot/config.json").touch()
    path = f"{programs}:/usr/bin:/bin"
    output = world.run("connect", "--all", "--yes", PATH=path).stdout
    assert "Connected Claude Code" in output
    assert "Connected Copilot CLI" in output
    assert "Not installed: VS Code, " in output
    assert world.run("disconnect", "--all", "--yes").stdout.count("Disconnected") == 2
    assert "no agent program is connected" in world.run("disconnect", "--all", "--yes").stdout


def test_one_host_that_refuses_keeps_no_other_from_being_connected(world: CommandWorld) -> None:
    for trace in (".claude.json", ".codex/config.toml"):
        (world.home / trace).parent.mkdir(exist_ok=True)
        (world.home / trace).touch()
    broken = world.project / ".claude/settings.local.json"
    broken.parent.mkdir()
    broken.write_text('{"hooks"')
    done = world.run("connect", "--all", "--yes", code=1, PATH="/usr/bin:/bin")
    assert "Claude Code: nothing was changed" in done.stderr
    assert "Connected Codex CLI" in done.stdout


def test_without_an_installed_program_all_connects_none(world: CommandWorld) -> None:
    assert "no agent program found" in world.run("connect", "--all", code=1, PATH="/nowhere").stderr


def test_a_host_or_all_must_be_given(world: CommandWorld) -> None:
    assert "name an agent program" in world.run("connect", code=2).stderr
    assert "name an agent program" in world.run("disconnect", "claude", "--all", code=2).stderr
