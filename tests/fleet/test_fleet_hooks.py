"""The Hooks screen of a fleet on the real engine: its hooks, their machines, and the ways to and from decisions."""

from __future__ import annotations

import pytest

from hooktui.app import HooktuiApp
from hooktui.fleet.overview import RuleOnMachine
from hooktui.screens.fleet.fleet_table import FleetTable
from hooktui.screens.keys.help import entries
from hooktui.screens.widgets.dispatch_detail import DispatchDetail
from tests.app.hook_world import shown, until, until_shown, world
from tests.fleet.test_fleet_screen import app
from tests.snapshots.conftest import as_before
from tests.snapshots.looking import AsBefore

__all__ = ["app", "as_before", "world"]

GUARD = "✕ missing on dev-1 · ≠ differs on dev-3"


async def test_a_hook_leads_to_its_decisions_and_a_decision_to_its_hook(app: HooktuiApp) -> None:
    """The newest decision is one where format-py failed; in those that were denied, block-dangerous mattered more."""
    async with app.run_test(size=(120, 40)) as pilot:
        await until_shown(pilot, "8 machines")
        await pilot.press("1")
        await until_shown(pilot, "▾ pre-tool-call", "✕ format-py  ▲ 35", "✕ block-dangerous  ✕ 17", "✕ no-secrets")
        await pilot.press("j")
        await until_shown(pilot, GUARD, "6 of 7 run it", "old on 5 machines · new on dev-3")
        await pilot.press("enter")
        await until_shown(pilot, "─ hook:block-dangerous ·", "165 of 189")
        await pilot.press("4", "1", "g", "2")
        decision = app.screen.query_one(DispatchDetail)
        await until(pilot, lambda: decision.report)
        await pilot.press("o")
        await until_shown(pilot, "Hooks by event", "Machines ─ format-py")
        await pilot.press("2", "slash", *"hook:block-dangerous decision:deny", "enter")
        await until_shown(pilot, "20 of 189")
        await until(pilot, lambda: decision.report and decision.report["decision"] == "deny")
        await pilot.press("o")
        await until_shown(pilot, "Hooks by event", GUARD)
        machines: FleetTable[RuleOnMachine] = app.screen.query_one("#on-machines", FleetTable)
        await until(pilot, lambda: machines.current and machines.current.machine == dict(decision.report or {})["machine"])
        await pilot.press("right", "slash", *"differs", "enter", "enter")
        await until_shown(pilot, "─ hook:block-dangerous machine:dev-3 ·", "24 of 189")


async def test_a_rule_of_the_fleet_screen_leads_to_its_hook(app: HooktuiApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await until_shown(pilot, "8 machines")
        await pilot.press("right", "j", "j", "o")
        await until_shown(pilot, "Hooks by event", "✕ not approved on dev-2", "Machines ─ no-secrets")


async def test_a_click_shows_a_row_and_a_double_click_its_decisions(app: HooktuiApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await until_shown(pilot, "8 machines")
        await pilot.click("#rules", offset=(2, 1))
        await until_shown(pilot, "6 of 7 run it")
        assert app.current_mode == "fleet"
        await pilot.click("Header", offset=(2, 0))
        await until_shown(pilot, "Hooks by event", "✕ block-dangerous")
        await pilot.click("#fleet-hooks", offset=(8, 2))
        await until_shown(pilot, GUARD, "Machines ─ block-dangerous")
        await pilot.click("#on-machines", offset=(2, 1), times=2)
        await until_shown(pilot, "─ hook:block-dangerous machine:dev-3 ·")


async def test_only_keys_that_work_on_a_fleet_are_listed(app: HooktuiApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await until_shown(pilot, "8 machines")
        for mode, title in enumerate(("Hooks by event", "following", "Sessions", "Machines"), start=1):
            await pilot.press(str(mode))
            await until_shown(pilot, title)
            listed = {entry.description for entry in entries(app.screen, {})}
            assert not listed & {"Create a hook", "Create a hook for calls like this", "Try this event again"}
            assert not listed & {"Review and approve the skipped hook", "Connect an agent program", "Diagnostics screen"}
        await until(pilot, lambda: "Diagnostics" not in shown(pilot))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
async def test_hooks_of_a_fleet(app: HooktuiApp, as_before: AsBefore, size: tuple[int, int]) -> None:
    async with app.run_test(size=size) as pilot:
        await until_shown(pilot, "8 machines")
        await pilot.press("1", "j")
        await until_shown(pilot, GUARD[:18], "7 machines")
        await as_before(pilot, "light" if size == (80, 24) else "dark")
