"""A mouse that clicks on texts of the screen."""

from __future__ import annotations

from textual.events import MouseDown, MouseEvent, MouseUp
from textual.pilot import Pilot

from tests.app.hook_world import shown, type_text, until, until_shown


class Mouse:
    """Clicks on texts of the screen."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot = pilot

    async def click(self, text: str, *, at_end: bool = False, nth: int = 0, twice: bool = False) -> None:
        """Click on an occurrence of a text once it is there, by default the first; `at_end` clicks after its last letter."""
        column, row = await self._resting_place(text, nth)
        for _ in range(1 + twice):
            for kind in (MouseDown, MouseUp):
                await self._send(kind, column + (len(text) if at_end else 1), row)

    async def _send(self, kind: type[MouseEvent], column: int, row: int) -> None:
        """Send the events of a terminal; the app turns them into a click if both are on the same widget."""
        self.pilot.app.post_message(kind(None, column, row, 0, 0, 1, shift=False, meta=False, ctrl=False))
        await self.pilot.pause()

    async def drag_over(self, text: str) -> None:
        """Drag from the first letter of a text to its end."""
        column, row = await self._resting_place(text, 0)
        await self.pilot.mouse_down(offset=(column, row))
        await self.pilot.pause()
        await self.pilot.hover(offset=(column + len(text), row))
        await self.pilot.mouse_up(offset=(column + len(text), row))

    async def _resting_place(self, text: str, nth: int) -> tuple[int, int]:
        """The place of a text, once it is there and no longer moves, and each button takes clicks again."""
        place: tuple[int, int] | None = None
        while place is None or place != self._place_of(text, nth) or self._is_busy:
            await until(self.pilot, lambda: self._place_of(text, nth))
            place = self._place_of(text, nth)
            await self.pilot.pause(0.1)
        return place

    @property
    def _is_busy(self) -> bool:
        """Whether the screen will change, or ignores a click: a button does so for 0.2 s after another."""
        screen = self.pilot.app.screen
        return screen._layout_required or bool(screen.query("Button.-active"))

    def _place_of(self, text: str, nth: int) -> tuple[int, int] | None:
        """Column and row where a text begins."""
        found = [(line.index(text), row) for row, line in enumerate(shown(self.pilot).splitlines()) if text in line]
        return found[nth] if len(found) > nth else None

    async def choose_in_help(self, words: str) -> None:
        """Click on an action in the help, which also has those without a key in the footer."""
        await self.click("? Help")
        await until_shown(self.pilot, "Create a hook")
        await type_text(self.pilot, words)
        await until(self.pilot, lambda: shown(self.pilot).count(words) > 1)  # the typed words, and the entry found
        await self.click(words, nth=1)
