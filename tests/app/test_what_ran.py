"""From a run to the text that ran, and whether it is today's."""

from __future__ import annotations

import os

from textual.pilot import Pilot

from hooktui.catalog import catalog
from hooktui.core.model import Run
from tests.app.decision_world import DecisionWorld, decided, world
from tests.app.hook_world import BLOCKER, QUIET, until, until_shown, write

__all__ = ["decided", "world"]

_SIZE = (100, 34)


def ran(decided: DecisionWorld) -> str:
    """Run a hook of the project; return its directory."""
    file = decided.hooks.add("guard", script=QUIET)
    (hook,) = catalog.load(decided.hooks.project).hooks
    decided.add(tool="Shell", runs=[Run(id=0, hook=hook, state="ok")])
    return os.path.dirname(file)


async def opened(pilot: Pilot[None]) -> None:
    """The text that ran in the only event of the only session."""
    await pilot.press("3")
    await until_shown(pilot, "1 session")
    await pilot.press("enter")
    await until_shown(pilot, "Slowest hooks", "+0.0s")
    await pilot.press("enter")
    await until_shown(pilot, "✔ guard")
    await until(pilot, lambda: pilot.app.catalog is not None)  # type: ignore[attr-defined]
    await pilot.press("V")
    await until_shown(pilot, "What ran: guard")


async def test_what_ran_is_shown_with_its_script_and_each_change_since_and_can_be_read_when_the_hook_is_gone(
    decided: DecisionWorld,
) -> None:
    directory = ran(decided)
    async with (app := decided.app()).run_test(size=_SIZE) as pilot:
        await opened(pilot)
        await until_shown(pilot, "✔ The hook has not changed since.", "--- scripts/run.sh", "cat >/dev/null")
        await pilot.press("escape")
        await until_shown(pilot, "✔ guard")
        before = app.catalog
        write(os.path.join(directory, "scripts", "run.sh"), BLOCKER)
        await until(pilot, lambda: app.catalog is not before)
        await pilot.press("V")
        await until_shown(pilot, "▲ The hook has changed since.", '+echo "not that" >&2', "+exit 2", "As it ran")
        await pilot.press("escape")
        os.rename(os.path.join(directory, "HOOK.md"), os.path.join(directory, "gone"))
        await until(pilot, lambda: app.catalog and not app.catalog.hooks)
        await pilot.press("V")
        await until_shown(pilot, "· The hook is not in this project.", "description: The hook guard")
