"""How the Hooks and Diagnostics screens, their dialogs and the help look: made anew with `pytest --snapshot-update`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.snapshots.looking import LOOKS, SIZES, SMALL, TO_BROKEN, TO_UNTRUSTED, TONES, showing, state_of

if TYPE_CHECKING:
    from tests.app.hook_world import HookWorld
    from tests.snapshots.looking import AsBefore, Size


@SIZES
async def test_hooks(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(shop.app(), size, *TO_BROKEN) as pilot:
        await as_before(pilot, *TONES)


@SIZES
async def test_editor(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    steps = (*TO_BROKEN, state_of("enter ctrl+home down x", "modified"), state_of("", "xname"))
    async with showing(shop.app(), size, *steps) as pilot:
        await as_before(pilot, *TONES)


@SIZES
async def test_diagnostics(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    steps = (*TO_BROKEN, state_of("4", "bad-regex"), state_of("", "valid regular expression" if size != SMALL else "pattern:"))
    async with showing(shop.app(), size, *steps) as pilot:
        await as_before(pilot, *TONES)


@SIZES
async def test_approving(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(shop.app(), size, *TO_UNTRUSTED, state_of("p", "Approve deploy-guard?")) as pilot:
        await as_before(pilot, *TONES)


@SIZES
async def test_help(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(shop.app(), size, *TO_BROKEN, state_of("question_mark", "Make a new hook")) as pilot:
        await as_before(pilot, *TONES)


@SIZES
async def test_first_run(world: HookWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(world.app(), size, state_of("", "No hooks here yet.")) as pilot:
        await as_before(pilot, *TONES)


@LOOKS
async def test_unsaved_changes(shop: HookWorld, as_before: AsBefore, size: Size, tone: str) -> None:
    steps = (*TO_BROKEN, state_of("enter ctrl+home x", "modified"), state_of("escape q", "Unsaved changes"))
    async with showing(shop.app(), size, *steps, tone=tone) as pilot:
        await as_before(pilot)


@LOOKS
async def test_a_wrong_value(shop: HookWorld, as_before: AsBefore, size: Size, tone: str) -> None:
    steps = (*TO_BROKEN, state_of("i", "hyphens"), state_of("down down down down down 9 9 9 9 9 9 9", "9999999"))
    async with showing(shop.app(), size, *steps, tone=tone) as pilot:
        await as_before(pilot)


@LOOKS
async def test_nothing_found(shop: HookWorld, as_before: AsBefore, size: Size, tone: str) -> None:
    async with showing(shop.app(), size, *TO_BROKEN, state_of("slash x y z", "No hook has “xyz”."), tone=tone) as pilot:
        await as_before(pilot)
