"""Unsaved text is checked as `hooktui check` would check it."""

from __future__ import annotations

import os

from textual.pilot import Pilot

from hooktui.app import HooktuiApp
from hooktui.screens.widgets.editor import Editor
from hooktui.screens.widgets.lines import FilePlace
from tests.app.hook_world import HookWorld, until, until_shown, world

__all__ = ["world"]

_REFUSES = "#!/bin/sh\necho blocked >&2\nexit 2\n"


async def type_at(pilot: Pilot[None], app: HooktuiApp, place: FilePlace, *keys: str) -> None:
    """Type at a place of one of the hook's files."""
    name = os.path.basename(os.path.dirname(app.catalog.hooks[0].file)) if app.catalog else ""
    await until_shown(pilot, f"{name} ─ saved")
    app.navigator.open_place("agenthooks:user:guard", place)
    shown_at = (place.path, (place.line - 1, place.column - 1))
    await until(pilot, lambda: shown_at in [(one.file.path, one.cursor_location) for one in app.screen.query(Editor)])
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.focused, Editor) and app.focused.file.path == place.path)
    await pilot.press(*keys)


async def test_a_script_is_checked_while_it_is_typed(world: HookWorld) -> None:
    script = os.path.join(os.path.dirname(world.add("guard", scope="user", script=_REFUSES)), "scripts", "run.sh")
    app = world.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await type_at(pilot, app, FilePlace(script, 3, 6), "delete", "1")
        await until_shown(pilot, "1 problem", "run.sh:3:1", "exit 1 is a failure and allows")
        await pilot.press("backspace", "2")
        await until_shown(pilot, "no problems")


async def test_what_hooks_have_to_do_with_each_other_is_checked_while_it_is_typed(world: HookWorld) -> None:
    world.add("guar", scope="user")
    file = world.add("guard", scope="user")
    app = world.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await type_at(pilot, app, FilePlace(file, 2, 12), "backspace")
        await until_shown(pilot, "2 problems", "is also", "named guar", "the name guar differs")
