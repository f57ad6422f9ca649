"""Copy a hook to another scope or format, after a look at what becomes of each field and what would be written."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList

from hooktui.core.model import Hook
from hooktui.core.text_sanitizer import one_line
from hooktui.edit.change_plan import ChangePlan, Fate
from hooktui.edit.copy_plan import copy, move
from hooktui.edit.copy_targets import Target
from hooktui.edit.file_steps import ChangeRefusedError
from hooktui.screens.dialogs.reading_dialog import would_write
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.fields import FieldList, LabelledValue
from hooktui.screens.widgets.footer import KeyedButton
from hooktui.screens.widgets.notifications import failure, notify_failure

# Glyph and colour by what becomes of a field, the worst first.
_FATES: dict[Fate, tuple[str, str]] = {
    "lost": ("✕", "$error"),
    "approximated": ("≈", "$warning"),
    "kept": ("✔", "$success"),
}
_FIELD_WIDTH = 15


class CopyDialog(ModalScreen["ChangePlan | None"]):
    """Targets on the left, the plan for the highlighted one on the right. Returns the chosen plan.

    A click on a target shows its plan and writes nothing.
    """

    BINDINGS = [
        Binding("enter", "choose", "Copy", priority=True),
        Binding("m", "choose(True)", "Move"),
        Binding("escape,q", "leave", "Back"),
        Binding("j", "target('cursor_down')", "Down", show=False),
        Binding("k", "target('cursor_up')", "Up", show=False),
        Binding("pagedown,space", "read('page_down')", "Scroll down", show=False),
        Binding("pageup", "read('page_up')", "Scroll up", show=False),
    ]

    on_worker_state_changed = notify_failure

    def __init__(self, hook: Hook, targets: Sequence[Target]) -> None:
        super().__init__()
        self._hook = hook
        self._targets = targets

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large") as box:
            box.border_title = Content(f"Copy {one_line(self._hook.label)} to")
            with Horizontal(id="copying"):
                yield OptionList(*(target.title for target in self._targets), id="targets", compact=True, markup=False)
                with VerticalScroll(can_focus=False):
                    yield FieldList(_FIELD_WIDTH, id="becomes")
            with Horizontal(classes="buttons"):
                yield KeyedButton("enter", "Copy", "screen.choose", id="copy")
                yield KeyedButton("m", "Move", "screen.choose(True)", id="move")
                yield KeyedButton("pgdn", "Scroll", "screen.read('page_down')", id="on")
                yield KeyedButton("esc", "Back", "screen.leave", id="back")

    @property
    def _target(self) -> Target:
        return self._targets[self.query_one(OptionList).highlighted or 0]

    @on(OptionList.OptionHighlighted)
    @work(exclusive=True, exit_on_error=False, group="plan", description="Planning the copy")
    async def _plan(self) -> None:
        target = self._target
        try:
            plan = await asyncio.to_thread(copy, self._hook, target)
        except ChangeRefusedError as error:
            self._refuse(error)
            return
        written = would_write(reversed(plan.steps), app_context(self).project)  # entry first
        same = self._hook.format == target.format
        self.query_one(FieldList).show((*_converted(plan), *written))
        self.query_one(VerticalScroll).scroll_home(animate=False)
        self.query_one("#copy", KeyedButton).says("enter", "Copy" if same else "Convert a copy")
        self._offer("copy", "on", *(["move"] if same else []))

    def _refuse(self, error: ChangeRefusedError) -> None:
        self.query_one(FieldList).show([("", failure(error))])
        self._offer()

    def _offer(self, *buttons: str) -> None:
        for button in self.query(KeyedButton):
            button.display = button.id in (*buttons, "back")

    def action_leave(self) -> None:
        self.dismiss(None)

    @work(exclusive=True, exit_on_error=False, group="choose", description="Planning the copy")
    async def action_choose(self, moved: bool = False) -> None:
        """Return the plan, built again from the current files."""
        if moved and not self.query_one("#move").display:
            return
        try:
            self.dismiss(await asyncio.to_thread(move if moved else copy, self._hook, self._target))
        except ChangeRefusedError as error:
            self._refuse(error)

    def action_target(self, how: str) -> None:
        getattr(self.query_one(OptionList), f"action_{how}")()

    def action_read(self, how: str) -> None:
        getattr(self.query_one(VerticalScroll), f"scroll_{how}")(animate=False)


def _converted(plan: ChangePlan) -> Iterator[LabelledValue]:
    """The fields of the plan by what becomes of them, the worst first."""
    for fate, (glyph, style) in _FATES.items():
        fields = [field for field in plan.fields if field.fate == fate]
        if fields:
            yield "", Content.styled(f"{glyph} {fate}", style)
        yield from ((f"  {field.field}", Content(one_line(field.note))) for field in fields)
