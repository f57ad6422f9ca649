"""Snapshots of the matcher tester and Try on past events; update them with `pytest --snapshot-update`."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from textual.widgets import Static

from hooktui.screens.widgets.editor import Editor
from tests.app.hook_world import HookWorld, until_shown, until_still
from tests.app.test_match_and_past import NO_FORCE, happened
from tests.snapshots.looking import LARGE_ONLY, SMALL_ONLY, AsBefore, Size, go, showing, state_of

COMMANDS = ("ls -l", "git status", "git commit -m 'More'", "git push", "cd shop && git push --force", "make test", "git push")


@pytest.fixture
def shop(world: HookWorld, monkeypatch: pytest.MonkeyPatch) -> Iterator[HookWorld]:
    """A hook, and the logged events of an agent."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    world.add("no-force-push", script=NO_FORCE, front="matcher:\n  tool: Shell\n  pattern: git push\n")
    happened(world, *COMMANDS)
    yield world
    monkeypatch.undo()
    time.tzset()


@SMALL_ONLY
async def test_matcher_tester(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    typed = state_of("S h e l l tab g i t space p u s h", "matched tool Shell and pattern git push")
    steps = (state_of("", "run.sh"), state_of("M", "3 of the last 7"), typed)
    async with showing(shop.app(), size, *steps) as pilot:
        await as_before(pilot, "light")


@LARGE_ONLY
async def test_try_on_the_past(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(shop.app(), size, state_of("", "run.sh")) as pilot:
        [editor] = [one for one in pilot.app.screen.query(Editor) if one.file.name.endswith("run.sh")]
        editor.load_text(editor.text.replace("push --force", "git push"))
        await go(pilot, state_of("T", "enter runs"), state_of("enter", "3 of 3 events · 2 with a different decision"))
        await until_still(pilot)
        state = pilot.app.screen.query_one("#past-state", Static)
        state.update("3 of 3 events · 2 with a different decision · 0.8 s")  # the only text that differs each time
        pilot.app.screen.query_one("#past-details").styles.height = 4  # the input below has the test's own directory
        await until_shown(pilot, "0.8 s")
        await until_still(pilot)
        await as_before(pilot, "dark")
