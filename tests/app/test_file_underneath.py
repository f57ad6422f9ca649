"""Unsaved edits survive when another program changes or removes the file."""

from __future__ import annotations

import os
import shutil

import pytest

from tests.app.hook_world import HookWorld, read, shown, type_text, until, until_shown, until_still, world, write
from tests.app.test_editor import edit

__all__ = ["world"]


async def test_a_file_changed_underneath_is_announced_at_once_and_asked_about_and_theirs_can_be_had(world: HookWorld) -> None:
    file = world.add("guard")
    async with world.app().run_test(size=(120, 40), notifications=True) as pilot:
        await edit(pilot, "x")
        theirs = read(file) + "\ntheirs\n"
        write(file, theirs)
        await until_shown(pilot, "HOOK.md changed on disk", "Your edits are unsaved", "x---")
        pilot.app.clear_notifications()
        await pilot.press("ctrl+s")
        await until_shown(pilot, "Conflicting changes", "HOOK.md was changed on disk")
        await pilot.press("escape")
        await until(pilot, lambda: "Conflicting changes" not in shown(pilot))
        await pilot.press("ctrl+s")
        await until_shown(pilot, "Conflicting changes")
        await pilot.press("r")
        await until_shown(pilot, "theirs", "guard ─ saved")
        assert read(file) == theirs
        await pilot.press("ctrl+z")
        await until_shown(pilot, "x---", "guard ─ • modified")


async def test_a_file_changed_on_disk_is_compared_with_the_edits_and_can_be_overwritten(world: HookWorld) -> None:
    file = world.add("guard")
    before = read(file)
    async with world.app().run_test(size=(80, 24)) as pilot:
        await edit(pilot, "x")
        write(file, read(file) + "\ntheirs\n")
        await pilot.press("ctrl+s")
        await until_shown(pilot, "Conflicting changes", "+  x---", "-  theirs", "m Keep mine", "r Reload", "esc Not now")
        await pilot.press("m")
        await until_shown(pilot, "guard ─ saved")
        assert read(file) == "x" + before


async def test_a_file_that_is_gone_cannot_be_reloaded_and_nothing_typed_is_lost(world: HookWorld) -> None:
    file = world.add("guard")
    async with world.app().run_test(size=(120, 40), notifications=True) as pilot:
        await edit(pilot, "x")
        os.rename(file, f"{file}.away")
        await pilot.press("ctrl+s")
        await until_shown(pilot, "Conflicting changes", "m Keep mine")
        assert "Reload" not in shown(pilot)
        await pilot.press("r", "escape")
        await until(pilot, lambda: "Conflicting changes" not in shown(pilot))
        await until_shown(pilot, "x---", "guard ─ • modified")
        await pilot.press("ctrl+s")
        await until_shown(pilot, "Conflicting changes")
        await pilot.press("m")
        await until(pilot, lambda: os.path.exists(file))
        assert read(file).startswith("x---")


async def test_a_hook_that_is_removed_gives_way_to_its_neighbour_and_a_notice_says_so(world: HookWorld) -> None:
    alpha = world.add("alpha")
    world.add("beta")
    async with world.running("alpha ─ saved", "run.sh", notifications=True) as pilot:
        shutil.rmtree(os.path.dirname(alpha))
        await until_shown(pilot, "alpha/HOOK.md was removed", "beta ─ saved", "# beta")
        pilot.app.clear_notifications()
        await until(pilot, lambda: "alpha" not in shown(pilot))


@pytest.mark.parametrize("others", [(), ("beta",)])
async def test_edits_of_a_removed_file_are_kept_and_saving_them_makes_it_that_hook_again(
    world: HookWorld, others: tuple[str, ...]
) -> None:
    alpha = world.add("alpha")
    for name in others:
        world.add(name)
    async with world.app().run_test(size=(120, 40), notifications=True) as pilot:
        await edit(pilot, "typed")
        shutil.rmtree(os.path.dirname(alpha))
        await until_shown(pilot, "was removed", "still here.")
        await type_text(pilot, "d")  # does not answer a dialog that has just opened
        await until_shown(pilot, "alpha ─ • modified", "typedd---", "^s Save")
        await pilot.press("ctrl+s")
        await until_shown(pilot, "HOOK.md was removed")
        await pilot.press("m")
        await until_shown(pilot, "alpha ─ saved", "✕ alpha")
        assert read(alpha).startswith("typedd---")
        assert os.access(os.path.join(os.path.dirname(alpha), "scripts", "run.sh"), os.X_OK)  # complete and unchanged


async def test_nothing_is_asked_until_the_cursor_is_moved_from_a_hook_that_was_removed(world: HookWorld) -> None:
    alpha = world.add("alpha")
    for name in ("beta", "gamma"):
        world.add(name)
    async with world.app().run_test(size=(120, 40), notifications=True) as pilot:
        await edit(pilot, "typed")
        await pilot.press("escape")
        shutil.rmtree(os.path.dirname(alpha))
        await until_shown(pilot, "was removed", "still here.")
        await until_still(pilot)
        assert "Unsaved changes" not in shown(pilot)
        await until_shown(pilot, "alpha ─ • modified", "typed---")
        await pilot.press("j")
        await until_shown(pilot, "Unsaved changes")
        await pilot.press("escape")
        await until_shown(pilot, "alpha ─ • modified", "typed---")


async def test_a_script_that_vanishes_says_so_and_one_key_brings_it_back_as_it_was(world: HookWorld) -> None:
    script = os.path.join(os.path.dirname(world.add("guard")), "scripts", "run.sh")
    async with world.app().run_test(size=(120, 40), notifications=True) as pilot:
        await edit(pilot, "")
        await pilot.press("escape", "right_square_bracket")
        await edit(pilot, "# typed")
        os.unlink(script)
        await until_shown(pilot, "scripts/run.sh was removed", "Your edits are still here; ^s restores")
        await pilot.press("ctrl+s")
        await until_shown(pilot, "m Keep mine")
        await pilot.press("m")
        await until_shown(pilot, "guard ─ saved")
        assert read(script).startswith("# typed#!/bin/sh")
        assert os.access(script, os.X_OK)
