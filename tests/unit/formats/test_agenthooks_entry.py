"""The script of a HOOK.md hook, its command line, and hooks of the same name (formats.md §2)."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.formats.agenthooks_world import World, changed

PYTHON = "#!/usr/bin/env python3\n"


def add(directory: Path, name: str, text: str | bytes = "#!/bin/sh\n", mode: int = 0o755) -> Path:
    path = directory / "scripts" / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    path.chmod(mode)
    return path


def listening_socket(path: str) -> None:
    # A socket's address may be too short for the whole path.
    here = os.open(os.path.dirname(path), os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(f"/proc/self/fd/{here}/{os.path.basename(path)}")
    os.close(here)


@pytest.mark.parametrize("present", [("run", "run.sh", "run.py"), ("run.sh", "run.py"), ("run.py",)])
def test_the_first_entry_that_exists_is_started(present: tuple[str, ...], world: World) -> None:
    directory = world.hook(entry=present[0])
    for name in present[1:]:
        add(directory, name)
    assert world.only().argv == (str(directory / "scripts" / present[0]),)
    assert world.only().command == str(directory / "scripts" / present[0])
    assert world.codes() == []


def test_only_a_regular_file_is_a_script(world: World) -> None:
    directory = world.hook(entry="run.py", script=PYTHON)
    (directory / "scripts/run").mkdir()
    os.mkfifo(directory / "scripts/run.sh")
    assert world.only().argv == (str(directory / "scripts/run.py"),)


@pytest.mark.parametrize(("make", "kind"), [(os.mkdir, "a directory"), (os.mkfifo, "a FIFO"), (listening_socket, "a socket")])
def test_the_error_names_the_kind_of_file_in_place_of_the_script(make: Callable[[str], None], kind: str, world: World) -> None:
    directory = world.hook(entry="run")
    (directory / "scripts/run").unlink()
    make(str(directory / "scripts/run"))
    assert world.problem("missing-entry").message == f"nothing to run: scripts/run is {kind}, not a file"
    obstacle = world.only().obstacle
    assert obstacle is not None
    assert f"scripts/run is {kind}" in obstacle.why


def test_an_entry_that_is_a_broken_link_is_reported_and_the_next_is_taken(world: World) -> None:
    directory = world.hook(entry="run.sh")
    (directory / "scripts/run").symlink_to("nowhere")
    assert world.codes() == [("error", "broken-link")]
    assert world.only().argv == (str(directory / "scripts/run.sh"),)


@pytest.mark.parametrize(
    ("name", "script", "started"),
    [
        ("run", "#!/bin/bash -e\n", ("/bin/bash", "-e")),
        ("run", PYTHON, ("/usr/bin/env", "python3")),
        ("run.py", PYTHON, ("/usr/bin/env", "python3")),
    ],
)
def test_without_the_executable_bit_the_shebang_names_the_interpreter(
    name: str, script: str, started: tuple[str, ...], world: World
) -> None:
    path = str(world.hook(entry=name, script=script, mode=0o644) / "scripts" / name)
    found = world.problem("not-executable")
    assert world.only().argv == (*started, path)
    assert (found.severity, found.file, found.line) == ("warning", path, 1)
    assert found.fix is not None
    assert (found.fix.kind, found.fix.path) == ("chmod", path)
    assert world.only().obstacle is None


def test_a_compiled_program_needs_no_shebang(world: World) -> None:
    path = str(world.hook(script=b"\x7fELF\x02\x01\x01\x00\x00rest") / "scripts/run")
    assert (world.only().argv, world.codes()) == ((path,), [])


def test_an_empty_script_is_run_by_sh(world: World) -> None:
    path = str(world.hook(script="") / "scripts/run")
    assert world.only().argv == ("sh", path)


def test_a_carriage_return_in_the_shebang_is_not_part_of_the_interpreter(world: World) -> None:
    path = str(world.hook(script="#!/bin/sh\r\nexit 0\r\n") / "scripts/run")
    assert (world.only().argv, world.codes()) == (("/bin/sh", path), [("warning", "no-shebang")])


def test_two_hooks_of_one_name_in_one_scope_have_different_ids(world: World) -> None:
    world.hook("b", changed(name="same"))
    world.hook("a", changed(name="same"))
    world.hook("c", changed(name="same"), scope="user")
    assert [hook.id for hook in world.found().hooks] == [
        "agenthooks:user:same",
        "agenthooks:project:same",
        "agenthooks:project:same@b",
    ]


def test_no_name_can_take_the_id_of_another(world: World) -> None:
    world.hook("a", changed(name="same"))
    world.hook("b", changed(name="same@c"))
    world.hook("c", changed(name="same"))
    ids = [hook.id for hook in world.found().hooks]
    assert len(set(ids)) == 3


def test_version_changes_with_the_text_and_with_the_script_and_with_nothing_else(world: World) -> None:
    directory = world.hook()
    first = world.only().version
    (directory / "notes.txt").write_text("beside")
    assert world.only().version == first
    add(directory, "run", "#!/bin/sh\nexit 2\n")
    second = world.only().version
    (directory / "HOOK.md").write_text(changed(priority="5"))
    assert len({first, second, world.only().version}) == 3


def test_content_is_the_same_wherever_the_hook_is(world: World) -> None:
    world.hook(scope="user")
    world.hook(scope="project")
    one, other = world.found().hooks
    assert one.content == other.content != ""
    assert one.version != other.version, "the log keeps both"


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ('. "$(dirname "$0")/lib.sh"', "scripts/lib.sh"),
        ('DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"; grep -qf "$DIR/../words.txt"', "words.txt"),
        ('python3 "$(dirname "$0")/check.py"', "scripts/check.py"),
    ],
)
def test_content_covers_what_the_script_loads(world: World, line: str, file: str) -> None:
    directory = world.hook()
    add(directory, "run", f"#!/bin/bash\n{line}\n")
    (directory / file).write_text("1")
    (directory / "scripts/seen.log").write_text("1")
    first = world.only()
    (directory / "scripts/seen.log").write_text("2")
    assert world.only().content == first.content
    (directory / file).write_text("2")
    changed_hook = world.only()
    assert changed_hook.content != first.content
    assert str(directory / file) in world.found().watched


def test_paths_are_absolute_even_for_a_relative_project(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from hooktui.formats.agenthooks import hook_directories

    world.hook()
    monkeypatch.chdir(world.project.parent)
    (hook,) = hook_directories.discover("project").hooks
    assert all(os.path.isabs(path) for path in (hook.file, hook.root, hook.argv[0]))


def test_text_and_description_are_kept(world: World) -> None:
    world.hook()
    hook = world.only()
    assert hook.text == changed(name="guard")
    assert hook.full_text == changed(name="guard") + "\n--- scripts/run\n#!/bin/sh\nexit 0\n"
    assert hook.description == "Guards the shell"
