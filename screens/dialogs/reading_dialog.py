"""Dialogs with a long text to read, and diffs as its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from hooktui.core import paths
from hooktui.core.text_sanitizer import visible
from hooktui.edit.file_steps import FileTree, Write, diffs
from hooktui.screens.widgets.fields import FieldList
from hooktui.screens.widgets.footer import keyed
from hooktui.screens.widgets.lines import SIGN_COLOURS, near

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from textual.app import ComposeResult

    from hooktui.edit.change_plan import ChangePlan
    from hooktui.edit.file_steps import Step
    from hooktui.screens.widgets.fields import LabelledValue

Answer = TypeVar("Answer")

MARGIN = 6  # columns


class ReadingDialog(ModalScreen[Answer]):
    """Scrolls its one `VerticalScroll` by key. Nothing has the focus, so enter presses no button by accident."""

    AUTO_FOCUS = ""
    BINDINGS = [
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


_STYLES = {**SIGN_COLOURS, "@": "$foreground 50%"}


def would_write(steps: Iterable[Step]) -> Iterator[LabelledValue]:
    """Yield each file's name and its diff."""
    for step in steps:
        for path, diff in diffs(step):
            yield "", Content(" ")
            yield "", Content.styled(visible(paths.short(path)), "bold")
            yield from (("", Content.styled(visible(line) or " ", _STYLES.get(line[:1], ""))) for line in diff.split("\n"))


def summary(plan: ChangePlan, project: str) -> str:
    """Summarize in a sentence what a plan creates and changes."""
    written = [(near(step.path, project), _is_new(step)) for step in plan.steps if isinstance(step, FileTree | Write)]
    made, changed = ([name for name, is_new in written if is_new is wanted] for wanted in (True, False))
    parts = [f"{verb} {' and '.join(names)}" for verb, names in (("creates", made), ("changes", changed)) if names]
    return f"This {', and '.join(parts)}."


def _is_new(step: FileTree | Write) -> bool:
    return isinstance(step, FileTree) or step.before is None


class ChoiceAnswer(NamedTuple):
    """One answer: its key, the value it returns, its label."""

    key: str
    value: str
    label: str


class ChoiceDialog(ModalScreen[str | None]):
    """Returns the value of the chosen answer; None if the user went back."""

    BINDINGS = [
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
