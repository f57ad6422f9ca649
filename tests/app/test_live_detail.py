"""The decision under the cursor: what each hook did, read, printed and changed, and the actions on it."""

from __future__ import annotations

import pytest

from tests.app.decision_world import DecisionWorld, decided, live, world
from tests.app.hook_world import SMALL, has_focus, shown, until, until_shown
from tests.log_world import busy_day, run

__all__ = ["decided", "world"]

_SIZE = (120, 40)


async def test_y_copies_the_whole_command_or_the_value_under_the_cursor_of_the_input(
    decided: DecisionWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "here there")
    command = f"echo {'long ' * 200}"
    decided.add(tool="Shell", payload={"tool_input": {"command": command, "description": "say it"}})
    async with decided.on_live() as pilot:
        await until_shown(pilot, "· no hook ran")
        await pilot.press("y")
        await until(pilot, lambda: pilot.app.clipboard == command)
        await pilot.press("right_square_bracket")
        await until_shown(pilot, "description say it")
        await pilot.press("tab", "tab", "G", "y")
        await until(pilot, lambda: pilot.app.clipboard == "say it")


async def test_the_hook_that_denied_comes_first_and_those_that_did_not_run_are_one_line_until_w_says_why(
    decided: DecisionWorld,
) -> None:
    skipped = [run(f"other-{number}", "skipped", skip="tool-mismatch", why="not Shell") for number in range(4)]
    wrong = run("broken", "skipped", skip="bad-matcher", why="unclosed group")
    decided.add(decision="deny", runs=[wrong, *skipped, run("audit"), run("guard", decision="deny")])
    async with decided.on_live(size=SMALL) as pilot:
        await until_shown(pilot, "✔ guard", "∅ 5 skipped · w why")
        text = shown(pilot)
        assert text.index("✔ guard") < text.index("✔ audit") < text.index("∅ 5 skipped")
        await pilot.press("w")
        await until_shown(pilot, "∅ broken", " bad matcher ", "unclosed group", "fix the matcher: see Diagnostics")
        await until_shown(pilot, "∅ other-0", "not Shell")


async def test_a_guard_that_waits_for_approval_is_named_and_p_approves_it(decided: DecisionWorld) -> None:
    decided.hooks.add("deploy-guard", approved=False)
    ran = run("deploy-guard", "skipped", skip="untrusted", why="this project hook is not approved")
    number = decided.add(runs=[ran.replace(hook=ran.hook.replace(identity="agenthooks:project:deploy-guard"))])
    app = decided.app()
    async with app.run_test(size=_SIZE, notifications=True) as pilot:
        screen = await live(pilot)
        await until_shown(pilot, "∅ 1 skipped · w why  ◌ 1 hook needs approval · p review")
        assert screen.decisions.current == number
        await pilot.press("p")
        await until_shown(pilot, "scripts/run.sh", "y Approve")
        await pilot.press("p")
        trusted = "agenthooks:project:deploy-guard"
        await until(pilot, lambda: app.catalog is not None and app.catalog.trust.get(trusted) == "trusted")
        assert app.current_mode == "live"
        await pilot.press("p")
        await until_shown(pilot, "deploy-guard is already approved.")


async def test_async_hook_that_ended_is_shown_as_it_ended(decided: DecisionWorld) -> None:
    started = run("notify", "started")
    number = decided.add(runs=[started])
    async with decided.on_live() as pilot:
        await until_shown(pilot, "┄ notify", "started")
        decided.end(started.replace(id=number + 1, state="ok", exit_code=0, duration_ms=77.0), number, 0)
        await until_shown(pilot, "✔ notify", "77 ms")


async def test_detail_tells_what_each_hook_did_and_printed_why_others_did_not_and_enter_opens_the_session(
    decided: DecisionWorld,
) -> None:
    busy_day(decided)
    async with decided.on_live() as pilot:
        await pilot.press("k")
        await until_shown(pilot, "✕ denied by block-dangerous ─ Dangerous command", "Hooks 1", "Why not 3")
        await until_shown(pilot, "✔ block-dangerous", "exit 2", "matched tool Shell and pattern rm -rf /")
        await pilot.press("right_square_bracket", "right_square_bracket")  # escapes are shown as signs, markup as text
        await until_shown(pilot, "block-dangerous stderr", "␛[31mnot [bold]today[/]␛[0m")
        await pilot.press("w")
        await until_shown(pilot, "tool Shell is not matched by Write|Edit", "blocked earlier by block-dangerous")
        assert "this project hook is not approved" in shown(pilot)
        assert "review and approve it: p" in shown(pilot)
        await pilot.press("enter")
        await until_shown(pilot, "tidy the build directory ─ agenthooks · ~/shop")


async def test_effects_show_a_rewrite_as_a_difference_and_the_input_is_a_tree_that_folds(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.on_live() as pilot:
        await pilot.press("k", "k")
        await until_shown(pilot, "✎ rewritten by no-force")
        await pilot.press("left_square_bracket")
        await until_shown(
            pilot, "no-force rewrote the input", '-  "command": "rm -rf ./build"', '+  "command": "rm -r ./build"'
        )
        await pilot.press("j", *["right_square_bracket"] * 3)
        await until_shown(pilot, "▾ tool_input", "▾ command 2 lines", "rm -rf /", "timeout 120", "options 0 items")
        await pilot.press("tab", "tab")
        await until(pilot, lambda: has_focus(pilot, "JsonTree"))
        await pilot.press(*["j"] * 4, "enter")
        await until_shown(pilot, "▸ tool_input 4 fields")


async def test_o_opens_the_hook_that_decided_whichever_tab_is_shown(decided: DecisionWorld) -> None:
    decided.hooks.add("quiet", scope="user")
    decided.hooks.add("guard", scope="user")
    others = run("quiet"), run("other", "skipped", skip="tool-mismatch")
    decided.add(decision="deny", runs=[*others, run("guard", decision="deny")])
    async with decided.on_live() as pilot:
        await until_shown(pilot, "✔ guard")
        await pilot.press("o")
        await until_shown(pilot, "1 Hooks", "# guard")
        await pilot.press("j")
        await until_shown(pilot, "# quiet")
        await pilot.press("2", "w")
        await until_shown(pilot, "∅ other")
        await pilot.press("o")
        await until_shown(pilot, "1 Hooks", "# guard")


async def test_r_offers_the_event_to_the_hooks_that_listen_to_it(decided: DecisionWorld) -> None:
    decided.hooks.add("guard", scope="user")
    decided.add(tool="Shell", payload={"tool_name": "Shell", "tool_input": {"command": "echo again"}}, runs=[run("guard")])
    async with decided.on_live() as pilot:
        await until_shown(pilot, "✔ guard")
        await pilot.press("r")
        await until_shown(pilot, "echo again")
        assert pilot.app.current_mode == "hooks"
