"""The Sessions screen: find a session, see its events and hook times."""

from __future__ import annotations

from textual.pilot import Pilot

from hooktui.screens.sessions.timeline import Timeline
from tests.app.decision_world import DecisionWorld, decided, live, world
from tests.app.hook_world import SMALL, shown, type_text, until, until_shown
from tests.log_world import NOON, busy_day, run

__all__ = ["decided", "world"]

_SIZE = (120, 40)


async def opened(pilot: Pilot[None]) -> None:
    """Go to the Sessions screen and open the latest session."""
    await pilot.press("3")
    await until_shown(pilot, "2 sessions")
    await pilot.press("enter")
    await until_shown(pilot, "tidy the build directory ─ agenthooks · ~/shop · 17 s", "10 calls")


async def test_a_session_says_who_where_when_and_what_became_of_it_and_is_previewed(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.running("2 sessions", key="3") as pilot:
        latest, other = (" ".join(line.split()) for line in shown(pilot).splitlines() if line.startswith("│ Wed 21 Jan 12:00"))
        assert "Wed 21 Jan 12:00 agenthooks tidy the build directory 17 s 10 ✕ 2 ▲ 1 5.3 s" in latest
        assert "Wed 21 Jan 12:00 claude s-b2 9 s 4 – – 42 ms" in other
        await until_shown(pilot, "─ tidy the build directory ─", "agenthooks · ~/shop · Wed 21 Jan", "10 calls  14 events")
        await until_shown(pilot, "Slowest hooks", "Dangerous command blocked: rm -rf /")
        await pilot.press("j")
        await until_shown(pilot, "─ s-b2 ─", "4 calls  4 events", "No denials.")


async def test_on_a_small_terminal_a_session_keeps_its_name(decided: DecisionWorld) -> None:
    decided.add(session="nightly-build")
    async with decided.running("21 Jan 12:00 nightly-build", key="3", size=SMALL) as pilot:
        assert "project" not in shown(pilot)


async def test_sessions_are_ordered_by_their_last_event(decided: DecisionWorld) -> None:
    for session in ("early", "late", "early"):
        decided.add(session=session)
    async with decided.running("Last ", "Wed 21 Jan 12:00 early", "Wed 21 Jan 12:00 late", key="3") as pilot:
        assert shown(pilot).index("early") < shown(pilot).index("late")


async def test_async_hooks_are_marked_and_do_not_lead_the_slowest(decided: DecisionWorld) -> None:
    decided.add(runs=[run("notify", duration_ms=900.0), run("format-py", started_ms=1.0, duration_ms=8.0)], duration_ms=10.0)
    async with decided.running("1 session", key="3") as pilot:
        await pilot.press("enter")
        await until_shown(pilot, "┄ async", "┄", "▸", "notify async")
        assert shown(pilot).index("format-py ") < shown(pilot).index("notify async")


async def test_events_that_no_hook_ran_for_took_nothing(decided: DecisionWorld) -> None:
    decided.add("post-session", duration_ms=0.02)
    async with decided.running("1 session", key="3") as pilot:
        await pilot.press("enter")
        await until_shown(pilot, "+0.0s post-session")
        await pilot.press("enter")
        await until_shown(pilot, "agenthooks · post-session · 2026-01-21 12:00:00")
        assert "0.0 ms" not in "".join(line for line in shown(pilot).splitlines() if "post-session" in line)


async def test_filter_finds_the_day_that_the_rows_show_the_agent_or_the_title_and_every_word_must_match(
    decided: DecisionWorld,
) -> None:
    busy_day(decided)
    async with decided.running("Wed 21 Jan 12:00 claude     s-b2", key="3", size=SMALL) as pilot:
        await pilot.press("slash")
        for words, title in (
            ("21 jan wed tidy", "tidy the build directory"),
            ("clau", "s-b2"),
            ("build dir", "tidy the build"),
        ):
            await type_text(pilot, words)
            await until_shown(pilot, "1 session ", title)
            await pilot.press("ctrl+u")
        for words in ("thu", "claux"):
            await type_text(pilot, words)
            await until_shown(pilot, "No sessions match the filter.")
            await pilot.press("ctrl+u")
            await until_shown(pilot, "2 sessions")
        await type_text(pilot, "clau")
        await until(pilot, lambda: "tidy the build" not in shown(pilot))
        await pilot.press("escape")
        await until_shown(pilot, "2 sessions", "tidy the build")


async def test_no_session_yet_says_what_to_do_the_first_appears_and_a_try_is_distinguished_from_it(
    decided: DecisionWorld,
) -> None:
    async with decided.running("No sessions yet.", "W  watch the demo", key="3") as pilot:
        decided.add(session="first-one")
        await until_shown(pilot, "first-one", "1 session")
        assert "Tries" not in shown(pilot)
        decided.add(session="try", synthetic=True)
        await until_shown(pilot, "first-one", "Tries")


async def test_timeline_has_a_line_a_call_with_its_subject_its_gates_and_its_runs_as_bars_and_a_summary(
    decided: DecisionWorld,
) -> None:
    busy_day(decided)
    async with decided.running() as pilot:
        await opened(pilot)
        await until_shown(pilot, "10 calls  14 events  ✕ 2 denied  ✎ 1 rewrote  ▲ 1 failure", "5.3 s in hooks, 31 % of 17 s")
        text = " ".join(shown(pilot).split())
        assert "Shell cd /tmp⏎rm -rf /" in text
        assert "audit 9 ▲ 1 11 ms 4.0 s 4.1 s" in text
        assert "Dangerous command blocked: rm -rf /" in text
        await until_shown(pilot, "▲ timeout audit +1", "◆ stop blocked ×1")
        await until_shown(pilot, "Shell rm -rf ./build", "Shell cd /tmp⏎rm -rf /", "tidy the build directory")
        line = next(line for line in shown(pilot).splitlines() if "▲ timeout" in line)
        assert line.count("━") > 9
        assert "4.2 s   2.0 s" in line
        assert "0──" in shown(pilot)
        assert "5.0 s" in shown(pilot)
        await pilot.resize_terminal(80, 24)
        await pilot.press("G")
        await until_shown(pilot, "Shell rm -rf ./build")
        await pilot.press("tab", "end")
        await until_shown(pilot, "Dangerous command blocked: rm -rf /")
        assert shown(pilot).splitlines()[-2].startswith("╰"), "the summary ends where it is seen"


async def test_loops_are_marked(decided: DecisionWorld) -> None:
    for _ in range(4):
        decided.add(tool="Shell", decision="deny", reason="no", session="s-a1")
    async with decided.running("1 session", key="3") as pilot:
        await pilot.press("enter")
        await until_shown(pilot, "↻ loop ×3", "↻ loop ×4")


async def test_enter_shows_a_dispatch_escape_leads_back_and_an_open_session_grows(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await opened(pilot)
        await pilot.press("G", "k", "enter")
        await until_shown(pilot, "✕ denied by block-dangerous ─ Dangerous", "✔ block-dangerous")
        await pilot.press("j")
        await until_shown(pilot, "✕ denied by tests-pass ─ 2 tests fail")
        await pilot.press("escape")
        await until_shown(pilot, "Slowest hooks")
        decided.add("post-session", session="s-a1", runs=[run("farewell")])
        await until_shown(pilot, "10 calls", "15 events")
        await pilot.press("escape")
        await until_shown(pilot, "2 sessions")


async def test_session_opened_from_live_is_that_of_the_row(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        await pilot.press("slash")
        await type_text(pilot, "host:claude")
        await until_shown(pilot, "4 of 17")
        await until(pilot, lambda: screen.decisions.row(screen.decisions.results[-1]))
        await pilot.press("enter", "enter")
        await until_shown(pilot, "s-b2 ─ claude")


async def test_sessions_are_sorted_by_the_next_column_or_by_the_one_that_is_clicked(decided: DecisionWorld) -> None:
    decided.add(session="quick", at=NOON + 60)
    decided.add(session="long", at=NOON)
    decided.add(session="long", at=NOON + 50)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await pilot.press("3")
        await until(pilot, lambda: 0 < shown(pilot).find("quick") < shown(pilot).find("long"))
        await pilot.press("S", "D")
        await until_shown(pilot, "Sessions by length ─ denied or failed")
        await pilot.press("D")
        await until(pilot, lambda: 0 < shown(pilot).find("long") < shown(pilot).find("quick"))
        await pilot.click("#all Heads", offset=(2, 0))
        await until(pilot, lambda: "by length" not in shown(pilot))
        await until(pilot, lambda: 0 < shown(pilot).find("quick") < shown(pilot).find("long"))


async def test_a_session_is_compared_with_one_of_a_list_which_keeps_its_cursor_while_sessions_go_on(
    decided: DecisionWorld,
) -> None:
    busy_day(decided)
    async with decided.running("2 sessions", key="3") as pilot:
        await pilot.press("C")
        await until_shown(pilot, "Compare tidy the build directory with", "s-b2", "enter Compare")
        await pilot.press("enter")
        await until_shown(pilot, "Two sessions", "0  (−2)", "−4.0 s", "only first")
        await pilot.press("escape", "escape", "j", "C", "enter")
        await until_shown(pilot, "Two sessions", "2  (+2)", "+4.0 s", "930 ms  only second")
        await pilot.press("escape", "escape")
        decided.add(session="s-a1", decision="deny")
        await until_shown(pilot, "✕ 3")
        decided.add(session="s-c3", host="copilot")
        await until_shown(pilot, "3 sessions", "s-c3")
        await pilot.press("enter")
        await until_shown(pilot, "s-b2 ─ claude")


async def test_sessions_of_other_projects_are_shown_with_their_project_when_wanted(decided: DecisionWorld) -> None:
    decided.add(session="mine")
    decided.add(session="theirs", project="/home/dev/app")
    async with decided.running("Sessions ─ ~/shop · P all projects", "mine", key="3", size=SMALL) as pilot:
        assert "theirs" not in shown(pilot)
        await pilot.press("P")
        await until_shown(pilot, "Sessions ─ 2 projects · P only this project", "theirs", "mine")


async def test_a_session_without_a_denial_or_failure_says_so(decided: DecisionWorld) -> None:
    decided.add(tool="Shell", session="calm")
    async with decided.running("1 session", key="3") as pilot:
        await pilot.press("enter", "D")
        await until_shown(pilot, "Nothing was denied, and no hook failed.", "D  show all", "0 of 1")
        await pilot.press("D")
        await until_shown(pilot, "Shell", "1 call")


async def test_one_key_leaves_only_sessions_and_events_that_were_denied_or_failed(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.running("2 sessions", key="3") as pilot:
        await pilot.press("D")
        await until_shown(pilot, "denied or failed · D all", "1 session ")
        await pilot.press("enter")
        await until_shown(pilot, "tidy the build directory", "+16.0s")
        timeline = pilot.app.screen.query_one(Timeline)
        assert len(timeline.results) == 13
        await pilot.press("n")
        await until(pilot, lambda: timeline.current not in (None, timeline.results[0]))
        await pilot.press("D")
        await until(pilot, lambda: len(timeline.results) == 3)
        await until_shown(pilot, "3 of 13")
        await pilot.press("D")
        await until(pilot, lambda: len(timeline.results) == 13)
