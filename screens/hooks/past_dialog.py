"""Try a hook on past events, and see where its decision would change."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, ProgressBar, Static
from textual.widgets.option_list import Option

from hooktui.catalog.hook_states import counted
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.log.read.connection import LogError
from hooktui.screens.widgets.advice import notify_failure, refusal
from hooktui.screens.widgets.cells import fit
from hooktui.screens.widgets.fields import FieldList
from hooktui.screens.widgets.footer import KeyedButton
from hooktui.screens.widgets.lines import DECISION_SIGNS
from hooktui.screens.widgets.row_list import RowList
from hooktui.simulate import CannotTry, past_events

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from textual.app import ComposeResult

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.log.read.recent_events import LoggedOutcome
    from hooktui.simulate import Edit
    from hooktui.simulate.past_events import OutcomeChange, PastEvent, PastTrial

_DECISION, _TOOL = 12, 10  # columns
_FAINT = "$foreground 70%"
# Glyph, words and colour of a change.
CHANGES: Mapping[OutcomeChange, tuple[str, str, str]] = {
    "decision": ("≠", "different result", "$warning"),
    "unknown": ("?", "not recorded then", "$accent"),
    "effect": ("~", "same decision, different output", "$accent"),
    "none": (" ", "same result", _FAINT),
}


class PastList(RowList["PastEvent"]):
    """Time, both decisions, tool and subject of each event."""

    def clear(self) -> None:
        self.rows = ()
        self.clear_options()

    def add(self, row: PastEvent) -> None:
        """Add an event; the cursor stays on its event, or on the first line."""
        at, current = self.highlighted, self.current
        self.rows = past_events.in_order([*self.rows, row])
        self.clear_options()
        self.add_options([Option(_line(row)) for row in self.rows])
        self.highlighted = self.rows.index(current) if at and current else 0


def details(row: PastEvent, names: tuple[str, str]) -> Iterator[tuple[str, Content]]:
    """What each version decided, in full."""
    _, words, colour = CHANGES[row.change]
    yield "", Content.styled(words, colour)
    if row.unrecorded:
        yield names[0], Content.styled("– not recorded  the agent program ran its own hooks, which were not observed", _FAINT)
    else:
        yield names[0], _told(row.before)
    yield names[1], _told(row.after)


def _told(outcome: LoggedOutcome | None) -> Content:
    return Content.assemble(_decision(outcome), ("  " + one_line(_reason(outcome)), _FAINT))


def _line(row: PastEvent) -> Content:
    glyph, _, colour = CHANGES[row.change]
    when = time.strftime("%m-%d %H:%M:%S", time.localtime(row.event.at))
    return Content.assemble(
        (f"{glyph} ", f"{colour} bold"),
        (f"{when}  ", _FAINT),
        *_cell(row.before, unrecorded=row.unrecorded),
        ("→ ", _FAINT),
        *_cell(row.after),
        fit(one_line(row.event.tool or "–"), _TOOL),
        " ",
        one_line(row.about),
    )


def _cell(outcome: LoggedOutcome | None, *, unrecorded: bool = False) -> Iterator[Content]:
    decision = Content.styled("– unrecorded", _FAINT) if unrecorded else _decision(outcome)
    yield decision
    yield Content(" " * max(_DECISION - decision.cell_length, 0))


def _decision(outcome: LoggedOutcome | None) -> Content:
    if outcome is None:
        return Content.styled("– not considered", _FAINT)
    if outcome.state == "skipped":
        return Content.styled("– skipped", _FAINT)
    glyph, colour = DECISION_SIGNS[outcome.decision]
    word = outcome.state if outcome.state not in ("ok", "started") and outcome.decision == "none" else outcome.decision
    return Content.styled(f"{glyph} {word}", colour)


def _reason(outcome: LoggedOutcome | None) -> str:
    if outcome is None:
        return "the hook did not exist or did not match then"
    return outcome.reason or outcome.why


_LABEL_WIDTH = 8  # columns
_STEP = 4  # factor between two event limits
_OF_LAST = (("+", "More events", f"screen.look_at({_STEP})"), ("-", "Fewer", f"screen.look_at({1 / _STEP})"))


class PastDialog(ModalScreen[None]):
    """Says how often the hook would run; then runs it with progress."""

    BINDING_GROUP_TITLE = "Try on past events"
    BINDINGS = [
        Binding("enter,ctrl+r", "run", "Run", tooltip="Run the hook on these events", priority=True),
        Binding("plus,equals_sign", f"look_at({_STEP})", "More events", key_display="+", tooltip="Try more events", id="more"),
        Binding("minus", f"look_at({1 / _STEP})", "Fewer events", key_display="-", tooltip="Try fewer events", id="less"),
        Binding("escape", "leave", "Cancel or go back", priority=True),
    ]
    on_worker_state_changed = notify_failure

    def __init__(self, catalog: Catalog, hook: Hook, edits: Sequence[Edit], db: str | None, chosen: Sequence[int] = ()) -> None:
        """Unsaved `edits` are tried next to the saved hook. `chosen`: IDs of events to use instead of the latest."""
        super().__init__()
        self._catalog = catalog
        self._hook = hook
        self._edits = edits
        self._db = db
        self._chosen = chosen
        self._limit = past_events.MAX_EVENTS if chosen else past_events.DEFAULT_EVENTS
        self._plan: PastTrial | None = None
        self._started: float | None = None

    @property
    def _names(self) -> tuple[str, str]:
        return ("saved", "edited") if self._edits else ("then", "now")

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large") as box:
            box.border_title = Content(f"Try {one_line(self._hook.label)} on past events: {' → '.join(self._names)}")
            yield Static(id="past-state")
            yield ProgressBar(show_eta=False, show_percentage=False)
            yield PastList()
            yield FieldList(_LABEL_WIDTH, id="past-details")
            with Horizontal(classes="buttons"):
                yield KeyedButton("enter", "Run", "screen.run")
                yield from (KeyedButton(*button) for button in _OF_LAST if not self._chosen)
                yield KeyedButton("esc", "Back", "screen.leave", id="past-leave")

    def on_mount(self) -> None:
        self._look()

    @work(exclusive=True, exit_on_error=False, group="past", description="Reading past events")
    async def _look(self) -> None:
        self._plan = None
        self.query_one(PastList).clear()
        self._tell("Reading the log…")
        try:
            plan = await past_events.plan(
                self._catalog, self._hook, self._edits, most=self._limit, path=self._db, chosen=self._chosen
            )
        except (CannotTry, LogError) as error:
            self._tell(refusal(error), "$error")
            self._count(0)
            return
        self._plan = plan
        self._count(0)
        if plan.runs:
            self._tell(self._offer(plan))
        else:
            await self._play(plan)

    def _offer(self, plan: PastTrial) -> str:
        events = len(plan.decided) + len(plan.waiting)
        which = "the saved and the edited hook" if self._edits else "the hook"
        of_them = "selected" if self._chosen else "last"
        return f"enter runs {which} for real on the {of_them} {counted(events, 'event')}: {counted(plan.runs, 'run')}."

    def action_run(self) -> None:
        if self._plan is not None and self._started is None:
            self._run(self._plan)

    @work(exclusive=True, exit_on_error=False, group="past", description="Trying the hook on the past")
    async def _run(self, plan: PastTrial) -> None:
        self.query_one(PastList).clear()
        await self._play(plan)

    async def _play(self, plan: PastTrial) -> None:
        self._started = time.monotonic()
        leave = self.query_one("#past-leave", KeyedButton)
        leave.says("esc", "Cancel")
        try:
            await past_events.play(plan, self._take)
        except CannotTry as error:
            self._tell(refusal(error), "$error")
        except asyncio.CancelledError:
            self._tell(f"Cancelled; running hooks were stopped. {self._summary()}", "$warning")
            raise
        else:
            self._tell(self._summary())
        finally:
            self._started = None
            leave.says("esc", "Back")

    def _take(self, row: PastEvent) -> None:
        rows = self.query_one(PastList)
        rows.add(row)
        self._count(len(rows.rows))
        self._tell(self._summary())

    def _count(self, done: int) -> None:
        plan = self._plan
        total = len(plan.decided) + len(plan.waiting) if plan else 0
        bar = self.query_one(ProgressBar)
        bar.visible = bool(total)
        bar.update(total=max(total, 1), progress=done)

    @property
    def _is_done(self) -> bool:
        plan = self._plan
        return plan is not None and len(self.query_one(PastList).rows) == len(plan.decided) + len(plan.waiting)

    def _summary(self) -> str:
        plan, rows = self._plan, self.query_one(PastList).rows
        if plan is None or not (plan.decided or plan.waiting):
            if self._chosen:
                return f"None of the selected events is a {self._hook.event_as_written} event of this project."
            return f"No {self._hook.event_as_written} events logged for this project yet."
        summary = past_events.summary(rows)
        took = f" · {time.monotonic() - self._started:.1f} s" if self._started is not None and plan.runs else ""
        left_out = f" · {plan.left_out} too long to try" if plan.left_out else ""
        left_out += f" · {plan.others} from other events or projects" if plan.others else ""
        total = len(plan.decided) + len(plan.waiting)
        tried = f"{summary.events} of {counted(total, 'event')} · {summary.changed} with a different decision"
        return f"{tried} · {summary.matched} matched{summary.of_decisions}{took}{left_out}"

    def _tell(self, text: str, colour: str = "$foreground") -> None:
        self.query_one("#past-state", Static).update(Content.styled(visible(text), colour))

    @on(OptionList.OptionHighlighted)
    def _show_row(self) -> None:
        row = self.query_one(PastList).current
        if row is not None:
            self.query_one(FieldList).show(details(row, self._names))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not (action == "look_at" and self._chosen)

    def action_look_at(self, times: float) -> None:
        if self._started is None:
            self._limit = max(min(int(self._limit * times), past_events.MAX_EVENTS), 1)
            self._look()

    def action_leave(self) -> None:
        if self._started is None or self._is_done:
            self.dismiss()
        else:
            self.workers.cancel_group(self, "past")
