"""A dialog to choose one of several lines."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.cells import fit
from hooktui.screens.widgets.footer import KeyedButton
from hooktui.screens.widgets.row_list import RowList

_LONGEST_LABEL = 22  # columns


class ListDialog(ModalScreen[int | None]):
    """Returns the number of the chosen line; None if the user went back."""

    BINDINGS = [Binding("escape,q", "dismiss(None)", "Back")]

    def __init__(self, title: str, lines: Sequence[tuple[str, str]], verb: str) -> None:
        """`lines` are labels and texts, `verb` says what choosing one does."""
        super().__init__()
        self._title = Content(one_line(title))
        width = min(max((cell_len(one_line(label)) for label, _ in lines), default=0), _LONGEST_LABEL)
        self._lines = [
            Content.assemble((fit(one_line(label), width), "$accent"), "  ", one_line(text)) for label, text in lines
        ]
        self._verb = verb

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = self._title
            yield RowList(*self._lines)
            with Horizontal(classes="buttons"):
                yield KeyedButton("enter", self._verb, "focused.select")
                yield KeyedButton("esc", "Back", "screen.dismiss(None)")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)
