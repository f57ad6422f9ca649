"""The Fleet screen on the real engine: what is missing where, what fails, and the way to a denied command."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from hooktui.app import HooktuiApp
from hooktui.screens.services import log_monitor
from tests.app.hook_world import HookWorld, shown, until, until_shown, world
from tests.fleet.overview_world import fill
from tests.fleet.world import EngineProcess, log_rows
from tests.log_world import NOON, LogWorld, run
from tests.snapshots.conftest import as_before
from tests.snapshots.looking import AsBefore

__all__ = ["as_before", "world"]

NOW = NOON + 12 * 3600 - 1800  # 23:30


@pytest.fixture
def app(engine: EngineProcess, tmp_path: Path, world: HookWorld, monkeypatch: pytest.MonkeyPatch) -> HooktuiApp:
    """The app on the fleet of overview_world.py, at half past eleven in the evening."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr(time, "time", lambda: NOW)
    fill(engine, tmp_path, NOW, "screen")
    return HooktuiApp(world.project, mode="fleet", fleet=engine.url("reader", database="screen"))


async def test_trouble_leads_to_a_denied_command_by_the_keyboard(app: HooktuiApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await until_shown(
            pilot, "8 machines · 5 with trouble", "✕ block-dangerous missing", "▲ 3 records lost", "○ silent for 3 d"
        )
        assert "✕ fails since 19:00" in shown(pilot)
        await pilot.press("slash", *"dev-4", "enter")
        await until_shown(pilot, "1 machine ·", "on that machine, `hooktui ship --from 10` sends them again")
        await pilot.press("escape", "right", "j")
        await until_shown(pilot, "✕ missing on dev-1", "6 of 7 run it · 2 versions")
        await pilot.press("enter")
        await until_shown(pilot, "hook:block-dangerous decision:deny", "Shell git push --force", "20 of 189")
        await pilot.press("4", "slash", *"machine:dev-5", "enter")
        await until_shown(pilot, "1 machine ·")
        await pilot.press("enter")
        await until_shown(pilot, "─ machine:dev-5 decision:deny", "3 of 189")
        await pilot.press("enter")
        await until_shown(pilot, "─ claude · dev-5 · ")
        await pilot.press("4", "escape", "plus", "D")
        await until_shown(pilot, "Machines ─ last week ─ only trouble", "○ silent for 3 d")
        await until(pilot, lambda: "dev-0" not in shown(pilot))


async def test_a_fleet_says_that_it_cannot_answer_what_todays_hooks_would_do(app: HooktuiApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await until_shown(pilot, "8 machines")
        await pilot.press("2")
        await until_shown(pilot, "of 189")
        await pilot.press("slash", *"would:deny")
        await until_shown(pilot, "✕ would: asks today's hooks about the log of this machine: leave it out for a fleet")
        await pilot.press("escape", "3")
        await until_shown(pilot, "24 sessions")
        await pilot.press("slash", *"would:deny")
        await until_shown(pilot, "would: asks today's hooks about the log of this machine: leave it out for a fleet")
        assert "s-0-2" not in shown(pilot)


async def test_machines_are_grouped_by_team_and_found_by_its_term(app: HooktuiApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await until_shown(pilot, "8 machines", "payments", "anna")
        await pilot.press("v")
        await until_shown(pilot, "Teams ─ last day", "payments", "platform", "✕ block-dangerous missing")
        await pilot.press("slash", *"team:platform", "enter")
        await until_shown(pilot, "1 team ·", "dev-1, dev-3, dev-5, dev-7")
        await pilot.press("v")
        await until_shown(pilot, "anna")
        await pilot.press("v")
        await until_shown(pilot, "4 machines ·", "dev-5")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
async def test_fleet(app: HooktuiApp, as_before: AsBefore, size: tuple[int, int]) -> None:
    async with app.run_test(size=size) as pilot:
        await until_shown(pilot, "8 machines", "3 hooks")
        await as_before(pilot, "light" if size == (80, 24) else "dark")


async def test_a_server_that_does_not_answer_is_a_line_that_says_so(world: HookWorld) -> None:
    app = HooktuiApp(world.project, mode="fleet", fleet="clickhouse://127.0.0.1:9/otel")
    async with app.run_test(size=(80, 24)) as pilot:
        for key in "4321":
            await pilot.press(key)
            await until_shown(pilot, "Cannot read the fleet.", "127.0.0.1:9/otel", "reached: connection refused")


async def test_a_fleet_without_machines_says_how_to_get_the_first(engine: EngineProcess, world: HookWorld) -> None:
    engine.create("empty")
    app = HooktuiApp(world.project, mode="fleet", fleet=engine.url("reader", database="empty"))
    async with app.run_test(size=(80, 24)) as pilot:
        for key in "4321":
            await pilot.press(key)
            await until_shown(pilot, "No machine ships its log", "`hooktui ship --once`")


@pytest.mark.parametrize("interval_s", [1.0, 60.0], ids=["noticed by the monitor too", "noticed by the screen alone"])
async def test_a_server_that_comes_back_is_read_again(
    tmp_path: Path, world: HookWorld, monkeypatch: pytest.MonkeyPatch, interval_s: float
) -> None:
    monkeypatch.setattr(log_monitor, "_RETRY_S", 0.2)
    monkeypatch.setattr(log_monitor, "_MIN_INTERVAL_S", interval_s)
    log, engine = LogWorld(str(tmp_path / "log.db")), EngineProcess(tmp_path / "engine")
    engine.create()
    log.add(reason="before", decision="deny", runs=[run("guard", decision="deny")])
    engine.insert(log_rows(log.db))
    app = HooktuiApp(world.project, mode="live", fleet=engine.url())
    async with app.run_test(size=(120, 40)) as pilot:
        await until_shown(pilot, "before")
        engine.kill()
        await until_shown(pilot, "fleet unreadable")
        engine = EngineProcess(tmp_path / "engine", engine.port)
        log.add(reason="afterwards", decision="deny", runs=[run("guard", decision="deny")])
        engine.insert(log_rows(log.db, after=1))
        await until_shown(pilot, "afterwards")
        await until(pilot, lambda: "fleet unreadable" not in shown(pilot))
    engine.close()
