from __future__ import annotations

import json
import os

from textual.pilot import Pilot
from textual.widgets import OptionList

from hooktui.core import paths
from tests.app.hook_world import SMALL, HookWorld, read, shown, type_text, until, until_shown, world, write

__all__ = ["world"]

SETTINGS = """{
  // mine
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [
        {"type": "command", "command": "./first.sh"},
        {"type": "command", "command": "./second.sh"}
      ]}
    ]
  }
}
"""


def settings(world: HookWorld) -> str:
    path = os.path.join(world.project, ".claude", "settings.json")
    os.makedirs(os.path.dirname(path))
    write(path, SETTINGS)
    return path


async def test_space_turns_a_hook_off_and_on_again_once_unsaved_edits_are_settled(world: HookWorld) -> None:
    file = world.add("lint")
    world.add("other", "pre-session")
    async with world.running("● lint", notifications=True) as pilot:
        await pilot.press("G", "space")
        await until_shown(pilot, "○ lint", "project off", "Turn lint off: done · u undo")
        assert not os.path.exists(file)
        assert "lint ─" in shown(pilot)
        await pilot.press("space")
        await until_shown(pilot, "● lint")
        assert os.path.exists(file)
        await pilot.press("enter", "x", "escape", "space")
        await until_shown(pilot, "Save (^s) or undo your edits first.")
        assert os.path.exists(file)


async def test_the_cursor_stays_with_an_entry_that_gets_another_number_and_u_undoes_changes_of_it_in_reverse_order(
    world: HookWorld,
) -> None:
    path = settings(world)
    async with world.running("✕ second.sh", notifications=True) as pilot:
        await pilot.press("space")
        await until_shown(pilot, "○ first.sh", "./first.sh")
        await pilot.press("d", "y")
        await until(pilot, lambda: "○" not in shown(pilot))
        assert "first.sh" not in read(path)
        await pilot.press("u")
        await until_shown(pilot, "○ first.sh")
        await pilot.press("u")
        await until(pilot, lambda: read(path) == SETTINGS)
        await pilot.press("u")
        await until_shown(pilot, "Nothing to undo", "✕ first.sh")
        await pilot.press("space")
        await until_shown(pilot, "○ first.sh", "./first.sh")
        await pilot.press("space")
        await until_shown(pilot, "✕ first.sh", "✕ second.sh")
        assert read(path) == SETTINGS
        write(path, '{"hooks": {}}')
        await pilot.press("u")
        await until_shown(pilot, "Nothing changed", "has changed in the")
        assert read(path) == '{"hooks": {}}'


async def test_d_asks_on_another_key_escape_keeps_the_hook_and_u_restores_one_that_was_deleted_in_an_earlier_run(
    world: HookWorld,
) -> None:
    file = world.add("lint")
    async with world.running("● lint", size=SMALL, notifications=True) as pilot:
        await pilot.press("d")
        await until_shown(pilot, "Delete lint?", "with its whole directory", "y Delete")
        await pilot.press("d", "escape")
        await until(pilot, lambda: "Delete lint?" not in shown(pilot))
        assert os.path.exists(file)
        await pilot.press("d")
        await until_shown(pilot, "Delete lint?")
        await pilot.press("y")
        await until(pilot, lambda: not os.path.exists(file))
    async with world.running("a", notifications=True) as pilot:
        await pilot.press("u")
        await until_shown(pilot, "● lint", "Restore lint: done")
        assert os.path.exists(file)


async def test_delete_warns_about_other_users_of_the_script(world: HookWorld) -> None:
    file = world.add("lint")
    command = '"$CLAUDE_PROJECT_DIR"/.agents/hooks/lint/scripts/run.sh'
    group = {"hooks": [{"type": "command", "command": f"test -n x && {command}"}]}
    os.makedirs(os.path.join(world.project, ".claude"))
    write(os.path.join(world.project, ".claude", "settings.json"), json.dumps({"hooks": {"Stop": [group]}}))
    async with world.running("● lint", notifications=True) as pilot:
        await pilot.press("G")
        await until_shown(pilot, "lint ─ saved")
        await pilot.press("d")
        await until_shown(pilot, "Delete lint?", "✕ run.sh (Claude Code, project:", "allows everything")
        await pilot.press("enter")
        await until(pilot, lambda: "Delete lint?" not in shown(pilot))
        assert os.path.exists(file)
        await pilot.press("c")
        await until_shown(pilot, "AgentHooks, user", "m Move")
        await pilot.press("m")
        await until_shown(pilot, "Move lint?", "run.sh (Claude Code")
        await pilot.press("y")
        await until(pilot, lambda: not os.path.exists(file))


async def test_c_shows_what_a_conversion_loses_and_enter_makes_it(world: HookWorld) -> None:
    world.add("guard", front="matcher:\n  tool: Shell\n  pattern: rm -rf\npriority: 900\n")
    made = os.path.join(world.project, ".claude", "settings.json")
    async with world.running("● guard", notifications=True) as pilot:
        await pilot.press("c")
        await until_shown(pilot, "Copy guard to", "AgentHooks, user", "Claude Code, project")
        await choose(pilot, "Claude Code, project")
        await until_shown(pilot, "900: Claude Code has no priorities", "Shell becomes Bash")
        await until_shown(pilot, "✔ kept", '+        "matcher": "Bash",')
        assert not os.path.exists(made)
        await pilot.press("m", "enter")  # a hook can be moved only within its format
        await until_shown(pilot, "guard.sh Bash", "Convert guard to Claude Code, project: done")
        assert json.loads(read(made))["hooks"]["PreToolUse"][0]["matcher"] == "Bash"
        await pilot.press("u")
        await until(pilot, lambda: not os.path.exists(made))


async def test_m_moves_a_hook_to_another_scope(world: HookWorld) -> None:
    file = world.add("guard")
    async with world.running("● guard", size=SMALL, notifications=True) as pilot:
        await pilot.press("c")
        await until_shown(pilot, "AgentHooks, user", "m Move")
        await pilot.press("m")
        await until(pilot, lambda: not os.path.exists(file))
        assert os.path.exists(os.path.join(paths.agenthooks_user_root(), "guard", "HOOK.md"))


async def test_failed_conversion_shows_the_reason_and_keeps_the_hook(world: HookWorld) -> None:
    world.add("guard", "post-agent-turn")
    async with world.running("● guard", size=SMALL, notifications=True) as pilot:
        await pilot.press("c")
        await until_shown(pilot, "Kimi Code, user")
        await pilot.press("end")
        await until_shown(pilot, "Azure SRE Agent has no post-agent-turn.")
        await pilot.press("enter")
        await until_shown(pilot, "Copy guard to")


async def test_the_palette_reaches_each_change_by_name(world: HookWorld) -> None:
    world.add("lint")
    async with world.running("● lint", notifications=True) as pilot:
        for words, name in (
            ("turn off", "Turn the hook off or on"),
            ("delete", "Delete the hook"),
            ("convert", "Copy, move or convert the hook"),
            ("take back", "Undo the last change, or restore a deleted hook"),
        ):
            await pilot.press("colon")
            await until_shown(pilot, "Search for commands")
            await type_text(pilot, words)
            await until_shown(pilot, name)
            await pilot.press("escape")


async def choose(pilot: Pilot[None], title: str) -> None:
    """Move the cursor of the dialog to a target, key by key."""
    targets = pilot.app.screen.query_one(OptionList)
    for _ in range(targets.option_count):
        if targets.highlighted is not None and str(targets.get_option_at_index(targets.highlighted).prompt) == title:
            return
        await pilot.press("j")
    raise AssertionError(f"no {title}")


async def test_undo_after_deleting_the_only_filtered_hook(world: HookWorld) -> None:
    world.add("other")
    file = world.add("guard")
    async with world.running("● guard", size=SMALL) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "guar\n")
        await until_shown(pilot, "1 found", "guard ─ saved")
        await pilot.press("d", "y")
        await until(pilot, lambda: not os.path.exists(file))
        await until_shown(pilot, "● other", "other ─ saved")
        await pilot.press("u")
        await until(pilot, lambda: os.path.exists(file))
        await until_shown(pilot, "● guard")
