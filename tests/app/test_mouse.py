"""Everything works with the mouse alone, and no click does more than its label says."""

from __future__ import annotations

import json
import os
import re

from hooktui.screens.hooks.source_tabs import SourceTabs
from hooktui.screens.keys.help import entries
from tests.app.decision_world import DecisionWorld, decided, world
from tests.app.hook_world import HookWorld, has_focus, read, shown, type_text, until, until_shown, write
from tests.app.mouse import Mouse
from tests.log_world import busy_day

__all__ = ["decided", "world"]

SMALL, LARGE = (80, 24), (120, 40)


async def test_a_click_on_a_target_shows_what_would_be_copied_and_writes_nothing_and_a_hook_is_moved_by_mouse(
    world: HookWorld,
) -> None:
    file = world.add("guard")
    settings = os.path.join(world.project, ".claude", "settings.json")
    async with world.app().run_test(size=SMALL) as pilot:
        mouse = Mouse(pilot)
        await until_shown(pilot, "● guard")
        await pilot.press("c")
        await mouse.click("Claude Code, project")
        await until_shown(pilot, "≈ approximated")
        assert not os.path.exists(settings)
        await mouse.click("esc Back")
        await until(pilot, lambda: "Copy guard to" not in shown(pilot))
        assert not os.path.exists(settings)
        await mouse.choose_in_help("Copy, move or convert")
        await mouse.click("AgentHooks, user")
        await mouse.click("m Move")
        await until(pilot, lambda: not os.path.exists(file))
        await until_shown(pilot, "user 100")


async def test_a_click_on_a_rule_of_the_gallery_shows_it_and_installs_nothing(world: HookWorld) -> None:
    async with world.app().run_test(size=LARGE) as pilot:
        mouse = Mouse(pilot)
        await mouse.click("A Popular rules")
        await mouse.click("gate-commit", twice=True)
        await until_shown(pilot, "This creates .agents/hooks/gate-commit", "enter Install")
        assert not os.path.exists(os.path.join(world.project, ".agents"))
        await mouse.click("enter Install")
        await until_shown(pilot, "gate-commit ─ saved")


async def test_a_sign_shows_where_more_tabs_are_and_leads_towards_them(world: HookWorld) -> None:
    world.add("guard")
    os.mkdir(claude := os.path.join(world.project, ".claude"))
    write(
        os.path.join(claude, "settings.json"),
        json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}),
    )
    async with world.app().run_test(size=SMALL) as pilot:
        mouse = Mouse(pilot)
        await until_shown(pilot, "● guard", "Tests  ›")
        tabs = pilot.app.screen.query_one(SourceTabs)
        await mouse.click(" ›")
        await until(pilot, lambda: tabs.active == "source-0")
        tabs.active = "history-tab"
        await until_shown(pilot, "‹        run.sh  Match", "Tests  History")
        await mouse.click("● true")
        await until_shown(pilot, "‹ settings.json  Match", "Tests  History")


async def test_what_is_typed_is_saved_by_mouse_from_the_list_of_hooks(world: HookWorld) -> None:
    file = world.add("guard")
    async with world.app().run_test(size=SMALL) as pilot:
        mouse = Mouse(pilot)
        await mouse.click("The hook guard", at_end=True)
        await type_text(pilot, "!")
        await mouse.click("● guard •")
        await until(pilot, lambda: has_focus(pilot, "#hooks"))
        await mouse.click("^s Save")
        await until_shown(pilot, "guard ─ saved")
        assert "The hook guard!" in read(file)
        await until(pilot, lambda: "^s Save" not in shown(pilot))


async def test_keys_of_an_empty_state_can_be_clicked_and_the_help_is_closed_by_mouse(world: HookWorld) -> None:
    async with world.app().run_test(size=SMALL) as pilot:
        mouse = Mouse(pilot)
        await mouse.click("all keys")
        await until_shown(pilot, "Search keys and actions")
        await mouse.click("esc Close")
        await until(pilot, lambda: "Search keys and actions" not in shown(pilot))
        await mouse.click("create a hook")
        await until_shown(pilot, "When should it run?")


async def test_a_narrow_pane_keeps_its_place_during_a_drag_over_its_text(world: HookWorld) -> None:
    world.add("guard")
    async with world.app().run_test(size=SMALL) as pilot:
        mouse = Mouse(pilot)
        await until_shown(pilot, "Runs       .agents/hooks/guard")
        await mouse.click("HOOK.md")
        await until_shown(pilot, "# guard")
        await mouse.drag_over("The hook guard")
        await until(pilot, lambda: "Hooks by event" not in shown(pilot))  # the full width, once the button is released
        await type_text(pilot, "Mine")
        await until_shown(pilot, "description: Mine")


async def test_a_problem_that_is_opened_is_shown_with_the_beginning_of_its_line(world: HookWorld) -> None:
    path = os.path.join(world.project, ".claude", "settings.json")
    os.makedirs(os.path.dirname(path))
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "command": "true", "matcherr": "x"}]}
    write(path, json.dumps({"hooks": {"PreToolUse": [entry]}}, indent="\t"))
    async with world.app().run_test(size=SMALL) as pilot:
        mouse = Mouse(pilot)
        await until_shown(pilot, "true Bash")
        await mouse.click("4 Diagnostics")
        await mouse.click("settings.json:10", twice=True)
        await until_shown(pilot, "Hooks by event", '"PreToolUse": [', '"matcher": "Bash"')


async def test_running_a_try_by_mouse_keeps_the_width_and_the_focus_in_the_event(world: HookWorld) -> None:
    file = world.add("guard")
    async with world.app().run_test(size=SMALL) as pilot:
        mouse = Mouse(pilot)
        await until_shown(pilot, "● guard")
        await pilot.press("t")
        await until_shown(pilot, '"command": "ls"')
        await until(pilot, lambda: "Hooks by event" not in shown(pilot))
        await mouse.click('"command": "ls"', at_end=True)
        await mouse.click("^r Run")
        await until_shown(pilot, "no opinion ·")
        assert "Hooks by event" not in shown(pilot)
        await pilot.press("space", "d", "e")
        await until_shown(pilot, '"command": "ls" de')
        assert os.path.exists(file)  # and is not switched off


async def test_enter_leads_from_the_tab_that_was_clicked_into_its_text(world: HookWorld) -> None:
    world.add("guard")
    async with world.app().run_test(size=SMALL) as pilot:
        mouse = Mouse(pilot)
        await until_shown(pilot, "● guard")
        await mouse.click("run.sh")
        await until_shown(pilot, "cat >/dev/null")
        await pilot.press("enter")
        await until(pilot, lambda: "Hooks by event" not in shown(pilot))
        await type_text(pilot, "# mine")
        await until_shown(pilot, "# mine#!/bin/sh")


DOCUMENTED = re.compile(r"^\| `([a-z-]+)` \| `", re.MULTILINE)
# Keys to each pane, and a text that says that it is there.
PANES = (
    ("", "saved"),
    ("i", "esc Leave"),
    ("escape t", '"command": "ls"'),
    ("escape X", "No examples yet."),
    ("escape H", "No run of this hook"),
    ("escape M", "Type a tool and an input"),
    ("escape 2", "17 of 17"),
    ("3", "2 sessions"),
    ("enter", "Summary"),
    ("4", "Problems by severity"),
)


async def test_the_help_that_ends_each_footer_offers_every_documented_action_to_the_mouse(decided: DecisionWorld) -> None:
    busy_day(decided)
    decided.hooks.add("guard", front="colour: red\n")
    offered: set[str] = set()
    async with decided.running("▲ guard", size=SMALL) as pilot:
        await Mouse(pilot).choose_in_help("Command palette")
        await until_shown(pilot, "Search for commands")
        await pilot.press("escape")
        for keys, text in PANES:
            await pilot.press(*keys.split())
            await until_shown(pilot, text)
            await until(pilot, lambda: shown(pilot).rstrip().endswith(("? Help", "f1 Help")))
            offered.update(entry.name for entry in entries(pilot.app.screen, {}))
    elsewhere = {"fleet-screen", "less"}  # with --fleet; a button of the dialog that tries past events
    assert set(DOCUMENTED.findall(read("docs/configuration.md"))) - offered == elsewhere
