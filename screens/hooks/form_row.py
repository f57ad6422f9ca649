"""A line of a hook's form: what a field is called, what stands in it, and its unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Label, Select

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.lines import Line, Said

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Mount

    from hooktui.edit.form_edit import FormField

_FLAGS = ("true", "false")


class Choices(Select[str], inherit_bindings=False):
    """A few words to choose from. The arrows lead on to the other fields."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "show_overlay", "Choose", show=False)]

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(((word, word) for word in words), prompt="", compact=True)

    @property
    def is_whole(self) -> bool:
        """Whether it has its parts: nobody makes them any more once the app is being left, and without them a Select fails."""
        return bool(self.query("#label"))

    def on_mount(self, event: Mount) -> None:
        """Nothing to set up without the parts."""
        if not self.is_whole:
            event.prevent_default()


class FormRow(Horizontal):
    """One field: its label, what is written, its unit."""

    class Typed(Message):
        """Something else stands in the field now, by a person's hand."""

        def __init__(self, row: FormRow) -> None:
            super().__init__()
            self.row = row

    def __init__(self, field: FormField) -> None:
        super().__init__(classes=f"row -{field.kind}")
        self.field = field
        self.trouble = ""
        self._settled = ""  # what was typed, as far as it has become of it what it can
        self.control: Choices | Line
        if field.kind in ("choice", "flag") and not field.locked:
            self.control = Choices(self._words)
        else:
            self.control = Line(compact=True, select_on_focus=False, disabled=bool(field.locked))
        self._label = Label(field.label, markup=False)
        self._unit = Said(field.unit, classes="unit")

    def compose(self) -> ComposeResult:
        """Label, value, unit."""
        yield self._label
        yield self.control
        yield self._unit

    def on_mount(self) -> None:
        """Show the value."""
        self.show(self.field)

    @property
    def _words(self) -> Sequence[str]:
        return _FLAGS if self.field.kind == "flag" else self.field.choices

    @property
    def typed(self) -> str:
        """What stands in the field."""
        value = self.control.value
        return value if isinstance(value, str) else ""

    def show(self, field: FormField, trouble: str = "") -> None:
        """Show what is written now, unless the same is typed here already, and what is wrong with it."""
        self.field = field
        self.tell(trouble)
        with self.prevent(Input.Changed, Select.Changed):
            if isinstance(self.control, Line):
                self._show_text(self.control)
            elif self.control.is_whole:
                self._show_choice(self.control)

    def clear(self) -> None:
        """Show nothing, until the next field."""
        with self.prevent(Input.Changed, Select.Changed):
            if isinstance(self.control, Line):
                self.control.value = self.control.placeholder = self._settled = ""
            elif self.control.is_whole:
                self.control.clear()

    def _show_choice(self, select: Choices) -> None:
        select.prompt = f"{self.field.default} (default)" if self.field.default else "choose"
        select.value = self.field.shown if self.field.shown in self._words else Select.NULL

    def _show_text(self, line: Line) -> None:
        line.placeholder = self.field.default
        if line.value == self._settled and not self._means_the_same(line.value):
            line.value = self._settled = one_line(self.field.shown) if self.field.locked else self.field.shown

    def settle(self, typed: str) -> None:
        """What was typed is in the file now, or cannot be: something else may be shown."""
        self._settled = typed

    def _means_the_same(self, typed: str) -> bool:
        """Whether what is typed is what the file holds: `5` and `5.0`, or a space more in a list."""
        try:
            return bool(self.field.read(typed) == self.field.value)
        except ValueError:
            return False

    def note(self, text: str) -> None:
        """Say something behind the value, where there is no unit."""
        self._unit.say(text)

    def tell(self, trouble: str) -> None:
        """Mark the field as wrong, "" as well."""
        self.trouble = trouble
        self._label.set_class(bool(trouble), "-wrong")  # it alone is styled anew

    @on(Input.Changed)
    @on(Select.Changed)
    def _tell(self, event: Message) -> None:
        event.stop()
        self.post_message(self.Typed(self))
