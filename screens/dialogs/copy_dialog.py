"""Copy a hook to another scope or format: what becomes of each field, and what would be written, before anything is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList

from hooktui.core.text_sanitizer import one_line, visible
from hooktui.edit.copy_plan import copy, move
from hooktui.edit.file_steps import CannotChange
from hooktui.screens.widgets.failures import tell_failure
from hooktui.screens.widgets.fields import Fields
from hooktui.screens.widgets.keyed_button import KeyedButton
from hooktui.screens.widgets.planned import would_write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Key

    from hooktui.core.model import Hook
    from hooktui.edit.change_plan import Fate, Plan
    from hooktui.edit.copy_targets import Target
    from hooktui.screens.widgets.fields import Field

# Glyph and colour of what becomes of a field, what is worth reading first.
_FATES: dict[Fate, tuple[str, str]] = {
    "lost": ("✕", "$error"),
    "approximated": ("≈", "$warning"),
    "kept": ("✔", "$success"),
}
_FIELD_WIDTH = 15


class CopyDialog(ModalScreen["Plan | None"]):
    """Targets on the left, the plan for the one under the cursor on the right; returns the plan that was chosen.

    A click on a target shows its plan and writes nothing: the plan is there to be read first. A letter leads to the next
    target that begins with it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Copy", priority=True),
        Binding("m", "choose(True)", "Move"),
        Binding("escape,q", "dismiss(None)", "Back"),
        Binding("j", "target('cursor_down')", "Down", show=False),
        Binding("k", "target('cursor_up')", "Up", show=False),
        Binding("pagedown,space", "read('page_down')", "Read on", show=False),
        Binding("pageup", "read('page_up')", "Read back", show=False),
    ]

    on_worker_state_changed = tell_failure

    def __init__(self, hook: Hook, targets: Sequence[Target]) -> None:
        super().__init__()
        self._hook = hook
        self._targets = targets

    def compose(self) -> ComposeResult:
        """The two halves, and the keys."""
        with Vertical(classes="dialog large") as box:
            box.border_title = Content(f"Copy {one_line(self._hook.name)} to")
            with Horizontal(id="copying"):
                yield OptionList(*(target.title for target in self._targets), id="targets", compact=True, markup=False)
                with VerticalScroll(can_focus=False):
                    yield Fields(_FIELD_WIDTH, id="becomes")
            with Horizontal(classes="buttons"):
                yield KeyedButton("enter", "Copy", "screen.choose", id="copy")
                yield KeyedButton("m", "Move", "screen.choose(True)", id="move")
                yield KeyedButton("pgdn", "Read on", "screen.read('page_down')", id="on")
                yield KeyedButton("esc", "Back", "screen.dismiss(None)", id="back")

    def on_key(self, event: Key) -> None:
        """A letter leads to the next target that begins with it."""
        targets, letter = self.query_one(OptionList), (event.character or "").lower()
        here = targets.highlighted or 0
        for number in (*range(here + 1, len(self._targets)), *range(here)):
            if letter.isalpha() and self._targets[number].title.lower().startswith(letter):
                targets.highlighted = number
                event.stop()
                return

    @property
    def _target(self) -> Target:
        return self._targets[self.query_one(OptionList).highlighted or 0]

    @on(OptionList.OptionHighlighted)
    @work(exclusive=True, exit_on_error=False, group="plan", description="Planning the copy")
    async def _plan(self) -> None:
        """Show what would be done for the target under the cursor."""
        target = self._target
        try:
            plan = await asyncio.to_thread(copy, self._hook, target)
        except CannotChange as error:
            self._refuse(error)
            return
        self._show((*_becomes(plan), *would_write(reversed(plan.steps))))  # the entry before its script
        same = self._hook.format == target.format
        self.query_one("#copy", KeyedButton).says("enter", "Copy" if same else "Convert a copy")
        self._offer("copy", "on", *(["move"] if same else []))

    def _refuse(self, error: CannotChange) -> None:
        """Say why there is nothing to choose."""
        self._show([("", Content.styled(visible(str(error)), "$warning"))])
        self._offer()

    def _show(self, fields: Iterable[Field]) -> None:
        self.query_one(Fields).show((field,) for field in fields)
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def _offer(self, *ways: str) -> None:
        """What can be done now; the way back always."""
        for button in self.query(KeyedButton):
            button.display = button.id in (*ways, "back")

    @work(exclusive=True, exit_on_error=False, group="choose", description="Planning the copy")
    async def action_choose(self, moved: bool = False) -> None:
        """Return the plan as it is now; say why there is none. What is not offered cannot be chosen."""
        if moved and not self.query_one("#move").display:
            return
        try:
            self.dismiss(await asyncio.to_thread(move if moved else copy, self._hook, self._target))
        except CannotChange as error:
            self._refuse(error)

    def action_target(self, how: str) -> None:
        """Another target."""
        getattr(self.query_one(OptionList), f"action_{how}")()

    def action_read(self, how: str) -> None:
        """Read on."""
        getattr(self.query_one(VerticalScroll), f"scroll_{how}")(animate=False)


def _becomes(plan: Plan) -> Iterator[Field]:
    """The rows by what becomes of them, what is lost first."""
    for fate, (glyph, style) in _FATES.items():
        rows = [row for row in plan.fields if row.fate == fate]
        if rows:
            yield "", Content.styled(f"{glyph} {fate}", style)
        yield from ((f"  {row.field}", Content(one_line(row.note))) for row in rows)
