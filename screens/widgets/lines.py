"""A line to read and a line to type in that leave the rest of the screen alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.geometry import Size
from textual.reactive import Reactive, reactive
from textual.widgets import Input, Static

from hooktui.screens.widgets.states import counted

if TYPE_CHECKING:
    from textual.events import Paste


class Said(Static):
    """A text that may be said again and again: the screen is laid out anew only when it is another."""

    def __init__(self, text: str = "", *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(Content(text), id=id, classes=classes, markup=False)
        self._said = Content(text)

    def say(self, text: Content | str) -> None:
        """Say something else."""
        content = Content(text) if isinstance(text, str) else text
        if not content.is_same(self._said):
            self._said = content
            self.update(content)


class Line(Input):
    """A line to type in. Its place does not depend on its text, so that a letter lays nothing out anew.

    One that nobody is in shows its beginning.
    """

    value: reactive[str] = reactive("", layout=False, init=False)
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)

    def on_paste(self, event: Paste) -> None:
        """Say what a line has no room for."""
        lines = [line for line in event.text.splitlines() if line.strip()]
        if len(lines) > 1:
            self.notify(
                f"There is room for one line here: {counted(len(lines) - 1, 'more line')} left out.", severity="warning"
            )

    def on_blur(self) -> None:
        """Nobody is in it any more."""
        self._show_beginning()

    def watch_value(self) -> None:
        """Something else stands in it."""
        if not self.has_focus:
            self._show_beginning()

    def _show_beginning(self) -> None:
        self.scroll_to(x=0, animate=False, force=True, immediate=True)
