"""What every screen may ask of the app. Screens know this protocol, never the app's class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from hooktui.screens.services.log_monitor import LogState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.dom import DOMNode

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.screens.services.log_monitor import LogMonitor
    from hooktui.screens.services.navigator import Navigator
    from hooktui.screens.services.undo_history import UndoHistory
    from hooktui.screens.textual_patches.type_ahead import TypeAhead


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
