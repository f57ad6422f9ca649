"""Try a hook on past events, and see where its decision would change."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual import on, work
from textual.binding import Binding
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import OptionList, ProgressBar, Static
from textual.widgets.option_list import Option

from hooktui.catalog import hook_states
from hooktui.catalog.hook_states import counted
from hooktui.core import ids
from hooktui.core.model import FAILURES
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.log.read.connection import LogError
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.cells import fit
from hooktui.screens.widgets.decision_cells import SHORT_TIME, clock
from hooktui.screens.widgets.fields import FieldList
from hooktui.screens.widgets.footer import KeyedButton
from hooktui.screens.widgets.lines import DECISION_SIGNS, from_project
from hooktui.screens.widgets.notifications import notify_failure, refusal
from hooktui.screens.widgets.row_list import RowList
from hooktui.trials import backtest_events, backtest_search
from hooktui.trials.payload_templates import TrialError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence

    from textual.app import ComposeResult
    from textual.timer import Timer

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.edit.drafts import HookDraft
    from hooktui.log.read.recent_events import LoggedOutcome
    from hooktui.trials.backtest_events import OutcomeChange, PastEvent, PastTrial
    from hooktui.trials.backtest_search import PastCount, PastMatch
    from hooktui.trials.unsaved_hooks import Edit

    Planning = Callable[[Callable[[PastCount], None]], Awaitable[PastTrial]]

_DECISION, _TOOL = 12, 10  # columns, of a tool at most
_SUBJECT = 16  # columns that a line leaves to its subject before it says who denied the event then
_FAINT = "$foreground 70%"
# Glyph, words and colour of a change.
CHANGES: Mapping[OutcomeChange, tuple[str, str, str]] = {
    "decision": ("≠", "different result", "$accent"),
    "unknown": ("?", "not recorded then", "$secondary"),
    "effect": ("≈", "same decision, different output", "$secondary"),
    "none": (" ", "same result", _FAINT),
}
_LOGGED, _EDITED = ("then", "now"), ("saved", "edited")  # compared versions
_NOT_RUN = Content.styled("… not run", _FAINT)
_NOT_RUN_CELL = (Content.styled(f"{'… not run':<{_DECISION}}", _FAINT),)


class PastList(RowList["PastEvent"]):
    """Time, both decisions, tool and subject of each event."""

    def show(self, rows: Iterable[PastEvent], *, edited: bool, is_draft: bool) -> None:
        """List events; the cursor stays on its event, or on the first line. `edited`: two versions are compared."""
        at, current = self.highlighted, self.current
        self.rows = backtest_events.in_order(rows)
        width = self.scrollable_content_region.width
        self.clear_options()
        project = app_context(self).project
        tool = _tool_width(row.event.tool for row in self.rows)
        self.add_options([Option(_line(row, project, width, tool, edited=edited, is_draft=is_draft)) for row in self.rows])
        lines = [line for line, row in enumerate(self.rows) if at and current and row.event.id == current.event.id]
        self.highlighted = lines[0] if lines else 0 if self.rows else None

    def preview(self, matches: Sequence[PastMatch]) -> None:
        project = app_context(self).project
        tool = _tool_width(match.tool for match in matches)
        self.add_options([Option(_match_line(match, project, tool)) for match in matches[self.option_count :]])


def _tool_width(tools: Iterable[str | None]) -> int:
    return min(max((cell_len(one_line(tool or "–")) for tool in tools), default=0), _TOOL)


def _match_line(match: PastMatch, project: str, tool: int) -> Content:
    about = one_line(from_project(match.about, project))
    return Content.assemble("  ", _when(match.id), fit(one_line(match.tool or "–"), tool), " ", about)


def _when(number: int) -> Content:
    return Content.styled(f"{clock(ids.seconds(number), SHORT_TIME):<{SHORT_TIME}}  ", _FAINT)


def details(row: PastEvent, names: tuple[str, str], stdin: str, *, is_draft: bool = False) -> Iterator[tuple[str, Content]]:
    """What each version decided, in full, and what it reads. `is_draft`: nothing can run yet."""
    if row.after is not None:
        _, words, colour = CHANGES[row.change]
        is_new = row.change == "decision" and row.is_first
        yield "", Content.styled(f"would now {row.after.decision}" if is_new else words, colour)
    before = [] if is_draft else [_before(row, names)]
    before += [Content.styled(one_line(row.denied_then), _FAINT)] if row.denied_then else []
    if before:
        yield names[0], Content(" · ").join(before)
    if not is_draft:
        yield names[1], _told(row.after) if row.after else _NOT_RUN
    if stdin:
        yield "stdin", Content(visible(stdin))


def _before(row: PastEvent, names: tuple[str, str]) -> Content:
    if row.unrecorded:
        return Content.styled("– not recorded  the agent program ran its own hooks, which were not observed", _FAINT)
    return _NOT_RUN if names == _EDITED and row.before is None else _told(row.before)


def _told(outcome: LoggedOutcome | None) -> Content:
    return Content.assemble(_decision(outcome), ("  " + one_line(_reason(outcome)), _FAINT))


def _line(row: PastEvent, project: str, width: int, tool: int, *, edited: bool, is_draft: bool) -> Content:
    glyph, _, colour = CHANGES[row.change]
    line = Content.assemble(
        (f"{glyph} ", f"{colour} bold"),
        _when(row.event.id),
        *(() if is_draft else _decisions(row, edited=edited)),
        fit(one_line(row.event.tool or "–"), tool),
        " ",
    )
    about, note = one_line(from_project(row.about, project)), one_line(row.denied_then)
    room = width - line.cell_length - len(note) - 2
    if not note or room < _SUBJECT:
        return line + about
    return Content.assemble(line, fit(about, room), (f"  {note}", _FAINT))


def _decisions(row: PastEvent, *, edited: bool) -> Iterator[Content]:
    yield from _NOT_RUN_CELL if edited and row.before is None else _cell(row.before, unrecorded=row.unrecorded)
    yield Content.styled("→ ", _FAINT)
    yield from _cell(row.after) if row.after else _NOT_RUN_CELL


def _cell(outcome: LoggedOutcome | None, *, unrecorded: bool = False) -> Iterator[Content]:
    decision = Content.styled("– unrecorded", _FAINT) if unrecorded else _decision(outcome)
    yield decision
    yield Content(" " * max(_DECISION - decision.cell_length, 0))


def _decision(outcome: LoggedOutcome | None) -> Content:
    if outcome is None:
        return Content.styled("– none", _FAINT)
    if outcome.state == "skipped":
        return Content.styled("– skipped", _FAINT)
    if outcome.state in FAILURES and outcome.decision == "none":
        return Content.styled(f"▲ {outcome.state}", "$warning")
    glyph, colour = DECISION_SIGNS[outcome.decision]
    word = outcome.state if outcome.state not in ("ok", "started") and outcome.decision == "none" else outcome.decision
    return Content.styled(f"{glyph} {word}", colour)


def _reason(outcome: LoggedOutcome | None) -> str:
    if outcome is None:
        return "decided nothing or did not exist"
    return outcome.reason or outcome.why


_LABEL_WIDTH = 8  # columns
_REDRAW_S = 0.1  # between two updates of the list


class PastDialog(ModalScreen[None]):
    """Lists the past events that a hook matches; then runs it on them, with progress."""

    BINDING_GROUP_TITLE = "Try on past events"
    BINDINGS = [
        Binding("enter,ctrl+r", "run", "Run", tooltip="Run the hook on these events", priority=True),
        Binding("E", "keep_example", "Keep", tooltip="Keep this call as an example of your hooks", id="keep-example"),
        Binding("u", "undo", "Undo", show=False, tooltip="Undo the last change", id="take-back"),
        Binding("pagedown", "read('page_down')", "Read on", show=False, priority=True),
        Binding("pageup", "read('page_up')", "Read back", show=False, priority=True),
        Binding("escape", "leave", "Cancel or go back", priority=True),
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (150, "-wide")]
    on_worker_state_changed = notify_failure

    def __init__(self, title: str, hook: Hook, project: str, names: tuple[str, str], plan: Planning, *, is_draft: bool) -> None:
        """`names` are those of the compared versions. `is_draft`: nothing can run yet."""
        super().__init__()
        self._title = title
        self._hook = hook
        self._project = project
        self._names = names
        self._planning = plan
        self._is_draft = is_draft
        self._plan: PastTrial | None = None
        self._results: dict[int, PastEvent] = {}
        self._waiting: set[int] = set()  # ids of events without a result
        self._redraw: Timer | None = None
        self._started: float | None = None

    @classmethod
    def of_hook(cls, catalog: Catalog, hook: Hook, edits: Sequence[Edit], db: str | None) -> PastDialog:
        """For a hook. Unsaved `edits` are tried next to the saved hook."""

        def plan(tell: Callable[[PastCount], None]) -> Awaitable[PastTrial]:
            return backtest_events.plan(catalog, hook, edits, most=backtest_events.DEFAULT_EVENTS, path=db, tell=tell)

        names = _EDITED if edits else _LOGGED
        title = f"Try {one_line(hook.label)} on past events: {' → '.join(names)}"
        return cls(title, hook, catalog.project, names, plan, is_draft=False)

    @classmethod
    def of_draft(cls, draft: HookDraft, project: str, db: str | None) -> PastDialog:
        """For a hook that is being written: it cannot run yet."""

        def plan(tell: Callable[[PastCount], None]) -> Awaitable[PastTrial]:
            return backtest_events.draft_plan(draft.listener, draft.script_listener, project, db, tell)

        return cls(
            "Past events that the new hook would have matched",
            draft.listener,
            project,
            _LOGGED,
            plan,
            is_draft=True,
        )

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large") as box:
            box.border_title = Content(self._title)
            yield Static(id="past-state")
            yield ProgressBar(show_eta=False, show_percentage=False)
            with Container(id="past-rows"):
                yield PastList()
                with VerticalScroll(id="past-details", can_focus=False):
                    yield FieldList(_LABEL_WIDTH)
            with Horizontal(classes="buttons"):
                if not self._is_draft:
                    yield KeyedButton("enter", "Run", "screen.run")
                yield KeyedButton(hint("{keep-example}"), "Keep as an example", "screen.keep_example")
                yield KeyedButton("esc", "Back", "screen.leave", id="past-leave")

    def on_mount(self) -> None:
        self._look()

    @work(exclusive=True, exit_on_error=False, group="past", description="Reading past events")
    async def _look(self) -> None:
        self._plan = None
        self._results = {}
        self._show_results()
        self._tell("Reading the log…")
        try:
            plan = await self._planning(self._take_count)
        except (TrialError, LogError) as error:
            self._tell(refusal(error), "$error")
            return
        self._plan = plan
        self._results = {row.event.id: row for row in plan.shown}
        self._show_results()
        self._tell(self._offer(plan))

    def _take_count(self, count: PastCount) -> None:
        self._tell(f"{count.text} match…" if count.searched else "Searching…")
        self.query_one(PastList).preview(count.newest)
        self._progress(count.total, count.searched)

    def _offer(self, plan: PastTrial) -> str:
        if not plan.events:
            where = "" if backtest_search.everywhere(self._hook, self._project) is None else " for this project"
            return f"No {self._hook.event_as_written} events logged{where} yet."
        if plan.why_never:
            return f"The hook never runs: {plan.why_never}."
        which = "the saved and the edited hook" if self._edited else "the hook"
        found = f"{plan.count.text} match."
        if not plan.runs:
            newest = f" The newest {len(plan.waiting):,} are listed." if plan.untried else ""
            return f"{found}{newest}{_troubles(plan)}"
        of_them = f"the newest {len(plan.waiting):,}" if plan.untried else "them"
        return f"{found} enter runs {which} for real on {of_them}: {counted(plan.runs, 'run')}.{_troubles(plan)}"

    @property
    def _edited(self) -> bool:
        return self._names == _EDITED

    def action_run(self) -> None:
        if self._plan is not None and self._started is None and self._plan.runs:
            self._run(self._plan)

    @work(exclusive=True, exit_on_error=False, group="past", description="Trying the hook on the past")
    async def _run(self, plan: PastTrial) -> None:
        self._results = {row.event.id: row for row in plan.shown}
        self._waiting = {row.event.id for row in plan.waiting}
        self._started = time.monotonic()
        leave = self.query_one("#past-leave", KeyedButton)
        leave.says("esc", "Cancel")
        try:
            await backtest_events.play(plan, self._take)
        except TrialError as error:
            self._show_results()
            self._tell(refusal(error), "$error")
        except asyncio.CancelledError:
            self._show_results()
            self._tell(f"Cancelled; running hooks were stopped. {self._summary(plan)}", "$foreground")
            raise
        else:
            self._show_results()
        finally:
            self._started = None
            leave.says("esc", "Back")

    def _take(self, row: PastEvent) -> None:
        if row.event.id in self._waiting:
            self._waiting.remove(row.event.id)
            self._results[row.event.id] = row
            self._redraw = self._redraw or self.set_timer(_REDRAW_S, self._show_results)

    def _show_results(self) -> None:
        if self._redraw is not None:
            self._redraw.stop()
            self._redraw = None
        plan, rows = self._plan, self._results.values()
        self.query_one(PastList).show(rows, edited=self._edited, is_draft=self._is_draft)
        self.query_one("#past-details").display = bool(rows)
        if plan is not None and self._started is not None:
            self._progress(len(plan.waiting), len(plan.waiting) - len(self._waiting))
            self._tell(self._summary(plan))
        else:
            self._progress(0, 0)

    def _progress(self, total: int, done: int) -> None:
        bar = self.query_one(ProgressBar)
        bar.visible = bool(total)
        bar.update(total=max(total, 1), progress=done)

    def _summary(self, plan: PastTrial) -> str:
        summary = backtest_events.summary(row for number, row in self._results.items() if number not in self._waiting)
        seconds = f" · {time.monotonic() - self._started:.1f} s" if self._started is not None else ""
        tried = f"{len(plan.waiting) - len(self._waiting):,} of {counted(len(plan.waiting), 'event')}"
        return f"{tried} · {summary.of_changes} · {plan.count.text} match{summary.of_decisions}{seconds}{_troubles(plan)}"

    def _tell(self, text: str, colour: str = "$foreground") -> None:
        self.query_one("#past-state", Static).update(Content.styled(visible(text), colour))

    @on(OptionList.OptionHighlighted)
    def _show_row(self) -> None:
        row = self.query_one(PastList).current
        if row is not None:
            stdin = backtest_events.stdin_of(self._hook, row, self._project)
            self.query_one(FieldList).show(details(row, self._names, stdin, is_draft=self._is_draft))
            self.query_one("#past-details").scroll_home(animate=False)

    def action_read(self, how: str) -> None:
        getattr(self.query_one("#past-details"), f"scroll_{how}")(animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not (self._is_draft and action == "run")

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Keeping an example")
    async def action_keep_example(self) -> None:
        from hooktui.screens.services import example_keeping

        row, reader = self.query_one(PastList).current, app_context(self).reader
        reports = await reader.reports([row.event.id]) if row is not None and reader is not None else ()
        for report in reports:
            note = "The new hook does not exist yet, and has no part in this." if self._is_draft else ""
            await example_keeping.keep(self, report, note=note)

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Undoing the last change")
    async def action_undo(self) -> None:
        await app_context(self).undo_history.undo()

    def action_leave(self) -> None:
        if self._started is None or not self._waiting:
            self.dismiss()
        else:
            self.workers.cancel_group(self, "past")


async def try_on_past(screen: Screen[Any], hook: Hook, catalog: Catalog, edits: Sequence[Edit]) -> None:
    """Try a hook on past events, once it is approved. Call this in a worker."""
    from hooktui.screens.dialogs.trust_dialog import is_approved

    if await is_approved(screen, hook, catalog):
        if hook_states.is_unapproved(hook_states.state(catalog, hook)):  # the catalog is read again meanwhile
            catalog = catalog._replace(trust={**catalog.trust, hook.id: "trusted"})
        screen.app.push_screen(PastDialog.of_hook(catalog, hook, edits, app_context(screen).db))


def _troubles(plan: PastTrial) -> str:
    troubles = f" · {plan.left_out:,} too long to try" if plan.left_out else ""
    return f"{troubles} · stopped where the matcher takes too long" if plan.count.too_slow else troubles
