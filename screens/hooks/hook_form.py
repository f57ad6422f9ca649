"""A hook's form, one row per field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import on
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from hooktui.screens.hooks.form_row import FormRow
from hooktui.screens.hooks.hook_facts import LABEL_WIDTH
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.fields import FieldList
from hooktui.screens.widgets.lines import LineInput, SteadyText, common_prefix
from hooktui.screens.widgets.notifications import failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from textual.app import ComposeResult
    from textual.timer import Timer
    from textual.widget import Widget

    from hooktui.edit.document import Form, FormField
    from hooktui.screens.widgets.fields import LabelledValue

_PATIENCE_S = 0.15  # before the previous hook's values are cleared
_VALUE_WIDTH = 16  # columns that the counts leave to a matcher


class MoreFields(Static, can_focus=True):
    """Names the fields that few hooks have; enter or a click shows them."""

    BINDINGS = [Binding("enter", "ask", "More fields", id="open")]
    BINDING_GROUP_TITLE = "Form"

    class Asked(Message):
        """The user wants to see all fields."""

    def show(self, fields: Sequence[FormField]) -> None:
        """Offer the fields that are not shown."""
        self.display = bool(fields)
        self.update(Content.assemble(("+ ", "$accent"), ", ".join(field.label for field in fields)))

    def action_ask(self) -> None:
        self.post_message(self.Asked())

    on_click = action_ask


class HookForm(Vertical):
    """Facts and fields of one hook, with help on the focused field at the bottom."""

    BINDING_GROUP_TITLE = "Form"
    HELP = """
    The hook's settings, one field each, with help and errors below. Editing a field changes only its own text in the file.
    Clearing a field removes it from the file, and its default applies.
    """
    BINDINGS = [
        Binding("up", "field(-1)", "Previous field", show=False),
        Binding("down", "field(1)", "Next field", show=False),
        Binding("ctrl+s", "screen.save", "Save", id="save"),
        Binding("ctrl+z", "undo", "Undo", id="undo"),
        Binding("ctrl+y", "redo", "Redo", id="redo"),
        Binding("escape", "screen.browse", "Leave", tooltip="Back to the hooks"),
    ]

    @dataclass
    class Undone(Message):
        """The user wants the last edit of the hook's file undone, or redone."""

        again: bool = False

    def __init__(self, fill: Callable[[FormField, object], None], *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        """`fill` changes a field in the file's text. Raises ValueError, with a sentence, if the field cannot have the value."""
        super().__init__(id=id)
        self._fill = fill
        self._state = FieldList(LABEL_WIDTH)
        self._facts = FieldList(LABEL_WIDTH, id="facts")
        self._more = MoreFields()
        self._form: Form | None = None
        self._shows_all = False
        self._help = SteadyText(classes="help")
        self._counts = ("", "")
        self._refusal = ""
        self._waits = True
        self._begins, self._first = False, ""  # whether to focus a field once it is loaded, and its label
        self._patience: Timer | None = None
        self.rows: Sequence[FormRow] = ()

    def compose(self) -> ComposeResult:
        with Vertical(id="lines"):  # not a VerticalScroll, which would take the arrow keys
            yield self._state
            yield self._more
            yield self._facts
        yield self._help

    def show_facts(self, facts: Iterable[LabelledValue]) -> None:
        """Show the first fact above the fields, the others below."""
        first, *others = facts
        self._state.show([first])
        self._facts.show(others)

    def wait(self) -> None:
        """Ignore input while another hook's form is loading, and clear the values if that takes long."""
        self._waits, self._shows_all = True, False
        self.expire_counts()
        if self._patience is not None:
            self._patience.stop()
        self._patience = self.set_timer(_PATIENCE_S, self._clear)

    def _clear(self) -> None:
        for row in self.rows if self._waits else ():
            row.clear()

    async def show(self, form: Form) -> None:
        """Show a form, reusing rows. If the text has no form, keep the last one and say why."""
        self._waits = False
        if self._patience is not None:
            self._patience.stop()
        if bool(form.refusal) != bool(self._refusal):
            self.query_one("#lines").disabled = bool(form.refusal)
        self._form, self._refusal = form, form.refusal
        if not form.refusal:
            await self._show_fields(form)
        if self._begins:
            self.begin(self._first)
        self._explain()

    @on(MoreFields.Asked)
    async def _show_all(self, event: MoreFields.Asked) -> None:
        """Show the fields that few hooks have, and go to the first of them."""
        event.stop()
        known = {row.field.label for row in self.rows}
        self._shows_all = True
        if self._form is not None and not self._waits:
            await self._show_fields(self._form)
            self._go_to(next(row.control for row in self.rows if row.field.label not in known))

    async def _show_fields(self, form: Form) -> None:
        fields = [field for field in form.fields if self._shows_all or not field.rare or field.value is not None]
        self._more.show([field for field in form.fields if field not in fields and not field.locked])
        if [_shape(row.field) for row in self.rows] != [_shape(field) for field in fields]:
            async with self.batch():
                await self._arrange(fields)
        if self._waits:  # another hook was chosen meanwhile
            self._clear()
            return
        for row, field in zip(self.rows, fields, strict=True):
            row.show(field, form.troubles.get(field.label))
            if field.moves:
                row.note(form.event)

    async def _arrange(self, fields: Sequence[FormField]) -> None:
        """Match the rows to the fields, reusing rows at both ends: mounting one is slow."""
        rows, before, after = self.rows, [_shape(row.field) for row in self.rows], [_shape(field) for field in fields]
        head = common_prefix(before, after)
        tail = common_prefix(before[head:][::-1], after[head:][::-1])
        gone, below = rows[head : len(rows) - tail], rows[len(rows) - tail :]
        come = [FormRow(field, self._take) for field in fields[head : len(fields) - tail]]
        self.rows = [*rows[:head], *come, *below]
        for row in gone:
            await row.remove()
        await self.query_one("#lines").mount_all(come, before=below[0] if below else self._more)

    def show_counts(self, of_tools: str, of_logged: str) -> None:
        self._counts = (of_tools, of_logged)
        self._show_counts()

    def expire_counts(self) -> None:
        """Dim the counts until `show_counts`."""
        for row in self._matchers:
            row.expire()

    def on_resize(self) -> None:
        self._show_counts()

    @property
    def _matchers(self) -> Sequence[FormRow]:
        return [row for row in self.rows if row.field.kind == "regex"]

    def _show_counts(self) -> None:
        matchers = self._matchers
        for row, counts in zip(matchers, _shared(self._counts, len(matchers)), strict=True):
            room = row.size.width - LABEL_WIDTH - max(cell_len(row.typed) + 2, _VALUE_WIDTH)
            row.note(_fitting(counts, room) if counts else "")

    def begin(self, first: str = "") -> None:
        """Focus the field of a label, else the pattern, else the first field, once the form is loaded."""
        self._begins, self._first = self._waits, first
        if self._begins:
            app_context(self).type_ahead.hold(lambda: self._begins)
        elif controls := self._controls:
            wanted = [row for row in self.rows if row.field.label == first] or self._matchers
            self._go_to(([row.control for row in wanted if row.control.focusable] or controls[:1])[-1])

    def action_field(self, step: int) -> None:
        controls, here = self._controls, self.screen.focused
        if here in controls:
            self._go_to(controls[(controls.index(here) + step) % len(controls)])

    def _go_to(self, control: Widget) -> None:
        self.screen.set_focus(control)
        if isinstance(control, LineInput):
            control.action_end()

    @property
    def focused_row(self) -> FormRow | None:
        return next((row for row in self.rows if row.has_focus_within), None)

    @property
    def _controls(self) -> list[Widget]:
        controls: list[Widget] = [row.control for row in self.rows]
        return [control for control in (*controls, self._more) if control.focusable and control.display]

    def action_undo(self) -> None:
        self.post_message(self.Undone())

    def action_redo(self) -> None:
        self.post_message(self.Undone(again=True))

    def on_descendant_focus(self) -> None:
        self._explain()

    on_descendant_blur = on_descendant_focus

    @on(Input.Submitted)
    def _go_on(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_field(1)

    def _take(self, row: FormRow) -> None:
        """Put what the user entered into the text, or say why it cannot be there."""
        row.settle(row.typed)
        if self._waits:
            return
        if row.field.kind == "regex":
            self.expire_counts()
        row.tell("")
        try:
            self._fill(row.field, row.field.read(row.typed))
        except ValueError as error:
            row.tell(str(error))
        self._explain()

    def _explain(self) -> None:
        """Show the focused field's error, else its help."""
        row = self.focused_row
        if self._refusal:
            self._help.set_text(failure(self._refusal))
        elif row is None:
            self._help.set_text("")
        elif row.trouble:
            self._help.set_text(failure(row.trouble, row.severity))
        else:
            self._help.set_text(Content.styled(row.field.locked or hint(row.field.help), "$foreground 60%"))


def _shared(counts: Sequence[str], rows: int) -> list[str]:
    """Distribute counts over rows: one each, the rest on the last row."""
    if not rows:
        return []
    return [*counts[: rows - 1], " · ".join(filter(None, counts[rows - 1 :]))]


def _fitting(counts: str, room: int) -> str:
    """The longest wording of the counts that fits; if none does, the last count alone."""
    short = counts.replace("the last ", "")
    wordings = (f"matches {counts}", counts, short, short.rpartition(" · ")[2])
    return next((words for words in wordings if len(words) <= room), wordings[-1])


def _shape(field: FormField) -> tuple[object, ...]:
    """What a row cannot change after it is mounted."""
    return field.label, field.kind, field.choices, field.unit, bool(field.locked)
