"""The variables that move a program's directory move its hooks and its transcripts for hooktui too."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from hooktui import hosts

if TYPE_CHECKING:
    from pathlib import Path

    from tests.hosts.agent_world import AgentWorld
    from tests.hosts.qwen_code import QwenWorld


def move_away(world: AgentWorld, elsewhere: Path) -> None:
    """Set a program's variables to copies of the directories that they replace."""
    in_home = ((place, variable) for place, variable in hosts.spec(world.host).moved.items() if place.startswith("~/"))
    for number, (place, variable) in enumerate(in_home):
        before, after = world.home / place[2:], elsewhere / f"{world.host}-{number}"
        if before.is_dir():
            shutil.copytree(before, after, symlinks=True)
        world.environment[variable] = str(after)


def read(world: AgentWorld) -> list[tuple[str, int]]:
    """The sessions of a program that an import finds."""
    told = world.run("import", "--since", "all", world.host, "--json").json()
    return [(one["host"], one["sessions"]) for one in told["hosts"]]


def test_sessions_in_another_directory_are_read(every: list[AgentWorld], tmp_path: Path) -> None:
    for world in every:
        move_away(world, tmp_path / "elsewhere")
        world.session()
        assert read(world) == [(world.host, 1)]


def test_qwen_may_keep_sessions_apart_from_its_settings(qwen: QwenWorld, tmp_path: Path) -> None:
    move_away(qwen, tmp_path / "elsewhere")
    qwen.environment["QWEN_RUNTIME_DIR"] = str(tmp_path / "sessions")
    qwen.session()
    assert read(qwen) == [("qwen", 1)]


def test_hooks_in_another_directory_run(every: list[AgentWorld], tmp_path: Path) -> None:
    for world in (world for world in every if world.host != "codex"):  # Codex wants each hook to be trusted in its own screen
        move_away(world, tmp_path / "elsewhere")
        world.run("connect", world.host, "--scope", "user", "--yes")
        world.session()
        assert "pre-tool-call" in {told["event"] for told in world.decisions(f"host:{world.host}")}, world.host
