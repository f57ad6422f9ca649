"""Tabs that the keyboard goes into, and that show on which side there are more of them."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import TabbedContent, Tabs


class SignedTabs(TabbedContent):
    """Enter or down on a tab goes into it."""

    BINDINGS = [Binding("enter,down", "go_into", "Go into tab", show=False)]

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield MoreTabs("‹", -1)
        yield MoreTabs("›", 1)

    def on_mount(self) -> None:
        strip = self.query_one("#tabs-scroll")
        for changed in ("scroll_x", "virtual_size", "container_size"):
            self.watch(strip, changed, self._look)

    def _look(self) -> None:
        self.call_after_refresh(self._show_sides)

    def _show_sides(self) -> None:
        strip = self.query_one("#tabs-scroll")
        left, right = self.query(MoreTabs)
        left.display, right.display = strip.scroll_x > 0, strip.scroll_x < strip.max_scroll_x
        # Not by their regions on the screen, which follow a scroll later.
        begins = (tab.virtual_region.x - round(strip.scroll_x) for tab in strip.query("Tab") if tab.display)
        left.styles.width = next((begin for begin in begins if begin > 0), 1)  # over what is left of a tab that is cut

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "go_into" or self.query_one(Tabs).has_focus

    def action_go_into(self) -> None:
        self.screen.focus_next()

    def turn(self, by: int) -> None:
        """Switch to a tab beside the active one, if there is one."""
        strip = self.query_one(Tabs)
        shown = [tab.id or "" for tab in strip.query("Tab") if tab.display]
        at = shown.index(strip.active) + by
        if 0 <= at < len(shown):
            strip.active = shown[at]


class MoreTabs(Widget):
    """A sign at an end of the strip that hides tabs; a click switches towards them."""

    ALLOW_SELECT = False

    def __init__(self, sign: str, by: int) -> None:
        super().__init__(classes="-left" if by < 0 else "-right")
        self._sign = sign
        self._by = by

    def render(self) -> str:
        return self._sign

    def on_click(self) -> None:
        self.query_ancestor(SignedTabs).turn(self._by)
