"""Keys pressed faster than the screen follows act on the item that the cursor was moved to, and reach the intended widget."""

from __future__ import annotations

import os
import threading

import pytest

from hooktui.catalog.catalog import Catalog
from hooktui.runner import trust
from hooktui.screens.services.log_monitor import CatalogLoader
from hooktui.screens.widgets.code_area import CodeArea
from tests.app.hook_world import BLOCKER, HookWorld, has_focus, read, shown, type_ahead, until, until_shown, until_still, world

__all__ = ["world"]


class SlowLoader(CatalogLoader):
    """A loader that waits until `disk` is set."""

    def __init__(self, project: str) -> None:
        super().__init__(project, None)
        self.disk = threading.Event()

    def load(self, last: Catalog | None) -> Catalog:
        self.disk.wait()
        return super().load(last)


@pytest.mark.parametrize(("key", "focused"), [("i", "HookForm LineInput"), ("enter", "#source-0 Editor")])
async def test_a_key_that_is_hit_before_the_hooks_are_there_is_for_them(world: HookWorld, key: str, focused: str) -> None:
    world.add("alpha")
    app = world.app()
    app.loader = loader = SlowLoader(world.project)
    async with app.run_test(size=(80, 24)) as pilot:
        try:
            await until_shown(pilot, "Loading hooks…")
            await pilot.press("question_mark")  # app-wide keys do not wait for the disk
            await until_shown(pilot, "Search keys and actions")
            await pilot.press("escape")
            await until(pilot, lambda: not app.screen.is_modal)
            type_ahead(pilot, key)
        finally:
            loader.disk.set()
        await until(pilot, lambda: app.focused in [*app.screen.query(focused)])


async def test_try_right_after_a_move_tries_the_hook_under_the_cursor(world: HookWorld) -> None:
    world.add("alpha", front="matcher:\n  tool: Shell\n")
    world.add("beta", front="matcher:\n  tool: WebFetch\n")
    async with world.running("# alpha") as pilot:
        type_ahead(pilot, "j", "t")
        await until_shown(pilot, "beta ─ saved", "Runs the hook for real")
        assert '"tool_name": "WebFetch"' in pilot.app.screen.query_one("TryPane CodeArea", CodeArea).text


async def test_delete_right_after_a_move_asks_about_the_hook_under_the_cursor(world: HookWorld) -> None:
    for name in ("alpha", "beta", "gamma"):
        world.add(name)
    async with world.running("# alpha") as pilot:
        type_ahead(pilot, "down", "down", "d")
        await until_shown(pilot, "Delete gamma?")


async def test_what_is_typed_right_after_a_move_and_enter_is_typed_into_the_hook_under_the_cursor(world: HookWorld) -> None:
    alpha = world.add("alpha")
    before = read(alpha)
    world.add("beta")
    async with world.running("# alpha") as pilot:
        type_ahead(pilot, "j", "enter")
        await until_shown(pilot, "beta ─ saved", "# beta")
        await until(pilot, lambda: has_focus(pilot, "#source-0 Editor"))
        await pilot.press("x")
        await until_shown(pilot, "beta ─ • modified")
        assert read(alpha) == before


async def test_a_key_right_after_a_move_waits_while_unsaved_edits_are_asked_about(world: HookWorld) -> None:
    world.add("alpha")
    world.add("beta")
    async with world.running("# alpha") as pilot:
        await pilot.press("enter", "x", "escape")
        await until_shown(pilot, "alpha ─ • modified")
        type_ahead(pilot, "j", "t")
        await until_shown(pilot, "Unsaved changes")
        await pilot.press("escape")
        await until(pilot, lambda: "Unsaved changes" not in shown(pilot))
        assert has_focus(pilot, "#hooks")


async def test_every_key_after_enter_is_for_the_file(world: HookWorld) -> None:
    world.add("guard")
    async with world.running("# guard") as pilot:
        type_ahead(pilot, "enter", "d", "u", "enter", "down", "a")
        await until_shown(pilot, "du", "trigger", "a---")
        assert "Delete guard?" not in shown(pilot)


async def test_the_answer_right_after_a_question_was_asked_for_answers_it(world: HookWorld) -> None:
    file = world.add("guard")
    async with world.running("# guard") as pilot:
        type_ahead(pilot, "d", "y")
        await until(pilot, lambda: not os.path.exists(file))


async def test_what_is_typed_right_after_a_is_for_the_dialog(world: HookWorld) -> None:
    world.add("guard")
    async with world.running("# guard") as pilot:
        type_ahead(pilot, "a", "d", "u")
        await until_shown(pilot, "New hook")
        await until_still(pilot)
        assert "Delete guard?" not in shown(pilot)


async def test_a_hook_can_be_tried_on_another_event_at_typing_speed(world: HookWorld) -> None:
    world.add("alpha")
    world.add("guard", script=BLOCKER, front="matcher:\n  pattern: git push --force\n")
    async with world.running("# alpha") as pilot:
        type_ahead(pilot, "j", "t", "ctrl+r")
        await until_shown(pilot, "denied by exit code 2")
        type_ahead(pilot, "escape", "t", "ctrl+n", *"made", "ctrl+r")
        await until_shown(pilot, '"made"', "no value of tool_input")


async def test_what_is_typed_right_after_i_is_for_the_form_that_is_still_being_read(world: HookWorld) -> None:
    world.add("alpha")
    world.add("guard")
    async with world.running("# alpha") as pilot:
        type_ahead(pilot, "j", "i", *"abd")
        await until_shown(pilot, "pattern: abd", "• modified")


async def test_each_key_is_for_what_the_one_before_it_has_made_of_the_hook(world: HookWorld) -> None:
    file = world.add("guard", script=BLOCKER)
    async with world.running("# guard") as pilot:
        type_ahead(pilot, "space", "space", "d", "y")
        await until(pilot, lambda: not os.path.exists(file))
        type_ahead(pilot, "u")
        await until(pilot, lambda: os.path.exists(file))
        await until_still(pilot)
        type_ahead(pilot, "t", "ctrl+r")
        await until_shown(pilot, "denied by exit code 2")


async def test_a_hook_can_be_made_and_tried_without_a_look_at_the_screen(world: HookWorld) -> None:
    async with world.running("No hooks here yet.") as pilot:
        type_ahead(pilot, "a", "enter", "enter", "tab", *"rmx", "enter", "enter", "ctrl+t", "ctrl+r")
        await until_shown(pilot, "no-rmx ─ saved", "denied by exit code 2")


async def test_a_dialog_that_has_been_open_reacts_to_a_key_at_once(world: HookWorld) -> None:
    world.add("alpha", approved=False)
    async with world.running("# alpha") as pilot:
        await pilot.press("p")
        await until_shown(pilot, "Approve alpha?")
        type_ahead(pilot, "p")
        await until(pilot, lambda: bool(trust.approvals(world.project)))
