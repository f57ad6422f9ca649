"""formats.md §2: roots, depth and links, file, watched paths."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.formats.agenthooks_world import World, skip_of


def test_no_roots_at_all_is_no_problem(world: World) -> None:
    found = world.found()
    assert (found.hooks, found.diagnostics, found.files) == ((), (), ())


def test_hooks_come_user_first_then_by_directory_name(world: World) -> None:
    world.hook("b")
    world.hook("a")
    world.hook("c", scope="user")
    assert [hook.name for hook in world.found().hooks] == ["c", "a", "b"]


def test_plain_files_and_directories_without_a_hook_file_are_no_problem(world: World) -> None:
    world.root("project").mkdir(parents=True)
    (world.root("project") / "README.md").write_text("hello")
    (world.root("project") / "shared").mkdir()
    assert world.codes() == []


def test_a_directory_linked_twice_is_read_once_under_its_own_name(world: World) -> None:
    world.hook("guard")
    (world.root("project") / "a-link").symlink_to("guard")
    (world.root("project") / "z-link").symlink_to("guard")
    assert world.only().file.endswith("/guard/HOOK.md")


def test_link_loops_end_and_are_reported(world: World) -> None:
    root = world.root("project")
    world.hook()
    (root / "self").symlink_to(".")
    (root / "up").symlink_to("..")
    (root / "ping").symlink_to("pong")
    (root / "pong").symlink_to("ping")
    assert world.only().name == "guard"
    assert world.codes() == [("error", "broken-link")] * 3  # ping, pong and self, not the links above them


def test_a_hook_root_that_is_a_broken_link_is_reported(world: World) -> None:
    (world.project / ".agents").mkdir()
    world.root("project").symlink_to("nowhere")
    assert world.codes() == [("error", "broken-link")]


def test_a_hook_file_that_is_a_broken_link_is_reported_and_listed_as_invalid(world: World) -> None:
    directory = world.hook()
    (directory / "HOOK.md").unlink()
    (directory / "HOOK.md").symlink_to("nowhere")
    assert world.codes() == [("error", "broken-link")]
    assert world.only().name == "guard"
    assert world.only().obstacle is not None


@pytest.mark.parametrize("name", ["hook.md", "Hook.md", "HOOK.MD"])
def test_a_misnamed_file_is_an_error_that_offers_the_rename_and_is_not_loaded(world: World, name: str) -> None:
    directory = world.hook()
    (directory / "HOOK.md").rename(directory / name)
    problem = world.problem("misnamed-file")
    assert world.found().hooks == ()
    assert problem.severity == "error"
    assert problem.file == str(directory / name)
    assert problem.fix is not None
    assert (problem.fix.kind, problem.fix.path) == ("rename", str(directory / name))
    assert problem.fix.new_path == str(directory / "HOOK.md")


@pytest.mark.parametrize("kind", ["fifo", "directory"])
def test_a_hook_file_that_is_no_regular_file_neither_hangs_nor_vanishes(world: World, kind: str) -> None:
    file = world.hook() / "HOOK.md"
    file.unlink()
    os.mkfifo(file) if kind == "fifo" else file.mkdir()
    assert world.codes() == [("error", "unreadable-file")]
    hook = world.only()
    assert (hook.name, hook.event) == ("guard", "")
    assert skip_of(hook) == "invalid"


def test_files_and_directories_without_permission_are_reported(world: World) -> None:
    file = world.hook() / "HOOK.md"
    closed = world.hook("closed")
    file.chmod(0)
    closed.chmod(0)
    try:
        if os.access(file, os.R_OK):
            pytest.skip("this user may read everything")
        assert world.codes() == [("error", "unreadable-file")] * 2
        assert world.only().obstacle is not None
    finally:
        closed.chmod(0o755)


def test_a_script_without_permission_is_reported_and_still_named(world: World) -> None:
    path = world.hook(mode=0) / "scripts/run"
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    assert (world.problem("unreadable-file").file, world.only().argv) == (str(path), ("sh", str(path)))


def test_a_root_that_is_a_file_is_reported(world: World) -> None:
    (world.project / ".agents").mkdir()
    world.root("project").write_text("")
    assert world.codes() == [("error", "unreadable-file")]


def test_a_directory_whose_name_is_not_utf8_is_reported_with_a_name_that_can_be_shown(world: World) -> None:
    root = world.root("project")
    root.mkdir(parents=True)
    os.mkdir(os.fsencode(root) + b"/bad\xff")
    problem = world.problem("unreadable-file")
    assert problem.file.endswith("bad\\xff")
    assert world.found().hooks == ()


def test_everything_whose_change_changes_the_answer_is_watched(world: World) -> None:
    directory = world.hook()
    empty = world.root("project") / "empty"
    empty.mkdir()
    (directory / "scripts/run").rename(directory / "scripts/run.sh")
    (directory / "scripts/run").symlink_to("gone")
    watched = world.found().watched
    for path in (world.root("user"), world.root("project"), empty, directory, directory / "HOOK.md"):
        assert str(path) in watched
    for name in ("", "run", "run.sh"):
        assert str(directory / "scripts" / name).rstrip("/") in watched


def test_links_that_are_passed_over_are_watched(world: World, tmp_path: Path) -> None:
    directory = world.hook()
    root = world.root("project")
    (root / "again").symlink_to(directory)
    (root / "nowhere").symlink_to(tmp_path / "gone")
    (root / "note.txt").write_text("no hook")
    watched = world.found().watched
    assert [name for name in ("again", "nowhere", "note.txt") if str(root / name) not in watched] == []


def test_files_are_those_that_were_read(world: World) -> None:
    directory = world.hook()
    world.hook("other").joinpath("HOOK.md").rename(world.root("project") / "other/hook.md")
    assert world.found().files == (str(directory / "HOOK.md"),)
