"""The sizes and themes of the snapshots, and the way to the state that they show."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from textual.widgets import Input

from tests.app.hook_world import until_known, until_shown, until_still

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual.pilot import Pilot

    from hooktui.app import HooktuiApp

AsBefore = Callable[..., Awaitable[None]]
Size = tuple[int, int]
Step = tuple[list[str], str]

SMALL, LARGE, WIDE = (80, 24), (120, 40), (200, 60)
TONES = ("dark", "light")


def _named(size: Size) -> str:
    return f"{size[0]}x{size[1]}"


SIZES = pytest.mark.parametrize("size", [SMALL, LARGE, WIDE], ids=_named)  # in both themes: for the main states
LARGE_ONLY = pytest.mark.parametrize("size", [LARGE], ids=_named)
SMALL_ONLY = pytest.mark.parametrize("size", [SMALL], ids=_named)  # for dialogs, which must fit


def state_of(keys: str, text: str) -> Step:
    """Keys to press, and the text to wait for."""
    return (keys.split(), text)


TO_BROKEN = (state_of("", "scripts/run.sh"), state_of("j j j j", "no-secrets ─ saved"), state_of("", "1 problem"))
TO_UNTRUSTED = (*TO_BROKEN, state_of("j", "deploy-guard ─ saved"))
TO_DANGER = (state_of("", "scripts/run.sh"), state_of("j j j", "block-dangerous ─ saved"))


@asynccontextmanager
async def showing(app: HooktuiApp, size: Size, *steps: Step) -> AsyncIterator[Pilot[None]]:
    """The app at a terminal size, in a state."""
    async with app.run_test(size=size, notifications=True, tooltips=True) as pilot:
        app.theme = "hooktui-dark"
        await until_known(pilot)
        await go(pilot, *steps)
        yield pilot


async def go(pilot: Pilot[None], *steps: Step) -> None:
    """Bring the app to a state: keys to press, each time until a text is shown."""
    for number, (keys, text) in enumerate(steps, start=1):
        if number == len(steps):
            await until_still(pilot)  # the screen behind a dialog is complete, too
        await pilot.press(*keys)
        await until_shown(pilot, text)
    for field in pilot.app.screen.query(Input):
        field.cursor_blink = False  # the only text on the screen that changes with time
