from __future__ import annotations

import os

from hooktui.core import paths
from tests.app.hook_world import HookWorld, shown, until, until_shown, world, write

__all__ = ["world"]


def configure(text: str) -> None:
    os.makedirs(os.path.dirname(paths.config_file()), exist_ok=True)
    write(paths.config_file(), text)


async def test_a_users_own_key_runs_the_action_and_is_in_footer_and_help(world: HookWorld) -> None:
    world.add("guard")
    configure('[keys]\ntry = "ctrl+g"\n')
    async with world.running("# guard", "^g Try") as pilot:
        await pilot.press("question_mark", *"try the hook on an event".replace(" ", "")[:3])
        await until_shown(pilot, "^g", "Try the hook on an event")
        await pilot.press("escape", "t")
        assert '"event_type"' not in shown(pilot)
        await pilot.press("ctrl+g")
        await until_shown(pilot, '"event_type"')


async def test_texts_name_the_key_that_the_person_has(world: HookWorld) -> None:
    configure('[keys]\nnew = "f9"\ntake-back = "f8"\nfix-all = "f7"\n')
    async with world.running("f9  create a hook", notifications=True) as pilot:
        world.add("guard")
        await until_shown(pilot, "# guard")
        await pilot.press("space")
        await until_shown(pilot, "f8 undo")
        await pilot.press("d")
        await until_shown(pilot, "its whole directory. f8")
        await pilot.press("escape", "4", "question_mark")
        await until_shown(pilot, "f7 applies all", "f8 undoes")


async def test_invalid_key_is_reported_with_its_line_and_other_keys_still_work(world: HookWorld) -> None:
    world.add("guard")
    configure('[run]\ngate_limit = 3\n[keys]\nfilter = "ctrl+f"\ntryy = "ctrl+g"\n')
    async with world.running("# guard", "t Try", "^f Filter", "1 error") as pilot:
        await pilot.press("4")
        await until_shown(pilot, "bad-value", "[keys] tryy: unknown action", "did you mean try?", "config.toml:5")


async def test_keys_that_are_changed_while_the_app_is_open_count_at_once(world: HookWorld) -> None:
    world.add("guard")
    configure("")
    async with world.running("# guard", "t Try") as pilot:
        configure('[keys]\ntry = "ctrl+g"\n')
        await until_shown(pilot, "^g Try")
        configure("")
        await until(pilot, lambda: "t Try" in shown(pilot))
