"""States that are looked at in one size each: many hooks, a conflict, problems on a wide terminal, the letters to jump by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.app.hook_world import read, until_shown, write
from tests.snapshots.looking import LARGE, SMALL, TO_BROKEN, WIDE, showing, state_of

if TYPE_CHECKING:
    from tests.app.hook_world import HookWorld
    from tests.snapshots.looking import AsBefore


async def test_many_hooks(shop: HookWorld, as_before: AsBefore) -> None:
    for number in range(120):
        event = ("pre-tool-call", "post-tool-call", "pre-session")[number % 3]
        shop.add(f"check-{number:03}", event, scope="user", front=f"priority: {number}\n")
    async with showing(shop.app(), WIDE, state_of("", "─ saved"), tone="light") as pilot:
        await as_before(pilot)


async def test_diagnostics_on_a_wide_terminal(shop: HookWorld, as_before: AsBefore) -> None:
    steps = (*TO_BROKEN, state_of("4", "bad-regex"), state_of("", "valid regular expression"))
    async with showing(shop.app(), WIDE, *steps) as pilot:
        await as_before(pilot)


async def test_a_conflict(world: HookWorld, as_before: AsBefore) -> None:
    file = world.add("guard")
    steps = (state_of("", "# guard"), state_of("enter ctrl+home x", "modified"))
    async with showing(world.app(), LARGE, *steps, tone="light") as pilot:
        write(file, read(file) + "\ntheirs\n")
        await pilot.press("ctrl+s")
        await until_shown(pilot, "Changed underneath")
        await pilot.press("c")
        await until_shown(pilot, "Compare HOOK.md", "1 warning")  # that it has changed is known, too
        await as_before(pilot)


async def test_letters_to_jump_by(shop: HookWorld, as_before: AsBefore) -> None:
    async with showing(shop.app(), SMALL, *TO_BROKEN, state_of("ctrl+o", " a ")) as pilot:
        await as_before(pilot)
