"""How the functions of a Python agent look among the hooks on disk."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tests.app.hook_world import world
from tests.app.test_callbacks import Agent
from tests.snapshots.test_hooks_screens import LOOKS, looks, shop, state_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.app.hook_world import HookWorld

__all__ = ["shop", "world"]


@LOOKS
def test_a_python_hook(shop: HookWorld, snap_compare: Callable[..., bool], size: tuple[int, int], theme: str) -> None:
    agent = Agent(shop.project)
    asyncio.run(agent.work())
    agent.recorder.close()
    app = shop.app()
    steps = (state_of("", "guard"), state_of("/ p y t h o n enter", "agent.py:6"))
    assert snap_compare(app, terminal_size=size, run_before=looks(app, theme, *steps))
