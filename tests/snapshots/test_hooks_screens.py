"""How the Hooks and Diagnostics screens, their dialogs and the help look: made anew with `pytest --snapshot-update`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.snapshots.looking import LARGE, SIZES, SMALL, TO_BROKEN, TO_UNTRUSTED, TONES, WIDE, showing, state_of

if TYPE_CHECKING:
    from tests.app.hook_world import HookWorld
    from tests.snapshots.looking import AsBefore, Size


@SIZES
async def test_hooks(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(shop.app(), size, *TO_BROKEN) as pilot:
        await as_before(pilot, *TONES)


async def test_hooks_on_a_wide_terminal(shop: HookWorld, as_before: AsBefore) -> None:
    async with showing(shop.app(), WIDE, *TO_BROKEN) as pilot:
        await as_before(pilot)


@SIZES
async def test_editor(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    steps = (*TO_BROKEN, state_of("enter ctrl+home down x", "modified"), state_of("", "xname"))
    async with showing(shop.app(), size, *steps) as pilot:
        await as_before(pilot, *TONES)


@SIZES
async def test_diagnostics(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    steps = (*TO_BROKEN, state_of("4", "bad-regex"), state_of("", "valid regular expression" if size == LARGE else "pattern:"))
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


async def test_unsaved_changes(shop: HookWorld, as_before: AsBefore) -> None:
    steps = (*TO_BROKEN, state_of("enter ctrl+home x", "modified"), state_of("escape q", "Unsaved changes"))
    async with showing(shop.app(), SMALL, *steps) as pilot:
        await as_before(pilot)
