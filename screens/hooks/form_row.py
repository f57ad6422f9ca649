"""One field of a hook's form: label, value, unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import on
from textual.binding import Binding
from textual.containers import Container
from textual.content import Content
from textual.widgets import Input, Select

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.hooks.hook_facts import LABEL_WIDTH
from hooktui.screens.widgets.lines import SEVERITY_COLOURS, LineInput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult
    from textual.events import Mount
    from textual.message import Message

    from hooktui.core.model import Diagnostic, Severity
    from hooktui.edit.document import FormField

_FLAGS = ("true", "false")
_NUMBER_WIDTH, _NOTE_WIDTH = 10, 3  # columns of a number, and those that each row leaves to a note


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


class FormRow(Container):
    """One field: a control on a line with a label and a note, such as the unit. `trouble` says what is wrong with its value."""

    def __init__(self, field: FormField, on_change: Callable[[FormRow], None]) -> None:
        super().__init__(classes=f"row -{field.kind}")
        self._on_change = on_change
        self.field = field
        self.trouble = ""
        self.severity: Severity = "error"
        self._settled = ""  # the text that the file reflects
        self.control: Choices | LineInput
        if field.kind in ("choice", "flag") and not field.locked:
            self.control = Choices(self._words)
        else:
            self.control = LineInput(compact=True, select_on_focus=False, disabled=bool(field.locked))
        self._note, self._is_expired = field.unit, False
        self._leave_room()

    def compose(self) -> ComposeResult:
        yield self.control

    def on_mount(self) -> None:
        self.show(self.field)

    def render(self) -> Content:
        """The label before the control and the note after it."""
        colour = f"bold {SEVERITY_COLOURS[self.severity]}" if self.trouble else "$foreground 60%"
        label = Content.styled(self.field.label, colour)
        is_number = self.field.kind == "number"
        at = LABEL_WIDTH + _NUMBER_WIDTH if is_number else self.size.width - cell_len(self._note)
        gap = " " * (at - label.cell_length)
        return Content.assemble(label, gap, (self._note, f"{'dim ' if self._is_expired else ''}$foreground 60%"))

    @property
    def _words(self) -> Sequence[str]:
        return _FLAGS if self.field.kind == "flag" else self.field.choices

    @property
    def typed(self) -> str:
        value = self.control.value
        return value if isinstance(value, str) else ""

    def show(self, field: FormField, problem: Diagnostic | None = None) -> None:
        """Show the value in the file, unless the text here means the same, and what is wrong with it."""
        self.field = field
        self.tell(problem.message, problem.severity) if problem else self.tell("")
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
        """Show a text at the end of the row, in place of the last one."""
        if (text, False) != (self._note, self._is_expired):
            self._note, self._is_expired = text, False
            self._leave_room()
            self.refresh()

    def _leave_room(self) -> None:
        """Keep the control off the label and the note."""
        room = max(cell_len(self._note) + 1, _NOTE_WIDTH)
        if self.field.kind == "number":
            self.control.styles.width = _NUMBER_WIDTH
        self.control.styles.margin = (0, room, 0, LABEL_WIDTH)

    def expire(self) -> None:
        """Dim the note, which may no longer hold, until the next one."""
        self._is_expired = bool(self._note)
        self.refresh()

    def tell(self, trouble: str, severity: Severity = "error") -> None:
        """Say what is wrong with the value; "" clears the mark."""
        if (bool(trouble), severity) != (bool(self.trouble), self.severity):
            self.refresh()
        self.trouble, self.severity = trouble, severity

    @on(Input.Changed)
    @on(Select.Changed)
    def _report(self, event: Message) -> None:
        event.stop()
        self._on_change(self)
