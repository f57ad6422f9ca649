"""What every screen may ask of the app, undo included. Screens know this protocol, never the app's class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from hooktui.screens.services.log_monitor import LogState

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from textual.dom import DOMNode

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.screens.services.log_monitor import LogMonitor
    from hooktui.screens.services.navigator import Navigator
    from hooktui.screens.textual_patches import TypeAhead


class UndoHistory:
    """A stack of undo steps. A step returns whether it succeeded; one that failed stays."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], Awaitable[bool]]] = []

    def __bool__(self) -> bool:
        return bool(self._steps)

    def push(self, step: Callable[[], Awaitable[bool]]) -> None:
        """Add the step that undoes the change just made."""
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


class Shell(LogState, Protocol):
    """The app as its screens see it. `catalog` and the attributes of `LogState` are reactive: `watch` them."""

    project: str
    db: str | None  # another log file than the user's own
    catalog: Catalog | None  # None until the first load
    own_keys: Mapping[str, str]  # keys from the configuration, by action id
    unsaved: frozenset[str]  # paths of files with unsaved edits
    log_monitor: LogMonitor
    navigator: Navigator
    undo_history: UndoHistory
    type_ahead: TypeAhead

    def reload(self) -> object:
        """Load the catalog again, in a worker."""

    def copy(self, text: str) -> object:
        """Copy text to the clipboard, in a worker."""

    def open_editor(self, path: str, line: int, hook: Hook | None) -> None:
        """Suspend the app for the user's editor, then reload."""


def shell(node: DOMNode) -> Shell:
    """The app that a widget or screen belongs to."""
    return cast("Shell", node.app)
