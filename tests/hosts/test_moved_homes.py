"""The variables that move a program's directory move its hooks and its transcripts for hooktui too."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from hooktui import hosts

if TYPE_CHECKING:
    from pathlib import Path

    from tests.hosts.agent_world import AgentWorld
    from tests.hosts.copilot_cli import CopilotWorld


def move_away(world: AgentWorld, elsewhere: Path) -> None:
    """Set a program's variables to copies of the directories that they replace."""
    for number, (place, variable) in enumerate(hosts.spec(world.host).moved.items()):
        before, after = world.home / place[2:], elsewhere / f"{world.host}-{number}"
        if place == "~":
            shutil.copytree(before / f".{world.host}", after / f".{world.host}")
        elif before.is_dir():
            shutil.copytree(before, after)
        world.environment[variable] = str(after)


def test_sessions_in_another_directory_are_read(every: list[AgentWorld], tmp_path: Path) -> None:
    for world in every:
        move_away(world, tmp_path / "elsewhere")
        world.session()
        told = world.run("import", "--since", "all", world.host, "--json").json()
        assert [(one["host"], one["sessions"]) for one in told["hosts"]] == [(world.host, 1)]


def test_copilot_runs_the_hooks_of_its_other_home(copilot: CopilotWorld, tmp_path: Path) -> None:
    move_away(copilot, tmp_path / "elsewhere")
    copilot.run("connect", "copilot", "--scope", "user", "--yes")
    copilot.session()
    assert {report["event"] for report in copilot.decisions()} >= {"pre-session", "pre-tool-call", "post-tool-call"}
