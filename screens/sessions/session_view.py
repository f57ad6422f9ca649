"""One session: its timeline above, its summary or a decision below."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from textual import on, work
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import ContentSwitcher, Static

from hooktui.catalog.hook_states import counted
from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read import session_outline
from hooktui.log.read.search import SearchResults
from hooktui.screens.sessions import session_summary
from hooktui.screens.sessions.playing import Player
from hooktui.screens.sessions.session_list import length
from hooktui.screens.sessions.session_summary import SessionPlot
from hooktui.screens.sessions.timeline import Timeline
from hooktui.screens.widgets.advice import notify_failure
from hooktui.screens.widgets.cells import Heads
from hooktui.screens.widgets.dispatch_detail import DispatchDetail
from hooktui.screens.widgets.paged_list import PagedList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.worker import Worker

    from hooktui.log.read.reader import LogReader
    from hooktui.log.read.session_outline import SessionEvent
    from hooktui.log.read.sessions import SessionRow
    from hooktui.log.read.verify import Verification

_ROWS_FIRST_S = 0.1
_REST_S = 1.0  # at least, between two analyses of a growing session


class SessionView(Vertical):
    """Shows the session that `look_at` names; enter on a line shows that dispatch instead of the summary.

    The timeline is there at once. What takes longer in a long session follows: the summary, how events belong together, and
    whether they are what was recorded.
    """

    on_worker_state_changed = notify_failure

    class Verified(Message):
        """The session was verified."""

        def __init__(self, session: SessionRow, verdict: Verification) -> None:
            super().__init__()
            self.session = session
            self.verdict = verdict

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.session: SessionRow | None = None
        self._moments: Sequence[SessionEvent] = ()
        self._studied: Sequence[SessionEvent] = ()
        self._study_of: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        timeline = Timeline(id="timeline")
        with Vertical(id="steps", classes="pane"):
            yield Heads(timeline.columns)
            yield timeline
        with ContentSwitcher(initial="summary", id="below"):
            with VerticalScroll(id="summary", classes="pane"):
                yield Static(id="overview", markup=False)
                with Vertical(id="beside"):
                    yield SessionPlot(id="plot")
                    yield Static(id="denials", markup=False)
            yield DispatchDetail()

    def on_mount(self) -> None:
        self.query_one("#summary").border_title = "Summary"
        self.player = Player(self.timeline, self._show_title)

    @property
    def timeline(self) -> Timeline:
        """The dispatches."""
        return self.query_one(Timeline)

    async def look_at(self, number: int, reader: LogReader) -> bool:
        """Show a session; False if the log does not have it."""
        session = await reader.session(number)
        if session is None:
            return False
        before, self.session = self.session, session
        self._moments = await reader.session_events(number)
        found, timeline = SearchResults(event.id for event in self._moments), self.timeline
        timeline.reader = reader
        timeline.take(self._moments)
        again = before is not None and before.id == number
        if again:
            timeline.refetch()
            timeline.show(found)
        else:
            self._clear()
            timeline.show_from_start(found)
        self.query_one(SessionPlot).show(self._moments)
        self._show_title()
        if not again or self._study_of is None or self._study_of.is_finished:
            self._study_of = self._study(reader)
        return True

    def _clear(self) -> None:
        """Clear what was shown of the previous session."""
        self.player.stop()
        self.show_summary()
        self.timeline.take_outline(session_outline.EMPTY)
        self.timeline.take_verdict(None)
        self._studied = ()
        for name in ("#overview", "#denials"):
            self.query_one(name, Static).update("")

    @work(exclusive=True, exit_on_error=False, group="study", description="Studying the session")
    async def _study(self, reader: LogReader) -> None:
        """Analyse the session until all of it has been; rest in between if it keeps growing."""
        await asyncio.sleep(_ROWS_FIRST_S)
        while self.session is not None and self._studied is not self._moments:
            began = time.monotonic()
            session, self._studied = self.session, self._moments
            summary = await reader.summary(session.id, self._studied)
            self._show_summary(session_summary.overview(session, summary, None))
            self.query_one("#denials", Static).update(session_summary.denials(summary))
            self.timeline.take_outline(await reader.outline(session.id, self._studied))
            self.query_one(Heads).refresh()
            verdict = await reader.verdict(session.id)
            self.timeline.take_verdict(verdict)
            self.post_message(self.Verified(session, verdict))
            self._show_summary(session_summary.overview(session, summary, verdict))
            await asyncio.sleep(max(_REST_S, 3 * (time.monotonic() - began)))

    def _show_summary(self, overview: Content) -> None:
        self.query_one("#overview", Static).update(overview)

    def _show_title(self) -> None:
        session, pane = self.session, self.query_one("#steps")
        if session is None:
            return
        name = one_line(session.name) or "–"
        facts = f"{session.host} · {short(session.project)} · {length(session.length_s)}"
        title = ((f"session {name}", "bold"), (f" ─ {one_line(facts)}", "$secondary"))
        pane.border_title = Content.assemble(*title, self.player.state)
        pane.border_subtitle = counted(session.events, "event")
        self.query_one(Heads).refresh()

    @property
    def shows_dispatch(self) -> bool:
        """Whether a decision is shown instead of the summary."""
        return self.query_one("#below", ContentSwitcher).current == "detail"

    def show_summary(self) -> None:
        """Show the summary."""
        self.query_one("#below", ContentSwitcher).current = "summary"
        self.timeline.focus()

    def show_dispatch(self) -> None:
        """Show the decision under the cursor."""
        self.query_one("#below", ContentSwitcher).current = "detail"

    @on(PagedList.Chosen)
    def _choose(self, event: PagedList.Chosen) -> None:
        event.stop()
        self.show_dispatch()

    @on(PagedList.Moved)
    def _move(self, event: PagedList.Moved) -> None:
        event.stop()
        self.query_one(DispatchDetail).look_at(event.number, self.timeline.reader)
