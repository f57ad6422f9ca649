"""Jump mode: a letter on everything that takes the focus; pressing it goes there."""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_lowercase, digits
from typing import Any

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.events import Key
from textual.geometry import Offset
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

_LETTERS = ascii_lowercase + digits


def jump(app: App[Any]) -> None:
    """Label the focusable widgets of an app's screen and focus the one chosen."""
    screen = app.screen
    labels = JumpScreen(screen)
    if labels.targets:
        app.push_screen(labels, lambda target: screen.set_focus(target) if target else None)
    else:
        app.notify("Nothing to jump to.")


class JumpScreen(ModalScreen["Widget | None"]):
    """Overlays a screen; returns the widget to focus, None to stay."""

    BINDINGS = [Binding("escape,ctrl+o", "dismiss(None)", "Stay")]

    def __init__(self, over: Screen[Any]) -> None:
        super().__init__()
        self._over = over
        self.targets = dict(zip(_LETTERS, _focusable(over), strict=False))

    def compose(self) -> ComposeResult:
        for letter, (_, corner) in self.targets.items():
            label = Static(f" {letter} ", markup=False)
            label.styles.offset = corner
            yield label

    def on_resize(self) -> None:
        self.call_after_refresh(self._follow)

    async def _follow(self) -> None:
        targets = dict(zip(_LETTERS, _focusable(self._over), strict=False))
        if targets != self.targets:
            self.targets = targets
            await self.recompose()

    def on_key(self, event: Key) -> None:
        if event.key in self.targets:
            event.stop()
            self.dismiss(self.targets[event.key][0])

    def on_click(self) -> None:
        self.dismiss(None)


def _focusable(screen: Screen[Any]) -> Iterable[tuple[Widget, Offset]]:
    """The visible focusable widgets, each with its upper left corner, in reading order."""
    regions = ((widget, screen.find_widget(widget).visible_region) for widget in screen.focus_chain if widget.is_on_screen)
    corners = [(widget, region.offset) for widget, region in regions if region.area]
    return sorted(corners, key=lambda target: (target[1].y, target[1].x))
