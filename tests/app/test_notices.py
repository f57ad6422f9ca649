"""Notices never cover a dialog's question."""

from __future__ import annotations

from textual.pilot import Pilot

from tests.app.hook_world import SMALL, HookWorld, shown, until, until_shown, world

__all__ = ["world"]


def dialog(pilot: Pilot[None]) -> list[str]:
    """The dialog's own lines on the screen."""
    region = pilot.app.screen.query_one(".dialog").region
    return [line[region.x : region.right] for line in shown(pilot).splitlines()[region.y : region.bottom]]


DIALOGS = {"d": "Delete guard?", "c": "Copy guard to", "a": "New hook", "question_mark": "Help"}


async def test_notices_do_not_cover_a_dialog_that_opens(world: HookWorld) -> None:
    world.add("guard")
    app = world.app()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until_shown(pilot, "● guard")
        for key, title in DIALOGS.items():
            await pilot.press("u")
            await until_shown(pilot, "Nothing changed")
            await pilot.press(key)
            await until_shown(pilot, title)
            await until(pilot, lambda: "Nothing changed" in shown(pilot).splitlines()[0])
            with_notice = dialog(pilot)
            app.clear_notifications()
            await until(pilot, lambda: "Nothing changed" not in shown(pilot))
            assert dialog(pilot) == with_notice
            await pilot.press("escape")
            await until(pilot, lambda: not app.screen.is_modal)


async def test_a_copy_that_cannot_be_made_says_why_in_its_dialog_and_offers_none(world: HookWorld) -> None:
    world.add("report", "post-session")
    async with world.running("● report", size=SMALL) as pilot:
        await pilot.press("c")
        await until_shown(pilot, "Copy report to", "enter Copy")
        await pilot.press("j", "j", "j", "j")
        await until_shown(pilot, "VS Code has no post-session")
        assert "enter" not in "\n".join(dialog(pilot))
        await pilot.press("enter")
        await until_shown(pilot, "Copy report to", "VS Code has no post-session")


async def test_new_notice_replaces_the_last_one_but_errors_stay(world: HookWorld) -> None:
    world.add("guard")
    async with world.running("● guard", size=SMALL, notifications=True) as pilot:
        pilot.app.notify("Nothing was written.", severity="error")
        await pilot.press("space")
        await until_shown(pilot, "Turn guard off: done · u undo")
        await pilot.press("space")
        await until_shown(pilot, "Turn guard on: done · u undo", "Nothing was written.")
        assert "Turn guard off" not in shown(pilot)
