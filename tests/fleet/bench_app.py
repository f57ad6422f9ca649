"""The app on a fleet: `python -m tests.fleet.bench_app URL` prints as JSON what its screens wait for, and its memory.

Milliseconds until the Fleet screen shows a day and 30 days, until Live has its first rows and all of a search, and until
Sessions has its rows; and the megabytes that the process held at most, after it showed rows all over the matches.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile

from textual.pilot import Pilot

from hooktui.app import HooktuiApp
from hooktui.screens.fleet.fleet_table import FleetPane
from hooktui.screens.fleet.screen import FleetScreen
from hooktui.screens.live.screen import LiveScreen
from hooktui.screens.widgets.decision_list import DecisionList
from tests.bench.bench_live import has_sessions, is_there, until
from tests.bench.figure import peak_mb

_STEPS = 100  # places in the matches that are shown


async def measure(app: HooktuiApp) -> dict[str, float]:
    """Visit the screens."""
    took: dict[str, float] = {}
    async with app.run_test(size=(120, 40)) as pilot:
        took["Fleet: a day"] = await until(lambda: _has_machines(app, "last day"))
        took["Fleet: 30 days"] = await until(lambda: _has_machines(app, "last 30 days"), lambda: _fleet(app).action_window(2))
        took["Live: first rows"] = await until(lambda: _has_decisions(app), lambda: app.switch_mode("live"))
        decisions = _live(app).decisions
        took["Live: all matches"] = await until(lambda: decisions.results.complete)
        await _scroll(pilot, decisions)
        took["Sessions"] = await until(lambda: has_sessions(app), lambda: app.switch_mode("sessions"))
        await pilot.press("enter")
        await pilot.pause(1)
    return took | {"memory": peak_mb()}


def _fleet(app: HooktuiApp) -> FleetScreen:
    assert isinstance(app.screen, FleetScreen)
    return app.screen


def _live(app: HooktuiApp) -> LiveScreen:
    assert isinstance(app.screen, LiveScreen)
    return app.screen


def _has_machines(app: HooktuiApp, window: str) -> bool:
    """Whether the Fleet screen shows the machines of a window, and reads no other."""
    panes = app.screen.query(FleetPane) if isinstance(app.screen, FleetScreen) else ()
    titles = [str(pane.border_title) for pane in panes if pane.table.rows]
    return any(window in title and "…" not in title for title in titles)


def _has_decisions(app: HooktuiApp) -> bool:
    return isinstance(app.screen, LiveScreen) and app.screen.is_mounted and is_there(_live(app).decisions)


async def _scroll(pilot: Pilot[None], decisions: DecisionList) -> None:
    """Show rows all over the matches."""
    for step in range(_STEPS + 1):
        decisions.go_to(step * (len(decisions.results) - 1) // _STEPS)
        await pilot.pause()
        await until(lambda: is_there(decisions))


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as project:
        print(json.dumps(asyncio.run(measure(HooktuiApp(project, mode="fleet", fleet=sys.argv[1])))))


if __name__ == "__main__":
    main()
