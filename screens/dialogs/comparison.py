"""What a file holds now beside what is typed in the editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from hooktui import approving
from hooktui.plain import one_line
from hooktui.screens.dialogs.reading import Reading, difference_fields

if TYPE_CHECKING:
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType


class Comparison(Reading[None]):
    """Two versions of one file, line by line."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "dismiss(None)", "Back")]

    def __init__(self, name: str, theirs: str, mine: str) -> None:
        super().__init__()
        self._file = name
        self._lines = approving.difference(theirs, mine)

    def compose(self) -> ComposeResult:
        """What the signs mean, the lines, the way back."""
        with Vertical(classes="dialog large reading") as box:
            box.border_title = Content(f"Compare {one_line(self._file)}")
            yield Static(Content.assemble(("-", "$error"), " in the file now   ", ("+", "$success"), " typed here"))
            with VerticalScroll(can_focus=False):
                yield difference_fields(self._lines)
            with Horizontal(classes="buttons"):
                yield Button(Content.assemble(("esc ", "$footer-key-foreground"), "Back"), id="back", compact=True)

    def on_button_pressed(self) -> None:
        """The same by mouse."""
        self.dismiss(None)
