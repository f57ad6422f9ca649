"""The filter line of a list: `/` opens it, it narrows the list as one types, escape clears it, the last text is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.message import Message
from textual.widgets import Input

if TYPE_CHECKING:
    from typing import ClassVar

    from textual.binding import BindingType
    from textual.widget import Widget


class Filter(Input):
    """One line above a list; hidden while it is empty and elsewhere has the focus."""

    BINDING_GROUP_TITLE = "Filter"
    HELP = """
    Narrows the list as you type; every word must be there. Where decisions are listed the words are those of the query
    language, as event:pre-* -decision:none. Esc shows everything again, / brings the last filter back.
    """
    lasting = True  # stays while it holds something
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down", "to_list", "To the list"),
        Binding("escape", "clear", "Show all"),
    ]

    class Narrowed(Message):
        """Other words than before."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    def __init__(self, target: Widget, placeholder: str, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(placeholder=placeholder, id=id, compact=True, select_on_focus=False, classes="filter")
        self._list = target
        self._last = ""
        self.display = False

    def open(self) -> None:
        """Begin to filter, with the last filter ready to be used again or typed over."""
        self.display = True
        self.screen.set_focus(self)  # at once: keys that are typed already must not go to the list
        if not self.value and self._last:
            self.value = self._last
        self.action_select_all()

    def toggle(self, term: str) -> None:
        """Put a term in front of the others, or take it out."""
        words = self.value.replace(term, "") if term in self.value else f"{term} {self.value}"
        self.value = words.strip()
        self.display = bool(self.value)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow the list."""
        event.stop()
        if event.value:
            self._last = event.value
        self.post_message(self.Narrowed(event.value))

    def on_blur(self) -> None:
        """An empty filter needs no line."""
        self.display = self.lasting and bool(self.value)

    def give_way(self) -> bool:
        """Show everything, if a person is in the list that has nothing left: the next key would be typed in here."""
        if self.value and self._list.has_focus:
            self.action_clear()
            return True
        return False

    def action_to_list(self) -> None:
        """Go on in the list, which stays narrow."""
        self.screen.set_focus(self._list)

    def action_clear(self) -> None:
        """Show everything again."""
        self.value = ""
        self.display = False
        self.screen.set_focus(self._list)
