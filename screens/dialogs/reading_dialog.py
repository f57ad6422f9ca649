"""Dialogs with a long text to read, and diffs as its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen

from hooktui.core import paths
from hooktui.core.text_sanitizer import visible
from hooktui.edit.file_steps import FileTree, Write, diffs
from hooktui.screens.widgets.fields import FieldList
from hooktui.screens.widgets.lines import SIGN_COLOURS, near

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import ClassVar

    from textual.binding import BindingType

    from hooktui.edit.change_plan import ChangePlan
    from hooktui.edit.file_steps import Step
    from hooktui.screens.widgets.fields import LabelledValue

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
