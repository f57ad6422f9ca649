"""The Live screen: what is decided appears, can be narrowed, and says why."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from textual.events import MouseScrollUp

from hooktui import ids
from tests.app.decision_world import decided, live, world
from tests.app.hook_world import shown, type_text, until, until_shown
from tests.bench.generate_log import generate
from tests.log_world import NOON, busy_day, run

if TYPE_CHECKING:
    import pytest

    from tests.app.decision_world import DecisionWorld

__all__ = ["decided", "world"]

_SIZE = (120, 40)


async def test_a_row_says_when_what_how_who_and_how_long(decided: DecisionWorld) -> None:
    force = {"tool_input": {"command": "rm -rf /"}}
    runs = [run("guard"), run("audit")]
    decided.add(tool="Shell", payload=force, decision="deny", reason="no", runs=runs, session="s-a1", duration_ms=4210)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await until_shown(pilot, "1 of 1")
        row = next(line for line in shown(pilot).splitlines() if "12:00:00 " in line)
        assert " ".join(row.split()[1:-1]) == "01-21 12:00:00 pre-tool-call Shell rm -rf / ✕ deny guard · audit 4,210 ms s-a1"


async def test_which_command_was_denied_by_which_hook_is_seen_without_opening_anything(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.app().run_test(size=(80, 24)) as pilot:
        await live(pilot)
        await pilot.press("k")
        await until_shown(pilot, "pre-tool-call Shell cd /tmp…", "✕ deny by block-dangerous ─ Dangerous command blocked")
        assert "│  Shell cd /tmp⏎rm -rf /" in shown(pilot)


async def test_what_a_person_asked_stands_in_the_row_of_the_prompt(decided: DecisionWorld) -> None:
    decided.add("pre-agent-turn", payload={"prompt": "tidy the build directory"})
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await until_shown(pilot, "pre-agent-turn      tidy the build directory")


async def test_y_copies_the_whole_command(decided: DecisionWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "here there")
    command = f"echo {'long ' * 200}"
    decided.add(tool="Shell", payload={"tool_input": {"description": "say it", "command": command}})
    app = decided.app()
    async with app.run_test(size=_SIZE) as pilot:
        await live(pilot)
        await until_shown(pilot, "∅ none ─ no hook objected")
        await pilot.press("y")
        await until(pilot, lambda: app.clipboard == command)


async def test_hooks_that_failed_stand_out_by_a_word(decided: DecisionWorld) -> None:
    decided.add(runs=[run("quick"), run("slow", "timeout")])
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await until_shown(pilot, "▲ timeout quick · slow")


async def test_what_another_process_commits_appears_while_following(decided: DecisionWorld) -> None:
    decided.add(tool="Shell")
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        number = decided.add(tool="Write", runs=[run("newcomer")])
        await until(pilot, lambda: screen.decisions.row(number) is not None)
        await until_shown(pilot, "● following", "newcomer", "2 of 2")
        assert screen.decisions.current == number


async def test_the_first_event_ever_appears(decided: DecisionWorld) -> None:
    async with decided.app().run_test(size=_SIZE) as pilot:
        await pilot.press("2")
        await until_shown(pilot, "Nothing has been decided yet.", "ctrl+d")
        decided.add(runs=[run("first-of-all")])
        await until_shown(pilot, "first-of-all", "1 of 1")


async def test_moving_up_pauses_and_counts_what_is_new_and_f_follows_again(decided: DecisionWorld) -> None:
    first, second = decided.add(tool="Shell"), decided.add(tool="Shell")
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        await pilot.press("k")
        await until_shown(pilot, "‖ paused")
        newest = [decided.add(tool="Write") for _ in range(3)][-1]
        await until_shown(pilot, "‖ paused · 3 new", "5 of 5")
        assert screen.decisions.current == first != second
        await pilot.press("f")
        await until_shown(pilot, "● following")
        assert screen.decisions.current == newest


async def test_new_rows_count_down_as_one_moves_to_them_and_the_end_key_follows_again(decided: DecisionWorld) -> None:
    decided.add(tool="Shell"), decided.add(tool="Shell")
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        await pilot.press("k")
        for _ in range(3):
            decided.add(tool="Write")
        await until_shown(pilot, "‖ paused · 3 new: f follows")
        await pilot.press("j", "j")
        await until_shown(pilot, "‖ paused · 2 new: f follows")
        await pilot.press("k")
        await until_shown(pilot, "‖ paused · 2 new: f follows")
        await pilot.press("j", "j", "j")
        await until(pilot, lambda: "new" not in shown(pilot))
        assert "‖ paused" in shown(pilot)
        await pilot.press("k", "G")
        await until_shown(pilot, "● following")
        newest = decided.add(tool="Write")
        await until(pilot, lambda: screen.decisions.current == newest)


async def test_the_hook_that_denied_comes_first_and_those_that_did_not_run_are_one_line(decided: DecisionWorld) -> None:
    skipped = [run(f"other-{number}", "skipped", skip="tool-mismatch", why="not Shell") for number in range(4)]
    decided.add(decision="deny", runs=[*skipped, run("audit"), run("guard", decision="deny"), skipped[0]])
    async with decided.app().run_test(size=(80, 24)) as pilot:
        await live(pilot)
        await until_shown(pilot, "✔ guard", "∅ 5 did not run: w says why")
        text = shown(pilot)
        assert text.index("✔ guard") < text.index("✔ audit") < text.index("∅ 5 did not run")
        await pilot.press("w")
        await until_shown(pilot, "∅ other-0", "not Shell")


async def test_a_guard_that_waits_for_approval_is_named_and_p_approves_it(decided: DecisionWorld) -> None:
    decided.hooks.add("deploy-guard", approved=False)
    ran = run("deploy-guard", "skipped", skip="untrusted", why="a project hook that nobody has approved")
    number = decided.add(runs=[ran.replace(hook=ran.hook.replace(id="agenthooks:project:deploy-guard"))])
    app = decided.app()
    async with app.run_test(size=_SIZE, notifications=True) as pilot:
        screen = await live(pilot)
        await until_shown(pilot, "∅ 1 did not run: w says why  ◌ 1 hook waits for your approval: p")
        assert screen.decisions.current == number
        await pilot.press("p")
        await until_shown(pilot, "scripts/run.sh", "p Approve")
        await pilot.press("p")
        trusted = "agenthooks:project:deploy-guard"
        await until(pilot, lambda: app.catalog is not None and app.catalog.trust.get(trusted) == "trusted")
        assert app.current_mode == "live"
        await pilot.press("p")
        await until_shown(pilot, "deploy-guard is approved as it is.")


async def test_keys_that_need_a_decision_are_dimmed_without_one_and_say_why(decided: DecisionWorld) -> None:
    async with decided.app().run_test(size=_SIZE, notifications=True) as pilot:
        await pilot.press("2")
        await until_shown(pilot, "Nothing has been decided yet.", "w Why not")
        await until(pilot, lambda: not pilot.app.screen.active_bindings["w"].enabled)
        await pilot.press("w")
        await until_shown(pilot, "There is no decision here to do that with yet.")
        decided.add()
        await until(pilot, lambda: pilot.app.screen.active_bindings["w"].enabled)


async def test_escape_clears_the_filter_from_the_list_too(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await pilot.press("slash")
        await type_text(pilot, "decision:deny")
        await until_shown(pilot, "2 of 18")
        await pilot.press("enter")
        await until_shown(pilot, "─ decision:deny · esc shows all")
        await pilot.press("tab", "escape")
        await until_shown(pilot, "2 of 18")
        await pilot.press("escape")
        await until_shown(pilot, "18 of 18")
        assert "decision:deny" not in shown(pilot)


async def test_what_a_filter_may_hold_lies_over_the_rows_and_moves_none(decided: DecisionWorld) -> None:
    for _ in range(40):
        decided.add(tool="Shell")
    async with decided.app().run_test(size=(80, 24)) as pilot:
        screen = await live(pilot)
        await pilot.press("slash")
        await until_shown(pilot, "event: tool: decision:")
        place = screen.decisions.region
        await type_text(pilot, "tool:Shell")
        await pilot.press("enter")
        await until(pilot, lambda: "event: tool: decision:" not in shown(pilot))
        assert screen.decisions.region == place


async def test_event_that_took_long_is_put_where_it_began(decided: DecisionWorld) -> None:
    for second in range(3):
        decided.add(at=NOON + 100 + second)
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        late = decided.add(at=NOON + 50)
        await until(pilot, lambda: len(screen.decisions.found) == 4)
        assert screen.decisions.found[0] == late


async def test_async_hook_that_ended_is_shown_as_it_ended(decided: DecisionWorld) -> None:
    started = run("notify", "started")
    number = decided.add(runs=[started])
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await until_shown(pilot, "… notify", "started")
        decided.end(started.replace(id=number + 1, state="ok", exit_code=0, duration_ms=77.0), number, 0)
        await until_shown(pilot, "✔ notify", "77 ms")


async def test_filter_narrows_as_one_types_and_escape_shows_all(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await until_shown(pilot, "18 of 18")
        await pilot.press("slash")
        await type_text(pilot, "decision:deny")
        await until_shown(pilot, "2 of 18", "● following ─ decision:deny")
        assert "✔ allow" not in shown(pilot)
        await pilot.press("escape")
        await until_shown(pilot, "18 of 18")


async def test_wrong_filter_is_explained_and_loses_no_rows(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await pilot.press("slash")
        await type_text(pilot, "decision:denyx")
        await until_shown(pilot, "✕ decision:denyx: no such decision: did you mean deny?", "18 of 18")
        await pilot.press("backspace")
        await until_shown(pilot, "2 of 18")
        assert "no such decision" not in shown(pilot)


async def test_filter_completes_fields_values_and_names(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await pilot.press("slash")
        await type_text(pilot, "hook:tes")
        await pilot.press("right")
        await until_shown(pilot, "hook:tests-pass", "1 of 18")


async def test_filter_without_matches_says_so_and_finds_what_comes(decided: DecisionWorld) -> None:
    decided.add(tool="Shell")
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await pilot.press("slash")
        await type_text(pilot, "tool:Write")
        await until_shown(pilot, "No decision matches the filter.", "0 of 1")
        decided.add(tool="Write", runs=[run("newcomer")])
        await until_shown(pilot, "newcomer", "1 of 2")


async def test_detail_tells_what_each_hook_did_and_why_others_did_not(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await pilot.press("k")
        await until_shown(pilot, "✕ deny by block-dangerous ─ Dangerous command", "Hooks 1", "Why not 3")
        await until_shown(pilot, "✔ block-dangerous", "exit 2", "matched tool Shell and pattern rm -rf /")
        await pilot.press("w")
        await until_shown(pilot, "tool Shell is not matched by Write|Edit", "blocked earlier by block-dangerous")
        assert "a project hook that nobody has approved" in shown(pilot)
        assert "look at it and approve it: p" in shown(pilot)


async def test_input_is_a_tree_that_folds(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await pilot.press("k", "right_square_bracket")
        await until_shown(pilot, "▾ tool_input", "▾ command 2 lines", "rm -rf /", "timeout 120", "options 0 items")
        await pilot.press("tab", "tab")
        await until(pilot, lambda: pilot.app.focused is not None and pilot.app.focused.__class__.__name__ == "JsonTree")
        await pilot.press(*["j"] * 4, "enter")
        await until_shown(pilot, "▸ tool_input 4 fields")


async def test_output_shows_escapes_as_signs_and_markup_as_text(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await pilot.press("k", "right_square_bracket", "right_square_bracket")
        await until_shown(pilot, "block-dangerous stderr", "␛[31mnot [bold]today[/]␛[0m")


async def test_effects_show_a_rewrite_as_a_difference(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await pilot.press("k", "k", "left_square_bracket", "left_square_bracket")
        await until_shown(
            pilot, "no-force rewrote the input", '-  "command": "rm -rf ./build"', '+  "command": "rm -r ./build"'
        )


async def test_enter_opens_the_session(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await pilot.press("enter")
        await until_shown(pilot, "session s-a1 ─ agenthooks · /home/dev/app")


async def test_o_opens_the_hook_that_decided(decided: DecisionWorld) -> None:
    decided.hooks.add("quiet", scope="user")
    decided.hooks.add("guard", scope="user")
    decided.add(decision="deny", runs=[run("quiet"), run("guard", decision="deny")])
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await until_shown(pilot, "✔ guard")
        await pilot.press("o")
        await until_shown(pilot, "1 Hooks", "# guard")


async def test_page_keys_reach_any_row_of_a_long_log(decided: DecisionWorld) -> None:
    generate(decided.db, 5000)
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        found = screen.decisions.found
        await until_shown(pilot, "5,000 of 5,000")
        for key, row in (("home", 0), ("pagedown", None), ("end", 4999), ("pageup", None), ("g", 0), ("G", 4999), ("k", 4998)):
            await pilot.press(key)
            await until(pilot, lambda: screen.decisions.current is not None and screen.decisions.row(screen.decisions.current))
            if row is not None:
                assert screen.decisions.current == found[row]
        assert found.row_of(screen.decisions.current or 0) == 4998


async def test_click_puts_the_cursor_there(decided: DecisionWorld) -> None:
    first, _ = decided.add(tool="Shell"), decided.add(tool="Write")
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        await pilot.click("#decisions", offset=(20, 0))
        await until(pilot, lambda: screen.decisions.current == first)


async def test_another_theme_paints_other_colours(decided: DecisionWorld) -> None:
    decided.add(tool="Shell")
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        before = screen.decisions.render_line(0)
        pilot.app.theme = "hooktui-light"
        await until(pilot, lambda: screen.decisions.render_line(0) != before)
        assert screen.decisions.render_line(0).text == before.text


_PEER = """
import sys
sys.path.insert(0, sys.argv[2])
from tests.log_world import LogWorld
LogWorld(sys.argv[1]).add(tool="FromAfar", at=float(sys.argv[3]))
"""


async def test_event_of_another_process_is_seen(decided: DecisionWorld, pytestconfig: object) -> None:
    decided.add(at=time.time() - 1)
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        root = str(getattr(pytestconfig, "rootpath"))  # noqa: B009
        subprocess.run([sys.executable, "-c", _PEER, decided.db, root, str(time.time())], check=True)
        await until_shown(pilot, "FromAfar")
        assert ids.seconds(screen.decisions.found[-1]) > time.time() - 60


async def test_filter_says_what_it_may_hold(decided: DecisionWorld) -> None:
    decided.add()
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await pilot.press("slash")
        await until_shown(pilot, "event: tool: decision: state: hook: session:")
        await pilot.press("escape")
        await until(pilot, lambda: "event: tool:" not in shown(pilot))


async def test_log_that_cannot_be_opened_is_explained_on_both_screens(decided: DecisionWorld) -> None:
    decided.add()
    with sqlite3.connect(decided.db) as connection:
        connection.execute("PRAGMA user_version = 99")
    async with decided.app().run_test(size=_SIZE) as pilot:
        for key in ("2", "3"):
            await pilot.press(key)
            await until_shown(
                pilot, "The log cannot be read, so there is nothing to show here.", "log.db was written by a newer"
            )
            await until_shown(pilot, "update hooktui, or name another log", "waits in a file beside the log", "hooktui doctor")


async def test_log_that_turns_out_to_be_damaged_is_explained_in_place_of_the_rows(decided: DecisionWorld) -> None:
    for _ in range(200):
        decided.add(payload={"text": "x" * 5000})
    with sqlite3.connect(decided.db) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with open(decided.db, "r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 1_000_000)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await pilot.press("2")
        await until_shown(pilot, "The log cannot be read", "log.db cannot be read: database disk image is malformed")


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


async def test_r_offers_the_event_to_the_hooks_that_listen_to_it(decided: DecisionWorld) -> None:
    decided.hooks.add("guard", scope="user")
    decided.add(tool="Shell", payload={"tool_name": "Shell", "tool_input": {"command": "echo again"}}, runs=[run("guard")])
    async with decided.app().run_test(size=_SIZE) as pilot:
        await live(pilot)
        await until_shown(pilot, "✔ guard")
        await pilot.press("r")
        await until_shown(pilot, "echo again")
        assert pilot.app.current_mode == "hooks"
