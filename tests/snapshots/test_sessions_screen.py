"""How the Sessions screen and its dialogs look: small, usual and large, dark and light."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tests.app.hook_world import until_shown
from tests.log_world import busy_day
from tests.snapshots.looking import LOOKS, SMALL, showing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    import pytest
    from textual.pilot import Pilot

    from tests.app.decision_world import DecisionWorld
    from tests.snapshots.looking import AsBefore, Size


@asynccontextmanager
async def sessions(
    decided: DecisionWorld, size: Size, tone: str, *keys: str, texts: tuple[str, ...]
) -> AsyncIterator[Pilot[None]]:
    """The screen after a busy day, and after some keys, once these texts stand there."""
    busy_day(decided)
    async with showing(decided.app(), size, tone=tone) as pilot:
        await pilot.press("3")
        await until_shown(pilot, "2 sessions · all verified", "0/min")
        await pilot.press(*keys)
        await until_shown(pilot, *texts)
        yield pilot


@LOOKS
async def test_sessions(decided: DecisionWorld, as_before: AsBefore, size: Size, tone: str) -> None:
    async with sessions(decided, size, tone, "s", "c", texts=("by began", "s-a1 marked")) as pilot:
        await as_before(pilot)


async def test_sessions_that_are_not_what_was_recorded(decided: DecisionWorld, as_before: AsBefore) -> None:
    decided.edit(busy_day(decided)["denied"])
    async with showing(decided.app(), SMALL, tone="dark") as pilot:
        await pilot.press("3")
        await until_shown(pilot, "✕ edited s-a1", "0/min", "✕ 1 not whole · 2 sessions · all verified")
        await as_before(pilot)


@LOOKS
async def test_timeline(decided: DecisionWorld, as_before: AsBefore, size: Size, tone: str) -> None:
    async with sessions(decided, size, tone, "enter", texts=("╭ ", "Slowest hooks", "✔ whole", "+9.0s")) as pilot:
        await as_before(pilot)


@LOOKS
async def test_comparison(decided: DecisionWorld, as_before: AsBefore, size: Size, tone: str) -> None:
    async with sessions(decided, size, tone, "c", "j", "c", texts=("Two sessions", "Decisions")) as pilot:
        await as_before(pilot)


async def test_export(decided: DecisionWorld, as_before: AsBefore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    async with sessions(decided, SMALL, "dark", "x", texts=("Export session s-a1", "~/hooktui-session-s-a1.html")) as pilot:
        await as_before(pilot)
