"""Mods of Claude Code on the Hooks screen: beside the hooks they answer before, readable, and never run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.app.hook_world import HookWorld, until_shown, world, write
from tests.mod_world import registering, write_mod

__all__ = ["world"]

_GUARD = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}


@pytest.fixture(autouse=True)
def _mod_and_guard(world: HookWorld) -> None:
    module = registering("on('tool.check', () => ({ decision: 'allow' }))")
    write_mod(Path(os.environ["HOME"], ".claude/skills/sk"), module)
    os.makedirs(os.path.join(world.project, ".claude"))
    write(os.path.join(world.project, ".claude/settings.json"), json.dumps(_GUARD))


async def test_a_guard_that_a_mod_can_overrule_is_marked_and_its_detail_names_the_mod_that_can_overrule_it(
    world: HookWorld,
) -> None:
    async with world.running("▲ sk tool.check", "▲ true Bash", size=(120, 60)) as pilot:
        await pilot.press("end")
        await until_shown(pilot, "Mods", "sk can let a tool run that it denied")


async def test_detail_of_a_mod_says_what_it_can_answer_and_shows_its_program(world: HookWorld) -> None:
    async with world.running("▲ sk tool.check") as pilot:
        await until_shown(
            pilot, "Answers    it can let a tool run that a hook denied; where it fails", "loads it unasked from ~/.claude"
        )
        await until_shown(pilot, "export function register(on, options)")


async def test_a_mod_is_tried_by_asking_claude_code(world: HookWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    async with world.running("▲ sk tool.check", notifications=True) as pilot:
        await pilot.press("t")
        await until_shown(pilot, "Claude Code is not installed here, or not on PATH")


async def test_switching_a_mod_off_says_how_to(world: HookWorld) -> None:
    async with world.running("▲ sk tool.check", notifications=True) as pilot:
        await pilot.press("space")
        await until_shown(pilot, "in your settings switches it off")


async def test_deleting_a_mod_says_why_it_cannot_before_it_asks(world: HookWorld) -> None:
    async with world.running("▲ sk tool.check", notifications=True) as pilot:
        await pilot.press("d")
        await until_shown(pilot, "Nothing changed", "sk cannot be changed or copied here")
