"""The version of a hook that ran, from the log, compared with today's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.dialogs.reading_dialog import ReadingDialog
from hooktui.screens.widgets.footer import keyed
from hooktui.screens.widgets.report_text import difference_text, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from hooktui.catalog.log_links import Provenance

_VERDICTS = {
    "same": ("✔ The hook is unchanged since.", "$success"),
    "changed": ("▲ The hook has changed since.", "$warning"),
    "gone": ("∅ The hook is not in this project.", "$secondary"),
}
_HASH = 12  # characters of a version's hash


class WhatRanDialog(ReadingDialog[None]):
    """Shows whether the version is today's, what differs, and the text that ran."""

    BINDING_GROUP_TITLE = "What ran"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter,v", "dismiss(None)", "Back")]

    def __init__(self, found: Provenance) -> None:
        super().__init__()
        self._found = found

    def compose(self) -> ComposeResult:
        stored = self._found.stored
        with Vertical(classes="dialog large reading") as box:
            box.border_title = Content(f"What ran: {one_line(stored.name)}")
            box.border_subtitle = Content(f"version {one_line(stored.version[:_HASH])}")
            with VerticalScroll(can_focus=False):
                yield Static(Content("\n").join(_parts(self._found)), markup=False)
            with Horizontal(classes="buttons"):
                yield Button(keyed("esc", "Back"), id="back", compact=True)

    def on_button_pressed(self) -> None:
        self.dismiss(None)


def _parts(found: Provenance) -> Iterator[Content]:
    yield Content.styled(one_line(short(found.stored.file)), "$secondary")
    yield Content.styled(*_VERDICTS[found.today])
    if found.changed:
        yield Content.assemble("\n", ("Then (-) and now (+)", "$accent bold"))
        yield difference_text(found.changed)
    elif found.today == "changed":
        yield Content.styled("Its text is the same; its program or its location has changed.", "$secondary")
    yield Content.assemble("\n", ("As it ran", "$accent bold"))
    yield Content(shortened(found.stored.text) or "The log has no text of this version.")
