"""Paths of files and directories (docs/architecture.md, "Where state lives")."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hooktui.core import paths

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
