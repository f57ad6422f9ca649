"""Hooks of a project guard its subdirectories and worktrees too."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.command_world import CommandWorld

DENIES = "#!/bin/sh\necho no >&2\nexit 2\n"


def git(directory: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *identity, *arguments], cwd=directory, check=True, capture_output=True)


@pytest.fixture
def repository(world: CommandWorld) -> CommandWorld:
    """A project with one committed guard, approved."""
    git(world.project, "init", "-q")
    world.hook("guard", DENIES, scope="project")
    git(world.project, "add", ".")
    git(world.project, "commit", "-q", "-m", "guard")
    world.approve()
    return world


def call_in(world: CommandWorld, directory: Path) -> tuple[str, str]:
    """The decision on a tool call in a directory, and the project that the log names."""
    report = world.fire(work_dir=str(directory), tool_name="Shell", tool_input={})
    return report["decision"], report["project"]


def test_a_guard_of_the_root_decides_in_a_subdirectory(repository: CommandWorld) -> None:
    below = repository.project / "a" / "b"
    below.mkdir(parents=True)
    assert call_in(repository, below) == ("deny", str(repository.project))


def test_hooks_further_down_add_to_those_of_the_root(repository: CommandWorld) -> None:
    inner = repository.project / "app"
    inner.mkdir()
    (repository.project / ".agents").rename(inner / ".agents")
    repository.hook("outer", scope="project")
    repository.project, top = inner, repository.project
    names = {hook["name"] for hook in repository.run("list", "--json").json()}
    repository.project = top
    assert names == {"outer", "guard"}
    assert {hook["name"] for hook in repository.run("list", "--json").json()} == {"outer"}


def test_what_was_approved_runs_in_another_worktree(repository: CommandWorld) -> None:
    git(repository.project, "worktree", "add", "-q", "../linked")
    linked = repository.project.parent / "linked"
    assert call_in(repository, linked) == ("deny", str(linked))


def test_other_content_in_a_worktree_needs_its_own_approval(repository: CommandWorld) -> None:
    git(repository.project, "worktree", "add", "-q", "../linked")
    linked = repository.project.parent / "linked"
    (linked / ".agents/hooks/guard/scripts/run").write_text(DENIES.replace("no", "never"))
    assert call_in(repository, linked)[0] == "none"
    assert call_in(repository, repository.project)[0] == "deny"


def test_approving_in_a_worktree_keeps_the_approval_of_the_main_checkout(repository: CommandWorld) -> None:
    git(repository.project, "worktree", "add", "-q", "../linked")
    top, linked = repository.project, repository.project.parent / "linked"
    (linked / ".agents/hooks/guard/scripts/run").write_text(DENIES.replace("no", "never"))
    repository.project = linked
    repository.approve()
    assert [call_in(repository, place)[0] for place in (top, linked)] == ["deny", "deny"]


def test_revoking_counts_in_every_worktree(repository: CommandWorld) -> None:
    git(repository.project, "worktree", "add", "-q", "../linked")
    top, linked = repository.project, repository.project.parent / "linked"
    repository.project = linked
    repository.run("untrust")
    assert [call_in(repository, place)[0] for place in (top, linked)] == ["none", "none"]


def test_a_clone_does_not_share_approvals(repository: CommandWorld) -> None:
    git(repository.project.parent, "clone", "-q", str(repository.project), "clone")
    assert call_in(repository, repository.project.parent / "clone")[0] == "none"
