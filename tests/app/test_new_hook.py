"""The new-hook dialog (`a`), for every format."""

from __future__ import annotations

import json
import os

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from hooktui.app import HooktuiApp
from hooktui.catalog import catalog
from hooktui.core import paths
from tests.app.hook_world import HookWorld, has_focus, read, shown, type_ahead, type_text, until, until_shown, world, write

__all__ = ["world"]

SMALL, LARGE = (80, 24), (120, 40)
# Words that find a format's place in the project, the tool to match, and the files created there.
FORMATS = (
    ("agenthooks project", "Shell", ".agents/hooks/no-git-push-force/scripts/run.sh"),
    ("claude project", "Bash", ".claude/hooks/no-git-push-force.sh"),
    ("vs project", "run_in_terminal", ".github/hooks/scripts/no-git-push-force.sh"),
    ("cli project", "bash", ".github/hooks/scripts/no-git-push-force.sh"),
    ("azure", "Bash", "azuresre/no-git-push-force.yaml"),
)
SETTINGS = '{\n\t"hooks": {\n\t\t"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]\n\t}\n}\n'


async def begin(pilot: Pilot[None]) -> None:
    await until_shown(pilot, "No hooks here yet.")
    await pilot.press("a")
    await until_shown(pilot, "When should it run?", "a tool is about to run")


async def to_draft(pilot: Pilot[None], place: str = "") -> None:
    """Go through the dialog up to the matcher."""
    await begin(pilot)
    await pilot.press("enter")
    await until_shown(pilot, "Where should it live?")
    await type_text(pilot, place)
    await pilot.press("enter")
    await until_shown(pilot, "What should it match?")


async def test_a_leads_to_an_approved_guard_of_any_format_and_u_takes_it_back(world: HookWorld) -> None:
    async with world.app().run_test(size=LARGE) as pilot:
        for place, tool, made in FORMATS:
            await to_draft(pilot, place)
            await type_text(pilot, tool)
            await pilot.press("tab")
            await type_text(pilot, "git push --force")
            await until_shown(pilot, "no-git-push-force", "Matches")
            assert os.listdir(world.project) == []
            await pilot.press("enter")
            await until_shown(pilot, "Create this hook?", "denies what it matches.", "enter Create")
            assert os.listdir(world.project) == []
            await pilot.press("enter")
            await until_shown(pilot, "Blocked this $tool call")
            assert os.path.exists(os.path.join(world.project, made))
            assert list(catalog.load(world.project).trust.values()) == ["trusted"]
            await pilot.press("ctrl+t")
            await until_shown(pilot, '"git push --force"')  # the script may check it instead of the matcher
            await pilot.press("ctrl+r")
            await until_shown(pilot, "✕ denied")
            await pilot.press("escape", "u")
            await until(pilot, lambda: os.listdir(world.project) == [])
            assert catalog.load(world.project).hooks == ()


@pytest.mark.parametrize("place", ["agenthooks project", "azure"])
async def test_text_typed_after_create_goes_into_the_command_and_escape_goes_back(
    world: HookWorld, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HooktuiApp, "NOTIFICATION_TIMEOUT", 3600.0)  # a busy machine may miss one of 5 s
    async with world.app().run_test(size=SMALL, notifications=True) as pilot:
        await to_draft(pilot, place)
        await pilot.press("tab")
        await type_text(pilot, "rm -rf")
        await pilot.press("tab")
        await type_text(pilot, "a" * 64)
        await pilot.press("enter")
        await until_shown(pilot, "Create this hook?")
        await pilot.press("enter")
        type_ahead(pilot, *"Never")
        await until_shown(pilot, "Created · ^t try")
        await until_shown(pilot, 'reason="Never"')
        await pilot.press("escape")
        await until(pilot, lambda: has_focus(pilot, "#hooks"))


async def test_enter_alone_makes_a_hook_of_the_event_under_the_cursor(world: HookWorld) -> None:
    world.add("lint", "post-tool-call")
    async with world.running("● lint", size=SMALL) as pilot:
        await pilot.press("a")
        await until_shown(pilot, "When should it run?")
        await pilot.press("enter")
        await until_shown(pilot, "Use an existing hook or create one?  post-tool-call", "● lint")
        await pilot.press("enter", "enter")
        await until_shown(pilot, "What should it match?")
        await pilot.press("enter")
        await until_shown(pilot, "Create this hook?", "decides nothing until you edit its")
        await pilot.press("enter")
        await until_shown(pilot, "on-post-tool-call ─ saved")
        assert [(hook.name, hook.event) for hook in catalog.load(world.project).hooks if hook.name != "lint"] == [
            ("on-post-tool-call", "post-tool-call")
        ]


async def test_existing_hook_is_opened(world: HookWorld) -> None:
    world.add("lint", "post-tool-call")
    world.add("other")
    async with world.running("other ─ saved") as pilot:
        await pilot.press("a")
        await until_shown(pilot, "When should it run?")
        await type_text(pilot, "succeeded")
        await pilot.press("enter")
        await until_shown(pilot, "+ New hook", "● lint")
        await pilot.press("down", "down", "enter")
        await until_shown(pilot, "lint ─ saved")


async def test_each_step_can_go_back_and_what_was_chosen_stays(world: HookWorld) -> None:
    async with world.app().run_test(size=SMALL) as pilot:
        await to_draft(pilot, "claude user")
        await type_text(pilot, "Bash")
        await pilot.press("enter")
        await until_shown(pilot, "Create this hook?  PreToolUse › Claude Code, user › no-bash")
        await pilot.press("escape")
        await until_shown(pilot, "What should it match?")
        assert pilot.app.screen.query_one("#tool", Input).value == "Bash"
        await pilot.press("escape")
        await until_shown(pilot, "Where should it live?", "claude user")
        await pilot.press("escape")
        await until_shown(pilot, "When should it run?")
        await pilot.press("enter", "enter")
        await until_shown(pilot, "What should it match?", "Claude Code, user")
        for _ in range(3):
            await pilot.press("escape")
        await until(pilot, lambda: "New hook" not in shown(pilot))
        assert os.listdir(world.project) == []


async def test_entry_is_added_to_the_existing_file(world: HookWorld) -> None:
    path = os.path.join(world.project, ".claude", "settings.json")
    os.makedirs(os.path.dirname(path))
    write(path, SETTINGS)
    async with world.running("● true", notifications=True) as pilot:
        await pilot.press("a")
        await until_shown(pilot, "When should it run?")
        await type_text(pilot, "session begins")
        await pilot.press("enter", "enter")  # Claude's, like most hooks here
        await until_shown(pilot, "What should it match?", "Claude Code, project", "Matcher")
        await pilot.press("enter")
        await until_shown(pilot, "This creates .claude/hooks/on-pre-session.sh", "changes", ".claude/settings.json")
        await pilot.press("enter")
        await until_shown(pilot, "esc u undo", "Edit here")
        made = read(path)
        assert '\t\t"SessionStart": [\n\t\t\t{\n' in made
        assert made.startswith(SETTINGS[: SETTINGS.index("\n\t}\n}")])
        await pilot.press("escape", "u")
        await until(pilot, lambda: read(path) == SETTINGS)


async def test_an_event_is_found_by_what_any_host_calls_it_and_a_place_that_cannot_have_it_says_why(world: HookWorld) -> None:
    async with world.app().run_test(size=SMALL) as pilot:
        await begin(pilot)
        await type_text(pilot, "UserPromptS")
        await until(pilot, lambda: "pre-agent-turn" in shown(pilot) and "pre-tool-call" not in shown(pilot))
        await type_text(pilot, "x")
        await until_shown(pilot, "No matches for “UserPromptSx”.")
        await pilot.press("ctrl+u")
        await type_text(pilot, "post-session")
        await pilot.press("enter")
        await until_shown(pilot, "VS Code has no post-session.", "Azure SRE Agent has no post-session.")
        await type_text(pilot, "vs")
        await pilot.press("enter")
        await until_shown(pilot, "Where should it live?")


async def test_each_wrong_field_says_why_and_the_tester_waits_for_a_regex(world: HookWorld) -> None:
    async with world.app().run_test(size=SMALL) as pilot:
        await to_draft(pilot)
        await pilot.press("tab")
        await type_text(pilot, "git push")
        await until_shown(pilot, "Matches 4 of 4 tools", "◌ Shell     depends on its input")
        assert "∅" not in shown(pilot), "their input is made up"
        await pilot.press("ctrl+u", "shift+tab")
        await type_text(pilot, "Sh")
        await until_shown(pilot, "Matches 1 of 4 tools", "✔ Shell")
        await type_text(pilot, "(")
        await until_shown(pilot, "✕ tool is not a valid regex", "Waiting for a valid regex.")
        await pilot.press("tab", "tab")
        await type_text(pilot, "a/b")
        await until_shown(pilot, "✕ tool is not a valid regex", "✕ 'a/b' is not a valid directory name")
        assert "Matches" not in shown(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: has_focus(pilot, "#tool"))
        await pilot.press("backspace")
        await until_shown(pilot, "Matches 1 of 4 tools", "✕ 'a/b' is not a valid directory name")
        await pilot.press("enter")
        await until(pilot, lambda: has_focus(pilot, "#name"))
        await pilot.press("backspace", "backspace", "enter")
        await until_shown(pilot, "Create this hook?")


async def test_a_name_is_checked_as_it_is_typed_and_enter_writes_a_better_one(world: HookWorld) -> None:
    world.add("guard")
    world.add("mine", scope="user")
    async with world.running("● mine", size=SMALL) as pilot:
        await pilot.press("a")
        await until_shown(pilot, "When should it run?")
        await pilot.press("enter", "enter", "enter")
        await until_shown(pilot, "What should it match?")
        await pilot.press("tab", "tab")
        await type_text(pilot, "guard")
        await until_shown(pilot, "already exists: choose another name")
        await pilot.press("enter")
        await until(pilot, lambda: "Create this hook?" not in shown(pilot))
        await pilot.press("ctrl+u")
        await type_text(pilot, "Bad Name")
        await until_shown(pilot, "▲ some hosts reject the name Bad Name", "enter use bad-name")
        await pilot.press("enter")
        await until(pilot, lambda: "▲" not in shown(pilot) and "bad-name" in shown(pilot))
        await pilot.press("ctrl+u")
        await type_text(pilot, "mine")
        await until_shown(pilot, "▲ mine replaces the user's hook of the same name")
        await pilot.press("enter")
        await until_shown(pilot, "Create this hook?")


async def test_the_tester_tests_what_the_script_looks_for_too(world: HookWorld) -> None:
    async with world.app().run_test(size=SMALL) as pilot:
        await to_draft(pilot, "claude project")
        await type_text(pilot, "Bash")
        await pilot.press("tab")
        await type_text(pilot, "push")
        pilot.app.screen.query_one("#match-tool", Input).focus()
        await type_text(pilot, "Bash")
        await pilot.press("tab")
        await type_text(pilot, "git push")
        await until_shown(pilot, "✔ matched pattern push")
        await pilot.press("backspace")
        await until_shown(pilot, "∅ no value of tool_input matches push")


async def test_the_next_hook_is_offered_the_same_place(world: HookWorld) -> None:
    async with world.app().run_test(size=LARGE) as pilot:
        await to_draft(pilot, "claude local")
        await pilot.press("enter")
        await until_shown(pilot, "Create this hook?")
        await pilot.press("enter")
        await until_shown(pilot, "on-pre-tool-call.sh", "Edit here")
        await pilot.press("escape", "a")
        await until_shown(pilot, "When should it run?")
        await type_text(pilot, "wants to stop")
        await pilot.press("enter", "enter")
        await until_shown(pilot, "What should it be called?", "Stop › Claude Code, local")
        await pilot.press("enter")
        await until_shown(pilot, "Create this hook?")
        await pilot.press("enter")
        await until(pilot, lambda: len(catalog.load(world.project).hooks) == 2)
        with open(os.path.join(world.project, ".claude", "settings.local.json"), encoding="utf-8") as file:
            assert list(json.load(file)["hooks"]) == ["PreToolUse", "Stop"]


async def test_what_cannot_be_written_after_all_says_why_and_what_was_typed_stays(world: HookWorld) -> None:
    async with world.app().run_test(size=(80, 24), notifications=True) as pilot:
        await to_draft(pilot)
        await type_text(pilot, "Shell")
        await pilot.press("tab")
        await type_text(pilot, "git push --force")
        await pilot.press("enter")
        await until_shown(pilot, "Create this hook?")
        write(os.path.join(world.project, ".agents"), "a file where the directory of all hooks would be")
        await pilot.press("enter")
        await until_shown(pilot, "What should it match?", "git push --force", "✕")
        os.remove(os.path.join(world.project, ".agents"))
        await pilot.press("enter")
        await until_shown(pilot, "Create this hook?")
        await pilot.press("enter")
        await until_shown(pilot, "Blocked this $tool call")


async def test_a_tool_is_matched_under_its_names_in_all_installed_programs(world: HookWorld) -> None:
    for trace in (".claude.json", ".codex/config.toml"):
        os.makedirs(os.path.dirname(os.path.join(paths.home(), trace)), exist_ok=True)
        write(os.path.join(paths.home(), trace), "")
    async with world.app().run_test(size=SMALL) as pilot:
        await to_draft(pilot, "agenthooks project")
        await type_text(pilot, "Shell")
        await until_shown(pilot, "matches no tool of Claude Code", "^n use Shell|Bash")
        await pilot.press("ctrl+n")
        await until(pilot, lambda: pilot.app.screen.query_one("#tool", Input).value == "Shell|Bash")
