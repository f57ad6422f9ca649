from __future__ import annotations

import os
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import OptionList

from hooktui.app import HooktuiApp
from hooktui.catalog.catalog import Catalog
from hooktui.config import managed as administrator
from hooktui.config import ui_state
from hooktui.core import paths
from hooktui.fleet.ship_faults import SendError
from hooktui.fleet.ship_state import ShipState
from hooktui.fleet.shipper import note_failure
from hooktui.log.read.connection import default_path
from hooktui.runner.journal import spool
from hooktui.runner.journal.entry import of_end
from hooktui.screens.keys.help import HelpScreen
from hooktui.screens.live.screen import LiveScreen
from hooktui.screens.services.log_monitor import CatalogLoader
from hooktui.screens.textual_patches import CachedStylesheet
from hooktui.screens.widgets.header import Header
from tests.app.decision_world import DecisionWorld, decided, live
from tests.app.hook_world import SMALL, HookWorld, shown, type_text, until, until_known, until_shown, until_still, world
from tests.app.mouse import Mouse
from tests.log_world import LogWorld, run

__all__ = ["decided", "world"]


async def mode_is(pilot: Pilot[None], mode: str) -> None:
    await until(pilot, lambda: pilot.app.current_mode == mode)


async def test_a_screen_keeps_its_state_while_another_is_shown(world: HookWorld) -> None:
    world.add("alpha")
    world.add("beta")
    async with world.running("● beta") as pilot:
        await pilot.press("j")
        await until_shown(pilot, "beta ─ saved")
        await pilot.press("4")
        await until_shown(pilot, "No problems in 2 hooks.")
        await pilot.press("1")
        await until_shown(pilot, "beta ─ saved")


async def test_the_header_tells_project_hooks_problems_and_leaves_out_what_does_not_fit(world: HookWorld) -> None:
    world.add("broken", front="matcher:\n  tool: '('\n")
    world.add("odd", front="colour: red\n")
    async with world.running("shop  2 hooks  not connected  ◌ 1 guard skipped  ✕ 1 error  ▲ 1 warning") as pilot:
        await pilot.resize_terminal(80, 24)
        await until_shown(pilot, "◌ 1 skipped  ✕ 1  ▲ 1")
        await pilot.resize_terminal(60, 24)
        await until_shown(pilot, "◌ 1  ✕ 1  ▲ 1")
        assert "2 hooks" not in shown(pilot)
        assert "/min" not in shown(pilot), "nothing is recorded"


async def test_the_header_counts_guards_that_do_not_run_and_leads_to_the_first(world: HookWorld) -> None:
    world.add("alpha")
    world.add("deploy-guard", approved=False)
    world.add("greet", "post-session", approved=False)  # cannot deny anything
    async with world.running("◌ 1 guard skipped") as pilot:
        await pilot.press("4", "exclamation_mark")
        await until_shown(pilot, "1 Hooks", "deploy-guard ─ saved")
        await pilot.press("k", "2")
        await Mouse(pilot).click("guard skipped")
        await until_shown(pilot, "deploy-guard ─ saved")
        world.approve("deploy-guard")
        await until(pilot, lambda: "skipped" not in shown(pilot))


async def test_the_header_names_a_required_hook_that_is_not_as_required(
    world: HookWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    managed = tmp_path / "managed.toml"
    managed.write_text('[[required]]\nname = "guard"\n')
    monkeypatch.setattr(paths, "managed_file", lambda: str(managed))
    monkeypatch.setattr(administrator, "MANAGED_BY", os.getuid())
    async with world.running("✕ guard missing") as pilot:
        managed.write_text('[[required]]\nname = "guard"\n[[required]]\nname = "audit"\n')
        await until_shown(pilot, "✕ 2 required hooks")
        managed.write_text("")
        await until(pilot, lambda: "required" not in shown(pilot))


async def test_the_header_counts_events_as_they_come_and_marks_a_log_that_spools_or_is_not_shipped(world: HookWorld) -> None:
    async with world.app().run_test(size=(120, 40)) as pilot:
        await until_known(pilot)
        LogWorld(default_path()).add(at=time.time())
        await until_shown(pilot, "1/min")
        with closing(sqlite3.connect(default_path(), isolation_level=None)) as busy:
            busy.execute("BEGIN IMMEDIATE")
            spool.append(default_path(), of_end(run("guard"), 1, 0, ()))
            await until_shown(pilot, "● log spooling")
        Path(paths.config_file()).parent.mkdir(parents=True, exist_ok=True)
        Path(paths.config_file()).write_text("[fleet]\nendpoint = 'http://collector'\n")
        refused = note_failure(ShipState(), SendError("unauthorized", "401"))
        refused.save(default_path())
        LogWorld(default_path()).add(at=time.time())
        await until_shown(pilot, "● fleet: not authorized")


async def test_log_newer_than_the_program_is_reported_and_the_rest_works(world: HookWorld) -> None:
    world.add("guard")
    os.makedirs(os.path.dirname(default_path()), mode=0o700, exist_ok=True)
    with sqlite3.connect(default_path()) as log:
        log.execute("PRAGMA user_version = 999")
    log.close()
    async with world.app().run_test(size=(80, 24), notifications=True) as pilot:
        await until_shown(pilot, "● guard", "● log unreadable", "was written by a newer")


async def test_the_first_paint_does_not_wait_for_the_hooks(world: HookWorld) -> None:
    world.add("guard")
    may_load = threading.Event()

    class SlowLoader(CatalogLoader):
        def load(self, last: Catalog | None) -> Catalog:
            assert may_load.wait(10)
            return super().load(last)

    app = world.app()
    app.loader = SlowLoader(world.project, None)
    async with app.run_test(size=(120, 40)) as pilot:
        await until_shown(pilot, "1 Hooks", "Loading hooks…", "loading…")
        may_load.set()
        await until_shown(pilot, "● guard")


async def test_help_lists_the_keys_of_each_pane_first_and_is_searchable(world: HookWorld) -> None:
    world.add("guard")
    async with world.running("● guard") as pilot:
        await pilot.press("question_mark")
        await until_shown(pilot, "Keys", "Create a hook", "Everywhere")
        text = shown(pilot)
        assert text.index("List") < text.index("Create a hook") < text.index("Everywhere")
        await type_text(pilot, "diag")
        await until(pilot, lambda: "Create a hook" not in shown(pilot))
        await pilot.press("enter")
        await until_shown(pilot, "No problems in 1 hook.")
        for key in "1234":
            await pilot.press(key, "question_mark")
            await until(pilot, lambda: isinstance(pilot.app.screen, HelpScreen))
            assert any("Everywhere" in str(option.prompt) for option in pilot.app.screen.query_one(OptionList).options)
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(pilot.app.screen, HelpScreen))


async def test_the_palette_begins_with_the_screens_actions_and_reaches_every_one_by_name(world: HookWorld) -> None:
    world.add("guard")
    app = world.app()
    async with app.run_test(size=(120, 90)) as pilot:
        await until_shown(pilot, "● guard")
        for key in ("ctrl+p", "colon"):
            await pilot.press(key)
            await until_shown(pilot, "Search for commands", "Create a hook", "Live screen", "Quit")
            text = shown(pilot)
            assert text.index("Create a hook") < text.index("Live screen") < text.index("Quit")
            assert not any(noise in text for noise in ("Command palette", "Down", "First"))
            await type_text(pilot, "create a")
            await until(pilot, lambda: "Live screen" not in shown(pilot))
            await pilot.press("enter")
            await until_shown(pilot, "New hook", "When should it run?")
            await pilot.press("escape")
            await until(pilot, lambda: not app.screen.is_modal)


async def test_help_ends_with_movement_and_dims_unavailable_actions(world: HookWorld) -> None:
    app = world.app()
    async with app.run_test(size=(120, 110)) as pilot:
        await until_shown(pilot, "No hooks here yet.")
        await pilot.press("2")
        await until_shown(pilot, "No decisions yet.", "W  watch the demo")
        await pilot.press("question_mark")
        await until_shown(pilot, "Show why hooks did not run", "Moving")
        text = shown(pilot)
        assert text.index("Everywhere") < text.index("Moving") < text.index("Page down")
        assert [text.count(move) for move in ("Down", "First ")] == [1, 1]
        options = app.screen.query_one(OptionList).options
        dimmed = {str(option.prompt).strip()[1:].strip() for option in options if option.id and option.disabled}
        assert {"Show why hooks did not run", "Show the hook on the Hooks screen"} <= dimmed
        assert not {"Stop following", "Quit"} & dimmed


async def test_the_footer_shows_the_few_keys_of_the_pane_and_the_header_dims_its_digits_while_they_are_text(
    world: HookWorld,
) -> None:
    world.add("guard")
    async with world.running("● guard", "guard ─ saved", size=SMALL) as pilot:
        await until_shown(pilot, "a New  i Form  t Try  space On/off  d Delete  f Fix  / Filter  ? Help")
        header = pilot.app.screen.query_one(Header)
        usual = header.render()
        await pilot.press("slash")
        await until(pilot, lambda: not header.render().is_same(usual))
        await pilot.press("escape")
        await until(pilot, lambda: header.render().is_same(usual))
        await pilot.press("enter")
        await until_shown(pilot, "^z Undo  ^y Redo  ^s Save  esc Leave  ^t Try  f1 Help")
        assert "/ Filter" not in shown(pilot)


async def test_the_first_run_says_which_keys_to_press_each_screen_is_a_key_or_a_click_away_and_q_leaves_at_once(
    world: HookWorld,
) -> None:
    app = world.app()
    async with app.run_test(size=SMALL) as pilot:
        await until_shown(pilot, "No hooks here yet.", "before a tool", "a  create a hook", "W  watch the demo", "?  all keys")
        await until_shown(pilot, "a New  A Popular rules  ? Help")
        assert "Try" not in shown(pilot)
        await pilot.press("question_mark")
        await until_shown(pilot, "Search keys and actions")
        await pilot.press(*["pagedown"] * 20)  # through all keys to the last of the signs
        await until_shown(pilot, "more tabs on that side")
        await pilot.press("pageup")
        await until(pilot, lambda: "more tabs on that side" not in shown(pilot))
        await pilot.press("escape")
        for key, column, mode in (("2", 12, "live"), ("3", 20, "sessions"), ("4", 34, "diagnostics")):
            await pilot.press(key)
            await mode_is(pilot, mode)
            await pilot.press("1")
            await until_shown(pilot, "No hooks here yet.")
            await pilot.click(offset=(column, 0))
            await mode_is(pilot, mode)
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)


def looks(screen: Screen[object]) -> list[object]:
    """The styles of each widget."""
    return [(dict(widget.styles.base._rules), widget._component_styles) for widget in screen.walk_children()]


def looks_without_cache(app: HooktuiApp) -> list[object]:
    """The styles of each widget of the screen, computed anew."""
    assert isinstance(app.stylesheet, CachedStylesheet)
    app.stylesheet._matched = None
    app.stylesheet.update_nodes(app.screen.walk_children())
    app.stylesheet._use_cache()
    return looks(app.screen)


async def test_any_theme_can_be_had_is_taken_by_open_screens_and_is_there_the_next_time(world: HookWorld) -> None:
    world.add("guard")
    app = world.app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until_shown(pilot, "● guard")
        for theme in ("hooktui-light", "ansi-dark", "hooktui-dark"):
            app.theme = theme
            await until_shown(pilot, "● guard")
            await until_still(pilot)
            assert looks(app.screen) == looks_without_cache(app)
        await pilot.press("2")
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        live = app.screen
        dark = live.query_one(Header).background_colors
        await pilot.press("1")
        app.theme = "nord"
        await pilot.press("2")
        await until(pilot, lambda: app.screen is live and live.query_one(Header).background_colors != dark)
        await until(pilot, lambda: ui_state.recall("theme") == "nord")
    assert world.app().theme == "nord"
    ui_state.keep("theme", "no theme of that name")
    assert world.app().theme == "hooktui-dark"


async def test_without_colour_each_state_is_a_sign_and_a_word(decided: DecisionWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    world = decided.hooks
    world.add("broken", front="matcher:\n  tool: '('\n")
    os.rename(off := world.add("silent"), f"{off}.off")
    world.add("unknown", approved=False)
    world.add("odd", front="colour: red\n")
    world.add("twice", scope="user")
    world.add("twice")
    for decision in ("allow", "deny", "ask", "stop"):
        decided.add(tool="Shell", decision=decision, runs=[run("guard", decision=decision)])
    decided.add(tool="Shell", runs=[run("guard", state="failed")])
    async with decided.running("✕ broken", "invalid", "○ silent", "off", "◌ unknown", "untrusted") as pilot:
        await until_shown(pilot, "▲ odd", "1 warning", "⊘ twice", "overridden", "guards skipped", "✕ 1 error", "▲ 2 warnings")
        await live(pilot)
        await until_shown(pilot, "● following", "✔ allow", "✕ deny", "? ask", "■ stop", "▲ failed")
        assert pilot.app.no_color


async def test_y_copies_the_path_of_the_hook_and_without_a_terminal_to_leave_the_editor_key_says_so(
    world: HookWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "here there")
    file = world.add("guard")
    async with world.running("guard ─ saved", "run.sh", notifications=True) as pilot:
        await pilot.press("y")
        await until(pilot, lambda: pilot.app.clipboard == file)
        await pilot.press("e")
        await until_shown(pilot, "No editor")


async def test_a_terminal_that_was_too_small_for_anything_shows_all_again(world: HookWorld) -> None:
    world.add("odd", front="colour: red\ntimeout: 5\n")
    async with world.running("odd ─ saved", "2 problems", size=SMALL) as pilot:
        for screen in ("1", "2", "3", "4", "1"):
            await pilot.press(screen)
            for size in ((36, 10), (20, 6), (1, 1)):
                await pilot.resize_terminal(*size)
                await until_still(pilot)
            await pilot.resize_terminal(80, 24)
        await until_shown(pilot, "odd ─ saved", "2 problems")
