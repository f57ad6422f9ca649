"""The sizes and themes of the snapshots, and the way to the state that they show."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from hooktui.app import HooktuiApp
from tests.app.hook_world import until_known, until_shown, until_still

AsBefore = Callable[..., Awaitable[None]]
Size = tuple[int, int]
Step = tuple[list[str], str]

SMALL, LARGE = (80, 24), (120, 40)
SIZES = (LARGE, SMALL, (200, 60))  # in both themes: for the main states
TONES = ("dark", "light")


def named(size: Size) -> str:
    return f"{size[0]}x{size[1]}"


EACH_SIZE = pytest.mark.parametrize("size", SIZES, ids=named)  # where a resized screen differs from a new one
LARGE_ONLY = pytest.mark.parametrize("size", [LARGE], ids=named)
SMALL_ONLY = pytest.mark.parametrize("size", [SMALL], ids=named)  # for dialogs, which must fit


def state_of(keys: str, text: str) -> Step:
    """Keys to press, and the text to wait for."""
    return (keys.split(), text)


TO_BROKEN = (state_of("", "run.sh"), state_of("j j j j", "no-secrets ─ saved"), state_of("", "1 problem"))
TO_UNTRUSTED = (*TO_BROKEN, state_of("j", "deploy-guard ─ saved"))
TO_DANGER = (state_of("", "run.sh"), state_of("j j j", "block-dangerous ─ saved"))


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
