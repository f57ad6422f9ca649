from __future__ import annotations

import json
import os
import re

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input

from hooktui.config import managed as administrator
from hooktui.core import paths
from hooktui.screens.hooks.form_row import FormRow
from hooktui.screens.hooks.hook_form import HookForm
from tests.app.hook_world import HookWorld, read, shown, type_text, until, until_shown, until_still, world, write

__all__ = ["world"]

_CLAUDE = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "guard.sh", "timeout": 5}]}]}}


def row(pilot: Pilot[None], label: str) -> FormRow:
    """A visible field of the form."""
    forms = [form for form in pilot.app.screen.query(HookForm) if form.region.area]
    return next(row for form in forms for row in form.rows if row.field.label == label)


def typed(pilot: Pilot[None], label: str) -> str | None:
    """The value of a field; None while there is no such field."""
    rows = [row for row in pilot.app.screen.query(FormRow) if row.region.area and row.field.label == label]
    return rows[0].typed if rows else None


async def go_to_field(pilot: Pilot[None], label: str) -> None:
    """Move the cursor to a field as a person does: i for the form, then down."""
    await until(pilot, lambda: any(form.rows for form in pilot.app.screen.query(HookForm) if form.region.area))
    await pilot.press("i")
    for _ in range(20):
        if row(pilot, label).has_focus_within:
            return
        await pilot.press("down")
    raise AssertionError(f"there is no way down to {label}")


def settings(world: HookWorld) -> str:
    """A project's Claude settings with one hook."""
    file = os.path.join(world.project, ".claude", "settings.json")
    os.makedirs(os.path.dirname(file))
    write(file, json.dumps(_CLAUDE, indent=2))
    return file


async def test_a_hook_of_an_unknown_event_runs_never_whatever_is_meant(world: HookWorld) -> None:
    world.add("greet", "session_strat")
    async with world.running("▾ pre-session  ", "When       never: session_strat is not a known event"):
        pass


async def test_a_field_changes_its_value_in_the_source_and_nothing_else_and_undo_and_source_edits_change_it(
    world: HookWorld,
) -> None:
    file = world.add("guard", front="timeout: 5000  # enough\n")
    before = read(file)
    async with world.app().run_test(size=(120, 40)) as pilot:
        await go_to_field(pilot, "Timeout")
        await until_shown(pilot, "esc Leave")
        await pilot.press("end", "backspace")
        await until_shown(pilot, "timeout: 500  # enough", "guard ─ • modified")
        assert read(file) == before
        await pilot.press("ctrl+z")
        await until_shown(pilot, "guard ─ saved")
        await until(pilot, lambda: typed(pilot, "Timeout") == "5000")
        await pilot.press("ctrl+y")
        await until(pilot, lambda: typed(pilot, "Timeout") == "500")
        await pilot.press("ctrl+s")
        await until_shown(pilot, "guard ─ saved")
        assert read(file) == before.replace("timeout: 5000", "timeout: 500")
        await pilot.press("escape", "enter", "ctrl+home", "down", "down", "down", "down", *["right"] * 12, "7")
        await until(pilot, lambda: typed(pilot, "Timeout") == "5007")


async def test_a_value_that_cannot_be_or_is_odd_is_marked_and_an_emptied_field_leaves_the_file_and_shows_its_default(
    world: HookWorld,
) -> None:
    world.add("guard", front="timeout: 5000\n")
    async with world.app().run_test(size=(120, 40)) as pilot:
        await go_to_field(pilot, "Timeout")
        await pilot.press("end", "x")
        await until_shown(pilot, "'5000x' is not a number")
        assert row(pilot, "Timeout").severity == "error"
        await until_shown(pilot, "timeout: 5000", "guard ─ saved")
        await pilot.press("ctrl+u")
        await until(pilot, lambda: "timeout:" not in shown(pilot))
        await until(pilot, lambda: row(pilot, "Timeout").query_one(Input).placeholder == "30000")
        await type_text(pilot, "300")
        await until_shown(pilot, "▲ timeout is in milliseconds")
        assert row(pilot, "Timeout").severity == "warning"


async def test_a_matcher_counts_matching_tools_while_it_is_typed_and_is_marked_when_check_would_complain(
    world: HookWorld,
) -> None:
    world.add("guard", front="matcher:\n  tool: 'Shell'\n")
    async with world.app().run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: re.search(r"Tool +Shell +matches 1 of \d+ tools", shown(pilot)))
        await go_to_field(pilot, "Tool")
        await pilot.press("end", "x")
        await until(pilot, lambda: re.search(r"Tool +Shellx +matches 0 of \d+ tools", shown(pilot)))
        await pilot.press("(")
        await until(pilot, lambda: row(pilot, "Tool").trouble)
        await until_shown(pilot, "tool is not a valid regex: missing )", "State      ✕ 1 error")
        await pilot.press("backspace")
        await until_shown(pilot, "State      ● ok")


async def test_typing_goes_on_in_a_field_while_the_form_moves_with_the_size_of_the_terminal(world: HookWorld) -> None:
    file = world.add("guard", front="timeout: 5000\n")
    async with world.app().run_test(size=(120, 40)) as pilot:
        await go_to_field(pilot, "Timeout")
        await pilot.press("end")
        for size, digits in (((200, 55), "50001"), ((120, 40), "500012"), ((80, 24), "5000123")):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda: typed(pilot, "Timeout") == digits[:-1] and row(pilot, "Timeout").has_focus_within)  # noqa: B023
            await pilot.press(digits[-1])
            await until(pilot, lambda: typed(pilot, "Timeout") == digits)  # noqa: B023
        await pilot.press("ctrl+s")  # in the tab that a narrow terminal has for it
        await until(pilot, lambda: "timeout: 5000123" in read(file))


async def test_a_small_screen_shows_all_that_a_field_means_and_what_a_matcher_says_before_its_counts(world: HookWorld) -> None:
    settings(world)
    async with world.app().run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: re.search(r"Matcher +Bash .*1 of \d+ tools", shown(pilot)))
        await go_to_field(pilot, "Matcher")
        await until_shown(pilot, "letters, digits, _ - and | are exact", "every tool")
        await pilot.press("escape")
        for size in ((80, 24), (120, 40), (200, 60)):
            await pilot.resize_terminal(*size)
            await until_still(pilot)
            form = next(form for form in pilot.app.screen.query(HookForm) if form.region.area)
            form.show_counts("1 of 26 tools", "0 of the last 500")
            await until(pilot, lambda: re.search(r"Matcher +Bash .* 0 of (the last )?500", shown(pilot)))


async def test_a_pasted_line_stays_one_and_shows_its_beginning_without_focus(world: HookWorld) -> None:
    world.add("guard")
    async with world.app().run_test(size=(80, 24), notifications=True) as pilot:
        await go_to_field(pilot, "About")
        pilot.app.post_message(Paste(" one\ntwo\n\nthree\n"))
        await until_shown(pilot, "The hook guard one", "2 lines left out")
        await type_text(pilot, " watches what an agent runs")
        await until(pilot, lambda: not re.search("About +The hook", shown(pilot)))
        await pilot.press("down")
        await until(pilot, lambda: re.search("About +The hook", shown(pilot)))


async def test_a_rare_field_is_asked_for_and_a_choice_is_made_with_enter_and_the_arrows(world: HookWorld) -> None:
    file = world.add("guard")
    async with world.app().run_test(size=(120, 40)) as pilot:
        await go_to_field(pilot, "Priority")
        assert typed(pilot, "Async") is None, "few hooks have it"
        await pilot.press("down", "enter")
        await until(pilot, lambda: typed(pilot, "Async") is not None)
        await pilot.press("enter", "down", "enter")
        await until_shown(pilot, "async: ")
        await pilot.press("ctrl+s")
        await until_shown(pilot, "guard ─ saved")
        assert "async: " in read(file)


async def test_an_entry_of_a_json_file_is_edited_once_its_source_can_be_read_and_keeps_its_event_meanwhile(
    world: HookWorld,
) -> None:
    file = settings(world)
    before = read(file)
    async with world.app().run_test(size=(120, 40), notifications=True) as pilot:
        await until(pilot, lambda: typed(pilot, "Command") == "guard.sh")
        await pilot.press("enter", "ctrl+home", "delete")
        await until_shown(pilot, "fix the source first")
        await pilot.press("ctrl+z")
        await until(pilot, lambda: "fix the source first" not in shown(pilot))
        await pilot.press("escape")
        await go_to_field(pilot, "Command")
        await type_text(pilot, " --all")
        await until_shown(pilot, '"command": "guard.sh --all"', "modified")
        await pilot.press("escape")
        await go_to_field(pilot, "Event")
        await pilot.press("enter", "down", "enter")
        await until_shown(pilot, "or undo your edits first.")
        await until(pilot, lambda: typed(pilot, "Event") == "PreToolUse")
        assert read(file) == before
        await pilot.press("ctrl+s")
        await until_shown(pilot, "─ saved")
        assert read(file) == before.replace("guard.sh", "guard.sh --all")


async def test_another_event_moves_an_entry_to_its_list_and_u_moves_it_back(world: HookWorld) -> None:
    file = settings(world)
    before = read(file)
    async with world.app().run_test(size=(120, 40), notifications=True) as pilot:
        await go_to_field(pilot, "Event")
        await pilot.press("enter")
        await type_text(pilot, "PostToolUse")
        await pilot.press("enter")
        await until_shown(pilot, "▾ PostToolUse", "─ saved")
        assert read(file) == before.replace("PreToolUse", "PostToolUse")
        await until(pilot, lambda: typed(pilot, "Event") == "PostToolUse")
        await pilot.press("escape", "u")
        await until(pilot, lambda: read(file) == before)
        await until(pilot, lambda: typed(pilot, "Event") == "PreToolUse")


async def test_nothing_can_be_typed_into_the_form_of_a_managed_hook(world: HookWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    file = world.add("no-curl", scope="user", front="matcher:\n  pattern: curl\n")
    monkeypatch.setattr(paths, "managed_hooks", lambda: os.path.dirname(os.path.dirname(file)))
    monkeypatch.setattr(paths, "agenthooks_user_root", lambda: "/nowhere")
    monkeypatch.setattr(administrator, "MANAGED_BY", os.getuid())
    async with world.running("read-only: managed", "Pattern", notifications=True) as pilot:
        await pilot.press("i", "x")
        await until_still(pilot)
        assert typed(pilot, "Pattern") == "curl"
        assert "+ Async" not in shown(pilot)
        await pilot.press("p")
        await until_shown(pilot, "no-curl needs no approval.")
