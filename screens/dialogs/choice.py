"""A question with a few answers, each with its own key."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from hooktui.core.text_sanitizer import visible
from hooktui.screens.widgets.footer import keyed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType


class ChoiceAnswer(NamedTuple):
    """One answer: its key, the value it returns, its label."""

    key: str
    value: str
    label: str


class ChoiceDialog(ModalScreen[str | None]):
    """Returns the value of the chosen answer; None if the user went back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back"),
        Binding("left,h", "app.focus_previous", "Previous", show=False),
        Binding("right,l", "app.focus_next", "Next", show=False),
    ]

    def __init__(self, title: str, text: str, answers: Sequence[ChoiceAnswer], *, is_grave: bool = False) -> None:
        """The first answer has the focus; with `is_grave`, the "Back" button."""
        super().__init__()
        self._heading = title
        self._text = text
        self._answers = answers
        self._is_grave = is_grave

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = Content(visible(self._heading))
            yield Static(Content(visible(self._text)))
            with Horizontal(classes="buttons"):
                for answer in self._answers:
                    label = keyed(answer.key, answer.label)
                    yield Button(label, id=answer.value, compact=True)
                yield Button(keyed("esc", "Back"), id="back", compact=True)

    def on_mount(self) -> None:
        for answer in self._answers:
            self._bindings.bind(answer.key, f"answer('{answer.value}')", answer.label)
        if self._is_grave:
            self.set_focus(self.query_one("#back"))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(None if event.button.id == "back" else event.button.id)

    def action_answer(self, value: str) -> None:
        self.dismiss(value)
