from __future__ import annotations

import json
import os

from textual import events
from textual.pilot import Pilot

from hooktui.catalog import catalog
from tests.app.hook_world import (
    BLOCKER,
    SMALL,
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


async def edit(pilot: Pilot[None], text: str) -> None:
    """Open the source of the hook under the cursor and type at its top."""
    await until_shown(pilot, "HOOK.md")
    await until_still(pilot)  # the form names the file before its source is loaded
    await pilot.press("enter")
    await until(pilot, lambda: pilot.app.focused is not None and "code" in pilot.app.focused.classes)
    await pilot.press("ctrl+home")
    await type_text(pilot, text)


async def test_edits_are_marked_as_unsaved_until_they_are_undone_or_ctrl_s_saves_them(world: HookWorld) -> None:
    file = world.add("guard")
    before = read(file)
    async with world.app().run_test(size=(120, 40)) as pilot:
        await edit(pilot, "x")
        await until_shown(pilot, "guard ─ • modified", "HOOK.md •", "● guard •")
        assert read(file) == before
        await pilot.press("ctrl+z")
        await until_shown(pilot, "guard ─ saved")
        await pilot.press("ctrl+y")
        await until_shown(pilot, "modified")
        await pilot.press("ctrl+s")
        await until_shown(pilot, "guard ─ saved")
        assert read(file) == "x" + before
        assert "HOOK.md •" not in shown(pilot)


async def test_ctrl_z_undoes_what_is_typed_from_the_tree_too_and_suspends_where_nothing_is(world: HookWorld) -> None:
    world.add("guard", scope="user")
    async with world.running("run.sh", size=SMALL) as pilot:
        assert pilot.app.screen.active_bindings["ctrl+z"].binding.id == "suspend"
        await pilot.press("enter", "x", "escape")
        await until_shown(pilot, "modified")
        await pilot.press("ctrl+z")
        await until_shown(pilot, "guard ─ saved")
        assert pilot.app.screen.active_bindings["ctrl+z"].binding.id == "suspend"


async def test_problems_appear_while_typing_and_go_once_fixed_by_an_edit_that_can_be_undone(world: HookWorld) -> None:
    file = world.add("guard")
    before = read(file)
    async with world.app().run_test(size=(120, 40)) as pilot:
        await edit(pilot, "")
        await pilot.press("down", "down", "down", "end")
        await type_text(pilot, "z")
        await until_shown(pilot, "1 problem", "pre-tool-callz is not an AgentHooks event", "HOOK.md:4:10", "4✕")
        await pilot.press("backspace")
        await until_shown(pilot, "no problems")
        await type_text(pilot, "z")
        await until_shown(pilot, "f write pre-tool-call")
        await pilot.press("escape", "f")
        await until(pilot, lambda: "1 problem" not in shown(pilot))
        assert read(file) == before
        await pilot.press("enter", "ctrl+z")
        await until_shown(pilot, "f write pre-tool-call")


async def test_an_approved_hook_stays_approved_when_it_is_edited_here_and_q_asks_about_unsaved_edits(world: HookWorld) -> None:
    file = world.add("guard")
    async with world.app().run_test(size=(120, 40)) as pilot:
        await edit(pilot, "")
        await pilot.press("ctrl+end")
        await type_text(pilot, "more")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: read(file).endswith("more"))
        await until_shown(pilot, "guard ─ saved")
        assert list(catalog.load(world.project).trust.values()) == ["trusted"]
        before = read(file)
        await pilot.press("ctrl+home", "x", "escape", "q")
        await until_shown(pilot, "Unsaved changes")
        await pilot.press("s")
        await until(pilot, lambda: read(file) == "x" + before)


async def test_going_to_another_hook_asks_about_unsaved_edits(world: HookWorld) -> None:
    alpha = world.add("alpha")
    world.add("beta")
    before = read(alpha)
    async with world.app().run_test(size=(120, 40)) as pilot:
        await edit(pilot, "x")
        await pilot.press("escape", "j")
        await until_shown(pilot, "Unsaved changes")
        await pilot.press("escape")
        await until_shown(pilot, "alpha ─ • modified")
        await pilot.press("j")
        await until_shown(pilot, "Unsaved changes")
        await pilot.press("d")
        await until_shown(pilot, "beta ─ saved")
        assert read(alpha) == before


async def test_going_to_a_problem_of_another_hook_asks_about_unsaved_edits(world: HookWorld) -> None:
    world.add("alpha")
    world.add("broken", front="matcher:\n  tool: '('\n")
    async with world.app().run_test(size=(120, 40)) as pilot:
        await edit(pilot, "x")
        await until_shown(pilot, "modified")
        await pilot.press("escape", "4")
        await until_shown(pilot, "✕ tool is not a valid regex", "bad-regex")
        await pilot.press("enter")
        await until_shown(pilot, "Unsaved changes")
        await pilot.press("d")
        await until_shown(pilot, "broken ─ saved", "6✕")
        assert has_focus(pilot, "#hooks")


async def test_keys_typed_at_once_go_to_the_hook_shown(world: HookWorld) -> None:
    alpha, beta = world.add("alpha"), world.add("beta")
    before = read(alpha)
    async with world.running("HOOK.md", "alpha ─ saved") as pilot:
        await pilot.press("j", "enter", "x", "y")
        await until_shown(pilot, "beta ─")
        await until(pilot, lambda: pilot.app.focused is not None and "code" in pilot.app.focused.classes)
        await pilot.press("z", "ctrl+s")
        await until(pilot, lambda: "z" in read(beta))
        assert read(alpha) == before


async def test_what_is_typed_right_after_t_or_enter_is_typed_into_the_event_or_the_file(world: HookWorld) -> None:
    world.add("guard")
    async with world.running("# guard") as pilot:
        type_ahead(pilot, "t", "p", "a")
        await until_shown(pilot, ': "pa"', '"tool_name": "Shell"')  # replaces the event's subject
        await pilot.press("escape")
        await until(pilot, lambda: has_focus(pilot, "#hooks"))
        await pilot.press("enter", "t", "p")
        await until_shown(pilot, "tptrigger: pre-tool-call")


async def test_a_hook_of_a_json_file_stays_open_when_it_is_saved(world: HookWorld) -> None:
    entries = [{"hooks": [{"type": "command", "command": f"echo {word}"}]} for word in ("one", "two", "three")]
    file = os.path.join(world.project, ".claude", "settings.json")
    os.mkdir(os.path.dirname(file))
    write(file, json.dumps({"hooks": {"PreToolUse": entries}}, indent=2))
    async with world.running("echo one") as pilot:
        await pilot.press("j", "j")
        await until_shown(pilot, "echo three ─ saved")
        await pilot.press("enter", "end", "space", "ctrl+s")
        await until(pilot, lambda: "{ \n" in read(file) or ": [ \n" in read(file))
        await until_shown(pilot, "echo three ─ saved")
        assert "echo one ─" not in shown(pilot)


async def test_ctrl_t_tries_what_is_edited_before_it_is_saved(world: HookWorld) -> None:
    file = world.add("guard", script=BLOCKER.replace("exit 2", "exit 0"))
    async with world.running("HOOK.md  run.sh") as pilot:
        await pilot.press("right_square_bracket", "enter")
        await until(pilot, lambda: pilot.app.focused is not None and "code" in pilot.app.focused.classes)
        await pilot.press("ctrl+end", "backspace", "backspace", "2", "ctrl+t")
        await until_shown(pilot, "Runs the hook for real")
        await pilot.press("ctrl+r")
        await until_shown(pilot, "✕ denied by exit code 2", "^s saves")
        assert read(os.path.join(os.path.dirname(file), "scripts", "run.sh")).endswith("exit 0\n")


async def test_a_hook_that_gets_another_name_stays_on_the_screen(world: HookWorld) -> None:
    file = world.add("guard", scope="user")
    world.add("aaa", scope="user")
    async with world.running("● guard") as pilot:
        await pilot.press("j")
        await until_shown(pilot, "guard ─ saved")
        write(file, read(file).replace("name: guard", "name: zebra"))
        await until_shown(pilot, "zebra ─ saved", "▲ zebra")


async def test_on_a_narrow_terminal_an_editor_has_the_whole_width_and_a_footer_for_what_it_can(world: HookWorld) -> None:
    world.add("guard")
    async with world.running("Hooks by event", "State", size=SMALL) as pilot:
        await edit(pilot, "")
        await until(pilot, lambda: "Hooks by event" not in shown(pilot))
        footer = shown(pilot).splitlines()[-1]
        assert all(words in footer for words in ("^s Save", "^t Try", "esc Leave"))
        await pilot.press("escape")
        await until_shown(pilot, "Hooks by event")


async def test_a_file_that_is_no_text_says_so_and_cannot_be_typed_into(world: HookWorld) -> None:
    file = world.add("guard")
    with open(os.path.join(os.path.dirname(file), "data.bin"), "wb") as binary:
        binary.write(b"\xff\xfe")
    async with world.running("data.bin") as pilot:
        await pilot.press("right_square_bracket")
        await until_shown(pilot, "data.bin: not UTF-8")


async def test_undo_removes_a_whole_paste(world: HookWorld) -> None:
    file = world.add("guard")
    before = read(file)
    async with world.app().run_test(size=(80, 24)) as pilot:
        await edit(pilot, "")
        pilot.app.post_message(events.Paste("line\n" * 300))
        await until_shown(pilot, "301  ---")
        await pilot.press("ctrl+z")
        await until_shown(pilot, "guard ─ saved")
        await pilot.press("ctrl+y", "ctrl+z", "ctrl+s")
        await until_shown(pilot, "guard ─ saved", "│1  ---")
    assert read(file) == before


async def test_a_file_that_is_not_the_persons_to_edit_says_why(world: HookWorld) -> None:
    agent = os.path.join(world.project, ".claude/agents/helper.md")
    front = (
        "name: helper\ndescription: Helps\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: 'true'\n"
    )
    os.makedirs(os.path.dirname(agent))
    write(agent, f"---\n{front}---\n")
    async with world.running("ok · read-only: hooktui does not edit Markdown files", notifications=True) as pilot:
        await until_still(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app.focused is not None and "code" in pilot.app.focused.classes)
        await type_text(pilot, "x")
        await until_shown(pilot, "This file is read-only")
        assert read(agent) == f"---\n{front}---\n"
        assert "modified" not in shown(pilot)
