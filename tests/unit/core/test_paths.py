"""Paths of files and directories (docs/architecture.md, \"Where state lives\"), and the project of a directory."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hooktui.core import paths, project

PLACES: dict[str, tuple[Callable[[], str], str, str]] = {
    "XDG_CONFIG_HOME": (paths.config_file, ".config", "hooktui/config.toml"),
    "XDG_STATE_HOME": (paths.state_dir, ".local/state", "hooktui"),
    "XDG_CACHE_HOME": (paths.cache_dir, ".cache", "hooktui"),
    "XDG_DATA_HOME": (paths.data_dir, ".local/share", "hooktui"),
}


@pytest.mark.parametrize(("variable", "place"), PLACES.items())
def test_only_absolute_xdg_variables_count(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, variable: str, place: tuple[Callable[[], str], str, str]
) -> None:
    where, default, below = place
    assert where() == str(own_home / default / below)
    monkeypatch.setenv(variable, "/elsewhere")
    assert where() == f"/elsewhere/{below}"
    for nothing in ("", "relative"):
        monkeypatch.setenv(variable, nothing)
        assert where() == str(own_home / default / below)


def test_hook_roots(own_home: Path) -> None:
    assert paths.agenthooks_user_root() == str(own_home / ".config/agents/hooks")
    assert paths.agenthooks_project_root("/p") == "/p/.agents/hooks"


def test_canonical_resolves_every_spelling_of_a_project(
    own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    spellings = ["real", "./real/", "link", str(tmp_path / "link" / ".." / "real")]
    assert {paths.canonical(spelling) for spelling in spellings} == {os.path.realpath(tmp_path / "real")}
    assert paths.canonical("~") == os.path.realpath(own_home)


@pytest.mark.parametrize(
    ("path", "shown"), [("{home}", "~"), ("{home}/x", "~/x"), ("{home}x", "{home}x"), ("/x", "/x"), ("x", "x")]
)
def test_the_home_is_shown_as_a_tilde(own_home: Path, path: str, shown: str) -> None:
    assert paths.short(path.format(home=own_home)) == shown.format(home=own_home)


@pytest.mark.parametrize(
    ("project", "shown"),
    [
        ("HOME/shop", 'a.sh is gone, see https://example.com, "~/b.sh"'),
        ("HOME", '~/shop/a.sh is gone, see https://example.com, "~/b.sh"'),
        ("/", '~/shop/a.sh is gone, see https://example.com, "~/b.sh"'),
        ("", '~/shop/a.sh is gone, see https://example.com, "~/b.sh"'),
    ],
)
def test_paths_in_a_text_begin_at_the_project_unless_it_is_the_home_or_the_root(
    own_home: Path, project: str, shown: str
) -> None:
    told = '~/shop/a.sh is gone, see https://example.com, "~/b.sh"'
    assert paths.from_project(told, project.replace("HOME", str(own_home))) == shown


def test_a_home_at_the_root_is_not_abbreviated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/")
    assert paths.short("/etc") == "/etc"


def test_root_replaces_a_deleted_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert paths.working_directory() == "/"
    monkeypatch.chdir(tmp_path)
    assert paths.working_directory() == os.path.realpath(tmp_path)


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
