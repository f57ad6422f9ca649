"""Filtering the Live screen: the query language as it is typed, completed from the log."""

from __future__ import annotations

from tests.app.decision_world import DecisionWorld, decided, live, world
from tests.app.hook_world import SMALL, shown, type_text, until, until_shown
from tests.log_world import busy_day, run

__all__ = ["decided", "world"]

_SIZE = (120, 40)


async def test_what_a_filter_may_hold_lies_over_the_rows_and_moves_none(decided: DecisionWorld) -> None:
    for _ in range(40):
        decided.add(tool="Shell")
    async with decided.app().run_test(size=(80, 24)) as pilot:
        screen = await live(pilot)
        await pilot.press("slash")
        await until_shown(pilot, "event: tool: decision:")
        place = screen.decisions.region
        assert "/ Filter" not in shown(pilot)  # it would be typed
        await type_text(pilot, "Zsh")
        await until(pilot, lambda: "\n│ - excludes, *" in shown(pilot))
        await pilot.press("ctrl+a", "ctrl+k")
        await type_text(pilot, "tool:Shell")
        await pilot.press("enter")
        await until(pilot, lambda: "event: tool: decision:" not in shown(pilot))
        assert screen.decisions.region == place


async def test_filter_narrows_while_typing_completes_names_escape_shows_all_and_a_wrong_one_loses_no_rows(
    decided: DecisionWorld,
) -> None:
    busy_day(decided)
    async with decided.on_live() as pilot:
        await until_shown(pilot, "17 of 17")
        await pilot.press("slash")
        await until_shown(pilot, "event: tool: decision: effect: origin: overruled: state: hook: session:")
        await type_text(pilot, "decision:deny")
        await until_shown(pilot, "2 of 17", "● following ─ decision:deny")
        assert "✔ allow" not in shown(pilot)
        await pilot.press("escape")
        await until_shown(pilot, "17 of 17")
        assert "event: tool:" not in shown(pilot)
        await pilot.press("slash")
        await type_text(pilot, "hook:tes")
        await pilot.press("right")
        await until_shown(pilot, "hook:tests-pass", "1 of 17")
        await pilot.press("enter")
        await until_shown(pilot, "─ hook:tests-pass · esc show all")
        await pilot.press("tab", "escape")
        await until_shown(pilot, "1 of 17")
        await pilot.press("escape")
        await until_shown(pilot, "17 of 17")
        assert "hook:tests-pass" not in shown(pilot)
        await pilot.press("slash")
        await type_text(pilot, "decision:dney")
        await until_shown(pilot, "✕ decision:dney: unknown decision: did you mean deny?", "17 of 17")
        await pilot.press(*["backspace"] * 3)
        await type_text(pilot, "eny")
        await until_shown(pilot, "2 of 17")
        assert "unknown decision" not in shown(pilot)
        await pilot.press(*["backspace"] * 2)
        await until_shown(pilot, "tab decision:deny")
        await pilot.press("enter")  # in the middle of a term
        await until_shown(pilot, "✕ decision:de: unknown decision: did you mean deny?", "17 of 17")


async def test_filter_without_matches_says_so_and_finds_what_comes(decided: DecisionWorld) -> None:
    decided.add(tool="Shell")
    async with decided.on_live() as pilot:
        await pilot.press("slash")
        await type_text(pilot, "tool:Write")
        await until_shown(pilot, "No decisions match the filter.", "0 of 1")
        decided.add(tool="Write", runs=[run("newcomer")])
        await until_shown(pilot, "newcomer", "1 of 2")


async def test_live_shows_this_project_and_P_all_with_their_names(decided: DecisionWorld) -> None:  # noqa: N802
    decided.add(tool="Mine")
    decided.add(tool="Theirs", project="/home/dev/app")
    async with decided.on_live(size=SMALL) as pilot:
        await until_shown(pilot, "~/shop · P all projects", "1 of 1", "Mine")
        assert "Theirs" not in shown(pilot)
        await pilot.press("P")
        await until_shown(pilot, "2 projects · P only this project", "2 of 2")
        assert [line.split()[-2] for line in shown(pilot).splitlines() if "Mine" in line or "Theirs" in line][:2] == [
            "shop",
            "app",
        ]
        await pilot.press("P")
        await until_shown(pilot, "~/shop · P all projects", "1 of 1")
        decided.add(tool="Theirs", project="/home/dev/app")
        decided.add(tool="Later")
        await until_shown(pilot, "Later", "2 of 2")
        assert "Theirs" not in shown(pilot)


async def test_a_try_is_marked_and_is_neither_denied_nor_counted(decided: DecisionWorld) -> None:
    decided.add(decision="deny", tool="Bash")
    decided.add(decision="deny", tool="Bash", payload={"tool_input": {"command": "rm -rf /"}}, session="try", synthetic=True)
    async with decided.on_live() as pilot:
        await until_shown(pilot, "try Bash rm -rf /", "Tries", "2 of 2")
        await pilot.press("D")
        await until_shown(pilot, "denied or failed · D all", "1 of 2")
        assert "try Bash" not in shown(pilot)


async def test_one_key_leaves_only_what_was_denied_or_failed_and_one_leads_to_the_next(decided: DecisionWorld) -> None:
    named = busy_day(decided)
    async with decided.app().run_test(size=_SIZE, notifications=True) as pilot:
        screen = await live(pilot)
        assert screen.decisions.reader is not None
        (slow,) = await screen.decisions.reader.heads([named["slow"]])
        await pilot.press("D")
        await until_shown(pilot, "denied or failed · D all", "3 of 17")
        await pilot.press("D")
        await until_shown(pilot, "17 of 17")
        await pilot.press("G", "n")  # from the newest, to the last one
        await until(pilot, lambda: screen.decisions.current == named["gate"])
        await pilot.press("k", "N")
        await until(pilot, lambda: screen.decisions.current == slow)
        await pilot.press("n")
        await until(pilot, lambda: screen.decisions.current == named["denied"])
        await pilot.press("N", "N")
        await until_shown(pilot, "No denials or failures above.")


async def test_tabs_that_contain_the_words_are_marked(decided: DecisionWorld) -> None:
    decided.add(tool="Shell", runs=[run("quiet", "skipped"), run("loud", stdout="a needle in it")])
    async with decided.on_live() as pilot:
        await pilot.press("slash")
        await type_text(pilot, "needle")
        await until_shown(pilot, "Output •", "1 of 1")
        assert "Input •" not in shown(pilot)
