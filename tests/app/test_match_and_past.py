"""The matcher tester and Try on past events, as a person uses them."""

from __future__ import annotations

import gc
import os
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import OptionList

from hooktui.core import paths
from hooktui.screens.hooks import match_pane, past_count
from hooktui.screens.hooks.form_row import FormRow
from hooktui.screens.widgets.editor import Editor
from hooktui.screens.widgets.lines import SteadyText
from tests.app.hook_world import SMALL, HookWorld, read, shown, type_text, until, until_shown, world
from tests.log_world import LogWorld, run

__all__ = ["world"]

SIZE = (120, 40)
NO_FORCE = '#!/bin/sh\nif grep -q "push --force"; then echo no force >&2; exit 2; fi\n'


def happened(world: HookWorld, *commands: str, tool: str = "Shell", after: int = 0, **more: Any) -> None:
    """Log these commands of an agent, the last one just now, `after` so many others; `more` as in LogWorld.made."""
    os.makedirs(paths.state_dir(), exist_ok=True)
    log = LogWorld(paths.log_path(None))
    log.count = after
    for command in commands:
        base = {"event_type": "pre-tool-call", "session_id": "s1", "work_dir": world.project}
        payload = {**base, "tool_name": tool, "tool_input": {"command": command}}
        log.add(tool=tool, payload=payload, project=world.project, **more)


async def start_past_trial(pilot: Pilot[None], pid: str) -> None:
    """Run the hook `slow` on past events until it has written its process id."""
    await until_shown(pilot, "● slow")
    await pilot.press("T")
    await until_shown(pilot, "enter runs")
    await pilot.press("enter")
    await until(pilot, lambda: os.path.exists(pid) and read(pid))


async def change(pilot: Pilot[None], name: str, old: str, new: str) -> None:
    """Type in a file of the hook."""

    def editors() -> list[Editor]:
        return [one for one in pilot.app.screen.query(Editor) if one.file.name == name and old in one.text]

    await until(pilot, editors)
    [editor] = editors()
    editor.load_text(editor.text.replace(old, new))


async def test_the_matcher_is_tested_on_a_typed_event(world: HookWorld) -> None:
    world.add("guard", front="matcher:\n  tool: Shell\n  pattern: rm -rf /\n")
    async with world.running("● guard") as pilot:
        await pilot.press("M")
        await until_shown(pilot, "Type a tool and an input", "Matches 1 of 4 tools")
        await type_text(pilot, "Shell")
        await pilot.press("tab")
        await type_text(pilot, "sudo rm -rf /")
        await until_shown(pilot, "✔ matched tool Shell and pattern rm -rf /", "sudo rm -rf /")
        await pilot.press("backspace", "backspace")
        await until_shown(pilot, "∅ no value of tool_input matches rm -rf /")


async def test_the_matcher_is_tested_on_what_was_logged_those_that_match_on_top_as_it_is_typed_in_the_editor(
    world: HookWorld,
) -> None:
    file = world.add("guard", front="matcher:\n  pattern: git push\n")
    happened(world, "git push --force", "ls", "git commit", "make && git push")
    async with world.running("● guard") as pilot:
        await pilot.press("M")
        await until_shown(pilot, "2 of the last 4")
        text = shown(pilot)
        assert text.index("make && git push") < text.index("git push --force") < text.index("∅ Shell     ls")
        await change(pilot, "HOOK.md", "git push", "git (push|commit)")
        await until_shown(pilot, "3 of the last 4")
        await change(pilot, "HOOK.md", "git (push|commit)", "git (push")
        await until_shown(pilot, "✕ pattern is not a valid regex")
    assert "git push" in read(file)


async def test_the_tester_takes_in_what_is_logged_meanwhile_and_the_cursor_stays_on_its_event_which_enter_tries(
    world: HookWorld,
) -> None:
    world.add("guard", front="matcher:\n  pattern: git\n")
    async with world.running("● guard", size=SMALL) as pilot:
        await pilot.press("M")
        await until_shown(pilot, "Matches 4 of 4 tools · no events logged yet")
        happened(world, "git push")
        await until_shown(pilot, "1 of the last 1", "· matches every one of 1 logged event from 1 tool: too few to tell")
        events = pilot.app.screen.query_one("#match-events", OptionList)
        events.focus()
        await pilot.press("down")
        happened(world, "git commit", "ls", after=1)
        await until_shown(pilot, "2 of the last 3")
        assert events.highlighted == 1  # newer events are above it
        await pilot.press("enter")
        await until_shown(pilot, '"command": "git push"', "Runs the hook for real")


async def test_shift_t_shows_where_an_edit_changes_the_decision_in_live_too(world: HookWorld) -> None:
    file = world.add("guard", script=NO_FORCE)
    happened(world, "ls", "git push", "git push --force")
    async with world.running("● guard", "run.sh") as pilot:
        await change(pilot, "scripts/run.sh", "push --force", "git push")
        await pilot.press("T")
        await until_shown(pilot, "saved → edited", "3 of 3 calls", "the saved and the edited hook for real on them: 6")
        await pilot.press("enter")
        await until_shown(pilot, "3 of 3 events · 1 with a different decision")
        lines = [line for line in shown(pilot).splitlines() if "→" in line and "Shell" in line]
        assert ["≠" in line for line in lines] == [True, False, False]
        assert "git push" in lines[0]
        assert "different result" in shown(pilot)
        assert "no force" in shown(pilot)  # the reason for the event under the cursor
        await pilot.press("escape")
        await until(pilot, lambda: "saved → edited" not in shown(pilot))
        await pilot.press("2")
        await until_shown(pilot, "git push --force")
        await pilot.press("T")
        await until_shown(pilot, "saved → edited", "3 of 3 calls", "enter runs")
    assert read(os.path.join(os.path.dirname(file), "scripts/run.sh")) == NO_FORCE


async def test_without_edits_the_trial_is_compared_with_the_logged_decision(world: HookWorld) -> None:
    world.add("guard", script=NO_FORCE)
    happened(world, "git push --force")
    async with world.running("● guard") as pilot:
        await pilot.press("T")
        await until_shown(pilot, "then → now", "enter runs the hook for real on them: 1 run.")
        await pilot.press("enter")
        await until_shown(pilot, "1 of 1 event · would now deny 1", "– none", "✕ deny", "no force")


async def test_other_hooks_that_denied_then_are_named(world: HookWorld) -> None:
    world.add("guard", script=NO_FORCE)
    happened(world, "git push --force", decision="deny", runs=[run("scan", decision="deny")])
    async with world.running("● guard") as pilot:
        await pilot.press("T")
        await until_shown(pilot, "… not run", "git push --force")
        assert any("→ … not run" in line and "denied by scan then" in line for line in shown(pilot).splitlines())
        await pilot.press("enter")
        await until_shown(pilot, "1 of 1 event · would now deny 1", "would now deny")


async def test_the_hook_runs_on_the_newest_hundred_events(world: HookWorld) -> None:
    world.add("guard", script=NO_FORCE)
    happened(world, *(f"make {number}" for number in range(110)))
    async with world.running("● guard") as pilot:
        await pilot.press("T")
        await until_shown(pilot, "110 of 110 calls", "on the newest 100: 100 runs.")


async def test_past_matches_are_listed_with_their_input_before_anything_runs_and_a_run_that_failed_is_marked(
    world: HookWorld,
) -> None:
    world.add("guard", script="#!/bin/sh\ntouch ran\nexit 1\n", front="matcher:\n  pattern: git push\n")
    happened(world, "git push --force", "ls")
    async with world.running("● guard") as pilot:
        await pilot.press("T")
        await until_shown(pilot, "1 of 2 calls", "… not run", '"command": "git push --force"')
        assert not os.path.exists(os.path.join(world.project, "ran"))
        await pilot.press("enter")
        await until_shown(pilot, "1 of 1 event", "→ ▲ failed")


async def test_a_new_hook_is_counted_on_the_past_while_it_is_typed(world: HookWorld) -> None:
    world.add("other")
    happened(world, "git push --force", "ls", "cd shop && git push")
    async with world.running("● other") as pilot:
        await pilot.press("a")
        await until_shown(pilot, "When should it run?")
        await pilot.press("enter")
        await until_shown(pilot, "Use an existing hook or create one?")
        await pilot.press("enter")
        await until_shown(pilot, "Where should it live?")
        await pilot.press("enter")
        await until_shown(pilot, "Would have matched 3 of 3 calls since January")
        await pilot.press("tab")
        await type_text(pilot, "git push")
        await until_shown(pilot, "Would have matched 2 of 3 calls since January")
        await pilot.press("ctrl+t")
        await until_shown(pilot, "Past events that the new hook would have matched", "2 of 3 calls", "cd shop && git push")
        assert "enter Run" not in shown(pilot)
        await pilot.press("escape")
        await until_shown(pilot, "What should it match?")


async def test_counts_are_dim_from_the_first_key_until_they_are_right_again(
    world: HookWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.add("guard", front="matcher:\n  pattern: git push\n")
    happened(world, "git push --force", "ls", "cd shop && git push")
    for module in (match_pane, past_count):
        monkeypatch.setattr(module, "_PAUSE_S", 0.5)  # long enough to look at what a key did at once
    texts: list[str] = []
    note = FormRow.note

    def noted(row: FormRow, text: str) -> None:
        texts.append(text)
        note(row, text)

    monkeypatch.setattr(FormRow, "note", noted)

    def dim(screen: Screen[object]) -> set[str]:
        """The lines of the screen that are dim."""
        lines = [line for line in screen.query(SteadyText) if line.is_on_screen and line.styles.text_opacity < 1]
        rows = [row for row in screen.query(FormRow) if any("dim" in str(span.style) for span in row.render().spans)]
        return {str(line.render()) for line in (*lines, *rows)}

    async with world.running("● guard", "2 of the last 3", size=(160, 40)) as pilot:
        await until(pilot, lambda: not dim(pilot.app.screen))
        await pilot.press("i", "x")
        assert any("2 of the last 3" in count for count in dim(pilot.app.screen))
        await until_shown(pilot, "0 of the last 3")
        await pilot.press("backspace")
        await until_shown(pilot, "2 of the last 3")
        await until(pilot, lambda: not dim(pilot.app.screen))
        await pilot.press("escape", "a")
        await until_shown(pilot, "When should it run?")
        await pilot.press("enter")
        await until_shown(pilot, "Use an existing hook or create one?")
        await pilot.press("enter")
        await until_shown(pilot, "Where should it live?")
        await pilot.press("enter")
        await until_shown(pilot, "Would have matched 3 of 3 calls since January")
        await until(pilot, lambda: not dim(pilot.app.screen))
        await pilot.press("tab", "l")
        assert any("Would have matched 3 of 3" in count for count in dim(pilot.app.screen))
        await until_shown(pilot, "Would have matched 1 of 3 calls since January")
        await until(pilot, lambda: not dim(pilot.app.screen))
    assert not any("0 of 0" in text for text in texts)


async def test_a_rule_from_a_call_in_live_is_counted_at_once_and_starts_in_its_pattern_which_typing_replaces(
    world: HookWorld,
) -> None:
    world.add("other")
    happened(world, "ls", "cd a && git push -f", "git push")
    async with world.running("● other") as pilot:
        await pilot.press("2")
        await until_shown(pilot, "cd a && git push -f", "no hook ran")
        await pilot.press("up")
        await until(pilot, lambda: shown(pilot).count("Shell cd a && git push -f") == 2)  # its details, too
        await pilot.press("a")
        await until_shown(pilot, "Where should it live?")
        await pilot.press("enter")
        await until_shown(pilot, r"\bgit push\b", "^Shell$", "Would have matched 2 of 3 calls since January")
        await type_text(pilot, "-f")
        await until_shown(pilot, "Pattern  -f", "^Shell$", "Would have matched 1 of 3 calls")
        await pilot.press("escape")
        await until_shown(pilot, "Where should it live?")
        await pilot.press("enter")
        await until_shown(pilot, "Pattern  -f")
        await type_text(pilot, "o")
        await until_shown(pilot, "Pattern  -fo")
        await pilot.press("ctrl+s")
        await until_shown(pilot, "Create this hook?", "The hook denies what it matches.")
        await pilot.press("enter")
        await until_shown(pilot, "● no-fo")


async def test_escape_cancels_what_runs_and_ends_the_hooks(world: HookWorld) -> None:
    world.add("slow", script="#!/bin/sh\necho $$ > pid\nsleep 60\n")
    happened(world, "ls", "make")
    pid = os.path.join(world.project, "pid")
    async with world.app().run_test(size=SIZE) as pilot:
        await start_past_trial(pilot, pid)
        await until_shown(pilot, "esc Cancel")
        await pilot.press("escape")
        await until_shown(pilot, "Cancelled; running hooks were stopped. 0 of 2 events", "esc Back")
        await until(pilot, lambda: not os.path.exists(f"/proc/{read(pid).strip()}"))
        await pilot.press("escape")
        await until(pilot, lambda: "then → now" not in shown(pilot))


async def test_leaving_the_app_ends_running_hooks_and_closes_their_pipes(world: HookWorld) -> None:
    world.add("slow", script="#!/bin/sh\necho $$ > pid\nsleep 60\n")
    happened(world, "ls")
    pid = os.path.join(world.project, "pid")
    async with world.app().run_test(size=SIZE) as pilot:
        await start_past_trial(pilot, pid)
    assert not os.path.exists(f"/proc/{read(pid).strip()}")
    gc.collect()  # an open pipe would be a warning, and so a failure


async def test_a_hook_that_is_not_approved_is_tried_on_the_past_once_it_is(world: HookWorld) -> None:
    world.add("stranger", approved=False)
    happened(world, "ls")
    async with world.running("◌ stranger") as pilot:
        await pilot.press("T")
        await until_shown(pilot, "Approve stranger?")
        await pilot.press("y")
        await until_shown(pilot, "1 of 1 call since")


async def test_an_empty_log_says_so(world: HookWorld) -> None:
    world.add("guard")
    async with world.running("● guard") as pilot:
        await pilot.press("T")
        await until_shown(pilot, "No pre-tool-call events logged for this project yet.")
        await until(pilot, lambda: "━" not in shown(pilot))  # no progress bar without events


async def test_both_are_in_the_palette_and_the_help(world: HookWorld) -> None:
    world.add("guard")
    async with world.running("● guard") as pilot:
        await pilot.press("question_mark")
        await until_shown(pilot, "Test the matcher on typed and logged events", "Try the hook on past events")


async def test_a_try_of_an_edited_hook_shows_the_saved_version_next_to_it(world: HookWorld) -> None:
    world.add("guard", script=NO_FORCE)
    async with world.running("● guard") as pilot:
        await change(pilot, "scripts/run.sh", "push --force", "ls")
        await pilot.press("t")
        await until_shown(pilot, "Runs the hook for real")
        await pilot.press("ctrl+r")
        await until_shown(pilot, "✕ denied", "^s saves", "· no opinion", "Saved")
        lines = shown(pilot).splitlines()
        assert any("✕ denied" in line and "· no opinion" in line for line in lines)  # side by side


async def test_the_result_of_a_try_goes_once_its_event_is_edited(world: HookWorld) -> None:
    world.add("guard", script=NO_FORCE)
    async with world.running("● guard") as pilot:
        await pilot.press("t")
        await until_shown(pilot, "Runs the hook for real")
        await pilot.press("ctrl+r")
        await until_shown(pilot, "no opinion ·", "Keep as an example")
        await pilot.press("x")
        await until_shown(pilot, "Runs the hook for real")
        assert "no opinion ·" not in shown(pilot)
