"""The gallery in the app: rules, where they can go, what they write, and their installation."""

from __future__ import annotations

import os

from textual.pilot import Pilot
from textual.widgets import RadioButton, Select

from hooktui.catalog import catalog
from hooktui.edit.gallery.gallery_rules import RULES
from tests.app.hook_world import HookWorld, read, shown, type_text, until, until_shown, world, write
from tests.app.test_match_and_past import happened

__all__ = ["world"]

SMALL, LARGE = (80, 24), (120, 40)


async def to_gallery(pilot: Pilot[None]) -> None:
    await until_shown(pilot, "No hooks here yet.", "A  install a popular rule")
    await pilot.press("A")
    await until_shown(pilot, "block-secrets", "gate-commit", "creates .agents/hooks/block-secrets")


async def choose_place(pilot: Pilot[None], words: str) -> None:
    """Choose the place whose title contains some words."""
    where = pilot.app.screen.query_one("#where", Select)
    where.value = next(value for title, value in where._options if words in str(title))
    await pilot.pause()


async def test_the_list_shows_the_rule_under_the_cursor_on_a_small_terminal(world: HookWorld) -> None:
    async with world.app().run_test(size=SMALL) as pilot:
        await to_gallery(pilot)
        await pilot.press(*["down"] * (len(RULES) - 1))
        await until_shown(pilot, "protect-hooks                   Denies edits of hooks", "An agent that can edit its hooks")
        assert "Script" not in shown(pilot), "it is in Python, there is no choice"


async def test_a_rule_is_previewed_installed_approved_and_taken_back(world: HookWorld) -> None:
    settings = os.path.join(world.project, ".claude", "settings.json")
    os.makedirs(os.path.dirname(settings))
    write(settings, '{"model": "opus"}\n')
    happened(world, "git push --force", "ls", "git push origin feature", tool="Bash")
    async with world.app().run_test(size=LARGE) as pilot:
        await to_gallery(pilot)
        await until_shown(pilot, "Where    AgentHooks, project: .agents/hooks/NAME/HOOK.md")
        await choose_place(pilot, "Claude Code, project")
        await type_text(pilot, "force")
        await until_shown(pilot, "Would have acted on about 1 of 3 calls")
        await until_shown(pilot, "creates .claude/hooks/gate-push.sh and .agents/hook-tests/gate-push.yaml, and changes")
        await until_shown(pilot, ".claude/settings.json. Claude Code runs it", "+protected='main|master")
        pilot.app.screen.query_one("#py", RadioButton).value = True
        await until_shown(pilot, "creates .claude/hooks/gate-push.py", '+PROTECTED = ("main", "master", "release")')
        assert read(settings) == '{"model": "opus"}\n'
        await pilot.press("enter")
        await until_shown(pilot, "gate-push.py ─ saved", 'PROTECTED = ("main", "master", "release")')
        loaded = catalog.load(world.project)
        assert [(hook.label, hook.event, loaded.trust[hook.id]) for hook in loaded.hooks] == [
            ("gate-push.py", "pre-tool-call", "trusted")
        ]
        await pilot.press("escape", "X", "ctrl+r")
        await until_shown(pilot, "gate-push.py ─ saved · 2 ✔", "✔ git push --force origin topic is denied")
        await pilot.press("escape", "u")
        await until(pilot, lambda: read(settings) == '{"model": "opus"}\n')
        assert os.listdir(os.path.dirname(settings)) == ["settings.json"]
        assert not os.path.exists(os.path.join(world.project, ".agents"))


async def test_a_place_that_a_rule_cannot_have_says_why_and_a_taken_name_gets_a_number(world: HookWorld) -> None:
    async with world.app().run_test(size=SMALL) as pilot:
        await to_gallery(pilot)
        await type_text(pilot, "format")
        await choose_place(pilot, "Azure")
        await until_shown(pilot, "✕ hooktui knows no tool of Azure SRE Agent that changes files.", "in the past yet.")
        await pilot.press("enter")
        await until_shown(pilot, "✕ hooktui knows no tool of Azure SRE Agent")
        assert os.listdir(world.project) == []
        await choose_place(pilot, "AgentHooks, project")
        await until_shown(pilot, "creates .agents/hooks/format-file and")
        await pilot.press("enter")
        await until_shown(pilot, "format-file ─ saved")
        await pilot.press("escape", "A")
        await until_shown(pilot, "block-secrets")
        await type_text(pilot, "format")
        await until_shown(pilot, "creates .agents/hooks/format-file-2 and")


async def test_the_new_hook_dialog_leads_to_the_gallery(world: HookWorld) -> None:
    world.add("lint", "post-tool-call")
    async with world.running("● lint", size=SMALL) as pilot:
        await pilot.press("a")
        await until_shown(pilot, "When should it run?", "+ From the gallery")
        await pilot.press("enter")
        await until_shown(pilot, "Use an existing hook or create one?", "+ From the gallery")
        await pilot.press("down", "enter")
        await until_shown(pilot, "popular rules", "block-secrets")
        await pilot.press("escape")
        await until(pilot, lambda: "block-secrets" not in shown(pilot))
