"""Commands that take long say at a terminal how far they are, and what they did if ctrl+c ends them."""

from __future__ import annotations

import re

import pytest

from tests.command_world import CommandWorld, wait_until
from tests.unit.transcripts.past_imports import FORK, install


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("import --since all", r"Reading transcripts: 100%, \d+ sessions?, \d+ events…"),
        ("doctor --verify", r"Verified 1 of \d sessions…"),
        ("export tool:Bash -o out.jsonl", r"Exported 1 of 1 event…"),
    ],
)
def test_progress_is_one_line_that_is_gone_at_the_end(world: CommandWorld, words: str, line: str) -> None:
    install(world, FORK)
    world.fire(tool_name="Bash", tool_input={"command": "ls"})
    shown = world.at_terminal(*words.split()).stdout
    assert re.search(rf"\r\x1b\[K{line}", shown)
    *_, last = shown.rpartition("\x1b[K")
    assert "…" not in last.splitlines()[0]
    assert "\x1b" not in world.run(*words.split(), code=None).stderr


def test_an_export_to_the_terminal_has_no_progress_among_its_events(world: CommandWorld) -> None:
    world.fire(tool_name="Bash", tool_input={"command": "ls"})
    assert "Exported" not in world.at_terminal("export", "--format", "csv", "-o", "-").stdout


def test_an_interrupted_export_leaves_no_file(world: CommandWorld) -> None:
    world.fire(tool_name="Bash", tool_input={"command": "ls"})
    world.hook("slow", "#!/bin/sh\necho > ~/runs\nexec sleep 60\n")  # so that `would:` has no answer before ctrl+c
    held = world.project / "out.csv"
    held.write_text("mine")
    running = world.start("export", "--force", "-o", "out.csv", "--format", "csv", "would:deny")
    wait_until((world.home / "runs").exists)
    running.interrupt()
    ended = running.wait()
    assert (ended.code, ended.stderr) == (130, "hooktui: interrupted: out.csv was not written\n")
    assert [path.name for path in world.project.iterdir()] == ["out.csv"]
    assert held.read_text() == "mine"
