"""One field of a hook's form: label, value, unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.containers import Horizontal
from textual.widgets import Input, Label, Select

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.lines import LineInput, SteadyText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult
    from textual.events import Mount
    from textual.message import Message

    from hooktui.edit.document import FormField

_FLAGS = ("true", "false")


class Choices(Select[str], inherit_bindings=False):
    """A select that leaves the arrow keys to the form."""

    BINDINGS = [Binding("enter,space", "show_overlay", "Choose", show=False)]

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(((word, word) for word in words), prompt="", compact=True)

    @property
    def is_whole(self) -> bool:
        """Whether its parts exist: they are no longer composed while the app closes, and a Select fails without them."""
        return bool(self.query("#label"))

    def on_mount(self, event: Mount) -> None:
        """Skip the setup if the parts are missing."""
        if not self.is_whole:
            event.prevent_default()


class FormRow(Horizontal):
    """One field. `trouble` says why its value is invalid."""

    def __init__(self, field: FormField, on_change: Callable[[FormRow], None]) -> None:
        super().__init__(classes=f"row -{field.kind}")
        self._on_change = on_change
        self.field = field
        self.trouble = ""
        self._settled = ""  # the text that the file reflects
        self.control: Choices | LineInput
        if field.kind in ("choice", "flag") and not field.locked:
            self.control = Choices(self._words)
        else:
            self.control = LineInput(compact=True, select_on_focus=False, disabled=bool(field.locked))
        self._label = Label(field.label, markup=False)
        self._unit = SteadyText(field.unit, classes="unit")

    def compose(self) -> ComposeResult:
        yield self._label
        yield self.control
        yield self._unit

    def on_mount(self) -> None:
        self.show(self.field)

    @property
    def _words(self) -> Sequence[str]:
        return _FLAGS if self.field.kind == "flag" else self.field.choices

    @property
    def typed(self) -> str:
        value = self.control.value
        return value if isinstance(value, str) else ""

    def show(self, field: FormField, trouble: str = "") -> None:
        """Show the value in the file, unless the text here means the same, and what is wrong with it."""
        self.field = field
        self.tell(trouble)
        with self.prevent(Input.Changed, Select.Changed):
            if isinstance(self.control, LineInput):
                self.control.placeholder = self.field.default
                if self.control.value == self._settled and not self._means_the_same(self.control.value):
                    self.control.value = self._settled = one_line(self.field.shown) if self.field.locked else self.field.shown
            elif self.control.is_whole:
                self.control.prompt = f"{self.field.default} (default)" if self.field.default else "choose"
                self.control.value = self.field.shown if self.field.shown in self._words else Select.NULL

    def clear(self) -> None:
        with self.prevent(Input.Changed, Select.Changed):
            if isinstance(self.control, LineInput):
                self.control.value = self.control.placeholder = self._settled = ""
            elif self.control.is_whole:
                self.control.clear()

    def settle(self, typed: str) -> None:
        """Note that the file reflects this text, or rejected it; from now on another value may be shown."""
        self._settled = typed

    def _means_the_same(self, typed: str) -> bool:
        """Whether a text means the value in the file, such as `5` and `5.0`."""
        try:
            return bool(self.field.read(typed) == self.field.value)
        except ValueError:
            return False

    def note(self, text: str) -> None:
        self._unit.set_text(text)

    def expire(self) -> None:
        self._unit.expire()

    def tell(self, trouble: str) -> None:
        """Mark the field as invalid; "" clears the mark."""
        self.trouble = trouble
        self._label.set_class(bool(trouble), "-wrong")  # restyles the label only

    @on(Input.Changed)
    @on(Select.Changed)
    def _report(self, event: Message) -> None:
        event.stop()
        self._on_change(self)
