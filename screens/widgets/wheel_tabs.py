"""Tabs with mouse wheel and keyboard support."""

from __future__ import annotations

from textual.binding import Binding
from textual.events import MouseScrollDown, MouseScrollUp
from textual.widgets import TabbedContent, Tabs


class WheelTabs(TabbedContent):
    """The mouse wheel over the strip switches tabs and stops at the ends. Enter or down on a tab goes into it."""

    BINDINGS = [Binding("enter,down", "go_into", "Go into tab", show=False)]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "go_into" or self.query_one(Tabs).has_focus

    def action_go_into(self) -> None:
        self.screen.focus_next()

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        self._turn(event, 1)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
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
