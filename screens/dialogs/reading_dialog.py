"""Base for dialogs with a long text, and the lines of a diff."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen

from hooktui.core.text_sanitizer import visible
from hooktui.screens.widgets.fields import FieldList
from hooktui.screens.widgets.signs import SIGN_COLOURS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from textual.binding import BindingType

Answer = TypeVar("Answer")

MARGIN = 6  # columns


class ReadingDialog(ModalScreen[Answer]):
    """Scrolls its one `VerticalScroll` by key. Nothing has the focus, so enter presses no button by accident."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll('down')", "Down", show=False),
        Binding("k,up", "scroll('up')", "Up", show=False),
        Binding("pagedown,space", "scroll('page_down')", "Page down", show=False),
        Binding("pageup", "scroll('page_up')", "Page up", show=False),
        Binding("g,home", "scroll('home')", "Top", show=False),
        Binding("G,end", "scroll('end')", "End", show=False),
    ]

    def action_scroll(self, how: str) -> None:
        getattr(self.query_one(VerticalScroll), f"scroll_{how}")(animate=False)


def difference_fields(lines: Sequence[str]) -> FieldList:
    """The lines of a diff, each with its sign in the margin."""
    fields = FieldList(MARGIN)
    signed = ((line[0], visible(line[1:])) for line in lines)
    fields.show(((f"{sign:>{MARGIN - 2}}", Content.styled(text, SIGN_COLOURS.get(sign, ""))),) for sign, text in signed)
    return fields
