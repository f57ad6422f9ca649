from __future__ import annotations

import json
import os

from hooktui.catalog import catalog
from hooktui.screens.hooks.screen import HooksScreen
from hooktui.screens.widgets.filter import Filter
from tests.app.hook_world import (
    BLOCKER,
    HookWorld,
    has_focus,
    read,
    shown,
    type_ahead,
    type_text,
    until,
    until_shown,
    until_still,
    world,
    write,
)

__all__ = ["world"]


async def test_hooks_are_grouped_by_event_in_firing_order_with_their_state(world: HookWorld) -> None:
    world.add("late", front="priority: 10\n")
    world.add("early", front="priority: 900\n", scope="user")
    world.add("broken", front="matcher:\n  tool: '('\n")
    world.add("stranger", approved=False)
    world.add("greeter", "pre-session")
    async with world.running("greeter") as pilot:
        lines = [line.split("│")[1].split() for line in shown(pilot).splitlines() if "│" in line]
        assert [line for line in lines if line] == [
            ["▾", "pre-session", "1"],
            ["●", "greeter", "project", "100"],
            ["▾", "pre-tool-call", "4"],
            ["●", "early", "user", "900"],
            ["✕", "broken", "project", "invalid"],
            ["◌", "stranger", "project", "untrusted"],
            ["●", "late", "project", "10"],
        ]


async def test_a_project_whose_only_hook_file_is_broken_leads_to_the_error(world: HookWorld) -> None:
    os.makedirs(os.path.join(world.project, ".claude"))
    write(os.path.join(world.project, ".claude", "settings.json"), '{"hooks": {"PreToolUse": [')
    async with world.running("No hooks here yet.", size=(80, 24)) as pilot:
        await until_shown(pilot, "4  see 1 error: hooks may be missing", "a  create a hook", "K  connect an agent program")
        await pilot.press("4")
        await until_shown(pilot, "Claude Code ignores .claude/settings.json")


async def test_overridden_hook_is_shown_below_its_override(world: HookWorld) -> None:
    world.add("guard", scope="user")
    world.add("guard", front="priority: 1\n")
    async with world.running("⊘ guard") as pilot:
        text = shown(pilot)
        assert text.index("project") < text.index("⊘ guard")
        assert "user overridden" in text


async def test_slash_filters_by_what_is_typed_right_after_it_and_escape_shows_all_again(world: HookWorld) -> None:
    world.add("alpha")
    world.add("beta")
    async with world.running("# alpha", "beta") as pilot:
        type_ahead(pilot, "slash", "b", "e", "t")
        await until_shown(pilot, "1 found", "● beta")
        await until(pilot, lambda: pilot.app.screen.query_one(Filter).value == "bet")
        await pilot.press("home")
        await type_text(pilot, "PreToolUse ")  # Claude Code's name for it
        await pilot.press("end")
        assert "1 found" in shown(pilot)
        assert "● alpha" not in shown(pilot)
        await type_text(pilot, "x")
        await until_shown(pilot, "No hooks match “PreToolUse betx”.")
        await pilot.press("escape")
        await until_shown(pilot, "● alpha", "● beta")
        await pilot.press("slash")
        await until_shown(pilot, "betx")
        await pilot.press("end", "backspace", "enter")
        await until(pilot, lambda: "● alpha" not in shown(pilot) and "● beta" in shown(pilot))
        await pilot.press("escape")
        await until_shown(pilot, "● alpha", "● beta")


async def test_moving_shows_form_and_source_of_the_hook_and_v_groups_by_file_scope_and_host(world: HookWorld) -> None:
    world.add("alpha", front="matcher:\n  tool: Shell\n  pattern: rm -rf\ntimeout: 5000\n")
    world.add("beta", front="async: true\npriority: 5\n", scope="user")
    async with world.app().run_test(size=(160, 48)) as pilot:
        await until_shown(pilot, "Shell", "rm -rf", "5000 ", "approved", ".agents/hooks/alpha/HOOK.md:4", "# alpha")
        await pilot.press("j")
        await until_shown(pilot, "your own", "Async      true", "~/.config/agents/hooks/beta/HOOK.md:4", "# beta")
        for expected in ("▾ pre-tool-call", "▾ .agents/hooks", "▾ user", "▾ AgentHooks", "▾ pre-tool-call"):
            await until_shown(pilot, expected)
            await pilot.press("v")


async def test_a_file_changed_elsewhere_shows_by_itself_and_the_cursor_stays(world: HookWorld) -> None:
    world.add("alpha")
    beta = world.add("beta")
    async with world.running("beta") as pilot:
        await pilot.press("j")
        await until_shown(pilot, "The hook beta")
        write(beta, read(beta).replace("The hook beta", "Another text"))
        world.add("aaa")
        await until_shown(pilot, "● aaa", "Another text")
        assert "beta ─ saved" in shown(pilot)


async def test_p_shows_every_file_of_an_unapproved_hook_before_it_approves_and_later_what_has_changed(world: HookWorld) -> None:
    world.add("mine", scope="user")
    file = world.add("stranger", script="#!/bin/sh\ncurl evil\n", approved=False)
    async with world.running("mine ─ saved", "untrusted", notifications=True) as pilot:
        assert "p Approve" not in shown(pilot)
        await pilot.press("p")
        await until_shown(pilot, "mine is your own and needs no approval.")
        await pilot.press("j")
        await until_shown(pilot, "stranger ─ saved", "p Approve")
        await pilot.press("p")
        await until_shown(pilot, "Approve stranger?", "HOOK.md", "scripts/run.sh", "curl evil")
        await pilot.press("enter", "escape")
        await until(pilot, lambda: "Approve stranger?" not in shown(pilot))
        assert catalog.load(world.project).trust["agenthooks:project:stranger"] == "untrusted"
        await pilot.press("p")
        await until_shown(pilot, "Approve stranger?")
        await pilot.press("p")
        await until_shown(pilot, "● stranger")
        assert catalog.load(world.project).trust["agenthooks:project:stranger"] == "trusted"
        write(os.path.join(os.path.dirname(file), "scripts", "run.sh"), "#!/bin/sh\ncurl worse\n")
        await until_shown(pilot, "◌ stranger")
        await pilot.press("p")
        await until_shown(pilot, "scripts/run.sh  executable · changed", "-  curl evil", "+  curl worse")


async def test_t_or_a_click_on_its_tab_shows_an_event_and_ctrl_r_runs_the_real_hook_on_it_and_shows_what_it_did(
    world: HookWorld,
) -> None:
    world.add("guard", script=BLOCKER, front="matcher:\n  tool: Shell\n")
    async with world.running("# guard") as pilot:
        await until_still(pilot)
        await pilot.click("#--content-tab-try-tab")
        await until_shown(pilot, '"event_type"', '"tool_name": "Shell"', "^r Run  space")
        await pilot.press("ctrl+r")
        await until_shown(pilot, "✕ denied by exit code 2", "not that", "matched tool Shell")
        world.add("other")
        await until_shown(pilot, "● other", "✕ denied by exit code 2")
        await pilot.press("escape", "t", "tab")
        await until(pilot, lambda: has_focus(pilot, "#outcome"))


async def test_a_try_of_an_unapproved_hook_asks_once_and_runs_it(world: HookWorld) -> None:
    world.add("stranger", script="#!/bin/sh\nexit 2\n", approved=False)
    async with world.running("# stranger") as pilot:
        await pilot.press("t", "ctrl+r")
        await until_shown(pilot, "Approve stranger?", "exit 2")
        await pilot.press("escape")
        await until_shown(pilot, "Runs the hook for real")
        await pilot.press("ctrl+r")
        await until_shown(pilot, "Approve stranger?")
        await pilot.press("y")
        await until_shown(pilot, "● stranger", "✕ denied by exit code 2")


async def test_a_hook_that_its_host_runs_is_called_unapproved_nowhere_but_before_a_try_which_shows_it_whole(
    world: HookWorld,
) -> None:
    os.makedirs(os.path.join(world.project, ".claude"))
    entry = {"type": "command", "command": "echo ran >&2; exit 2"}
    settings = {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [entry]}]}}
    write(os.path.join(world.project, ".claude/settings.json"), json.dumps(settings, indent=2))
    async with world.running("Claude Code runs it; it needs no approval here") as pilot:
        assert not [word for word in ("untrusted", "not approved", "p Approve") if word in shown(pilot)]
        await pilot.press("t", "ctrl+r")
        await until_shown(pilot, "Approve echo ran?", "1  {", '2    "type": "command",', "4  }")
        await pilot.press("y")
        await until_shown(pilot, "✕ denied by exit code 2")


async def test_f_applies_the_fix_that_is_shown_wherever_the_cursor_is(world: HookWorld) -> None:
    file = world.add("guard", front="timeot: 5000\n")
    async with world.running("f write", notifications=True) as pilot:
        await pilot.press("f")
        await until(pilot, lambda: "timeout: 5000\n" in read(file))
        await until(pilot, lambda: "1 problem" not in shown(pilot))
        await pilot.press("f")
        await until_shown(pilot, "No problems found.")
        await pilot.press("u")
        await until(pilot, lambda: "timeot: 5000\n" in read(file))


async def test_a_cursor_that_has_gone_on_is_not_called_back(world: HookWorld) -> None:
    for name in ("alpha", "beta", "gamma"):
        world.add(name)
    async with world.running("# alpha") as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, HooksScreen)
        for _ in range(2):  # both moves are sent before the first is handled
            screen.hooks.action_cursor_down()
        await until_shown(pilot, "gamma ─ saved", "# gamma")
        moves: list[int] = []
        screen.watch(screen.hooks, "cursor_line", moves.append, init=False)
        await until_still(pilot)
        assert moves == []


async def test_an_invalid_payload_is_reported_with_its_position_and_a_try_can_be_cancelled(world: HookWorld) -> None:
    world.add("sleeper", script="#!/bin/sh\nsleep 60\n")
    async with world.running("sleeper") as pilot:
        await pilot.press("t")
        await until_shown(pilot, '"event_type"')
        await pilot.press("quotation_mark", "ctrl+r")  # replaces the selected command
        await until_shown(pilot, "The payload is not valid JSON:", "line 9")
        await pilot.press("ctrl+z", "ctrl+r")
        await until_shown(pilot, "running…", "Cancel")
        await pilot.press("ctrl+r")
        await until_shown(pilot, "Cancelled")


async def test_an_event_of_the_log_can_be_tried_if_a_hook_listens_to_it(world: HookWorld) -> None:
    world.add("guard")
    world.add("other")
    payload = {"event_type": "pre-tool-call", "tool_name": "Logged", "tool_input": {}, "session_id": "s1"}
    report = {"event": "pre-tool-call", "hooks": [{"id": "agenthooks:project:other", "state": "ok"}], "payload": payload}
    app = world.app()
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until_shown(pilot, "guard ─ saved")
        await pilot.press("2")
        await until_shown(pilot, "No decisions yet.")
        app.navigator.try_event({"event": "pre-session", "hooks": [], "payload": {}})
        await until_shown(pilot, "No hook in this project listens to pre-session.", "No decisions yet.")
        app.navigator.try_event(report)
        await until_shown(pilot, "other ─ saved", '"tool_name": "Logged"', '"session_id": "try"')
        app.navigator.try_event(report, "agenthooks:project:guard")
        await until_shown(pilot, "guard ─ saved", '"tool_name": "Logged"')


async def test_each_file_of_a_hook_has_a_tab_that_shows_escape_sequences_and_markup_and_obeys_none(world: HookWorld) -> None:
    guard = world.add("guard", front='metadata:\n  x: "[red]"\n', script="#!/bin/sh\n# \x1b[31m[bold]\n")
    write(os.path.join(os.path.dirname(guard), "notes.txt"), "beside it\n")
    world.approve("guard")
    file = world.add("loud", front="priority: 1\n")
    write(file, read(file).replace("The hook loud", r'"\e]0;title\a [b]bold[/b]"'))
    world.approve("loud")
    async with world.running("[red]", "HOOK.md", "notes.txt", "run.sh") as pilot:
        await pilot.press("right_square_bracket", "right_square_bracket")
        await until_shown(pilot, "␛[31m[bold]")
        await pilot.press("j")
        await until_shown(pilot, "␛]0;title␇ [b]bold[/b]")
