"""How the steps to a new hook look: made anew with `pytest --snapshot-update`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.app.hook_world import world
from tests.snapshots.test_hooks_screens import LARGE, SMALL, WIDE, looks, shop, state_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.app.hook_world import HookWorld

__all__ = ["shop", "world"]

EVENTS = (state_of("", "No hooks here yet."), state_of("a", "When does it run?"))
PLACES = (*EVENTS, state_of("p o s t minus s e s s", "post-session"), state_of("enter", "has no post-session."))
CLAUDE = (*EVENTS, state_of("enter", "Where does it stand?"), state_of("c l a u d e", "claude"), state_of("enter", "look for?"))
DRAFT = (*CLAUDE, state_of("B a s h tab g i t", "no-git"), state_of("", "Matches 1 of"))
STEPS = {"events": EVENTS, "places": PLACES, "draft": DRAFT, "preview": (*DRAFT, state_of("enter", "Create"))}
LOOKS = [(SMALL, "hooktui-dark"), (LARGE, "hooktui-light"), (WIDE, "hooktui-dark")]


@pytest.mark.parametrize(("size", "theme"), LOOKS, ids=["80x24-dark", "120x40-light", "200x60-dark"])
@pytest.mark.parametrize("step", STEPS)
def test_the_steps_to_a_new_hook(
    world: HookWorld, snap_compare: Callable[..., bool], step: str, size: tuple[int, int], theme: str
) -> None:
    app = world.app()
    assert snap_compare(app, terminal_size=size, run_before=looks(app, theme, *STEPS[step]))


def test_the_hooks_that_an_event_has(shop: HookWorld, snap_compare: Callable[..., bool]) -> None:
    app = shop.app()
    steps = (state_of("", "scripts/run.sh"), state_of("j j j", "block-dangerous ─"), state_of("a", "run?"))
    assert snap_compare(
        app, terminal_size=SMALL, run_before=looks(app, "hooktui-dark", *steps, state_of("enter", "+ a new hook"))
    )
