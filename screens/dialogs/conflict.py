"""What a file holds now beside what is typed in the editor, and which of the two is to stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from hooktui.core.text_sanitizer import visible
from hooktui.screens.dialogs.reading_dialog import Reading, difference_fields
from hooktui.screens.widgets.keyed_button import keyed
from hooktui.security import approval

if TYPE_CHECKING:
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from hooktui.security.documents import Document

_LEGEND = Content.assemble(("-", "$error"), " in the file now   ", ("+", "$success"), " typed here")
_ANSWERS = (("m", "mine", "Keep mine"), ("r", "theirs", "Reload theirs"), ("esc", "neither", "Not yet"))


class Conflict(Reading[str]):
    """Shows both, line by line; returns "mine", "theirs" or "neither". A file that is gone cannot be reloaded."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "dismiss('mine')", "Keep mine"),
        Binding("r", "dismiss('theirs')", "Reload theirs"),
        Binding("escape,q", "dismiss('neither')", "Not yet"),
    ]

    def __init__(self, trouble: str, theirs: Document, mine: str) -> None:
        super().__init__()
        self._trouble = trouble
        self._is_gone = bool(theirs.problem)
        self._lines = approval.difference(theirs.text, mine)

    def compose(self) -> ComposeResult:
        """What happened, what the signs mean, the lines, the answers."""
        with Vertical(classes="dialog large reading") as box:
            box.border_title = "Changed underneath"
            yield Static(f"{visible(self._trouble)} since it was opened here. Yours is not saved yet.", markup=False)
            yield Static(_LEGEND)
            with VerticalScroll(can_focus=False):
                yield difference_fields(self._lines)
            with Horizontal(classes="buttons"):
                for key, answer, label in _ANSWERS:
                    if not (self._is_gone and answer == "theirs"):
                        yield Button(keyed(key, label), id=answer, compact=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What is gone cannot be had."""
        return not (self._is_gone and parameters == ("theirs",))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """The same by mouse."""
        self.dismiss(event.button.id)
