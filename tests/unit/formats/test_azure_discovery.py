"""Where Azure SRE Agent's YAML is discovered, and its order (formats.md §4)."""

from __future__ import annotations

import os
import time

from hooktui.formats.azure import azure_files
from tests.unit.formats.agenthooks_world import World
from tests.unit.formats.azure_text import agent, command
from tests.unit.formats.json_world import only, write


def test_files_in_any_directory_are_found_by_content(world: World) -> None:
    for name in ("deep/er/agent.yml", "a.yaml", "B.YAML"):
        write(world.project / name, command())
    for name in (".hidden/a.yaml", "node_modules/x/a.yaml", "env/lib/a.yaml", "a.txt"):
        write(world.project / name, command())
    write(world.project / "env/pyvenv.cfg", "")
    write(world.project / "large.yaml", command() + "# " + "x" * azure_files.SIZE_LIMIT)
    (world.project / "loop").symlink_to(world.project)
    os.mkfifo(world.project / "fifo.yaml")
    found = azure_files.discover(str(world.project))
    assert [os.path.relpath(file, world.project) for file in found.files] == ["B.YAML", "a.yaml", "deep/er/agent.yml"]


def test_global_hooks_come_first(world: World) -> None:
    write(world.project / "a.yaml", command())
    write(world.project / "b.yaml", "kind: GlobalHook\nmetadata: {name: g}\nspec: {eventType: Stop, hook: {prompt: p}}\n")
    assert [hook.scope for hook in azure_files.discover(str(world.project)).hooks] == ["project", "agent"]


def test_ids_differ_even_when_names_do_not(world: World) -> None:
    write(world.project / "a.yaml", command())
    write(world.project / "b.yaml", command())
    ids = [hook.id for hook in azure_files.discover(str(world.project)).hooks]
    assert ids == ["azure:agent:a:Stop:1", "azure:agent:a:Stop:1#2"]


def test_directories_and_yaml_files_are_watched(world: World) -> None:
    write(world.project / "sub/a.yaml", "x: 1\n")
    assert {str(world.project), str(world.project / "sub"), str(world.project / "sub/a.yaml")} <= set(
        azure_files.discover(str(world.project)).watched
    )


def test_scripts_named_in_a_command_are_covered(world: World) -> None:
    write(world.project / "check.sh", "#!/bin/bash\n")
    write(world.project / "a.yaml", agent("type: command\n  command: ./check.sh"))
    assert only(azure_files.discover(str(world.project))).covers == ("check.sh",)


def test_a_file_that_is_not_utf_8_is_reported_if_it_names_the_schema(world: World) -> None:
    write(world.project / "a.yaml", b"# azuresre.ai \xff\n")
    write(world.project / "b.yaml", b"# GlobalHook \xff\n")
    assert [one.code for one in azure_files.discover(str(world.project)).diagnostics] == ["unreadable-file"]


def test_a_large_project_is_scanned_quickly(world: World) -> None:
    for number in range(400):
        write(world.project / f"d{number % 40}/e{number}/values.yaml", "a: 1\n" * 500)
    begun = time.monotonic()
    assert azure_files.discover(str(world.project)).hooks == ()
    assert time.monotonic() - begun < 5
