"""The form says in which programs a hook works; hooktui's own entries have a group of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from hooktui.core import paths
from tests.app.hook_world import HookWorld, shown, until_shown, world, write

__all__ = ["world"]


async def test_the_form_says_where_a_hook_works_and_where_not(world: HookWorld) -> None:
    entry = {"type": "command", "command": "true"}
    text = json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}})
    os.mkdir(os.path.join(paths.home(), ".claude"))
    write(os.path.join(paths.home(), ".claude", "settings.json"), text)
    async with world.app().run_test(size=(160, 40)) as pilot:
        await until_shown(pilot, "Claude Code", "VS Code (with", "chat.useClaudeHooks, for every tool)", "not Copilot CLI")


async def test_a_reason_that_applies_to_every_host_is_shown_once(world: HookWorld) -> None:
    world.add("broken", front="matcher:\n  tool: '('\n")
    async with world.app().run_test(size=(160, 40)) as pilot:
        await until_shown(pilot, "nowhere (cannot read its matcher)")


async def test_hooktui_connection_entries_have_their_own_last_group(world: HookWorld) -> None:
    world.add("guard", "post-session")
    connect = (sys.executable, "-m", "hooktui", "connect", "claude", "--scope", "project", "--yes", "--project", world.project)
    subprocess.run(connect, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    async with world.running("▸ hooktui connection ") as pilot:
        await pilot.press("G", "l")
        await until_shown(pilot, "▾ hooktui connection ", "calls hooktui")
        screen = shown(pilot)
        assert screen.index("guard") < screen.index("hooktui connection")
