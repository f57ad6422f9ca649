"""Snapshots of further states: many hooks, a file changed on disk, jump mode."""

from __future__ import annotations

from tests.app.hook_world import HookWorld, read, until, until_shown, write
from tests.snapshots.looking import LARGE_ONLY, SMALL_ONLY, TO_BROKEN, AsBefore, Size, showing, state_of


@LARGE_ONLY
async def test_many_hooks(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    for number in range(120):
        event = ("pre-tool-call", "post-tool-call", "pre-session")[number % 3]
        shop.add(f"check-{number:03}", event, scope="user", front=f"priority: {number}\n")
    async with showing(shop.app(), size, state_of("", "─ saved")) as pilot:
        await as_before(pilot, "dark")


@SMALL_ONLY
async def test_a_conflict(world: HookWorld, as_before: AsBefore, size: Size) -> None:
    file, app = world.add("guard"), world.app()
    steps = (state_of("", "run.sh"), state_of("enter ctrl+home x", "modified"))
    async with showing(app, size, *steps) as pilot:
        write(file, read(file) + "\ntheirs\n")
        await pilot.press("ctrl+s")
        await until_shown(pilot, "Conflicting changes")
        await until(pilot, lambda: bool(app.catalog and app.catalog.diagnostics))  # the app has noticed the change, too
        await as_before(pilot, "light")


@LARGE_ONLY
async def test_letters_to_jump_by(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(shop.app(), size, *TO_BROKEN, state_of("ctrl+o", " a ")) as pilot:
        await as_before(pilot, "dark")
