"""Imports of sample transcripts, and the events that the log has of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.command_world import CommandWorld
from tests.unit.transcripts import sample_trees
from tests.unit.transcripts.sample_trees import TREES, agent_of

FORK = "claude/resume-fork-compact-2.1.330"
HOOKS = "claude/hooks-2.1.330"
ALL = ("--since", "all")


def install(world: CommandWorld, sample: str) -> Path:
    """Copy a sample tree to where its agent keeps it."""
    agent = agent_of(TREES[sample])
    assert agent is not None
    home = world.home / sample_trees.home_of(agent).removeprefix("~/")
    sample_trees.install(sample, home)
    return home


def imported(world: CommandWorld, *arguments: str) -> dict[str, Any]:
    """The counts of an import, without agents that had nothing new."""
    told = world.run("import", *ALL, *arguments, "--json").json()
    return {host["host"]: host for host in told["hosts"] if host["bytes"]}


def logged(world: CommandWorld, *query: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in world.run("log", *query, "--json").stdout.splitlines()]
