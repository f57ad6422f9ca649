"""The app as its screens see it, navigation and undo. Screens know this protocol, never the app's class."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from hooktui.core.model import ONLY_IN_AGENT
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.services.history import HistoryState
from hooktui.screens.services.log_monitor import LogState

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any

    from textual.app import App
    from textual.dom import DOMNode
    from textual.screen import Screen

    from hooktui.catalog.catalog import Catalog
    from hooktui.connect import RecordedHooks
    from hooktui.core.model import Hook
    from hooktui.edit.call_rule import CallRule
    from hooktui.screens.services.connection_offers import Offer
    from hooktui.screens.services.history import History
    from hooktui.screens.services.hook_tests import HookTests, HookTestState
    from hooktui.screens.services.log_monitor import LogMonitor
    from hooktui.screens.textual_patches import TypeAhead
    from hooktui.screens.widgets.lines import FilePlace


class ScreenPlace(NamedTuple):
    """A screen's title, and the module below `screens` and the class that it is in, which is imported when it is needed."""

    title: str
    module: str
    name: str

    def load(self) -> type[Screen[Any]]:
        screen: type[Screen[Any]] = getattr(import_module(f"hooktui.screens.{self.module}"), self.name)
        return screen


class UndoHistory:
    """A stack of undo steps. A step returns whether it succeeded; one that failed stays."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], Awaitable[bool]]] = []

    def __bool__(self) -> bool:
        return bool(self._steps)

    def push(self, step: Callable[[], Awaitable[bool]]) -> None:
        self._steps.append(step)

    async def undo(self) -> bool:
        """Undo the latest change; whether that succeeded. Call it from a worker: a step may ask."""
        if not self._steps:
            return False
        step = self._steps[-1]
        succeeded = await step()
        if succeeded:
            self._steps.remove(step)
        return succeeded


class AppContext(LogState, HistoryState, Protocol):
    """The app as its screens see it. `catalog` and the attributes of the states are reactive: `watch` them."""

    project: str
    db: str | None  # another log file than the user's own
    fleet: str | None  # the URL of the fleet that is shown in place of this machine's log
    fleet_window: int  # of WINDOWS (fleet_reading.py): how much of the past the fleet's screens show
    catalog: Catalog | None  # None until the first load
    all_projects: bool  # whether Live and Sessions show all projects, instead of this one
    banner: str  # a lasting line, in place of the offer to connect
    to_connect: Offer | None  # to connect an agent program, or to repair a connection
    recording: RecordedHooks | None  # None until it is known
    own_keys: Mapping[str, str]  # keys from the configuration, by action id
    unsaved: frozenset[str]  # paths of files with unsaved edits
    log_monitor: LogMonitor
    history: History
    navigator: Navigator
    undo_history: UndoHistory
    tests: HookTestState | None  # None until the first load
    type_ahead: TypeAhead

    @property
    def hook_tests(self) -> HookTests:
        """Runs the project's examples and keeps `tests` up to date."""

    @property
    def screens(self) -> Mapping[str, ScreenPlace]:
        """The screens by their modes, in the order of their keys."""

    def reload(self) -> object:
        """Load the catalog again, in a worker."""

    def copy(self, text: str) -> object:
        """Copy text to the clipboard, in a worker."""

    def open_editor(self, path: str, line: int, hook: Hook | None) -> None:
        """Suspend the app for the user's editor, then reload."""


def app_context(node: DOMNode) -> AppContext:
    """The app that a widget or screen belongs to."""
    return cast("AppContext", node.app)


class Navigator:
    """Switches an app's mode and calls the target screen once it is shown."""

    def __init__(self, app: App[Any], hooks: Callable[[], Sequence[Hook]]) -> None:
        """`hooks` returns the catalog's current hooks."""
        self._app = app
        self._hooks = hooks

    def run_on(self, mode: str, action: str) -> None:
        self._go(mode, "run_action", action)

    def open_hook(self, hook_id: str, line: int | None = None) -> None:
        """Show a hook on the Hooks screen, its source scrolled to a line (1-based) if given."""
        self._go("hooks", "open_hook", hook_id, line)

    def open_run(self, report: Mapping[str, Any], run: Mapping[str, Any]) -> None:
        """Show the hook of a logged run on the Hooks screen."""
        self._go("hooks", "open_run", report, run)

    def open_rule(self, name: str) -> None:
        """Show a hook of a fleet by its name on the Hooks screen."""
        self._go("hooks", "open_rule", name)

    def open_place(self, hook_id: str, place: FilePlace) -> None:
        """Show a place in one of a hook's files, in the editor."""
        self._go("hooks", "open_place", hook_id, place)

    def show_decisions(self, words: str) -> None:
        """Show the decisions that a query finds on the Live screen, of all projects."""
        app_context(self._app).all_projects = True
        self._go("live", "action_show", words)

    def open_session(self, session_id: int) -> None:
        """Show a session's timeline on the Sessions screen."""
        self._go("sessions", "open_session", session_id)

    def quit(self) -> None:
        """Ask about unsaved edits on the Hooks screen, then quit."""
        self._go("hooks", "quit")

    def try_event(self, report: Mapping[str, Any], hook: str | None = None) -> None:
        """Try a logged event on a hook that listens to it, preferably on `hook` (an ID)."""
        if listeners := self._listeners(report):
            self._go("hooks", "try_event", report, listeners, hook)

    def new_rule(self, rule: CallRule) -> None:
        """Create a hook with a rule for a logged event, on the Hooks screen."""
        self._go("hooks", "new_hook", rule.event, rule)

    def try_past(self, report: Mapping[str, Any]) -> None:
        """Try a hook that listens to a logged event on past events."""
        if listeners := self._listeners(report):
            self._go("hooks", "try_past", report, listeners)

    def _listeners(self, report: Mapping[str, Any]) -> list[Hook]:
        listeners = [hook for hook in self._hooks() if hook.event == report["event"] and hook.type not in ONLY_IN_AGENT]
        if not listeners:
            self._app.notify(
                f"No hook in this project listens to {one_line(report['event'])}.", severity="warning", markup=False
            )
        return listeners

    def _go(self, mode: str, method: str, *arguments: object) -> None:
        self._app.switch_mode(mode)
        self._app.screen.call_after_refresh(getattr(self._app.screen_stack[0], method), *arguments)
