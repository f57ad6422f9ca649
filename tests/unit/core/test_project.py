"""The project of a directory, and the repository that a checkout belongs to."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hooktui.core import project


def git(directory: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *identity, *arguments], cwd=directory, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with one commit."""
    top = (tmp_path / "repository").resolve()
    top.mkdir()
    git(top, "init", "-q")
    git(top, "commit", "-q", "--allow-empty", "-m", "start")
    return top


def worktree(checkout: Path, name: str) -> Path:
    git(checkout, "worktree", "add", "-q", f"../{name}")
    return checkout.parent / name


def test_a_project_is_its_repositorys_root_from_any_directory_below(checkout: Path) -> None:
    below = checkout / "a" / "b"
    below.mkdir(parents=True)
    (checkout / "a" / ".agents" / "hooks").mkdir(parents=True)
    assert project.root(str(below)) == str(checkout)
    assert project.between(str(checkout), str(below)) == (str(checkout), str(checkout / "a"), str(below))


def test_outside_a_repository_the_topmost_hook_folder_makes_the_project(tmp_path: Path) -> None:
    below = tmp_path / "p" / "q" / "r"
    for place in (tmp_path / "p", tmp_path / "p" / "q"):
        (place / ".agents" / "hooks").mkdir(parents=True)
    below.mkdir()
    assert project.root(str(below)) == str(tmp_path / "p")


def test_a_directory_without_either_is_its_own_project(tmp_path: Path) -> None:
    assert project.root(str(tmp_path)) == str(tmp_path)
    assert project.between(str(tmp_path), str(tmp_path)) == (str(tmp_path),)


def test_the_home_directory_is_a_project_only_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".git").mkdir()
    (tmp_path / "work").mkdir()
    assert project.root(str(tmp_path / "work")) == str(tmp_path / "work")
    assert project.root(str(tmp_path)) == str(tmp_path)


def test_a_worktree_belongs_to_the_repository_of_its_main_checkout(checkout: Path) -> None:
    linked = worktree(checkout, "linked")
    keys = [project.checkout_key(str(place)) for place in (checkout, linked)]
    assert len(set(keys)) == 2
    assert project.of_same_repository(str(checkout), keys) == keys
    assert project.of_same_repository(str(linked), [*keys, "/elsewhere"]) == keys
    assert project.main_checkout(str(linked)) == str(checkout)
    assert project.main_checkout(str(checkout)) == ""


def test_worktrees_of_a_bare_repository_belong_together(checkout: Path) -> None:
    git(checkout.parent, "clone", "-q", "--bare", str(checkout), "bare.git")
    for name in ("one", "two"):
        git(checkout.parent / "bare.git", "worktree", "add", "-q", f"../{name}")
    keys = [project.checkout_key(str(checkout.parent / name)) for name in ("one", "two")]
    assert project.of_same_repository(str(checkout.parent / "one"), [*keys, str(checkout.parent)]) == keys


def test_a_clone_cannot_claim_to_be_a_worktree_of_another_repository(checkout: Path, tmp_path: Path) -> None:
    linked = worktree(checkout, "linked")
    clone = tmp_path / "clone"
    clone.mkdir()
    (clone / ".git").write_text((linked / ".git").read_text())
    assert project.checkout_key(str(clone)) == str(clone)
    assert project.of_same_repository(str(clone), [str(checkout), project.checkout_key(str(linked))]) == []


@pytest.mark.parametrize("content", ["", "gitdir: ", "gitdir: /nowhere", "gitdir: \0", "x" * 10_000])
def test_an_odd_git_file_makes_a_checkout_of_its_own(tmp_path: Path, content: str) -> None:
    (tmp_path / ".git").write_text(content)
    assert project.checkout_key(str(tmp_path)) == str(tmp_path)
    assert project.of_same_repository(str(tmp_path), [str(tmp_path), "/"]) == [str(tmp_path)]
