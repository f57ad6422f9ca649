"""One session: its timeline above, its summary or one of its dispatches below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import ContentSwitcher, Static

from hooktui.log import query
from hooktui.log.found import Found
from hooktui.paths import short
from hooktui.plain import one_line
from hooktui.screens.widgets import session_summary
from hooktui.screens.widgets.dispatch_detail import DispatchDetail
from hooktui.screens.widgets.heads import Heads
from hooktui.screens.widgets.paged_list import PagedList
from hooktui.screens.widgets.session_list import length
from hooktui.screens.widgets.states import counted
from hooktui.screens.widgets.timeline import Timeline

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from hooktui.log.reader import LogReader
    from hooktui.log.sessions import SessionRow, Summary


class SessionView(Vertical):
    """Shows the session that `look_at` names; enter on a line shows that dispatch instead of the summary."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.number: int | None = None

    def compose(self) -> ComposeResult:
        """Timeline, summary, dispatch."""
        timeline = Timeline(id="timeline")
        with Vertical(id="steps", classes="pane"):
            yield Heads(timeline.columns)
            yield timeline
        with ContentSwitcher(initial="summary", id="below"):
            with VerticalScroll(id="summary", classes="pane"):
                yield Static(id="overview", markup=False)
                yield Static(id="denials", markup=False)
            yield DispatchDetail()

    def on_mount(self) -> None:
        """The summary never changes its title."""
        self.query_one("#summary").border_title = "Summary"

    @property
    def timeline(self) -> Timeline:
        """The dispatches."""
        return self.query_one(Timeline)

    async def look_at(self, number: int, reader: LogReader) -> bool:
        """Show a session, or the same one as it is now; False when the log has no such session."""
        session = await reader.session(number)
        if session is None:
            return False
        summary = await reader.summary(number)
        steps = await reader.newer(query.of_session(number), 0)
        found = Found()
        found.replace_newest(0, steps)
        timeline = self.timeline
        timeline.reader = reader
        timeline.take(session, summary)
        if number == self.number:
            timeline.refetch()
            timeline.show(found)
        else:
            self.number = number
            self.show_summary()
            timeline.show_from_start(found)
        self._show(session, summary)
        return True

    def _show(self, session: SessionRow, summary: Summary) -> None:
        pane = self.query_one("#steps")
        name = one_line(session.name) or "–"
        facts = f"{session.host} · {short(session.project)} · {length(session.length_s)}"
        pane.border_title = Content.assemble((f"session {name}", "bold"), (f" ─ {one_line(facts)}", "$secondary"))
        pane.border_subtitle = counted(session.events, "event")
        self.query_one(Heads).refresh()
        self.query_one("#overview", Static).update(session_summary.overview(session, summary))
        self.query_one("#denials", Static).update(session_summary.denials(summary))

    @property
    def shows_dispatch(self) -> bool:
        """Whether a dispatch stands where the summary was."""
        return self.query_one("#below", ContentSwitcher).current == "detail"

    def show_summary(self) -> None:
        """The summary again."""
        self.query_one("#below", ContentSwitcher).current = "summary"
        self.timeline.focus()

    def show_dispatch(self) -> None:
        """The dispatch under the cursor instead of the summary."""
        self.query_one("#below", ContentSwitcher).current = "detail"

    @on(PagedList.Chosen)
    def _choose(self, event: PagedList.Chosen) -> None:
        event.stop()
        self.show_dispatch()

    @on(PagedList.Moved)
    def _move(self, event: PagedList.Moved) -> None:
        event.stop()
        self.query_one(DispatchDetail).look_at(event.number, self.timeline.reader)
