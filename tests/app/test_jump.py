from __future__ import annotations

import re

from textual.pilot import Pilot

from hooktui.screens.keys.jump import JumpScreen
from tests.app.hook_world import SMALL, HookWorld, has_focus, shown, until, until_shown, until_still, world

__all__ = ["world"]


async def jump(pilot: Pilot[None]) -> None:
    await until_still(pilot)
    await pilot.press("ctrl+o")
    await until(pilot, lambda: isinstance(pilot.app.screen, JumpScreen) and pilot.app.screen.is_mounted)


async def test_ctrl_o_puts_a_letter_on_each_place_and_the_letter_goes_there_or_escape_nowhere(world: HookWorld) -> None:
    world.add("guard")
    async with world.running("# guard") as pilot:
        await jump(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, JumpScreen))
        assert has_focus(pilot, "#hooks")
        await jump(pilot)
        first_line = re.search(r" ([a-z]) ---", shown(pilot))
        assert first_line
        await pilot.press(first_line[1])
        await until(pilot, lambda: has_focus(pilot, "#source-0 Editor"))


async def test_jump_mode_reports_when_there_is_no_target(world: HookWorld) -> None:
    async with world.running("No hooks here yet.", size=SMALL, notifications=True) as pilot:
        await pilot.press("ctrl+o")
        await until_shown(pilot, "Nothing to jump to")


async def test_the_letters_go_along_when_the_terminal_gets_another_size(world: HookWorld) -> None:
    world.add("guard")
    async with world.running("# guard") as pilot:
        await jump(pilot)
        await pilot.resize_terminal(80, 24)
        await until_still(pilot)
        small = shown(pilot)
        await pilot.press("escape")
        await jump(pilot)
        assert shown(pilot) == small
