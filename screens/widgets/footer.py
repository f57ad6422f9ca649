"""The line at the bottom of every screen: the keys of the pane in focus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import widgets

if TYPE_CHECKING:
    from typing import Any

    from textual.screen import Screen


class Footer(widgets.Footer):
    """Made anew only when it has other keys to show, since it is made of a dozen widgets."""

    def __init__(self) -> None:
        super().__init__(show_command_palette=False)
        self._told: list[tuple[str, str, bool]] = []

    def bindings_changed(self, screen: Screen[Any]) -> None:
        """Show the keys, if they are others or can be pressed now."""
        if not (self.is_attached and screen is self.screen and screen.app.app_focus):
            return
        active = screen.active_bindings.values()
        keys = [(one.binding.key, one.binding.description, one.enabled) for one in active if one.binding.show]
        if keys != self._told:
            self._told = keys
            super().bindings_changed(screen)
