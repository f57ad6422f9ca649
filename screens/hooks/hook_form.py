"""The form of a hook: a line for each field, to be filled in. It tells what is typed; whoever holds the file changes it."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import on
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.hooks.form_row import FormRow
from hooktui.screens.hooks.hook_facts import LABEL_WIDTH
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets.fields import Fields
from hooktui.screens.widgets.lines import Line, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import ClassVar

    from textual import getters
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer
    from textual.widget import Widget

    from hooktui.app import HooktuiApp
    from hooktui.edit.form_edit import Form, FormField
    from hooktui.screens.widgets.fields import Field

_PATIENCE_S = 0.15  # for a form that is read, before the one of another hook goes
_VALUE_WIDTH = 16  # columns that the counts behind a matcher leave to it, however short it is


class HookForm(Vertical):
    """What is known of one hook, its fields below each other, and at the foot a line of help on the one in focus."""

    BINDING_GROUP_TITLE = "Form"
    HELP = """
    The hook's settings, a field each; the line below says what a field is for and what is wrong with it. A field changes
    its own bytes in the file and no others. An empty field leaves the file, and its default holds.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "field(-1)", "Field above", show=False),
        Binding("down", "field(1)", "Field below", show=False),
        Binding("ctrl+s", "screen.save", "Save", id="save"),
        Binding("ctrl+z", "undo", "Undo", id="undo"),
        Binding("ctrl+y", "redo", "Redo", id="redo"),
        Binding("escape", "screen.browse", "Back to the hooks"),
    ]
    if TYPE_CHECKING:
        app = getters.app(HooktuiApp)

    class Filled(Message):
        """A field shall have another value."""

        def __init__(self, form: HookForm, row: FormRow, value: object) -> None:
            super().__init__()
            self.form = form
            self.field = row.field
            self.value = value
            self._row = row
            self._typed = row.typed

        def settle(self) -> None:
            """It has the value now, or cannot have it."""
            self._row.settle(self._typed)

    class Undone(Message):
        """The last change of the hook's file shall be undone, or done again."""

        def __init__(self, *, again: bool = False) -> None:
            super().__init__()
            self.again = again

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self._state = Fields(LABEL_WIDTH)
        self._facts = Fields(LABEL_WIDTH)
        self._help = Said(classes="help")
        self._counts = ("", "")
        self._refusal = ""
        self._waits = True
        self._begins = False  # when it no longer waits
        self._patience: Timer | None = None
        self.rows: Sequence[FormRow] = ()

    def compose(self) -> ComposeResult:
        """Rows come with the first hook."""
        with Vertical(id="lines"):  # and no VerticalScroll, which has the arrows for itself
            yield self._state
            yield self._facts
        yield self._help

    def tell(self, facts: Iterable[tuple[Field, ...]]) -> None:
        """Say what is known beside the fields: the first fact above them, the others below."""
        first, *others = facts
        self._state.show([first])
        self._facts.show(others)

    def wait(self) -> None:
        """Take nothing, another hook's form is being read; and show nothing, if that takes its time."""
        self._waits = True
        if self._patience is not None:
            self._patience.stop()
        self._patience = self.set_timer(_PATIENCE_S, self._clear)

    def _clear(self) -> None:
        for row in self.rows if self._waits else ():
            row.clear()

    async def show(self, form: Form) -> None:
        """Show a form; rows that fit are used again. Where there is none, the last one stays and says why."""
        self._waits = False
        if self._patience is not None:
            self._patience.stop()
        if bool(form.refusal) != bool(self._refusal):
            self.query_one("#lines").disabled = bool(form.refusal)
        self._refusal = form.refusal
        if not form.refusal:
            await self._show_fields(form)
        if self._begins:
            self.begin()
        self._explain()

    async def _show_fields(self, form: Form) -> None:
        if [_shape(row.field) for row in self.rows] != [_shape(field) for field in form.fields]:
            async with self.batch():
                await self._arrange(form.fields)
        if self._waits:  # the rows took their time, and another hook has come meanwhile
            self._clear()
            return
        for row, field in zip(self.rows, form.fields, strict=True):
            row.show(field, form.troubles.get(field.label, ""))

    async def _arrange(self, fields: Sequence[FormField]) -> None:
        """Have a row for each field; rows that fit at both ends stay, since a row takes its time to be made."""
        rows = self.rows
        head = _common(rows, fields)
        tail = _common(rows[head:][::-1], fields[head:][::-1])
        gone, after = rows[head : len(rows) - tail], rows[len(rows) - tail :]
        come = [FormRow(field) for field in fields[head : len(fields) - tail]]
        self.rows = [*rows[:head], *come, *after]
        for row in gone:
            await row.remove()
        await self.query_one("#lines").mount_all(come, before=after[0] if after else self._facts)

    def count(self, of_tools: str, of_logged: str) -> None:
        """Say beside the matcher how much it matches: known tools, and events of the log."""
        self._counts = (of_tools, of_logged)
        self._show_counts()

    def on_resize(self) -> None:
        """There is room for other words."""
        self._show_counts()

    def _show_counts(self) -> None:
        """Leave each matcher its room."""
        matchers = [row for row in self.rows if row.field.kind == "regex"]
        for row, counts in zip(matchers, _shared(self._counts, len(matchers)), strict=True):
            room = row.size.width - LABEL_WIDTH - max(cell_len(row.typed) + 2, _VALUE_WIDTH)
            row.note(_fitting(counts, room) if counts else "")

    def refuse(self, label: str, trouble: str) -> None:
        """Say why a field cannot have the value that is typed in it."""
        for row in self.rows:
            if row.field.label == label:
                row.tell(trouble)
        self._explain()

    def begin(self) -> None:
        """Go to the first field, once the form is read."""
        self._begins = self._waits
        if self._begins:
            self.app.hold_keys(lambda: self._begins)
        elif controls := self._controls:
            self._go_to(controls[0])

    def action_field(self, step: int) -> None:
        """Go to the next field or the one before."""
        controls, here = self._controls, self.screen.focused
        if here in controls:
            self._go_to(controls[(controls.index(here) + step) % len(controls)])

    def _go_to(self, control: Widget) -> None:
        self.screen.set_focus(control)
        if isinstance(control, Line):
            control.action_end()

    @property
    def _controls(self) -> list[Widget]:
        """What can be filled in, in order."""
        return [row.control for row in self.rows if row.control.focusable]

    def action_undo(self) -> None:
        """Undo the last change of the hook's file."""
        self.post_message(self.Undone())

    def action_redo(self) -> None:
        """Do it again."""
        self.post_message(self.Undone(again=True))

    def on_descendant_focus(self) -> None:
        """Explain the field."""
        self._explain()

    on_descendant_blur = on_descendant_focus  # or no longer

    @on(Input.Submitted)
    def _go_on(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_field(1)

    @on(FormRow.Typed)
    def _fill(self, event: FormRow.Typed) -> None:
        event.stop()
        row = event.row
        if self._waits:
            row.settle(row.typed)
            return
        try:
            value = row.field.read(row.typed)
        except ValueError as error:
            row.tell(str(error))
            row.settle(row.typed)
        else:
            row.tell("")
            self.post_message(self.Filled(self, row, value))
        self._explain()

    def _explain(self) -> None:
        """What is wrong with the field in focus, else what it is for."""
        row = next((row for row in self.rows if row.has_focus_within), None)
        if self._refusal:
            self._help.say(Content.styled(one_line(self._refusal), "$warning"))
        elif row is None:
            self._help.say("")
        elif row.trouble:
            self._help.say(Content.styled(one_line(row.trouble), "$error"))
        else:
            self._help.say(Content.styled(row.field.locked or hint(row.field.help), "$foreground 60%"))


def _shared(counts: Sequence[str], rows: int) -> list[str]:
    """Some counts among some rows: one each, the last row takes what is left."""
    if not rows:
        return []
    return [*counts[: rows - 1], " · ".join(filter(None, counts[rows - 1 :]))]


def _fitting(counts: str, room: int) -> str:
    """As much of a sentence with some counts as there is room for: at last, the last of them alone."""
    short = counts.replace("the last ", "")
    told = (f"matches {counts}", counts, short, short.rpartition(" · ")[2])
    return next((words for words in told if len(words) <= room), told[-1])


def _shape(field: FormField) -> tuple[object, ...]:
    """What a row cannot change once it is there."""
    return field.label, field.kind, field.choices, field.unit, bool(field.locked)


def _common(rows: Sequence[FormRow], fields: Sequence[FormField]) -> int:
    """How many rows fit at the front."""
    pairs = zip(rows, fields, strict=False)
    return sum(1 for _ in takewhile(lambda pair: _shape(pair[0].field) == _shape(pair[1]), pairs))
