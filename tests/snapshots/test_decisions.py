"""Snapshots of the Live screen, dark and light, at several sizes."""

from __future__ import annotations

import pytest

from hooktui.screens.widgets.filter import Filter
from tests.app.decision_world import DecisionWorld, live
from tests.app.hook_world import type_text, until_shown
from tests.log_world import busy_day
from tests.snapshots.looking import LARGE, LARGE_ONLY, SIZES, SMALL_ONLY, TONES, AsBefore, Size, showing


@pytest.fixture
def busy(decided: DecisionWorld) -> DecisionWorld:
    """A log with most kinds of events."""
    busy_day(decided)
    return decided


async def test_live(busy: DecisionWorld, as_before: AsBefore) -> None:
    async with showing(busy.app(), LARGE) as pilot:
        await live(pilot)
        await pilot.press("k")
        await until_shown(pilot, "matched tool Shell and pattern", "0/min")
        await as_before(pilot, *TONES, sizes=SIZES)


@SMALL_ONLY
async def test_live_why_not(busy: DecisionWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(busy.app(), size) as pilot:
        await live(pilot)
        await pilot.press("k", "w")
        await until_shown(pilot, "this project hook is not approved", "0/min")
        await as_before(pilot, "light")


@LARGE_ONLY
async def test_live_filter(busy: DecisionWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(busy.app(), size) as pilot:
        await live(pilot)
        await pilot.press("slash")
        pilot.app.screen.query_one("#filter", Filter).cursor_blink = False
        await type_text(pilot, "-decision:none tool:")
        await until_shown(pilot, "3 of 17", "tab tool:Grep  tool:Read", "0/min")
        await as_before(pilot, "dark")


@LARGE_ONLY
async def test_live_without_a_log(decided: DecisionWorld, as_before: AsBefore, size: Size) -> None:
    async with decided.app().run_test(size=size) as pilot:
        await pilot.press("2")
        await until_shown(pilot, "No decisions yet.")
        await as_before(pilot, "dark")
