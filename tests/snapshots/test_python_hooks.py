"""Snapshots of a Python agent's functions among the hooks on disk."""

from __future__ import annotations

from tests.app.hook_world import HookWorld
from tests.app.test_callbacks import Agent
from tests.snapshots.looking import LARGE_ONLY, AsBefore, Size, showing, state_of


@LARGE_ONLY
async def test_a_python_hook(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    agent = Agent(shop.project)
    await agent.work()
    agent.recorder.close()
    steps = (state_of("", "guard"), state_of("/ p y t h o n enter", "agent.py:6"))
    async with showing(shop.app(), size, *steps) as pilot:
        await as_before(pilot, "dark")
