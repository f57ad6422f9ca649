"""How the Live and Sessions screens look, dark and light, at two sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hooktui.screens.themes import DARK, LIGHT
from hooktui.screens.widgets.filter import Filter
from tests.app.decision_world import decided, live, world
from tests.app.hook_world import type_text, until_shown
from tests.log_world import busy_day

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

    from tests.app.decision_world import DecisionWorld

__all__ = ["decided", "world"]

both_themes = pytest.mark.parametrize("theme", [DARK.name, LIGHT.name], ids=["dark", "light"])
both_sizes = pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])


@both_themes
@both_sizes
def test_live(decided: DecisionWorld, snap_compare: Callable[..., bool], theme: str, size: tuple[int, int]) -> None:
    busy_day(decided)

    async def before(pilot: Pilot[None]) -> None:
        pilot.app.theme = theme
        await live(pilot)
        await pilot.press("k")
        await until_shown(pilot, "matched tool Shell and pattern", "0/min")

    assert snap_compare(decided.app(), terminal_size=size, run_before=before)


@both_themes
@both_sizes
def test_live_why_not(decided: DecisionWorld, snap_compare: Callable[..., bool], theme: str, size: tuple[int, int]) -> None:
    busy_day(decided)

    async def before(pilot: Pilot[None]) -> None:
        pilot.app.theme = theme
        await live(pilot)
        await pilot.press("k", "w")
        await until_shown(pilot, "a project hook that nobody has approved", "0/min")

    assert snap_compare(decided.app(), terminal_size=size, run_before=before)


three_looks = pytest.mark.parametrize(
    ("size", "theme"),
    [((80, 24), DARK.name), ((120, 40), LIGHT.name), ((200, 60), DARK.name)],
    ids=["80x24-dark", "120x40-light", "200x60-dark"],
)


@three_looks
def test_live_search(decided: DecisionWorld, snap_compare: Callable[..., bool], theme: str, size: tuple[int, int]) -> None:
    busy_day(decided)
    decided.add(tool="Shell", project="/home/dev/other", payload={"tool_input": {"command": f"rm -r {'build/cache ' * 20}"}})

    async def before(pilot: Pilot[None]) -> None:
        pilot.app.theme = theme
        await live(pilot)
        await pilot.press("k", "m", "z", "s")
        await type_text(pilot, "rm")
        await pilot.press("enter")
        await until_shown(pilot, "rm: 2 of 3", "Input •", "0/min")

    assert snap_compare(decided.app(), terminal_size=size, run_before=before)


@three_looks
def test_live_filter(decided: DecisionWorld, snap_compare: Callable[..., bool], theme: str, size: tuple[int, int]) -> None:
    busy_day(decided)

    async def before(pilot: Pilot[None]) -> None:
        pilot.app.theme = theme
        await live(pilot)
        await pilot.press("slash")
        pilot.app.screen.query_one("#filter", Filter).cursor_blink = False
        await type_text(pilot, "-decision:none tool:")
        await until_shown(pilot, "3 of 18", "tab tool:Grep  tool:Read", "0/min")

    assert snap_compare(decided.app(), terminal_size=size, run_before=before)


@pytest.mark.parametrize("key", ["c", "Y"], ids=["columns", "copy"])
def test_live_dialogs(decided: DecisionWorld, snap_compare: Callable[..., bool], key: str) -> None:
    busy_day(decided)

    async def before(pilot: Pilot[None]) -> None:
        await live(pilot)
        await until_shown(pilot, "✔ tests-pass", "0/min")
        await pilot.press(key)
        await until_shown(pilot, "esc goes back")

    assert snap_compare(decided.app(), terminal_size=(80, 24), run_before=before)


def test_live_without_a_log(decided: DecisionWorld, snap_compare: Callable[..., bool]) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await pilot.press("2")
        await until_shown(pilot, "Nothing has been decided yet.", "0/min")

    assert snap_compare(decided.app(), terminal_size=(80, 24), run_before=before)
