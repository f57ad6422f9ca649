"""A log for the app to show, and the app on its Live or Sessions screen."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from typing import Any

import pytest
from textual.pilot import Pilot

from hooktui.app import HooktuiApp
from hooktui.screens.live.screen import LiveScreen
from tests.app.hook_world import HookWorld, running, until, world
from tests.log_world import LogWorld

__all__ = ["DecisionWorld", "decided", "world"]


class DecisionWorld(LogWorld):
    """The log of a home, and the app on it."""

    def __init__(self, hooks: HookWorld) -> None:
        super().__init__(os.path.join(os.environ["HOME"], "log.db"))
        self.hooks = hooks
        self.project = hooks.project

    def app(self) -> HooktuiApp:
        """The app, not yet run."""
        return HooktuiApp(self.hooks.project, self.db)

    def running(self, *texts: str, **how: Any) -> AbstractAsyncContextManager[Pilot[None]]:
        """The app, once these texts are shown; `how` as in `hook_world.running`."""
        return running(self.app(), *texts, **how)

    @asynccontextmanager
    async def on_live(self, **how: Any) -> AsyncIterator[Pilot[None]]:
        """The app on its complete Live screen."""
        async with self.running(**how) as pilot:
            await live(pilot)
            yield pilot

    def edit(self, number: int) -> None:
        """Change a recorded decision."""
        with closing(sqlite3.connect(self.db)) as log, log:
            log.execute("UPDATE dispatch SET decision = 'allow' WHERE id = ?", (number,))


@pytest.fixture
def decided(world: HookWorld, monkeypatch: pytest.MonkeyPatch) -> Iterator[DecisionWorld]:
    """An empty log; local time is UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield DecisionWorld(world)
    monkeypatch.undo()
    time.tzset()


async def live(pilot: Pilot[None]) -> LiveScreen:
    """Go to the Live screen and wait until it is complete."""
    from hooktui.screens.live.screen import LiveScreen

    await pilot.press("2")
    await until(pilot, lambda: isinstance(pilot.app.screen, LiveScreen) and pilot.app.screen.query("#decisions"))
    screen = pilot.app.screen
    assert isinstance(screen, LiveScreen)
    await until(pilot, lambda: screen.decisions.results.complete)
    await until(pilot, lambda: not screen.decisions.results or screen.decisions.row(screen.decisions.results[-1]))
    return screen
