"""A hook's History tab."""

from __future__ import annotations

import os

from hooktui.catalog import catalog
from hooktui.core.model import Hook, Outcome, Run
from tests.app.decision_world import DecisionWorld, decided, world
from tests.app.hook_world import BLOCKER, QUIET, shown, until_shown, write

__all__ = ["decided", "world"]

_SIZE = (110, 40)


def hook_of(decided: DecisionWorld) -> Hook:
    (hook,) = catalog.load(decided.hooks.project).hooks
    return hook


async def test_history_tells_what_became_of_a_hook_and_what_was_changed(decided: DecisionWorld) -> None:
    file = decided.hooks.add("guard", script=QUIET)
    first = hook_of(decided)
    decided.add(tool="Shell", runs=[Run(id=0, hook=first, state="ok", duration_ms=5.0)])
    decided.add(tool="Shell", runs=[Run(id=0, hook=first, state="timeout", duration_ms=900.0)])
    write(os.path.join(os.path.dirname(file), "scripts", "run.sh"), BLOCKER)
    decided.hooks.approve("guard")
    denied = Run(id=0, hook=hook_of(decided), state="ok", outcome=Outcome(decision="deny"), duration_ms=40.0)
    decided.add(tool="Shell", decision="deny", runs=[denied])
    decided.add(tool="Read", runs=[Run(id=0, hook=hook_of(decided), state="skipped", skip="tool-mismatch")])
    async with decided.running("● guard", "saved", size=_SIZE) as pilot:
        await pilot.press("H")
        await until_shown(
            pilot,
            "considered 4  ran 3  ✕ denied 1  ▲ timed out 1",
            "last matched Wed 21 Jan 12:00, 1 event ago",
            "took p50 40 ms, p95 900 ms in its newest runs",
            '+echo "not that" >&2',
            f"● {first.version[:12]}",
        )
        await pilot.press("escape")
        await until_shown(pilot, "space On/off")


async def test_a_hook_that_nothing_happened_to_says_so(decided: DecisionWorld) -> None:
    decided.hooks.add("guard")
    decided.add()
    async with decided.running("● guard", "saved", size=_SIZE) as pilot:
        await pilot.press("H")
        await until_shown(pilot, "No run of this hook is recorded yet. t tries it now.")


async def test_times_that_nobody_recorded_are_not_told(decided: DecisionWorld) -> None:
    decided.hooks.add("guard")
    decided.add(tool="Shell", runs=[Run(id=0, hook=hook_of(decided), state="ok", duration_ms=0.0)])
    async with decided.running("● guard", "saved", size=_SIZE) as pilot:
        await pilot.press("H")
        await until_shown(pilot, "considered 1  ran 1")
        assert "p95" not in shown(pilot)
