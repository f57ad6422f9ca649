"""Searching the decisions: all rows stay, matches are marked, and n and N go from one to the next."""

from __future__ import annotations

from hooktui.screens.widgets.filter import Filter
from tests.app.decision_world import DecisionWorld, decided, live, world
from tests.app.hook_world import shown, type_text, until, until_shown
from tests.log_world import busy_day, run

__all__ = ["decided", "world"]

_SIZE = (120, 40)


async def test_n_and_N_lead_from_match_to_match_among_all_rows(decided: DecisionWorld) -> None:  # noqa: N802
    named = busy_day(decided)
    async with decided.app().run_test(size=_SIZE, notifications=True) as pilot:
        screen = await live(pilot)
        await pilot.press("s")
        await type_text(pilot, "rm")
        await until_shown(pilot, "─ rm: 2 of 2 · n N", "17 of 17", "‖ paused")
        assert screen.decisions.current == named["denied"]
        await pilot.press("enter", "N")
        await until_shown(pilot, "─ rm: 1 of 2")
        assert screen.decisions.current == named["rewritten"]
        await pilot.press("N")
        await until_shown(pilot, "No matches above.")
        await pilot.press("n")
        await until_shown(pilot, "─ rm: 2 of 2", "• Time", "• 21 Jan 12:00")


async def test_tabs_with_search_matches_are_marked(decided: DecisionWorld) -> None:
    decided.add(tool="Shell", runs=[run("quiet", "skipped"), run("loud", stdout="a needle in it")])
    async with decided.on_live() as pilot:
        await pilot.press("s")
        await type_text(pilot, "needle")
        await until_shown(pilot, "Output •", "needle: 1 of 1")
        assert "Input •" not in shown(pilot)


async def test_search_keeps_within_the_filter_and_takes_in_what_comes(decided: DecisionWorld) -> None:
    for tool in ("Shell", "Write", "Shell"):
        decided.add(tool=tool, payload={"tool_input": {"command": "needle"}})
    async with decided.on_live() as pilot:
        await pilot.press("slash")
        await type_text(pilot, "tool:Shell")
        await until_shown(pilot, "2 of 3")
        await pilot.press("enter", "s")
        await type_text(pilot, "needle")
        await until_shown(pilot, "needle: 2 of 2")
        decided.add(tool="Shell", payload={"tool_input": {"command": "needle"}})
        decided.add(tool="Write", payload={"tool_input": {"command": "needle"}})
        await until_shown(pilot, "needle: 2 of 3", "3 of 5")


async def test_escape_ends_the_search_before_the_filter(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.on_live() as pilot:
        await pilot.press("slash")
        await type_text(pilot, "decision:deny")
        await pilot.press("enter", "s")
        await type_text(pilot, "needle")
        await until_shown(pilot, "needle: no matches", "2 of 17")
        await pilot.press("enter", "escape")
        await until(pilot, lambda: "needle" not in shown(pilot))
        assert "2 of 17" in shown(pilot)
        await pilot.press("escape")
        await until_shown(pilot, "17 of 17")
        assert not pilot.app.screen.query_one("#filter", Filter).value


async def test_a_single_project_is_not_named(decided: DecisionWorld) -> None:
    decided.add(project=decided.hooks.project)
    async with decided.on_live(size=(150, 40)) as pilot:
        await until_shown(pilot, "1 of 1")
        assert "project" not in shown(pilot)
