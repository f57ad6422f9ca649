"""A file's text on disk beside unsaved text, and which of the two to keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from hooktui.core.text_sanitizer import visible
from hooktui.edit import documents
from hooktui.screens.dialogs.reading_dialog import ReadingDialog, difference_fields
from hooktui.screens.widgets.keyed_button import keyed

if TYPE_CHECKING:
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from hooktui.edit.documents import Document

_LEGEND = Content.assemble(("-", "$error"), " on disk   ", ("+", "$success"), " unsaved here")
_ANSWERS = (("m", "mine", "Keep mine"), ("r", "theirs", "Reload"), ("esc", "neither", "Not now"))


class ConflictDialog(ReadingDialog[str]):
    """Shows the difference; returns "mine", "theirs" or "neither". A file that is gone cannot be reloaded."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "dismiss('mine')", "Keep mine"),
        Binding("r", "dismiss('theirs')", "Reload"),
        Binding("escape,q", "dismiss('neither')", "Not now"),
    ]

    def __init__(self, trouble: str, theirs: Document, mine: str) -> None:
        super().__init__()
        self._trouble = trouble
        self._is_gone = bool(theirs.problem)
        self._lines = documents.difference(theirs.text, mine)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large reading") as box:
            box.border_title = "Conflicting changes"
            yield Static(f"{visible(self._trouble)} since you opened it. Your edits are unsaved.", markup=False)
            yield Static(_LEGEND)
            with VerticalScroll(can_focus=False):
                yield difference_fields(self._lines)
            with Horizontal(classes="buttons"):
                for key, answer, label in _ANSWERS:
                    if not (self._is_gone and answer == "theirs"):
                        yield Button(keyed(key, label), id=answer, compact=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not (self._is_gone and parameters == ("theirs",))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id)
