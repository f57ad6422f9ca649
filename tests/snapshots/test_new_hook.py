"""Snapshots of the steps to a new hook; update them with `pytest --snapshot-update`."""

from __future__ import annotations

from tests.app.hook_world import HookWorld
from tests.snapshots.looking import LARGE_ONLY, SMALL_ONLY, AsBefore, Size, go, showing, state_of

EVENTS = (state_of("", "No hooks here yet."), state_of("a", "When should it run?"))
PLACES = (state_of("p o s t minus s e s s", "post-session"), state_of("enter", "has no post-session."))
CLAUDE = (state_of("enter", "Where should it live?"), state_of("c l a u d e", "claude"), state_of("enter", "match?"))
DRAFT = (*CLAUDE, state_of("B a s h tab g i t", "no-git"), state_of("", "Matches 1 of"))
PREVIEW = state_of("enter", "Create")


@SMALL_ONLY
async def test_the_steps_to_a_new_hook(world: HookWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(world.app(), size, *EVENTS) as pilot:
        await as_before(pilot, "light", of="events")
        await go(pilot, *DRAFT)
        await as_before(pilot, "light", of="draft")
        await go(pilot, PREVIEW)
        await as_before(pilot, "light", of="preview")


@SMALL_ONLY
async def test_places_that_an_event_cannot_have(world: HookWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(world.app(), size, *EVENTS, *PLACES) as pilot:
        await as_before(pilot, "light")


@LARGE_ONLY
async def test_the_hooks_that_an_event_has(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    steps = (state_of("", "run.sh"), state_of("j j j", "block-dangerous ─"), state_of("a", "run?"))
    async with showing(shop.app(), size, *steps, state_of("enter", "+ New hook")) as pilot:
        await as_before(pilot, "dark")
