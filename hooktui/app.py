"""The Textual application: four screens as modes, the data that all of them look at, and the ways from one to the other."""

from __future__ import annotations

import asyncio
import os
import signal
from importlib import import_module
from typing import TYPE_CHECKING

from textual import work
from textual.app import SuspendNotSupported
from textual.reactive import reactive

from hooktui.core import gc_tuning, paths, ui_state
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.engine import desktop
from hooktui.screens.hooks.hook_actions import HookActions
from hooktui.screens.textual_patches.stylesheet_cache import Sheets
from hooktui.screens.textual_patches.terminal_input import Terminal
from hooktui.screens.widgets.failures import tell_failure
from hooktui.screens.widgets.themes import DARK, LIGHT
from hooktui.screens.widgets.with_log import WithLog

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from pathlib import PurePath
    from typing import Any, ClassVar

    from textual.actions import ActionParseResult
    from textual.dom import DOMNode
    from textual.driver import Driver
    from textual.screen import Screen
    from textual.theme import Theme

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.screens.widgets.hook_locations import Place


_THEME = "theme"  # what it is remembered by
_ENDINGS = (signal.SIGTERM, signal.SIGHUP)
_GREETING_S = 12.0


def _lazily(module: str, name: str) -> Callable[[], Screen[Any]]:
    """A screen whose module is imported when it is first shown: the first paint waits for one screen only."""

    def make() -> Screen[Any]:
        screen: Screen[Any] = getattr(import_module(f"hooktui.screens.{module}.screen"), name)()
        return screen

    return make


class HooktuiApp(WithLog):
    """hooktui on one project.

    Screens watch `catalog` (None until the first load), and what `WithLog` tells of the log.
    """

    TITLE = "hooktui"
    # All at once: each sheet that a screen brought along would have all of them parsed again.
    CSS_PATH: ClassVar[list[str | PurePath]] = [
        os.path.join(os.path.dirname(__file__), "styles", f"{sheet}.tcss")
        for sheet in ("app", "hooks", "dispatches", "live", "sessions", "diagnostics")
    ]
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        "hooks": _lazily("hooks", "HooksScreen"),
        "live": _lazily("live", "LiveScreen"),
        "sessions": _lazily("sessions", "SessionsScreen"),
        "diagnostics": _lazily("diagnostics", "DiagnosticsScreen"),
    }
    DEFAULT_MODE = "hooks"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-tall")]  # noqa: RUF012  # Textual's type
    on_worker_state_changed = tell_failure
    catalog: reactive[Catalog | None] = reactive(None, init=False)

    def __init__(self, project: str, db: str | None = None, greeting: str = "") -> None:
        """Open the app on a project; `db` is another log than the usual one, `greeting` is told once it is there."""
        super().__init__(db)
        self._greeting = greeting
        self.project = paths.canonical(project)
        self.unsaved: frozenset[str] = frozenset()
        self.ways_back: list[Callable[[], Coroutine[Any, Any, bool]]] = []  # of each change in order, whichever screen made it
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        chosen = ui_state.recall(_THEME)
        theme = chosen if chosen in self.available_themes else DARK.name
        self.set_reactive(HooktuiApp.theme, theme)  # setting it would have the styles parsed twice
        self.stylesheet = Sheets(variables=self.get_css_variables())

    def get_driver_class(self) -> type[Driver]:
        """A terminal that may be closed."""
        return Terminal

    def on_ready(self) -> None:
        """Begin to load behind the first paint. Whoever ends the process or closes the terminal ends the app in good order."""
        for number in _ENDINGS:
            asyncio.get_running_loop().add_signal_handler(number, self.exit)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        gc_tuning.freeze()
        self.theme_changed_signal.subscribe(self, self._remember_theme)
        self.reload()
        self.follow_log()
        self._get_ready()
        if self._greeting:
            self.notify(self._greeting, timeout=_GREETING_S)

    @work(thread=True, exit_on_error=False, group="imports", description="Getting the other screens ready")
    def _get_ready(self) -> None:
        """Import what the other screens need, so that none of them lets a person wait."""
        for module in ("live", "sessions", "diagnostics"):
            import_module(f"hooktui.screens.{module}.screen")

    @work(thread=True, exclusive=True, exit_on_error=False, group="catalog", description="Loading the hooks")
    def reload(self) -> None:
        """Read all hooks again."""
        self.call_from_thread(self._take, self.load_catalog())

    def load_catalog(self) -> Catalog:
        """The hooks as they are now; takes its time, so only in a thread."""
        from hooktui.catalog import catalog

        return self._completed(catalog.load(self.project, last=self.catalog))

    def _completed(self, catalog: Catalog) -> Catalog:
        """A catalog with what the log knows: what hooks did, Python agents' functions; and with what is wrong with the keys.

        Takes its time, so only in a thread.
        """
        if catalog.settings.keys:
            from hooktui.screens.keys import keymap

            catalog = keymap.checked(catalog)
        return asyncio.run(self._audited(catalog))

    async def _audited(self, catalog: Catalog) -> Catalog:
        from hooktui.catalog import runtime_findings

        return await runtime_findings.with_callbacks((await runtime_findings.audited(catalog, self.db))[0], self.db)

    def watch_catalog(self, before: Catalog | None, catalog: Catalog) -> None:
        """Take the keys of the configuration."""
        if catalog.settings.keys != (before.settings.keys if before else {}):
            self.take_keys(catalog.settings.keys)

    def watch_newest_callback(self) -> None:
        """Take a Python agent's functions that are new to the log."""
        self.reload()

    @work(thread=True, exit_on_error=False, group="remember", description="Remembering the theme")
    def _remember_theme(self, theme: Theme) -> None:
        """Begin with the same theme the next time."""
        ui_state.keep(_THEME, theme.name)

    def _take(self, fresh: Catalog) -> None:
        if self.catalog is None:
            self._watch_files(fresh)
            self.call_after_refresh(gc_tuning.freeze)
        self.catalog = fresh

    @work(exclusive=True, exit_on_error=False, group="watch", description="Watching the hook files")
    async def _watch_files(self, first: Catalog) -> None:
        from hooktui.catalog import catalog

        async for fresh in catalog.watch(first):
            self.catalog = await asyncio.to_thread(self._completed, fresh)

    async def on_unmount(self) -> None:
        """Nothing lasts any more."""
        gc_tuning.end()

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Do something; on the Hooks screen to the hook under the cursor, even if it came there a moment ago."""
        if isinstance(default_namespace, HookActions) and not default_namespace.settle():
            return True
        return await super().run_action(action, default_namespace, namespaces)

    async def action_quit(self) -> None:
        """Leave, after a question if something is unsaved."""
        if self.unsaved:
            self._go("hooks", "quit")
        else:
            self.exit()

    def do_elsewhere(self, mode: str, action: str) -> None:
        """Go to another screen and do something there."""
        self._go(mode, "run_action", action)

    def open_hook(self, hook_id: str, line: int | None = None) -> None:
        """Show a hook on the Hooks screen, the cursor of its source on a line (1-based) if one is given."""
        self._go("hooks", "open_hook", hook_id, line)

    def open_place(self, hook_id: str, place: Place) -> None:
        """Show a place in one of a hook's files, in the editor."""
        self._go("hooks", "open_place", hook_id, place)

    def open_session(self, session_id: int) -> None:
        """Show one session's timeline on the Sessions screen."""
        self._go("sessions", "open_session", session_id)

    def mend(self) -> None:
        """Show all safe fixes on the Diagnostics screen."""
        self._go("diagnostics", "action_mend")

    def try_event(self, report: Mapping[str, Any], hook: str | None = None) -> None:
        """Offer a logged event (a report with its payload) to one of the hooks that listen to it, best to `hook` (its id)."""
        if listeners := self._listeners(report):
            self._go("hooks", "try_event", report, listeners, hook)

    def try_chosen(self, report: Mapping[str, Any], chosen: Sequence[int]) -> None:
        """Try a hook that listens to an event (a report) on logged events chosen by their ids."""
        if listeners := self._listeners(report):
            self._go("hooks", "try_chosen", report, listeners, chosen)

    def _listeners(self, report: Mapping[str, Any]) -> list[Hook]:
        """The hooks of files that listen to an event; says so when there are none."""
        hooks = self.catalog.hooks if self.catalog else ()
        found = [hook for hook in hooks if hook.event == report["event"] and hook.type != "callback"]
        if not found:
            self.notify(f"No hook of a file here listens to {one_line(report['event'])}.", severity="warning", markup=False)
        return found

    @work(thread=True, exit_on_error=False, group="clipboard", description="Copying")
    def copy(self, text: str) -> None:
        """Copy to the system's clipboard; where there is none, the terminal has to do it (OSC 52)."""
        if not desktop.copy(text):
            self.call_from_thread(self.copy_to_clipboard, text)
        self.call_from_thread(self.notify, visible(text), title="Copied", markup=False)

    def let_edit(self, path: str, line: int, hook: Hook | None) -> None:
        """Leave the terminal to the person's editor on a file of a hook, if it is one, then read what it did."""
        from hooktui.edit import reapprove

        try:
            approvals = reapprove.Approvals(hook, self.project, path) if hook else None
            with self.suspend():
                desktop.edit(path, line)
            if approvals is not None:
                approvals.renew()
        except (SuspendNotSupported, OSError) as error:
            self.notify(visible(str(error)), title="No editor", severity="error", markup=False)
        self.reload()

    def _go(self, mode: str, method: str, *arguments: object) -> None:
        self.switch_mode(mode)
        self.screen.call_after_refresh(getattr(self.screen_stack[0], method), *arguments)
