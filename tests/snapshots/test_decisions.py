"""How the Live and Sessions screens look, dark and light, at two sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hooktui.screens.themes import DARK, LIGHT
from tests.app.decision_world import decided, live, world
from tests.app.hook_world import until_shown
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


def test_live_without_a_log(decided: DecisionWorld, snap_compare: Callable[..., bool]) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await pilot.press("2")
        await until_shown(pilot, "Nothing has been decided yet.", "0/min")

    assert snap_compare(decided.app(), terminal_size=(80, 24), run_before=before)
