"""A line to read and a line to type in that leave the rest of the screen alone."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.reactive import Reactive, reactive
from textual.widgets import Input, Static


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
    """A line to type in. Its place does not depend on its text, so that a letter lays nothing out anew."""

    value: reactive[str] = reactive("", layout=False, init=False)
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)
