"""Jump mode: a letter stands on everything that can have the focus, and hitting it goes there."""

from __future__ import annotations

from string import ascii_lowercase, digits
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.screen import ModalScreen
from textual.widgets import Static

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Key
    from textual.geometry import Offset
    from textual.screen import Screen
    from textual.widget import Widget

_LETTERS = ascii_lowercase + digits


class JumpScreen(ModalScreen["Widget | None"]):
    """Lies over a screen; returns what to go to, None for staying."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+o", "dismiss(None)", "Stay here")]

    def __init__(self, over: Screen[Any]) -> None:
        super().__init__()
        self._over = over
        self._places = dict(zip(_LETTERS, _places(over), strict=False))

    @property
    def has_places(self) -> bool:
        """Whether there is anything to go to."""
        return bool(self._places)

    def compose(self) -> ComposeResult:
        """A letter on the upper left corner of each place."""
        for letter, (_, corner) in self._places.items():
            label = Static(f" {letter} ", markup=False)
            label.styles.offset = corner
            yield label

    def on_resize(self) -> None:
        """Go along with the places, once they are laid out anew."""
        self.call_after_refresh(self._follow)

    async def _follow(self) -> None:
        places = dict(zip(_LETTERS, _places(self._over), strict=False))
        if places != self._places:
            self._places = places
            await self.recompose()

    def on_key(self, event: Key) -> None:
        """Go to a letter's place."""
        if event.key in self._places:
            event.stop()
            self.dismiss(self._places[event.key][0])

    def on_click(self) -> None:
        """Who has a mouse needs no letters."""
        self.dismiss(None)


def _places(screen: Screen[Any]) -> Iterable[tuple[Widget, Offset]]:
    """What can have the focus and can be seen, each with its upper left corner, line by line."""
    found = ((widget, screen.find_widget(widget).visible_region) for widget in screen.focus_chain if widget.is_on_screen)
    seen = [(widget, region.offset) for widget, region in found if region.area]
    return sorted(seen, key=lambda place: (place[1].y, place[1].x))
