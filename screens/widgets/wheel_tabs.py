"""Tabs that the mouse wheel turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import TabbedContent, Tabs

if TYPE_CHECKING:
    from textual.events import MouseScrollDown, MouseScrollUp


class WheelTabs(TabbedContent):
    """Over the strip of tabs the wheel shows the next one or the one before, and stops at the ends."""

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """To the right."""
        self._turn(event, 1)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """To the left."""
        self._turn(event, -1)

    def _turn(self, event: MouseScrollDown | MouseScrollUp, by: int) -> None:
        strip = self.query_one(Tabs)
        if not strip.region.contains(int(event.screen_x), int(event.screen_y)):
            return
        event.stop()
        shown = [tab.id or "" for tab in strip.query("Tab") if tab.display]
        at = shown.index(strip.active) + by
        if 0 <= at < len(shown):
            strip.active = shown[at]
