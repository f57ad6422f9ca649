"""The variables that move a program's directory move its hooks and its transcripts for hooktui too."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from hooktui import hosts

if TYPE_CHECKING:
    from pathlib import Path

    from tests.hosts.agent_world import AgentWorld
    from tests.hosts.copilot_cli import CopilotWorld


def moved_away(world: AgentWorld, elsewhere: Path) -> dict[str, str]:
    """The variables of a program, set to copies of the directories that they replace."""
    variables = {}
    for number, (place, variable) in enumerate(hosts.spec(world.host).moved.items()):
        before, after = world.home / place[2:], elsewhere / f"{world.host}-{number}"
        if place == "~":
            shutil.copytree(before / f".{world.host}", after / f".{world.host}")
        elif before.is_dir():
            shutil.copytree(before, after)
        variables[variable] = str(after)
    return variables


def test_sessions_in_another_directory_are_read(every: list[AgentWorld], tmp_path: Path) -> None:
    for world in every:
        variables = moved_away(world, tmp_path / "elsewhere")
        world.session(**variables)
        told = world.hooktui("import", "--since", "all", world.host, "--json", **variables)
        assert [(one["host"], one["sessions"]) for one in told.json()["hosts"]] == [(world.host, 1)], variables


def test_copilot_runs_the_hooks_of_its_other_home(copilot: CopilotWorld, tmp_path: Path) -> None:
    variables = moved_away(copilot, tmp_path / "elsewhere")
    copilot.hooktui("connect", "copilot", "--scope", "user", "--yes", **variables)
    copilot.session(**variables)
    assert {report["event"] for report in copilot.decisions()} >= {"pre-session", "pre-tool-call", "post-tool-call"}
