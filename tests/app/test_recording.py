"""What the header says of recording: only what is known."""

from __future__ import annotations

import json
import os

import pytest

from hooktui import connect
from hooktui.connect import Scope
from hooktui.core import paths
from hooktui.log.read.connection import default_path
from tests.app.hook_world import HookWorld, shown, until_known, until_shown, until_still, world, write
from tests.log_world import LogWorld

__all__ = ["world"]

TRANSCRIPTS = "reading Claude Code's transcripts"


def settings(world: HookWorld, *commands: str) -> None:
    """The project's settings of Claude Code, with hooks."""
    handlers = [{"type": "command", "command": command} for command in commands]
    os.makedirs(os.path.join(world.project, ".claude"))
    text = json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": handlers}]}})
    write(os.path.join(world.project, ".claude/settings.json"), text)


def connected(world: HookWorld, scope: Scope, *, observe: bool = False) -> None:
    events = connect.SITES["claude"].events()
    connect.carry_out(connect.connect("claude", scope, world.project, events, observe=observe))


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_hook_md_hooks_are_recorded_where_connected_and_others_where_observed(
    world: HookWorld, size: tuple[int, int]
) -> None:
    world.add("guard")
    settings(world, "true", "echo a")
    connected(world, "local")
    async with world.running("● recording 1 of 3 hooks", size=size) as pilot:
        connected(world, "project", observe=True)
        await until_shown(pilot, "● recording 3 hooks", "0/min")


async def test_a_connection_without_hooks_records_events(world: HookWorld) -> None:
    connected(world, "user")
    async with world.app().run_test(size=(120, 40)) as pilot:
        await until_shown(pilot, "0 hooks  ● recording  0/min")


@pytest.mark.parametrize(("size", "text"), [((120, 40), TRANSCRIPTS), ((80, 24), "reading transcripts")])
async def test_without_a_connection_transcripts_are_read(world: HookWorld, size: tuple[int, int], text: str) -> None:
    os.makedirs(os.path.join(paths.home(), ".claude/projects"))
    settings(world, "true")
    async with world.running(text, size=size) as pilot:
        await until_known(pilot)
        assert "/min" not in shown(pilot)


async def test_nothing_is_known_without_connection_and_transcripts(world: HookWorld) -> None:
    settings(world, "true")
    async with world.running("1 hook  not connected") as pilot:
        await until_known(pilot)
        assert "/min" not in shown(pilot)


async def test_a_connection_that_does_not_work_is_none(world: HookWorld) -> None:
    connected(world, "user")
    os.remove(paths.launcher())
    async with world.running("not connected") as pilot:
        await until_still(pilot)
        assert "recording" not in shown(pilot)


async def test_agents_of_your_own_need_no_connection(world: HookWorld) -> None:
    world.add("guard")
    LogWorld(default_path()).add(project=world.project)
    async with world.app().run_test(size=(120, 40)) as pilot:
        await until_shown(pilot, "● recording 1 hook")
