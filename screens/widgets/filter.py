"""The filter above a list: `/` opens it, escape clears it, the last text comes back."""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input


def has_words(words: str, *texts: object) -> bool:
    """Whether every word occurs in one of the texts, in upper or lower case."""
    text = " ".join(map(str, texts)).lower()
    return all(word in text for word in words.lower().split())


class Filter(Input):
    """Hidden while it is empty and without the focus."""

    BINDING_GROUP_TITLE = "Filter"
    HELP = """
    Filters the list as you type; every word must match. On the Live screen it takes the query language, such as
    event:pre-* -decision:none. Esc clears the filter, / brings the last one back.
    """
    BINDINGS = [
        Binding("enter,down", "to_list", "Go to list"),
        Binding("escape", "clear", "Show all"),
    ]

    @dataclass
    class Narrowed(Message):
        """The filter's text changed."""

        words: str

    def __init__(self, target: Widget, placeholder: str, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(placeholder=placeholder, id=id, compact=True, select_on_focus=False, classes="filter")
        self._list = target
        self._last = ""
        self.display = False

    def open(self) -> None:
        """Focus the filter, with the last text selected."""
        self.display = True
        self.screen.set_focus(self)  # at once, so that keys typed ahead do not go to the list
        if not self.value and self._last:
            self.value = self._last
        self.action_select_all()

    def toggle(self, term: str) -> None:
        """Add a term in front of the others, or remove it."""
        words = self.value.replace(term, "") if term in self.value else f"{term} {self.value}"
        self.value = words.strip()
        self.display = bool(self.value)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value:
            self._last = event.value
        self.post_message(self.Narrowed(event.value))

    def on_blur(self) -> None:
        self.display = bool(self.value)

    def give_way(self) -> bool:
        """Clear the filter if the focused list became empty, as the next key would be typed here; whether it was cleared."""
        if self.value and self._list.has_focus:
            self.action_clear()
            return True
        return False

    def action_to_list(self) -> None:
        self.screen.set_focus(self._list)

    def action_clear(self) -> None:
        self.show("")

    def show(self, words: str) -> None:
        """Take a text in place of the user's, and go to the list."""
        self.value = words
        self.display = bool(words)
        self.screen.set_focus(self._list)
