"""The Textual application: its screens as modes, and the services they share."""

from __future__ import annotations

import asyncio
import os
import signal
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from textual import on, work
from textual.app import App, SuspendNotSupported
from textual.css.query import NoMatches
from textual.driver import Driver
from textual.events import DescendantBlur, DescendantFocus
from textual.reactive import reactive

from hooktui.config import desktop, ui_state
from hooktui.core import gc_tuning, paths
from hooktui.core import project as projects
from hooktui.core.text_sanitizer import visible
from hooktui.screens.keys.keymap import GLOBAL_BINDINGS, is_offered
from hooktui.screens.services.app_context import Navigator, ScreenPlace, UndoHistory
from hooktui.screens.services.history import History
from hooktui.screens.services.log_monitor import CatalogLoader, LogMonitor
from hooktui.screens.textual_patches import CachedStylesheet, KeyHandled, Terminal, TypeAhead, highlight_panes, paint_soon
from hooktui.screens.widgets.notifications import notify_failure
from hooktui.screens.widgets.themes import DARK, LIGHT, adapted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from textual.actions import ActionParseResult
    from textual.command import Provider
    from textual.dom import DOMNode
    from textual.events import Event
    from textual.notifications import SeverityLevel
    from textual.screen import Screen
    from textual.theme import Theme
    from textual.widget import AwaitMount

    from hooktui.catalog.catalog import Catalog
    from hooktui.connect import RecordedHooks
    from hooktui.core.model import Hook
    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.screens.keys.help import HelpEntry
    from hooktui.screens.services.connection_offers import Offer
    from hooktui.screens.services.hook_tests import HookTests, HookTestState
    from hooktui.transcripts.session_index import SessionHead


_LOADING_S = 3.0  # after the first paint: what is created until then lives as long as the app
_THEME_KEY = "theme"  # in the stored UI state
_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
_WITH_PROCESSES = ("compare", "dialog", "history", "past", "tests", "try")  # groups of workers
_SCREENS = {
    "hooks": ScreenPlace("Hooks", "hooks.screen", "HooksScreen"),
    "live": ScreenPlace("Live", "live.screen", "LiveScreen"),
    "sessions": ScreenPlace("Sessions", "sessions.screen", "SessionsScreen"),
    "diagnostics": ScreenPlace("Diagnostics", "diagnostics.screen", "DiagnosticsScreen"),
}
_FLEET_SCREENS = {
    "hooks": ScreenPlace("Hooks", "fleet.hooks_screen", "FleetHooksScreen"),
    "live": _SCREENS["live"],
    "sessions": _SCREENS["sessions"],
    "fleet": ScreenPlace("Fleet", "fleet.screen", "FleetScreen"),
}
# All sheets up front: each one that a screen brought along would make Textual parse all of them again.
_SHEETS = ("app", "hooks", "live", "sessions", "diagnostics")
_FLEET_SHEETS = (*_SHEETS, "fleet")


@runtime_checkable
class _CatchesUp(Protocol):
    """A screen that shows what its cursor is on with a delay, and must catch up before it acts."""

    def catch_up(self) -> bool:
        """Catch up; False when that takes a question first, so that the action must not run."""


def _screen(place: ScreenPlace) -> Screen[Any]:
    """Make a screen, imported when it is first shown, to keep the first paint fast."""
    return place.load()()


def _sheet(name: str) -> str:
    return os.path.join(os.path.dirname(__file__), "styles", f"{name}.tcss")


def _palette() -> type[Provider]:
    from hooktui.screens.keys.help import PaletteCommands

    return PaletteCommands


class HooktuiApp(App[None]):
    """hooktui on one project. Screens see it as a `Shell`."""

    TITLE = "hooktui"
    DEFAULT_MODE = "hooks"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-tall")]
    COMMANDS = {_palette}
    BINDING_GROUP_TITLE = "Everywhere"
    BINDINGS = GLOBAL_BINDINGS
    on_worker_state_changed = notify_failure

    catalog: reactive[Catalog | None] = reactive(None, init=False, repaint=False)
    reader: reactive[DecisionLog | None] = reactive(None, init=False, repaint=False)  # not `log`: Textual uses that name
    events_a_minute: reactive[int | None] = reactive(None, init=False, repaint=False)
    unreadable: reactive[int] = reactive(0, init=False, repaint=False)
    newest_event: reactive[int] = reactive(0, init=False, repaint=False)
    newest_callback: reactive[int] = reactive(0, init=False, repaint=False)
    trouble: reactive[str] = reactive("", init=False, repaint=False)
    all_projects: reactive[bool] = reactive(False, init=False, repaint=False)
    to_connect: reactive[Offer | None] = reactive(None, init=False, repaint=False)
    recording: reactive[RecordedHooks | None] = reactive(None, init=False, repaint=False)
    unread: reactive[Sequence[SessionHead]] = reactive((), init=False, repaint=False)
    fleet_window: reactive[int] = reactive(1, init=False, repaint=False)
    reading: reactive[str] = reactive("", init=False, repaint=False)
    tests: reactive[HookTestState | None] = reactive(None, init=False, repaint=False)
    transcript_places: reactive[Sequence[str]] = reactive((), init=False, repaint=False)

    def __init__(
        self,
        directory: str,
        db: str | None = None,
        *,
        banner: str = "",
        mode: str = DEFAULT_MODE,
        fleet: str | None = None,
    ) -> None:
        """Open the project of a directory on the screen `mode`.

        `db` is another log file than the user's own, `fleet` the URL of a fleet's log to read in its place; `banner` is a
        lasting line, in place of the offer to connect.
        """
        super().__init__(css_path=list(map(_sheet, _SHEETS if fleet is None else _FLEET_SHEETS)))
        paint_soon()
        directory = paths.canonical(directory)
        self.project = projects.root(directory)
        self.db = db
        self.fleet = fleet
        self.screens = _SCREENS if fleet is None else _FLEET_SCREENS
        for name, place in self.screens.items():
            self.add_mode(name, partial(_screen, place))
        self.set_reactive(HooktuiApp.all_projects, fleet is not None)
        self.own_keys: Mapping[str, str] = {}
        self.unsaved: frozenset[str] = frozenset()
        self.banner = banner
        self._mode = mode
        self.type_ahead = TypeAhead(self, super().on_event)
        self.loader = CatalogLoader(directory, db)
        self.log_monitor = LogMonitor(self, self, self._open_log, is_remote=fleet is not None)
        self.history = History(self, self, db)
        self.navigator = Navigator(self, lambda: self.catalog.hooks if self.catalog else ())
        self.undo_history = UndoHistory()
        self._choose_theme()

    def _choose_theme(self) -> None:
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        stored = ui_state.recall(_THEME_KEY)
        self.set_reactive(HooktuiApp.theme, stored if stored in self.available_themes else DARK.name)  # without a restyle
        self.stylesheet = CachedStylesheet(variables=self.get_css_variables(), paths=self.css_path)

    def get_css_variables(self) -> dict[str, str]:
        return adapted(super().get_css_variables(), no_color=self.no_color)

    def get_driver_class(self) -> type[Driver]:
        return Terminal

    def on_ready(self) -> None:
        """Quit in good order on a signal, and start loading once the first paint is done."""
        for number in _SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, self.exit)
        self.call_after_refresh(self._start)

    def _start(self) -> None:
        if not self.is_running:  # a signal came with the first paint
            return
        self.set_timer(_LOADING_S, gc_tuning.freeze)
        self.theme_changed_signal.subscribe(self, self._store_theme)
        self.reload()
        self.log_monitor.start()
        if self.fleet is None:
            self.history.start()
        else:
            self.switch_mode(self._mode)  # it does not wait for the hooks of this machine

    def _handle_exception(self, error: Exception) -> None:
        """Handle an exception of a widget. While the app ends, a widget that is mounted late may not find its parts."""
        if not (self._exit and isinstance(error, NoMatches)):
            super()._handle_exception(error)

    async def on_unmount(self) -> None:
        """Let cancelled workers end their processes before the event loop ends."""
        ending = [worker.wait() for worker in self.workers if worker.group in _WITH_PROCESSES]
        await asyncio.gather(*ending, return_exceptions=True)
        await self.log_monitor.close()

    def switch_mode(self, mode: str) -> AwaitMount:
        """Show a screen. The first screen does not replace one that the user chose during the start."""
        self._mode = mode
        return super().switch_mode(mode)

    @work(thread=True, exit_on_error=False, group="remember", description="Storing the theme")
    def _store_theme(self, theme: Theme) -> None:
        ui_state.keep(_THEME_KEY, theme.name)

    async def _open_log(self) -> DecisionLog:
        if self.fleet is not None:
            from hooktui.fleet.fleet_log import FleetLog

            return await FleetLog.open(self.fleet)
        from hooktui.log.read.reader import LogReader

        return await LogReader.open(self.db)

    # Catalog

    @work(thread=True, exclusive=True, exit_on_error=False, group="catalog", description="Loading the hooks")
    def reload(self) -> None:
        self.call_from_thread(self._show_catalog, self.loader.load(self.catalog))

    def _show_catalog(self, fresh: Catalog) -> None:
        if self.catalog is None:
            self._watch_files(fresh)
            if self.fleet is None:
                self.call_after_refresh(lambda: self.switch_mode(self._mode))
        self.catalog = fresh

    @work(exclusive=True, exit_on_error=False, group="watch", description="Watching the hook files")
    async def _watch_files(self, first: Catalog) -> None:
        async for fresh in self.loader.watch(first):
            self.catalog = fresh

    @work(thread=True, exclusive=True, exit_on_error=False, group="offer", description="Reading the connections")
    def _look_for_connections(self, catalog: Catalog) -> None:
        from hooktui import connect
        from hooktui.screens.services import connection_offers

        connections = self.loader.connections
        offer, recording = connection_offers.offer(catalog, connections), connect.recorded_hooks(catalog, connections)
        self.call_from_thread(self._show_connections, offer, recording)

    def _show_connections(self, offer: Offer | None, recording: RecordedHooks) -> None:
        self.to_connect, self.recording = offer, recording

    def watch_catalog(self, before: Catalog | None, catalog: Catalog) -> None:
        """Bind the user's own keys when the configuration changes, and see whether an agent program is connected."""
        self.hook_tests.take(self.loader.examples)
        if self.fleet is None:
            self._look_for_connections(catalog)
        if catalog.settings.keys != (before.settings.keys if before else {}):
            from hooktui.screens.keys.keymap import keymap

            self.own_keys = keymap(catalog.settings.keys)
            self.set_keymap(self.own_keys)

    def watch_newest_callback(self) -> None:
        """Load callbacks that a Python agent has just registered."""
        self.reload()

    @cached_property
    def hook_tests(self) -> HookTests:
        from hooktui.screens.services.hook_tests import HookTests

        return HookTests(self, self)

    # Keys, focus and notices

    async def on_event(self, event: Event) -> None:
        await self.type_ahead.take(event)

    @on(KeyHandled)
    async def _key_handled(self, message: KeyHandled) -> None:
        await self.type_ahead.handled(message)

    @on(DescendantFocus)
    @on(DescendantBlur)
    def _highlight_panes(self, event: DescendantFocus | DescendantBlur) -> None:
        highlight_panes(self, event.widget)

    def _end_batch(self) -> None:
        """Lay out what changed during the batch, too: Textual leaves that to the screen's next message."""
        super()._end_batch()
        if not self._batch_count and self.screen_stack:
            self.screen.check_idle()

    @on(Driver.SignalResume)
    def _redraw(self) -> None:
        """Draw the screen again after the shell cleared it."""
        self.refresh(layout=True)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show a notice in place of the one before it; errors stay."""
        for notice in list(self._notifications):
            if notice.severity != "error":
                self._unnotify(notice, refresh=False)
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)

    # Actions

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action once the screen has caught up with its cursor."""
        node: object = default_namespace
        if isinstance(node, _CatchesUp) and not node.catch_up():
            return True
        return await super().run_action(action, default_namespace, namespaces)

    async def action_quit(self) -> None:
        if self.unsaved:
            self.navigator.quit()
        else:
            self.exit()

    def action_help(self) -> None:
        from hooktui.screens.keys.help import HelpScreen

        self.push_screen(HelpScreen(self.screen, self.own_keys), self._run_entry)

    async def _run_entry(self, entry: HelpEntry | None) -> None:
        if entry is not None:
            await self.run_action(entry.action, entry.node)

    def action_jump(self) -> None:
        from hooktui.screens.keys.jump import jump

        jump(self)

    def action_skipped_guard(self) -> None:
        from hooktui.catalog.hook_states import skipped_guards

        skipped = skipped_guards(self.catalog) if self.catalog else []
        if skipped:
            self.navigator.open_hook(skipped[0].id)
        else:
            self.notify("No guard is skipped.")

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Connecting")
    async def action_connect(self, change: Literal["connect", "disconnect"] = "connect") -> None:
        """Connect or disconnect an agent program, after showing what that writes."""
        from hooktui.screens.services import connections

        if self.catalog is not None and await connections.ask(self, self.catalog, change):
            self.reload()

    def action_demo(self) -> None:
        try:
            with self.suspend():
                desktop.watch_demo()
        except SuspendNotSupported:
            self.notify("Run `hooktui demo` in a shell.", title="The demo needs a terminal", severity="warning")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if not is_offered(action, parameters, fleet=self.fleet is not None):
            return False
        return bool(self.reading) if action == "cancel_import" else super().check_action(action, parameters)

    def action_cancel_import(self) -> None:
        self.history.cancel()

    @work(thread=True, exit_on_error=False, group="clipboard", description="Copying")
    def copy(self, text: str) -> None:
        """Copy to the system clipboard, or through the terminal (OSC 52) where there is none."""
        if not desktop.copy(text):
            self.call_from_thread(self.copy_to_clipboard, text)
        self.call_from_thread(self.notify, visible(text), title="Copied", markup=False)

    def open_editor(self, path: str, line: int, hook: Hook | None) -> None:
        """Suspend the app for the user's editor, renew the approval of a hook edited there, then reload."""
        from hooktui.edit import hook_documents

        try:
            approvals = hook_documents.Approvals(hook, self.project, path) if hook else None
            with self.suspend():
                desktop.edit(path, line)
            if approvals is not None:
                approvals.renew()
        except (SuspendNotSupported, OSError) as error:
            self.notify(visible(str(error)), title="No editor", severity="error", markup=False)
        self.reload()
