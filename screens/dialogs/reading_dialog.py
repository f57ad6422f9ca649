"""Dialogs that ask for an answer, those with a long text to read, and diffs as its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from hooktui.core.text_sanitizer import visible
from hooktui.edit.file_steps import FileTree, Write, diffs
from hooktui.screens.widgets.fields import FieldList
from hooktui.screens.widgets.footer import keyed
from hooktui.screens.widgets.lines import SIGN_COLOURS, near

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from textual.app import ComposeResult
    from textual.widget import Widget

    from hooktui.edit.change_plan import ChangePlan
    from hooktui.edit.file_steps import Step
    from hooktui.screens.widgets.fields import LabelledValue

MARGIN = 6  # columns


def difference_fields(lines: Sequence[str]) -> FieldList:
    """The lines of a diff, each with its sign in the margin."""
    return FieldList(MARGIN, signed(lines))


def signed(lines: Iterable[str]) -> Iterator[LabelledValue]:
    """The lines of a diff as fields, with their signs as labels."""
    for line in lines:
        yield f"{line[0]:>{MARGIN - 2}}", Content.styled(visible(line[1:]), SIGN_COLOURS.get(line[0], ""))


_STYLES = {**SIGN_COLOURS, "@": "$foreground 60%"}


def would_write(steps: Iterable[Step], project: str) -> Iterator[LabelledValue]:
    """Yield each file's name, in the project its path there, and its diff."""
    for step in steps:
        for path, diff in diffs(step):
            yield "", Content(" ")
            yield "", Content.styled(near(path, project), "bold")
            yield from (("", Content.styled(visible(line) or " ", _STYLES.get(line[:1], ""))) for line in diff.split("\n"))


def summary(plan: ChangePlan, project: str) -> str:
    """Summarize in a sentence what a plan creates and changes."""
    written = [step for step in plan.steps if isinstance(step, FileTree | Write)]
    made = [near(step.path, project) for step in written if isinstance(step, FileTree) or step.before is None]
    changed = [near(step.path, project) for step in written if isinstance(step, Write) and step.before is not None]
    parts = [f"{verb} {_listed(names)}" for verb, names in (("creates", made), ("changes", changed)) if names]
    return f"This {', and '.join(parts)}."


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


class ChoiceAnswer(NamedTuple):
    """One answer: its keys, the first of which is shown, the value it returns, its label."""

    keys: str
    value: str
    label: str


class ChoiceDialog(ModalScreen[str | None]):
    """Returns the value of the chosen answer; None if the user went back."""

    BINDINGS = [
        Binding("escape", "dismiss(None)", "Back"),
        Binding("left,h", "app.focus_previous", "Previous", show=False),
        Binding("right,l", "app.focus_next", "Next", show=False),
    ]

    def __init__(
        self, title: str, text: str | Content, answers: Sequence[ChoiceAnswer], *, back: str = "Back", is_grave: bool = False
    ) -> None:
        """`back` is the label of the last button. The first answer has the focus; with `is_grave`, the last button."""
        super().__init__()
        self._heading = Content(visible(title))
        self._text = Content(visible(text)) if isinstance(text, str) else text
        self._answers = answers
        self._back = back
        self._is_grave = is_grave

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog choice") as box:
            box.border_title = self._heading
            yield Static(self._text)
            yield self._buttons()

    def _buttons(self) -> Horizontal:
        answers = (*self._answers, ChoiceAnswer("esc", "back", self._back))
        return Horizontal(*map(answer_button, answers), classes="buttons")

    def on_mount(self) -> None:
        for answer in self._answers:
            self._bindings.bind(answer.keys, f"dismiss({answer.value!r})", answer.label)
        if self._is_grave:
            self.set_focus(self.query_one("#back"))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(None if event.button.id == "back" else event.button.id)


def answer_button(answer: ChoiceAnswer) -> Button:
    """A button that gives the answer."""
    return Button(keyed(answer.keys.partition(",")[0], answer.label), id=answer.value, compact=True)


class ReadingDialog(ChoiceDialog):
    """A choice below a long text, which scrolls by key. Nothing has the focus, so enter presses no button by accident."""

    AUTO_FOCUS = ""
    BINDINGS = [
        Binding("q", "dismiss(None)", "Back"),
        Binding("j,down", "scroll('down')", "Down", show=False),
        Binding("k,up", "scroll('up')", "Up", show=False),
        Binding("pagedown,space", "scroll('page_down')", "Page down", show=False),
        Binding("pageup", "scroll('page_up')", "Page up", show=False),
        Binding("g,home", "scroll('home')", "Top", show=False),
        Binding("G,end", "scroll('end')", "End", show=False),
    ]

    def __init__(
        self,
        title: str,
        body: Iterable[Widget],
        *,
        introduction: str | Content = "",
        answers: Sequence[ChoiceAnswer] = (),
        back: str = "Back",
        back_keys: str = "",
        subtitle: str = "",
        more: Sequence[ChoiceAnswer] = (),
    ) -> None:
        """`back_keys` close the dialog as escape does. `more` answers have their buttons in the body."""
        super().__init__(title, introduction, answers, back=back)
        self._more = more
        self._body = body
        self._back_keys = back_keys
        self._subtitle = Content(subtitle)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large reading") as box:
            box.border_title, box.border_subtitle = self._heading, self._subtitle
            if self._text:
                yield Static(self._text)
            yield VerticalScroll(*self._body, can_focus=False)
            yield self._buttons()

    def on_mount(self) -> None:
        for answer in self._more:
            self._bindings.bind(answer.keys, f"dismiss({answer.value!r})", answer.label)
        if self._back_keys:
            self._bindings.bind(self._back_keys, "dismiss(None)", self._back)

    def action_scroll(self, how: str) -> None:
        getattr(self.query_one(VerticalScroll), f"scroll_{how}")(animate=False)
