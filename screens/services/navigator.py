"""Go from one screen to another and act there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core.text_sanitizer import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from textual.app import App

    from hooktui.core.model import Hook
    from hooktui.screens.widgets.lines import FilePlace


class Navigator:
    """Switches an app's mode and calls the target screen once it is shown."""

    def __init__(self, app: App[Any], hooks: Callable[[], Sequence[Hook]]) -> None:
        """`hooks` returns the catalog's current hooks."""
        self._app = app
        self._hooks = hooks

    def run_on(self, mode: str, action: str) -> None:
        """Run an action on another screen."""
        self._go(mode, "run_action", action)

    def open_hook(self, hook_id: str, line: int | None = None) -> None:
        """Show a hook on the Hooks screen, its source scrolled to a line (1-based) if given."""
        self._go("hooks", "open_hook", hook_id, line)

    def open_place(self, hook_id: str, place: FilePlace) -> None:
        """Show a place in one of a hook's files, in the editor."""
        self._go("hooks", "open_place", hook_id, place)

    def open_session(self, session_id: int) -> None:
        """Show a session's timeline on the Sessions screen."""
        self._go("sessions", "open_session", session_id)

    def fix_all(self) -> None:
        """Show all safe fixes on the Diagnostics screen."""
        self._go("diagnostics", "action_fix_all")

    def quit(self) -> None:
        """Ask about unsaved edits on the Hooks screen, then quit."""
        self._go("hooks", "quit")

    def try_event(self, report: Mapping[str, Any], hook: str | None = None) -> None:
        """Try a logged event on a hook that listens to it, preferably on `hook` (an ID)."""
        if listeners := self._listeners(report):
            self._go("hooks", "try_event", report, listeners, hook)

    def try_chosen(self, report: Mapping[str, Any], chosen: Sequence[int]) -> None:
        """Try a hook that listens to an event on logged events, chosen by ID."""
        if listeners := self._listeners(report):
            self._go("hooks", "try_chosen", report, listeners, chosen)

    def _listeners(self, report: Mapping[str, Any]) -> list[Hook]:
        listeners = [hook for hook in self._hooks() if hook.event == report["event"] and hook.type != "callback"]
        if not listeners:
            self._app.notify(
                f"No hook in this project listens to {one_line(report['event'])}.", severity="warning", markup=False
            )
        return listeners

    def _go(self, mode: str, method: str, *arguments: object) -> None:
        self._app.switch_mode(mode)
        self._app.screen.call_after_refresh(getattr(self._app.screen_stack[0], method), *arguments)
