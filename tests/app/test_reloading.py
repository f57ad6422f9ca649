"""Changes by other programs appear by themselves, and the cursor and unsaved text stay in place."""

from __future__ import annotations

import json
import os

from textual.pilot import Pilot

from hooktui.screens.hooks.screen import HooksScreen
from hooktui.screens.widgets.editor import Editor
from hooktui.screens.widgets.grouped_tree import GroupedTree
from tests.app.hook_world import HookWorld, read, type_text, until, until_shown, until_still, world, write

__all__ = ["world"]


async def test_a_changed_hook_is_updated_in_its_row_and_nothing_moves(world: HookWorld) -> None:
    files = [world.add(f"hook-{number}", scope="user") for number in range(10, 70)]
    async with world.running("hook-10 ─ saved") as pilot:
        await pilot.press("k")
        await type_text(pilot, "j" * 40)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.focused, Editor))
        await pilot.press("down", "shift+down", "shift+right")
        before = places(pilot)
        write(files[35], read(files[35]).replace("---\n", "---\ntimeout: 1\n", 1))
        await until_shown(pilot, "hook-45", "user 1 error")
        assert places(pilot) == before
        write(files[35], read(files[35]).replace("timeout: 1\n", "priority: 1000\n"))
        await until_shown(pilot, "60 hooks  not connected ")
        await until(pilot, lambda: "priority: 1000" in pilot.app.catalog.hooks[0].text)  # type: ignore[attr-defined]
        assert places(pilot)[1:] == before[1:]


async def test_selection_and_view_stay_with_their_text_when_the_file_that_is_read_changes(world: HookWorld) -> None:
    file = world.add("guard", scope="user")
    write(file, read(file) + "".join(f"line {number}\n" for number in range(100)))
    async with world.running("guard ─ saved", "run.sh") as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.focused, Editor))
        editor = pilot.app.screen.query_one("#source-0 Editor", Editor)
        editor.move_cursor((60, 0))
        editor.move_cursor((61, 3), select=True)
        await until_still(pilot)
        selected, seen = editor.selected_text, editor.scroll_offset
        write(file, read(file) + "more\n")
        await until(pilot, lambda: editor.text.endswith("more\n"))
        assert (editor.selected_text, editor.scroll_offset) == (selected, seen)
        write(file, read(file).replace("trigger:", "timeout: 5000\ntrigger:"))
        await until(pilot, lambda: "timeout: 5000" in editor.text)
        assert (editor.selected_text, editor.selection.end) == (selected, (62, 3))
        await pilot.press("ctrl+z")
        await until_still(pilot)
        assert editor.text == read(file)


async def test_an_entry_is_followed_when_another_comes_before_it(world: HookWorld) -> None:
    file = os.path.join(world.project, ".claude", "settings.json")
    os.makedirs(os.path.dirname(file))
    write(file, settings("first", "second"))
    async with world.running("echo first first") as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, HooksScreen)
        await pilot.press("j")
        await until(pilot, lambda: screen.shown is not None and screen.shown.command == "echo second")
        write(file, settings("new", "first", "second"))
        await until_shown(pilot, "echo new new")
        assert screen.shown is not None
        assert screen.shown.command == "echo second"
        assert screen.hooks.current is not None
        assert screen.hooks.current.key == screen.shown.id


def settings(*said: str) -> str:
    groups = [{"matcher": word, "hooks": [{"type": "command", "command": f"echo {word}"}]} for word in said]
    return json.dumps({"hooks": {"PreToolUse": groups}}, indent=2)


def places(pilot: Pilot[None]) -> tuple[object, ...]:
    """The line under the tree's cursor, its row, and the editor's selection."""
    tree = pilot.app.screen.query_one("#hooks", GroupedTree)
    editor = pilot.app.screen.query_one("#source-0 Editor", Editor)
    return (tree.cursor_line, tree.scroll_offset), tree.current and tree.current.key, editor.selection, editor.file.path
