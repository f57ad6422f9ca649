"""Snapshots of the Sessions screen and its dialogs: small, usual and large, dark and light."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.app.decision_world import DecisionWorld
from tests.app.hook_world import until_shown
from tests.log_world import busy_day
from tests.snapshots.looking import LARGE, LARGE_ONLY, SIZES, SMALL_ONLY, TONES, AsBefore, Size, showing


@asynccontextmanager
async def sessions(decided: DecisionWorld, size: Size, *keys: str, texts: tuple[str, ...]) -> AsyncIterator[Pilot[None]]:
    """The screen after a busy day and some keys, once these texts are shown."""
    busy_day(decided)
    async with showing(decided.app(), size) as pilot:
        await pilot.press("3")
        await until_shown(pilot, "2 sessions")
        await pilot.press(*keys)
        await until_shown(pilot, *texts)
        yield pilot


async def test_sessions(decided: DecisionWorld, as_before: AsBefore) -> None:
    async with sessions(decided, LARGE, "S", texts=("by length",)) as pilot:
        await as_before(pilot, *TONES, sizes=SIZES)


@LARGE_ONLY
async def test_sessions_that_are_not_what_was_recorded(decided: DecisionWorld, as_before: AsBefore, size: Size) -> None:
    decided.edit(busy_day(decided)["denied"])
    async with showing(decided.app(), size) as pilot:
        await pilot.press("3")
        await until_shown(pilot, "tidy the build directory", "✕ Log altered (1 fault)", "2 sessions")
        await as_before(pilot, "dark")


async def test_timeline(decided: DecisionWorld, as_before: AsBefore) -> None:
    async with sessions(decided, LARGE, "enter", texts=("Slowest hooks", "+9.0s")) as pilot:
        await as_before(pilot, *TONES, sizes=SIZES)


@LARGE_ONLY
async def test_comparison(decided: DecisionWorld, as_before: AsBefore, size: Size) -> None:
    async with sessions(decided, size, "C", texts=("Compare tidy the build directory with",)) as pilot:
        await pilot.press("enter")
        await until_shown(pilot, "Two sessions", "Decisions")
        await as_before(pilot, "dark")


@SMALL_ONLY
async def test_export(
    decided: DecisionWorld, as_before: AsBefore, size: Size, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    async with sessions(
        decided, size, "x", texts=("Export session tidy the build directory", "~/hooktui-tidy-the-build-directory.html")
    ) as pilot:
        await as_before(pilot, "light")
