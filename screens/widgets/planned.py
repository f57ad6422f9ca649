"""What a plan would write, as diffs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from hooktui.core import paths
from hooktui.core.text_sanitizer import visible
from hooktui.edit.file_steps import FileTree, Write, diffs
from hooktui.screens.widgets.file_place import near
from hooktui.screens.widgets.signs import SIGN_COLOURS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooktui.edit.change_plan import ChangePlan
    from hooktui.edit.file_steps import Step
    from hooktui.screens.widgets.fields import LabelledValue

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
