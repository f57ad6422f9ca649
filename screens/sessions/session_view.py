"""One session: the timeline above, the summary or a decision below."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from textual import on, work
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import ContentSwitcher, Static

from hooktui.catalog.hook_states import counted
from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read import session_outline
from hooktui.log.read.search import SearchResults
from hooktui.screens.sessions.session_list import length
from hooktui.screens.sessions.session_summary import REASON_INDENT, denials, overview
from hooktui.screens.sessions.timeline import Timeline
from hooktui.screens.widgets.cells import Heads
from hooktui.screens.widgets.dispatch_detail import DispatchDetail
from hooktui.screens.widgets.empty import Empty
from hooktui.screens.widgets.fields import FieldList
from hooktui.screens.widgets.notifications import notify_failure
from hooktui.screens.widgets.paged_list import PagedList
from hooktui.screens.widgets.scope import scope_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.worker import Worker

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.session_outline import SessionEvent
    from hooktui.log.read.sessions import SessionRow

_ROWS_FIRST_S = 0.1
_REST_S = 1.0  # at least, between two analyses of a growing session


class SessionView(Vertical):
    """Shows the session passed to `look_at`; enter on a line replaces the summary by that decision.

    The timeline appears at once; the summary, the nesting of events and the verification follow.
    """

    on_worker_state_changed = notify_failure

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.session: SessionRow | None = None
        self._session_events: Sequence[SessionEvent] = ()
        self._analysed: Sequence[SessionEvent] = ()
        self._only_trouble = False
        self._analysis: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        timeline = Timeline(id="timeline")
        with Vertical(id="steps", classes="pane"):
            yield Heads(timeline.columns)
            yield timeline
            yield Empty("Nothing was denied, and no hook failed.", [("{only-trouble}", "show all")])
        with ContentSwitcher(initial="summary", id="below"):
            with VerticalScroll(id="summary", classes="pane"):
                yield Static(id="overview", markup=False)
                yield FieldList(REASON_INDENT, id="denials")
            yield DispatchDetail()

    def on_mount(self) -> None:
        self.query_one("#summary").border_title = "Summary"

    @property
    def timeline(self) -> Timeline:
        return self.query_one(Timeline)

    async def look_at(self, number: int, reader: DecisionLog) -> bool:
        """Show a session; return False if it is not in the log."""
        session = await reader.session(number)
        if session is None:
            return False
        before, self.session = self.session, session
        self._session_events = await reader.session_events(number)
        again = before is not None and before.id == number
        self._only_trouble = self._only_trouble and again
        results, timeline = self._results(), self.timeline
        timeline.reader = reader
        timeline.take(self._session_events)
        if again:
            timeline.refetch()
            timeline.show(results)
        else:
            self._clear()
            timeline.show_from_start(results)
        self._show_title()
        if not again or self._analysis is None or self._analysis.is_finished:
            self._analysis = self._analyse(reader)
        return True

    def _results(self) -> SearchResults:
        """The rows to show: of a call the first event."""
        shown = (event for event in self._session_events if event.is_trouble or not self._only_trouble)
        return SearchResults(sorted({event.head or event.id for event in shown}))

    def toggle_trouble(self) -> None:
        self._only_trouble = not self._only_trouble
        self.timeline.show(self._results())
        self._show_title()

    def next_trouble(self, direction: int) -> bool:
        """Go to the next denial or failure below (1) or above (-1); whether there is one."""
        here, results = self.timeline.current or 0, self.timeline.results
        rows = [event.head or event.id for event in self._session_events if event.is_trouble]
        wanted = [number for number in rows if (number - here) * direction > 0]
        if wanted:
            self.timeline.go_to(results.row_of(min(wanted) if direction > 0 else max(wanted)))
        return bool(wanted)

    def _clear(self) -> None:
        self.show_summary()
        self.timeline.take_outline(session_outline.EMPTY)
        self.timeline.take_verdict(None)
        self._analysed = ()
        self._show_overview("")
        self.query_one(FieldList).show(())

    @work(exclusive=True, exit_on_error=False, group="analysis", description="Analysing the session")
    async def _analyse(self, reader: DecisionLog) -> None:
        """Analyse the session, and again after a rest if it has grown meanwhile."""
        await asyncio.sleep(_ROWS_FIRST_S)
        while self.session is not None and self._analysed is not self._session_events:
            began = time.monotonic()
            session, self._analysed = self.session, self._session_events
            summary = await reader.summary(session.id, self._analysed)
            self._show_overview(overview(session, summary, None))
            self.query_one(FieldList).show(await denials(summary, reader))
            self.timeline.take_outline(await reader.outline(session.id, self._analysed))
            self.query_one(Heads).refresh()
            verdict = await reader.verdict(session.id)
            self.timeline.take_verdict(verdict)
            self._show_overview(overview(session, summary, verdict))
            await asyncio.sleep(max(_REST_S, 3 * (time.monotonic() - began)))

    def _show_overview(self, text: Content | str) -> None:
        self.query_one("#overview", Static).update(text)

    def _show_title(self) -> None:
        session, pane = self.session, self.query_one("#steps")
        if session is None:
            return
        name = one_line(session.label)
        places = filter(None, (session.host, session.machine, short(session.project)))
        facts = " · ".join((*places, length(session.length_s)))
        title = ((name, "bold"), (f" ─ {one_line(facts)}", "$secondary"))
        trouble = scope_parts(None, (), only_trouble=self._only_trouble)
        pane.set_class(self._only_trouble and not self.timeline.count, "-empty")
        pane.border_title = Content.assemble(*title, *trouble)
        rows = len({event.head or event.id for event in self._session_events})
        pane.border_subtitle = f"{self.timeline.count:,} of {rows:,}" if self._only_trouble else counted(session.calls, "call")
        self.query_one(Heads).refresh()

    @property
    def shows_dispatch(self) -> bool:
        return self.query_one("#below", ContentSwitcher).current == "detail"

    def show_summary(self) -> None:
        self.query_one("#below", ContentSwitcher).current = "summary"
        self.timeline.focus()

    def show_dispatch(self) -> None:
        self.query_one("#below", ContentSwitcher).current = "detail"

    @on(PagedList.Chosen)
    def _choose(self, event: PagedList.Chosen) -> None:
        event.stop()
        self.show_dispatch()

    @on(PagedList.Moved)
    def _move(self, event: PagedList.Moved) -> None:
        event.stop()
        self.query_one(DispatchDetail).look_at(event.number, self.timeline.reader, whole=self.timeline.shows_whole_call)
