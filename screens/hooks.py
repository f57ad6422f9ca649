"""The Hooks screen: browse the hooks, read and edit them, try them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import Screen
from textual.widgets import Footer, Static

from hooktui.screens.header import Header

if TYPE_CHECKING:
    from textual import getters
    from textual.app import ComposeResult

    from hooktui.app import HooktuiApp


class HooksScreen(Screen[None]):
    """Tree of hooks, and the hook under the cursor."""

    CSS_PATH = "../styles/hooks.tcss"
    if TYPE_CHECKING:
        app = getters.app(HooktuiApp)

    def compose(self) -> ComposeResult:
        """Header, panes, footer."""
        yield Header("hooks")
        yield Static("")
        yield Footer(show_command_palette=False)
