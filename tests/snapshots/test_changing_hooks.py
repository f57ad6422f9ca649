"""Snapshots of copying and deleting a hook; update them with `pytest --snapshot-update`."""

from __future__ import annotations

import json
import os

from tests.app.hook_world import HookWorld, write
from tests.snapshots.looking import LARGE_ONLY, SMALL_ONLY, TO_DANGER, AsBefore, Size, showing, state_of


@LARGE_ONLY
async def test_a_copy_for_claude_code_shows_what_is_lost(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    steps = (*TO_DANGER, state_of("c", "Copy block-dangerous to"), state_of("j", "becomes Bash"))
    async with showing(shop.app(), size, *steps) as pilot:
        await as_before(pilot, "dark")


@LARGE_ONLY
async def test_what_cannot_be_copied_says_why(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(shop.app(), size, state_of("", "run.sh"), state_of("c", "already exists.")) as pilot:
        await as_before(pilot, "dark")


@SMALL_ONLY
async def test_the_question_before_a_hook_is_deleted(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(shop.app(), size, *TO_DANGER, state_of("d", "Delete block-dangerous?")) as pilot:
        await as_before(pilot, "light")


@SMALL_ONLY
async def test_the_question_before_a_hook_is_deleted_that_another_one_runs(
    world: HookWorld, as_before: AsBefore, size: Size
) -> None:
    world.add("guard")
    settings = os.path.join(world.project, ".claude", "settings.json")
    os.makedirs(os.path.dirname(settings))
    command = {"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/.agents/hooks/guard/scripts/run.sh'}
    write(settings, json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [command]}]}}, indent=2))
    asked = state_of("d", "✕ run.sh (Claude Code, project")
    async with showing(world.app(), size, state_of("", "guard ─ saved"), asked) as pilot:
        await as_before(pilot, "dark")
