"""The session under the list's cursor: what happened in it, before it is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.sessions.session_list import length
from hooktui.screens.sessions.session_summary import denials, overview
from hooktui.screens.widgets.advice import notify_log_failure
from hooktui.screens.widgets.decision_cells import day

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.timer import Timer

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.sessions import SessionRow
    from hooktui.log.read.verify import Verification

_UNREAD = "Only the beginning and the end of this session's transcript have been read so far. Enter reads it next."
_REST_S = 0.12  # on a session before it is read


class SessionPreview(VerticalScroll, can_focus=False):
    """Counts, slow hooks and denials of one session."""

    on_worker_state_changed = notify_log_failure

    def __init__(self) -> None:
        super().__init__(id="preview", classes="pane")
        self._session: SessionRow | None = None
        self._verdict: Verification | None = None
        self._resting: Timer | None = None
        self.display = False

    def compose(self) -> ComposeResult:
        yield Static(id="preview-overview", markup=False)
        yield Static(id="preview-denials", markup=False)

    def look_at(self, session: SessionRow | None, verdict: Verification | None, reader: DecisionLog | None) -> None:
        """Show a session once the cursor rests on it; again if it has grown or was verified."""
        if (session, verdict) == (self._session, self._verdict):
            return
        if self._resting is not None:
            self._resting.stop()
        is_same = session is not None and self._session is not None and session.key == self._session.key
        self._session, self._verdict = session, verdict
        self.display = session is not None
        if session is None or reader is None:
            return
        if not is_same:
            self._show_title(session)
        self._resting = self.set_timer(_REST_S, lambda: self._read(session, verdict, reader))

    def _show_title(self, session: SessionRow) -> None:
        self.border_title = Content(one_line(session.label))
        facts = (session.host, short(session.project), day(session.started), length(session.length_s))
        self.border_subtitle = Content(one_line(" · ".join(fact for fact in facts if fact)))

    @work(exclusive=True, exit_on_error=False, group="preview", description="Reading the session")
    async def _read(self, session: SessionRow, verdict: Verification | None, reader: DecisionLog) -> None:
        if session.transcript:
            self.query_one("#preview-overview", Static).update(_UNREAD)
            self.query_one("#preview-denials", Static).update("")
            return
        summary = await reader.summary(session.id, await reader.session_events(session.id))
        self._show_title(session)
        self.query_one("#preview-overview", Static).update(overview(session, summary, verdict))
        self.query_one("#preview-denials", Static).update(denials(summary))
