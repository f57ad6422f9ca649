"""A fix is applied only after all of its changes were visible: beside the problem, else in a dialog."""

from __future__ import annotations

import os

import pytest
from textual.content import Content

from hooktui.app import HooktuiApp
from hooktui.catalog import catalog
from hooktui.screens.diagnostics.problem_detail import ProblemDetail
from hooktui.screens.widgets.fields import FieldList
from tests.app.hook_world import SMALL, HookWorld, read, shown, until, until_shown, until_still, world

__all__ = ["world"]

SLIPS = "priorty: 3\ntimeot: 9000\nasynk: true\n"


def without_a_script(world: HookWorld) -> str:
    """A hook whose script is missing; where it should be."""
    script = os.path.join(os.path.dirname(world.add("guard", scope="user")), "scripts", "run.sh")
    os.remove(script)
    return script


async def test_a_script_that_f_would_make_is_shown_first(world: HookWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HooktuiApp, "NOTIFICATION_TIMEOUT", 3600.0)  # a busy machine may miss one of 5 s
    script = without_a_script(world)
    async with world.running("f create scripts/run.sh", size=SMALL, notifications=True) as pilot:
        await pilot.press("f")
        await until_shown(pilot, "Fix 1 problem?", "+  #!/bin/sh", "f Fix")
        assert not os.path.exists(script)
        await pilot.press("escape", "f")
        await until_shown(pilot, "Fix 1 problem?")
        await pilot.press("f")
        await until(pilot, lambda: os.path.exists(script))
        await until_shown(pilot, "create scripts/run.sh: done")
        await pilot.press("u")
        await until(pilot, lambda: not os.path.exists(script))


async def test_the_same_on_the_diagnostics_screen(world: HookWorld) -> None:
    script = without_a_script(world)
    async with world.running("missing-entry", "+  #!/bin/sh", key="4", size=SMALL) as pilot:
        await pilot.press("f")
        await until_shown(pilot, "Fix 1 problem?")
        await pilot.press("f")
        await until(pilot, lambda: os.path.exists(script))


async def test_a_change_counts_as_shown_only_when_its_lines_have_their_places(world: HookWorld) -> None:
    world.add("guard", scope="user", front="priorty: 3\n")
    async with world.running("+  priority: 3", key="4") as pilot:
        await until_still(pilot)
        detail = pilot.app.screen.query_one(ProblemDetail)
        [problem] = [problem for problem in catalog.load(world.project).diagnostics if problem.fix]
        assert detail.shows_whole(problem)
        detail.query_one("#excerpt", FieldList).show([("+", Content("line"))] * 100)
        assert not detail.shows_whole(problem)


async def test_what_the_list_below_a_hook_does_not_show_is_shown_first_as_it_is_typed(world: HookWorld) -> None:
    file = world.add("guard", scope="user", front=SLIPS)
    before = read(file)
    async with world.running("3 problems", size=SMALL) as pilot:
        await pilot.press("enter", "ctrl+end", "x", "escape")
        await until_shown(pilot, "modified")
        await until_still(pilot)
        pilot.app.screen.query_one("#problems").scroll_end(animate=False)
        await until(pilot, lambda: "priorty is" not in shown(pilot))
        await pilot.press("f")
        await until_shown(pilot, "Fix 1 problem?", "-  priorty: 3", "+  priority: 3")
        await pilot.press("f")
        await until_shown(pilot, "2 problems", "modified")
        assert read(file) == before
        await pilot.press("ctrl+s")
        await until(pilot, lambda: read(file) == before.replace("priorty", "priority") + "x")
