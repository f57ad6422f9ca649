"""The Live screen: decisions appear as they are made, can be followed, and stay available."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from typing import Any

import pytest
from textual.events import MouseScrollUp

from hooktui.app import HooktuiApp
from hooktui.core import ids
from hooktui.core.settings import Settings
from hooktui.log.read.reader import LogReader
from hooktui.log.store import retention
from hooktui.screens.services.log_monitor import CatalogLoader
from hooktui.screens.widgets.decision_list import DecisionList
from tests.app.decision_world import DecisionWorld, decided, live, world
from tests.app.hook_world import SMALL, shown, type_text, until, until_shown
from tests.bench.generate_log import generate
from tests.log_world import NOON, busy_day, run

__all__ = ["decided", "world"]

_SIZE = (120, 40)


async def test_a_row_says_when_what_how_who_how_long_and_which_hook_failed_and_names_no_single_project(
    decided: DecisionWorld,
) -> None:
    force = {"tool_input": {"command": "rm -rf /"}}
    runs = [run("guard"), run("audit")]
    decided.add(tool="Shell", payload=force, decision="deny", reason="no", runs=runs, session="s-a1", duration_ms=4210)
    decided.add("pre-agent-turn", payload={"prompt": "tidy the build directory"})
    decided.add(runs=[run("quick"), run("slow", "timeout")])
    async with decided.on_live(size=(150, 40)) as pilot:
        await until_shown(pilot, "3 of 3", "pre-agent-turn tidy the build directory", "▲ timeout slow +1")
        row = next(line for line in shown(pilot).splitlines() if "21 Jan 12:00 " in line)
        assert " ".join(row.split()[1:-1]) == "21 Jan 12:00 Shell rm -rf / ✕ deny guard +1 4.2 s s-a1"
        assert "project" not in shown(pilot)


async def test_which_command_was_denied_by_which_hook_is_seen_without_opening_anything(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.on_live(size=SMALL) as pilot:
        await pilot.press("k")
        await until_shown(pilot, "Shell cd /tmp", "✕ denied by block-dangerous ─ Dangerous command blocked")
        assert "│ Shell cd /tmp⏎rm -rf /" in shown(pilot)


async def test_the_first_event_ever_appears_and_until_then_keys_that_need_one_are_dimmed_and_say_why(
    decided: DecisionWorld,
) -> None:
    texts = "No decisions yet.", "W  watch the demo", "w Why not"
    async with decided.running(*texts, key="2", notifications=True) as pilot:
        await until(pilot, lambda: not pilot.app.screen.active_bindings["w"].enabled)
        await pilot.press("w")
        await until_shown(pilot, "Select a decision first.")
        decided.add(runs=[run("first-of-all")])
        await until_shown(pilot, "first-of-all", "1 of 1")
        await until(pilot, lambda: pilot.app.screen.active_bindings["w"].enabled)


async def test_events_that_come_while_the_log_is_read_are_counted_once(decided: DecisionWorld) -> None:
    async with decided.app().run_test(size=_SIZE) as pilot:
        await pilot.press("2")
        for _ in range(30):
            decided.add(tool="Shell")
            await asyncio.sleep(0)
        await until_shown(pilot, "30 of 30")


async def test_moving_up_pauses_and_counts_what_is_new_until_it_is_reached_and_space_or_the_end_key_follows_again(
    decided: DecisionWorld,
) -> None:
    first, second = decided.add(tool="Shell"), decided.add(tool="Shell")
    async with decided.on_live() as pilot:
        decisions = pilot.app.screen.query_one(DecisionList)
        await until_shown(pilot, "● following", "space Pause")
        await pilot.press("space")
        await until_shown(pilot, "‖ paused", "space Follow")
        await pilot.press("k")
        newest = [decided.add(tool="Write") for _ in range(3)][-1]
        await until_shown(pilot, "‖ paused · 3 new", "5 of 5")
        assert decisions.current == first != second
        await pilot.press("space")
        await until_shown(pilot, "● following", "space Pause")
        assert decisions.current == newest
        await pilot.press("k")
        for _ in range(3):
            decided.add(tool="Write")
        await until_shown(pilot, "‖ paused · 3 new · space follows", "space Follow")
        await pilot.press("j", "j")
        await until_shown(pilot, "‖ paused · 2 new · space follows")
        await pilot.press("k")
        await until_shown(pilot, "‖ paused · 2 new · space follows")
        await pilot.press("j", "j", "j")
        await until(pilot, lambda: "new" not in shown(pilot))
        assert "‖ paused" in shown(pilot)
        await pilot.press("k", "G")
        await until_shown(pilot, "● following")
        last = decided.add(tool="Write")
        await until(pilot, lambda: decisions.current == last)


async def test_page_keys_reach_any_row_of_a_long_log(decided: DecisionWorld) -> None:
    generate(decided.db, 2000)  # some 1,100 calls and other events
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        await until_shown(pilot, "No decisions in this project yet.", "P  show all projects")
        await pilot.press("P")
        await until(pilot, lambda: len(screen.decisions.results) > 1000 and screen.decisions.results.complete)
        found = screen.decisions.results
        last = len(found) - 1
        await until_shown(pilot, f"{len(found):,} of {len(found):,}")
        for key, row in (
            ("home", 0),
            ("pagedown", None),
            ("end", last),
            ("pageup", None),
            ("g", 0),
            ("G", last),
            ("k", last - 1),
        ):
            await pilot.press(key)
            await until(pilot, lambda: screen.decisions.current is not None and screen.decisions.row(screen.decisions.current))
            if row is not None:
                assert screen.decisions.current == found[row]
        assert found.row_of(screen.decisions.current or 0) == last - 1


async def test_click_puts_the_cursor_there_and_another_theme_paints_other_colours(decided: DecisionWorld) -> None:
    first, _ = decided.add(tool="Shell"), decided.add(tool="Write")
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        await pilot.click("#decisions", offset=(20, 0))
        await until(pilot, lambda: screen.decisions.current == first)
        for theme in ("hooktui-light", "nord", "ansi-light"):
            before = screen.decisions.render_line(0)
            pilot.app.theme = theme
            await until(pilot, lambda before=before: screen.decisions.render_line(0) != before)  # type: ignore[misc]
            assert screen.decisions.render_line(0).text == before.text


_PEER = """
import sys
sys.path.insert(0, sys.argv[2])
from tests.log_world import LogWorld
LogWorld(sys.argv[1]).add(tool="FromAfar", at=float(sys.argv[3]), project=sys.argv[4])
"""


async def test_event_of_another_process_is_followed_and_one_that_took_long_is_put_where_it_began(
    decided: DecisionWorld, pytestconfig: pytest.Config
) -> None:
    decided.add(at=time.time() - 1)
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        peer = (sys.executable, "-c", _PEER, decided.db, str(pytestconfig.rootpath), str(time.time()), decided.project)
        subprocess.run(peer, check=True)
        await until_shown(pilot, "● following", "FromAfar", "2 of 2")
        assert screen.decisions.current == screen.decisions.results[-1]
        assert ids.seconds(screen.decisions.results[-1]) > time.time() - 60
        late = decided.add(at=NOON)
        await until(pilot, lambda: len(screen.decisions.results) == 3)
        assert screen.decisions.results[0] == late


async def test_mouse_wheel_looks_back_without_moving_the_cursor(decided: DecisionWorld) -> None:
    numbers = [decided.add() for _ in range(60)]
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        wheel = MouseScrollUp(screen.decisions, 5, 5, 0, 0, 0, shift=False, meta=False, ctrl=False)
        before = screen.decisions.scroll_offset.y
        screen.decisions.post_message(wheel)
        await until(pilot, lambda: screen.decisions.scroll_offset.y < before)
        await until_shown(pilot, "‖ paused")
        assert screen.decisions.current == numbers[-1]


async def test_pruned_records_leave_the_list(decided: DecisionWorld) -> None:
    for number in range(5):
        decided.add(tool=f"Old{number}", at=NOON - 100 * 86_400 + number)
    decided.add(tool="Kept", at=NOON)
    async with decided.on_live() as pilot:
        await until_shown(pilot, "Old4", "Kept", "6 of 6")
        await asyncio.to_thread(retention.prune, decided.db, Settings(keep_days=30), NOON + 10)
        await until_shown(pilot, "Kept", "1 of 1")
        assert "Old4" not in shown(pilot)


async def test_the_demo_stays_on_its_first_denial_while_it_goes_on(decided: DecisionWorld) -> None:
    decided.add("pre-session")
    async with HooktuiApp(decided.project, decided.db, banner="Demo", mode="live").run_test(size=_SIZE) as pilot:
        await until_shown(pilot, "● following", "1 of 1")
        denied = decided.add(decision="deny", reason="Push a branch", runs=[run("keep-main", decision="deny")])
        await until_shown(pilot, "denied by keep-main", "2 of 2")
        decided.add(tool="Later")
        await until_shown(pilot, "1 new · space follows", "denied by keep-main", "Later", "3 of 3")
        assert pilot.app.screen.query_one(DecisionList).current == denied
        await pilot.press("space")
        await until_shown(pilot, "● following")


async def test_a_key_acts_on_the_row_under_the_cursor_while_newer_ones_come(decided: DecisionWorld) -> None:
    for name in ("guard", "other"):
        decided.hooks.add(name)
    async with decided.on_live() as pilot:
        decisions = pilot.app.screen.query_one(DecisionList)
        decided.add(tool="First", payload={"tool_name": "First"})
        await until_shown(pilot, "First", "1 of 1")
        here = decided.add(tool="Second", payload={"tool_name": "Second"})
        await until(pilot, lambda: decisions.current == here)
        await pilot.press("w")
        decided.add(tool="Third")
        await until_shown(pilot, "1 new · space follows", "3 of 3")
        await pilot.press("t")
        await until_shown(pilot, "Second")
        assert "Third" not in shown(pilot)


@pytest.mark.parametrize(("key", "mode"), [("1", "hooks"), ("3", "sessions"), ("x", "live")])
async def test_a_screen_chosen_while_the_demo_starts_stays(
    decided: DecisionWorld, key: str, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pressed, load = threading.Event(), CatalogLoader.load
    monkeypatch.setattr(CatalogLoader, "load", lambda *known: pressed.wait(60) and load(*known))
    app = HooktuiApp(decided.project, decided.db, banner="Demo", mode="live")
    async with app.run_test(size=_SIZE) as pilot:
        await pilot.press(key)
        pressed.set()
        await until(pilot, lambda: app.catalog)
        await until(pilot, lambda: app.current_mode == mode)
        await pilot.pause()
        assert app.current_mode == mode


_CALL = {"hook_event_name": "PreToolUse", "tool_use_id": "call-1", "tool_input": {"command": "rm -rf build"}}


def call_to_bash(decided: DecisionWorld, origin: str, at: float, **values: Any) -> None:
    """Record a part of one call to Bash: `run` is hooktui's, `observed` that of a hook of Claude Code."""
    decided.add(tool="Bash", host="claude", at=NOON + at, payload=_CALL, origin=origin, **values)


async def test_denial_by_an_observed_hook_appears_in_the_row_of_its_event_and_among_the_denials(decided: DecisionWorld) -> None:
    async with decided.on_live() as pilot:
        await pilot.press("D")
        call_to_bash(decided, "run", 0)
        await until_shown(pilot, "0 of 1")
        call_to_bash(decided, "observed", 0.1, decision="deny", runs=[run("guard.sh", decision="deny")])
        await until_shown(pilot, "✕ deny    guard.sh", "1 of 1")
        await pilot.press("escape")
        await until_shown(pilot, "✕ deny    guard.sh", "1 of 1")


async def test_event_leaves_the_rows_of_a_filter_that_a_later_record_makes_it_miss(decided: DecisionWorld) -> None:
    async with decided.on_live() as pilot:
        await pilot.press("slash")
        await type_text(pilot, "-effect:deny\n")
        call_to_bash(decided, "run", 0)
        await until_shown(pilot, "1 of 1")
        call_to_bash(decided, "observed", 0.1, decision="deny", runs=[run("guard.sh", decision="deny")])
        await until_shown(pilot, "No decisions match the filter.", "0 of 1")


async def test_a_call_that_is_recorded_while_the_log_is_counted_is_counted_once(
    decided: DecisionWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    count, meanwhile = LogReader.total_calls, iter([lambda: call_to_bash(decided, "run", 5)])

    async def slowly(reader: LogReader, project: str | None = None) -> int:
        next(meanwhile, lambda: None)()
        return await count(reader, project)

    decided.add(tool="Read")
    async with decided.on_live() as pilot:
        monkeypatch.setattr(LogReader, "total_calls", slowly)
        await pilot.press("D")
        await until_shown(pilot, "0 of 2")
        decided.add(tool="Edit", decision="deny")
        await until_shown(pilot, "1 of 3")
