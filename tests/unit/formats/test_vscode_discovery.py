"""Where VS Code's hook files are discovered, and their order (formats.md §3)."""

from __future__ import annotations

import os

from tests.unit.formats.agenthooks_world import World
from tests.unit.formats.json_world import flat, only, vscode, write


def test_the_users_files_come_before_the_projects_and_each_directory_by_name(world: World) -> None:
    for path in (
        world.project / ".github/hooks/b.json",
        world.project / ".github/hooks/a.json",
        world.home / ".copilot/hooks/z.json",
    ):
        write(path, flat("Stop"))
    found = vscode.discover(str(world.project))
    assert [(hook.scope, os.path.basename(hook.file)) for hook in found.hooks] == [
        ("user", "z.json"),
        ("project", "a.json"),
        ("project", "b.json"),
    ]
    assert found.hooks[0].root == str(world.home)
    assert found.files == tuple(hook.file for hook in found.hooks)


def test_other_files_are_ignored(world: World) -> None:
    for name in ("notes.txt", ".hidden.json", "sub/c.json"):
        write(world.project / ".github/hooks" / name, flat("Stop"))
    assert vscode.discover(str(world.project)).hooks == ()


def test_directories_that_do_not_exist_yet_are_watched(world: World) -> None:
    watched = vscode.discover(str(world.project)).watched
    assert str(world.project / ".github/hooks") in watched
    assert str(world.home / ".copilot/hooks") in watched


def test_scripts_below_the_project_are_covered_and_watched(world: World) -> None:
    write(world.project / "scripts/a.sh", "#!/bin/sh\n")
    write(world.project / ".github/hooks/a.json", flat("Stop", command="./scripts/a.sh --x && python3 scripts/b.py"))
    found = vscode.discover(str(world.project))
    assert only(found).covers == ("scripts/a.sh", "scripts/b.py")
    assert {str(world.project / "scripts/a.sh"), str(world.project / "scripts/b.py")} <= set(found.watched)


def test_the_version_changes_with_a_script_that_the_entry_names_and_the_log_keeps_its_text(world: World) -> None:
    script, entry = world.project / "scripts/a.sh", flat("Stop", command="./scripts/a.sh")
    write(world.project / ".github/hooks/a.json", entry)
    without = only(vscode.discover(str(world.project)))
    write(script, "#!/bin/sh\nexit 0\n")
    first = only(vscode.discover(str(world.project)))
    assert first.full_text == f"{first.text}\n--- scripts/a.sh\n#!/bin/sh\nexit 0\n"
    write(script, b"\x7fELF\0\xff")
    second = only(vscode.discover(str(world.project)))
    assert second.full_text == second.text
    assert without.full_text == without.text
    assert len({without.version, first.version, second.version, only(vscode.discover(str(world.project))).version}) == 3


def test_a_fifo_or_directory_named_like_a_hook_file_is_reported_without_hanging(world: World) -> None:
    directory = world.project / ".github/hooks"
    directory.mkdir(parents=True)
    os.mkfifo(directory / "a.json")
    (directory / "b.json").mkdir()
    (directory / "c.json").symlink_to("nowhere")
    write(directory / "d.json", b'{"hooks": {"Stop": [\xff]}}')
    write(directory / "e.json", " " * (1024 * 1024 + 1))
    write(directory / "f.json", flat("Stop"))
    found = vscode.discover(str(world.project))
    assert [one.code for one in found.diagnostics] == [
        "unreadable-file",
        "unreadable-file",
        "broken-link",
        "unreadable-file",
        "too-large",
    ]
    assert len(found.hooks) == 1
