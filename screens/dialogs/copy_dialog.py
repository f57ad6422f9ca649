"""Copy a hook to another scope or format, after a look at what becomes of each field and what would be written."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import OptionList

from hooktui.catalog.catalog import Catalog
from hooktui.catalog.hook_states import counted
from hooktui.core.model import Hook
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.edit.change_plan import ChangePlan, Fate
from hooktui.edit.copy_plan import copy, move
from hooktui.edit.copy_targets import Target
from hooktui.edit.file_steps import ChangeRefusedError
from hooktui.log.read.connection import LogError
from hooktui.screens.dialogs.reading_dialog import would_write
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.fields import FieldList, LabelledValue
from hooktui.screens.widgets.footer import KeyedButton
from hooktui.screens.widgets.lines import DECISION_SIGNS
from hooktui.screens.widgets.notifications import notify_failure, refusal
from hooktui.trials import TrialError
from hooktui.trials.comparison import ComparedEvent, plan_comparison, run_comparison

LABEL = "compare"
NOT_TRIED = "Not tried yet · ^r compares original and copy"
_MOST_SHOWN = 8  # events with different results
_LONGEST = 400  # characters of an output
_FAINT = "$foreground 70%"


def progress_field(done: int, total: int) -> LabelledValue:
    """How far a comparison is."""
    return LABEL, Content.styled(f"Comparing… {done} of {counted(total, 'event')} · esc cancel", "$accent")


def result_fields(results: Sequence[ComparedEvent]) -> Iterator[LabelledValue]:
    """A summary, then each event on which the two differ, with both outputs."""
    different = [result for result in results if result.differences]
    same = len(results) - len(different)
    glyph, style = ("✕", "$error") if different else ("✔", "$success")
    logged = sum(not result.is_example for result in results)
    sources = f" · {logged} logged, {counted(len(results) - logged, 'example')}"
    summary = f"{glyph} Same decision on {same} of {counted(len(results), 'event')}"
    yield LABEL, Content.assemble((summary, style), (sources, _FAINT))
    if results and all(_did_not_run(run) for result in results for run in (result.original, result.copy)):
        yield "", Content.styled("The hook matches none of these events.", "$warning")
    for result in different[:_MOST_SHOWN]:
        yield from _difference(result)
    if len(different) > _MOST_SHOWN:
        yield "", Content.styled(f"and {counted(len(different) - _MOST_SHOWN, 'more event')}", _FAINT)
    yield "", Content(" ")


def _difference(result: ComparedEvent) -> Iterator[LabelledValue]:
    about = " ".join(filter(None, (result.event.tool_name, one_line(result.subject))))
    kind = "example" if result.is_example else "logged"
    yield "", Content.assemble((f"{about or result.event.as_written} ", "bold"), (f"({kind})", _FAINT))
    yield "  differs in", Content(", ".join(result.differences))
    for label, run in (("  original", result.original), ("  copy", result.copy)):
        yield label, _ending(run)
        yield from (("    " + name, _output(run[name])) for name in ("stdout", "stderr") if run[name].strip())


def _ending(run: Mapping[str, Any]) -> Content:
    glyph, style = DECISION_SIGNS[run["decision"]]
    if _did_not_run(run):
        return Content.assemble(("– skipped", _FAINT), f" · {one_line(run['why'])}")
    ended = "no exit code" if run["exit_code"] is None else f"exit code {run['exit_code']}"
    problems = f" · {one_line('; '.join(run['problems']))}" if run["problems"] else ""
    return Content.assemble((f"{glyph} {run['decision']}", style), f" · {ended}{problems}")


def _output(text: str) -> Content:
    text = visible(text.strip())
    return Content(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")


def _did_not_run(run: Mapping[str, Any]) -> bool:
    return bool(run["state"] == "skipped")


# Glyph and colour by what becomes of a field, the worst first.
_FATES: dict[Fate, tuple[str, str]] = {
    "lost": ("✕", "$error"),
    "approximated": ("≈", "$warning"),
    "kept": ("✔", "$success"),
}
_FIELD_WIDTH = 15
_KEYS = "jkmq"  # the letters in the dialog's bindings


class CopyDialog(ModalScreen["ChangePlan | None"]):
    """Targets on the left, the plan for the highlighted one on the right. Returns the chosen plan.

    A click on a target shows its plan and writes nothing. Letters other than those of the bindings move to the next target
    that begins with them. Compare runs the hook and its planned copy side by side, in a process of its own.
    """

    BINDINGS = [
        Binding("enter", "choose", "Copy", priority=True),
        Binding("m", "choose(True)", "Move"),
        Binding("ctrl+r", "compare", "Compare", tooltip="Run original and copy on the same events"),
        Binding("escape,q", "leave", "Cancel or back"),
        Binding("j", "target('cursor_down')", "Down", show=False),
        Binding("k", "target('cursor_up')", "Up", show=False),
        Binding("pagedown,space", "read('page_down')", "Scroll down", show=False),
        Binding("pageup", "read('page_up')", "Scroll up", show=False),
    ]

    on_worker_state_changed = notify_failure

    def __init__(self, catalog: Catalog, hook: Hook, targets: Sequence[Target], db: str | None) -> None:
        """`db` is the log to take events from, None for the default one."""
        super().__init__()
        self._catalog = catalog
        self._hook = hook
        self._targets = targets
        self._db = db
        self._plan_fields: tuple[LabelledValue, ...] = ()
        self._comparing = False

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
                yield KeyedButton("^r", "Compare", "screen.compare", id="compare")
                yield KeyedButton("pgdn", "Scroll", "screen.read('page_down')", id="on")
                yield KeyedButton("esc", "Back", "screen.leave", id="back")

    def on_key(self, event: Key) -> None:
        """Move to the next target that begins with a letter, unless that is a key of the dialog: Kimi Code has k."""
        targets, letter = self.query_one(OptionList), (event.character or "").lower()
        here = targets.highlighted or 0
        for number in (*range(here + 1, len(self._targets)), *range(here)):
            if letter.isalpha() and letter not in _KEYS and self._targets[number].title.lower().startswith(letter):
                targets.highlighted = number
                event.stop()
                return

    @property
    def _target(self) -> Target:
        return self._targets[self.query_one(OptionList).highlighted or 0]

    @on(OptionList.OptionHighlighted)
    @work(exclusive=True, exit_on_error=False, group="plan", description="Planning the copy")
    async def _plan(self) -> None:
        self.workers.cancel_group(self, "compare")
        target = self._target
        try:
            plan = await asyncio.to_thread(copy, self._hook, target)
        except ChangeRefusedError as error:
            self._refuse(error)
            return
        self._plan_fields = (*_converted(plan), *would_write(reversed(plan.steps), app_context(self).project))  # entry first
        same = self._hook.format == target.format
        can_compare = self._hook.type == "command"
        self._show([(LABEL, Content.styled(NOT_TRIED, _FAINT))] if can_compare else [])
        self.query_one(VerticalScroll).scroll_home(animate=False)
        self.query_one("#copy", KeyedButton).says("enter", "Copy" if same else "Convert a copy")
        self._offer("copy", "on", *(["move"] if same else []), *(["compare"] if can_compare else []))

    def _refuse(self, error: ChangeRefusedError) -> None:
        self._plan_fields = ()
        self._show([("", Content.styled(visible(str(error)), "$warning"))])
        self._offer()

    def _show(self, comparison: Iterable[LabelledValue]) -> None:
        self.query_one(FieldList).show((*comparison, *self._plan_fields))

    def _offer(self, *buttons: str) -> None:
        for button in self.query(KeyedButton):
            button.display = button.id in (*buttons, "back")

    def action_compare(self) -> None:
        if not self._comparing and self.query_one("#compare").display:
            self._compare(self._target)

    @work(exit_on_error=False, group="compare", description="Comparing the copy with the original")
    async def _compare(self, target: Target) -> None:
        self._set_comparing(True)
        try:
            fields = await self._run_comparison(target)
        except (TrialError, LogError) as error:
            self._show([(LABEL, Content.styled(visible(refusal(error)), "$error"))])
        except asyncio.CancelledError:
            if self.is_attached:
                self._show([(LABEL, Content("Cancelled: every hook that ran was ended."))])
            raise
        else:
            self._show(fields)
        finally:
            if self.is_attached:
                self._set_comparing(False)

    async def _run_comparison(self, target: Target) -> list[LabelledValue]:
        """Run the comparison and show the progress. Raises TrialError, LogError."""
        results: list[ComparedEvent] = []
        plan = await plan_comparison(self._catalog, self._hook, target, self._db)

        def show_progress(result: ComparedEvent) -> None:
            results.append(result)
            self._show([progress_field(len(results), len(plan.events))])

        self._show([progress_field(0, len(plan.events))])
        await run_comparison(plan, show_progress)
        return list(result_fields(results))

    def _set_comparing(self, running: bool) -> None:
        self._comparing = running
        self.query_one("#back", KeyedButton).says("esc", "Cancel" if running else "Back")
        if running:
            self.query_one(VerticalScroll).scroll_home(animate=False)

    def action_leave(self) -> None:
        if self._comparing:
            self.workers.cancel_group(self, "compare")
        else:
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
