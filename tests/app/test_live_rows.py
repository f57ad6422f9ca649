"""Rows of the Live screen."""

from __future__ import annotations

import re
import time

from hooktui.log.read.reader import LogReader
from hooktui.log.read.search import Commits
from tests.app.decision_world import DecisionWorld, decided, live, world
from tests.app.hook_world import shown, until, until_shown
from tests.log_world import NOON, run

__all__ = ["decided", "world"]

_SIZE = (120, 40)


def shell(world: DecisionWorld, command: str) -> int:
    return world.add(tool="Shell", payload={"tool_name": "Shell", "tool_input": {"command": command}}, runs=[run("audit")])


def row_of(text: str, word: str) -> str:
    return next(line for line in text.splitlines() if word in line)


async def test_a_sessions_first_row_gets_the_title_that_its_prompt_gives_it(decided: DecisionWorld) -> None:
    shell(decided, "ls")
    decided.add("pre-session", session="abc-123")
    async with decided.app().run_test(size=(200, 40)) as pilot:
        await live(pilot)
        await until_shown(pilot, "abc-123")
        decided.add("pre-agent-turn", session="abc-123", payload={"prompt": "Fix the header"})
        await until(pilot, lambda: "abc-123" not in shown(pilot) and shown(pilot).count("Fix the header") > 2)


async def test_rows_name_their_agents_once_there_are_several(decided: DecisionWorld) -> None:
    shell(decided, "ls")
    async with decided.on_live() as pilot:
        await until_shown(pilot, "Shell ls", "─ agenthooks · ")
        assert "Agent" not in row_of(shown(pilot), "│ Time")
        decided.add(tool="Bash", host="codex")
        await until(pilot, lambda: "Agent" in row_of(shown(pilot), "│ Time"))
        await until_shown(pilot, "─ codex · PreToolUse")
        assert "agenthooks" in row_of(shown(pilot), "Shell ls")


async def test_rows_of_today_leave_the_room_of_a_day_to_the_call(decided: DecisionWorld) -> None:
    decided.add(tool="Shell", at=time.time())
    async with decided.on_live() as pilot:
        await until(pilot, lambda: re.search(r"│ \d\d:\d\d:\d\d Shell", shown(pilot)) is not None)
        decided.add(tool="Write", at=NOON)
        await until(pilot, lambda: re.search(r"│ 21 Jan 12:00 Write", shown(pilot)) is not None)
        assert re.search(r"│ \d\d:\d\d:\d\d     Shell", shown(pilot))


async def test_an_empty_list_has_the_focus_and_keeps_it_when_rows_come(decided: DecisionWorld) -> None:
    async with decided.running("No sessions yet.", key="3") as pilot:
        assert pilot.app.focused is pilot.app.screen.query_one("#sessions")
        await pilot.press("2")
        await until_shown(pilot, "No decisions yet.")
        assert pilot.app.focused is pilot.app.screen.query_one("#decisions")
        for tool in ("Read", "Write"):
            decided.add(tool=tool)
        await until_shown(pilot, "Read", "Write")
        await pilot.press("k")
        await until_shown(pilot, "‖ paused")
        await pilot.press("3")
        await until_shown(pilot, "s1", "1 session")
        assert pilot.app.focused is pilot.app.screen.query_one("#sessions")


class Telling(LogReader):
    """Counts the requests for new rows."""

    news = 0

    async def committed(self, after: int) -> Commits:
        fresh = await super().committed(after)
        self.news += len(fresh.new)
        return fresh


async def test_earlier_records_are_listed_and_not_counted_as_new(decided: DecisionWorld) -> None:
    for _ in range(300):
        decided.add(tool="Shell")
    app = decided.app()
    async with app.run_test(size=_SIZE) as pilot:
        await until(pilot, lambda: app.reader is not None)
        replaced, app.reader = app.reader, (reader := Telling(decided.db))
        assert replaced is not None
        await replaced.close()
        await live(pilot)
        decided.add(tool="Write")
        await until_shown(pilot, "Write", "301 of 301")
        assert reader.news == 1
        await reader.close()


async def test_plus_unfolds_the_events_of_a_call_and_folds_them_again(decided: DecisionWorld) -> None:
    call = {"tool_input": {"command": "make"}, "tool_use_id": "a"}
    for event, hook in (("pre-tool-call", "guard"), ("post-tool-call", "lint")):
        decided.add(event, tool="Shell", payload=call, runs=[run(hook)])
    async with decided.on_live() as pilot:
        await until_shown(pilot, "1 of 1", "guard +1", "Hooks 2")
        await pilot.press("plus")
        await until_shown(pilot, "└ post-tool-call Shell make", "1 of 1", "Hooks 1")
        await pilot.press("j", "plus")
        await until_shown(pilot, "guard +1", "Hooks 2")
        assert "└" not in shown(pilot)


async def test_a_long_name_of_a_hook_leaves_room_for_the_number_of_the_others(decided: DecisionWorld) -> None:
    decided.add(tool="Shell", runs=[run("check-the-migrations-of-all-databases"), run("lint")])
    async with decided.on_live(size=(80, 24)) as pilot:
        await until_shown(pilot, "check-the-m… +1")
