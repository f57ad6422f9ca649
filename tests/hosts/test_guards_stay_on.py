"""In the real Claude Code every guard decides, or the user learns that it did not run."""

from __future__ import annotations

import pytest

from tests.hosts.claude_code import ClaudeWorld
from tests.hosts.hook_scripts import DENIES, REASON
from tests.hosts.scripted_model import bash, say

WORKTREE = ("--worktree", "other")


@pytest.fixture
def guarded(world: ClaudeWorld) -> ClaudeWorld:
    """A repository whose guard is approved, and a connection for every project."""
    world.hook("guard", DENIES, scope="project", matcher={"pattern": "ran"})
    (world.project / "sub").mkdir()
    (world.project / "sub/file").touch()
    (world.project / ".gitignore").write_text(".claude/worktrees\n")
    world.commit()
    world.trust()
    world.run("connect", "claude", "--scope", "user", "--yes")
    return world


def test_an_approved_guard_decides_in_a_worktree(guarded: ClaudeWorld) -> None:
    session = guarded.session(options=WORKTREE)
    assert REASON in session.heard
    assert not list(guarded.project.glob("**/ran.txt"))


def test_a_changed_guard_is_not_approved_in_a_worktree(guarded: ClaudeWorld) -> None:
    (guarded.project / ".agents/hooks/guard/scripts/run").write_text(DENIES + "# changed\n")
    guarded.commit()
    session = guarded.session(options=WORKTREE)
    assert REASON not in session.heard
    assert any("guard" in message for message in guarded.shown())


def test_an_approved_guard_decides_in_a_subdirectory(guarded: ClaudeWorld) -> None:
    session = guarded.session(sub="sub")
    assert REASON in session.heard
    assert not (guarded.project / "sub/ran.txt").exists()
    (report,) = guarded.decisions("decision:deny")
    assert report["project"] == str(guarded.project)


def test_a_skipped_guard_is_shown_to_the_user_once_and_never_to_the_model(world: ClaudeWorld) -> None:
    world.hook("no-moonlight", DENIES, scope="project", matcher={"pattern": "ran"})
    world.run("connect", "claude", "--yes")
    session = world.session(bash("echo 1 >> ran.txt"), bash("echo 2 >> ran.txt"), say("all done"))
    (message,) = world.shown()
    assert "no-moonlight" in message
    assert "did not run" in message
    assert "hooktui trust" not in message
    assert "no-moonlight" not in session.heard
    assert "hooktui" not in session.heard
    world.session()
    assert len(world.shown()) == 2, "each session tells it once"


def test_a_skipped_guard_next_to_one_that_denies_is_shown_to_the_user_and_not_to_the_model(world: ClaudeWorld) -> None:
    world.hook("skipped-guard", DENIES, scope="project")
    world.hook("own", DENIES)
    world.run("connect", "claude", "--yes")
    session = world.session()
    assert REASON in session.heard
    assert "skipped-guard" not in session.heard
    assert ["skipped-guard" in message for message in world.shown()] == [True]
