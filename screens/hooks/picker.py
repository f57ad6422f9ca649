"""A searchable list to choose from; options that cannot be chosen say why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.cells import fit
from hooktui.screens.widgets.filter import has_words

_FAINT = "$foreground 70%"


class Choosable(NamedTuple):
    """An option: its cells, all but the last with a width; a `refusal` replaces the last one.

    The filter also finds it by `other_names`, which are not shown.
    """

    key: str
    cells: tuple[str, ...]
    widths: tuple[int, ...]
    refusal: str = ""
    other_names: tuple[str, ...] = ()

    @property
    def option(self) -> Option:
        first, *others = (fit(one_line(cell), width) for cell, width in zip(self.cells, self.widths, strict=False))
        last = one_line(self.refusal or self.cells[-1])
        rest = " ".join((*others, last))
        return Option(Content.assemble(first, " ", (rest, _FAINT)), disabled=bool(self.refusal))


class Picker(Vertical):
    """An input above a list; the arrow keys move in the list."""

    BINDING_GROUP_TITLE = "Choose"
    BINDINGS = [
        Binding("up", "move('cursor_up')", "Up", show=False),
        Binding("down", "move('cursor_down')", "Down", show=False),
        Binding("pageup", "move('page_up')", "Page up", show=False),
        Binding("pagedown", "move('page_down')", "Page down", show=False),
    ]

    @dataclass
    class Chosen(Message):
        """The user chose an option."""

        picker: Picker
        key: str

        @property
        def control(self) -> Picker:
            return self.picker

    def __init__(self, *, id: str, placeholder: str, click_chooses: bool = True) -> None:  # noqa: A002  # Textual's name
        """With `click_chooses` a click chooses an option; otherwise it only moves the cursor there."""
        super().__init__(id=id)
        self._click_chooses = click_chooses
        self._placeholder = placeholder
        self._all: Sequence[Choosable] = ()
        self._shown: Sequence[Choosable] = ()

    def compose(self) -> ComposeResult:
        yield Input(placeholder=self._placeholder, compact=True, classes="filter")
        lines = OptionList(markup=False, compact=True)
        lines.can_focus = False  # the input keeps the focus
        yield lines

    def offer(self, choosables: Sequence[Choosable], key: str) -> None:
        """Offer options, the cursor on the one with this key; nothing changes if they are the same."""
        if choosables == self._all:
            return
        self._all = choosables
        with self.prevent(Input.Changed):
            self.query_one(Input).value = ""
        self._show(key)

    def replace(self, choosable: Choosable) -> None:
        """Show other cells of an option, which keeps its place."""
        self._all = [choosable if choice.key == choosable.key else choice for choice in self._all]
        for line, choice in enumerate(self._shown):
            if choice.key == choosable.key:
                self._shown = [*self._shown[:line], choosable, *self._shown[line + 1 :]]
                self.query_one(OptionList).replace_option_prompt_at_index(line, choosable.option.prompt)

    def begin(self) -> None:
        self.screen.set_focus(self.query_one(Input))

    @property
    def key(self) -> str:
        """The key of the option under the cursor; "" if there is none."""
        line = self.query_one(OptionList).highlighted
        return "" if line is None else self._shown[line].key

    def choose(self) -> None:
        if self.key:
            self.post_message(self.Chosen(self, self.key))

    def action_move(self, how: str) -> None:
        getattr(self.query_one(OptionList), f"action_{how}")()

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        event.stop()
        self._show(self.key)

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self._click_chooses:
            self.choose()

    def _show(self, key: str) -> None:
        words = self.query_one(Input).value
        self._shown = [choice for choice in self._all if has_words(words, *choice.cells, *choice.other_names)]
        lines = self.query_one(OptionList)
        lines.clear_options()
        nothing = Option(Content.styled(f"No matches for “{one_line(words)}”.", _FAINT), disabled=True)
        lines.add_options([choice.option for choice in self._shown] or [nothing])
        possible = [line for line, choice in enumerate(self._shown) if not choice.refusal]
        here = (line for line in possible if self._shown[line].key == key)
        lines.highlighted = next(here, possible[0] if possible else None)
