"""Choose what to copy of a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.cells import fit
from hooktui.screens.widgets.keyed_button import KeyedButton

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from hooktui.log.export.clipboard_text import ClipboardItem

_NAME = 22  # columns
_PREVIEW = 400  # characters


class CopyTextDialog(ModalScreen[str | None]):
    """Returns the text to copy, None for nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Back"),
        Binding("j", "move('cursor_down')", "Down", show=False),
        Binding("k", "move('cursor_up')", "Up", show=False),
    ]

    def __init__(self, copies: Sequence[ClipboardItem]) -> None:
        super().__init__()
        self._copies = copies

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = "Copy"
            yield OptionList(*map(_option, self._copies), compact=True, markup=False)
            with Horizontal(classes="buttons"):
                yield KeyedButton("enter", "Copy", "screen.move('select')")
                yield KeyedButton("esc", "Back", "screen.dismiss(None)")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._copies[event.option_index].text)

    def action_move(self, how: str) -> None:
        getattr(self.query_one(OptionList), f"action_{how}")()


def _option(copy: ClipboardItem) -> Option:
    name = (fit(one_line(copy.label), _NAME), "$accent")
    return Option(Content.assemble(name, "  ", one_line(" ".join(copy.text[:_PREVIEW].split()))))
