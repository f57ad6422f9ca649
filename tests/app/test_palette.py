"""The palette finds every action by the words that people use for it."""

from __future__ import annotations

from hooktui.screens.keys.help import PaletteCommands
from tests.app.hook_world import HookWorld, type_text, until_shown, world

__all__ = ["world"]

APPROVE, SWITCH, BACK = (
    "Review and approve the hook",
    "Turn the hook off or on",
    "Undo the last change, or restore a deleted hook",
)
COPY, COMPARE = (
    "Copy, move or convert the hook",
    "Compare the session with another",
)
WORDS = {
    **dict.fromkeys(("permit", "approve", "trust"), APPROVE),
    **dict.fromkeys(("disable", "enable", "off", "on", "toggle"), SWITCH),
    **dict.fromkeys(("undo", "restore", "undelete", "take back"), BACK),
    **dict.fromkeys(("convert", "move", "copy", "duplicate"), COPY),
    **dict.fromkeys(("compare", "diff"), COMPARE),
    "remove": "Delete the hook",
    "add": "Create a hook",
    "export": "Export results",
    "html": "Export results",
    "replay": "Try the hook on past events",
    "repair": "Review and apply all safe fixes",
}
SEEN_FIRST = 5


async def test_an_action_is_among_the_first_by_each_word_that_people_use_and_a_disabled_one_says_why(world: HookWorld) -> None:
    world.add("lint")
    async with world.running("● lint", notifications=True) as pilot:
        for word, name in WORDS.items():
            hits = [hit async for hit in PaletteCommands(pilot.app.screen).search(word)]
            best = [str(hit.text) for hit in sorted(hits, key=lambda hit: -getattr(hit, "score", 0))]
            assert name in best[:SEEN_FIRST], f"{word}: {best}"
        await pilot.press("colon")
        await until_shown(pilot, "Search for commands")
        await type_text(pilot, "approve")
        await until_shown(pilot, "Review and approve the hook")
        await pilot.press("enter")
        await until_shown(pilot, "lint is already approved")
