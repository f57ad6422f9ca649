"""The Sessions screen: audit the past, session by session."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import ContentSwitcher, OptionList

from hooktui.core.text_sanitizer import one_line
from hooktui.log.read import query
from hooktui.log.read.sessions import ORDERS
from hooktui.screens.sessions.session_list import SessionList, columns
from hooktui.screens.sessions.session_view import SessionView
from hooktui.screens.widgets.dispatch_screen import OF_DISPATCH, DispatchScreen
from hooktui.screens.widgets.empty import Empty
from hooktui.screens.widgets.filter import Filter
from hooktui.screens.widgets.footer import Footer
from hooktui.screens.widgets.header import Header
from hooktui.screens.widgets.heads import Heads
from hooktui.screens.widgets.states import counted

if TYPE_CHECKING:
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer

    from hooktui.log.read.reader import LogReader
    from hooktui.screens.dialogs.export_dialog import Wanted

_TYPING_S = 0.12  # without a keystroke before the filter is applied
_REST_S = 0.5  # between two looks at a log that changes all the time
_MOST = 500  # sessions in the list; the filter finds older ones
_OF_LIST = ("filter", "show_all", "sort", "compare", "unmark")
_OF_SESSION = ("back", "summary", "play", "speed", *OF_DISPATCH)
_NOTHING = "No session yet.\nEvery event that an agent sends to hooktui is kept here, session by session."
_NOTHING_KEYS = (
    ("{demo}", "watch the demo: agents at work"),
    ("hooktui connect", "in a shell: has an agent call hooktui for each event"),
)
_GAPS = "✕ records were deleted: hooktui doctor --verify"


class SessionsScreen(DispatchScreen):
    """A list of sessions, and behind it one of them."""

    AUTO_FOCUS = "#sessions"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (118, "-wide")]  # noqa: RUF012
    BINDING_GROUP_TITLE = "Sessions"
    HELP = """
    What happened in each agent's session. A session opens as a timeline of its events; it can be played as it happened,
    compared with another, and written to a file. Before its name: ✔ it is what was recorded, ✕ it is not, · nothing covers it,
    … not verified yet. Those in view are verified first, then the others of the list.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "sort", "Sort", tooltip="Sort the sessions by the next column", id="sort"),
        Binding("c", "compare", "Compare", tooltip="Mark the session, or compare it with the one that is marked", id="compare"),
        Binding("space", "play", "Play", key_display="␣", tooltip="Play the session as it happened, or pause", id="play"),
        Binding("x", "export", "Export", tooltip="Write the session to a file", id="export"),
        Binding("r", "again", "Try again", tooltip="Try this event again", show=False, id="try-again"),
        Binding("plus,equals_sign", "speed(1)", "Faster", key_display="+", tooltip="Play faster", show=False, id="faster"),
        Binding("minus", "speed(-1)", "Slower", key_display="-", tooltip="Play slower", show=False, id="slower"),
        Binding("escape", "unmark", "Unmark", tooltip="Compare nothing", show=False),
        Binding("escape", "back", "Back"),
        Binding("escape", "show_all", "Show all", tooltip="Clear the filter", show=False),
        Binding("s", "summary", "Summary", tooltip="The session at a glance", show=False, id="summary"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._words = ""
        self._order = "last"
        self._gaps = False
        self._typing: Timer | None = None

    def compose(self) -> ComposeResult:
        """The list, and the session that is open."""
        yield Header("sessions")
        with ContentSwitcher(initial="all", id="views"):
            with Vertical(id="all", classes="pane"):
                sessions = SessionList(id="sessions")
                yield Filter(sessions, "session, agent or project")
                yield Heads(columns, self._sort)
                yield sessions
                yield Empty(id="nothing")
            yield SessionView(id="one")
        yield Footer()

    def on_mount(self) -> None:
        """Follow the log."""
        self.watch(self.app, "reader", self._take_reader)
        self.watch(self.app, "trouble", self._show_trouble)

    def on_screen_resume(self) -> None:
        """Catch up with what came while another screen was in front."""
        if self.app.reader is not None:
            self._read(self.app.reader)
            self._look_for_gaps(self.app.reader)

    @property
    def sessions(self) -> SessionList:
        """The list of sessions."""
        return self.query_one(SessionList)

    @property
    def view(self) -> SessionView:
        """The session that is open."""
        return self.query_one(SessionView)

    @property
    def is_open(self) -> bool:
        """Whether a session is in front of the list."""
        return self.query_one("#views", ContentSwitcher).current == "one"

    # The log

    def _show_trouble(self) -> None:
        self.query_one("#all").set_class(not self.sessions.rows and self.explain_trouble(), "-empty")

    def _take_reader(self, reader: LogReader | None) -> None:
        if reader is not None:
            self._follow(reader)
            self._look_for_gaps(reader)

    @work(exclusive=True, exit_on_error=False, group="gaps", description="Looking for gaps in the log")
    async def _look_for_gaps(self, reader: LogReader) -> None:
        """A session that was deleted whole is in no list: only the chain misses it."""
        self._gaps = bool(await reader.gaps())
        self._show_title()

    @work(exclusive=True, exit_on_error=False, group="follow", description="Following the log")
    async def _follow(self, reader: LogReader) -> None:
        async with aclosing(reader.changes()) as changes:
            async for _ in changes:
                if self.is_current:
                    self._read(reader)
                await asyncio.sleep(_REST_S)

    @work(exclusive=True, exit_on_error=False, group="read", description="Reading the sessions")
    async def _read(self, reader: LogReader) -> None:
        rows = await reader.sessions(_MOST, self._words, self._order)
        self.sessions.show(rows)
        self._show_title()
        self.query_one("#all").set_class(not rows, "-empty")
        if not rows:
            self._explain_nothing()
        if self.is_open and self.view.session is not None:
            await self.view.look_at(self.view.session.id, reader)
        self.sessions.verify(reader)

    @on(SessionView.Verified)
    def _note_verdict(self, event: SessionView.Verified) -> None:
        self.sessions.take_verdict(event.session, event.verdict)

    @on(SessionList.Verified)
    def _show_title(self) -> None:
        pane, rows = self.query_one("#all"), self.sessions.rows
        marked = next((row.name or "–" for row in rows if row.id == self.sessions.marked), "")
        title = [("Sessions", "bold")]
        title += [(f" by {self._order}", "")] if self._order != "last" else []
        title += [(f" ─ {self._words}", "$foreground"), (" · esc shows all", "$secondary")] if self._words else []
        title += (
            [(f" ─ {one_line(marked)} marked", "$accent"), (" · c on another compares them", "$secondary")] if marked else []
        )
        pane.border_title = Content.assemble(*title)
        count = f"the first {len(rows):,}" if len(rows) == _MOST else counted(len(rows), "session")
        altered, verified = self.sessions.checks.told(rows)
        wrong = "".join(f"{part} · " for part in (_GAPS if self._gaps else "", altered) if part)
        pane.border_subtitle = Content.assemble((wrong, "$error"), f"{count} · {verified}" if rows else count)

    def _explain_nothing(self) -> None:
        nothing = self.query_one("#nothing", Empty)
        if self._words:
            nothing.tell("No session matches the filter.", [("esc", "shows all again")])
        else:
            nothing.tell(_NOTHING, _NOTHING_KEYS)

    # One session

    @on(OptionList.OptionSelected, "#sessions")
    def _choose(self) -> None:
        if self.sessions.current is not None:
            self.open_session(self.sessions.current.id)

    @work(exclusive=True, exit_on_error=False, group="open", description="Opening the session")
    async def open_session(self, number: int) -> None:
        """Show a session's timeline."""
        self.sessions.pause()
        reader = self.app.reader
        if reader is None or not await self.view.look_at(number, reader):
            self.notify("The log has no such session.", severity="warning")
            return
        self.query_one("#views", ContentSwitcher).current = "one"
        self.view.timeline.focus()
        self.refresh_bindings()

    # Actions

    def action_sort(self) -> None:
        """By the next column."""
        orders = list(ORDERS)
        self._sort(orders[(orders.index(self._order) + 1) % len(orders)])

    def _sort(self, column: str) -> None:
        """By a column, if there is an order to it."""
        if column in ORDERS and self.app.reader is not None:
            self._order = column
            self.query_one("#all Heads", Heads).mark(column)
            self._show_title()
            self._read(self.app.reader)

    def action_compare(self) -> None:
        """Mark a session, or show it beside the one that is marked."""
        current, marked = self.sessions.current, self.sessions.marked
        if current is None:
            return
        if marked in (None, current.id):
            self.sessions.mark(current.id if marked is None else None)
            self._show_title()
            self.refresh_bindings()
        else:
            self._compare(marked, current.id)

    @work(exclusive=True, exit_on_error=False, group="compare", description="Comparing the sessions")
    async def _compare(self, first: int, second: int) -> None:
        from hooktui.screens.sessions.comparison_dialog import SessionsCompared

        found = await self.app.reader.comparison(first, second) if self.app.reader is not None else None
        if found is None:
            self.notify("The marked session is gone.", severity="warning")
        else:
            self.app.push_screen(SessionsCompared(found))

    def action_unmark(self) -> None:
        """Compare nothing."""
        self.sessions.mark(None)
        self._show_title()
        self.refresh_bindings()

    def to_export(self) -> Wanted | None:
        """The session that is open, or under the cursor."""
        from hooktui.screens.dialogs.export_dialog import Wanted

        session = self.view.session if self.is_open else self.sessions.current
        if session is None:
            return None
        found = replace(query.of_session(session.id), text=f"session:{query.quoted(session.name)}")
        return Wanted(found, f"session {session.name}", f"session-{session.name}")

    def action_play(self) -> None:
        """Play or pause."""
        self.view.player.toggle()

    def action_speed(self, steps: int) -> None:
        """Play faster or slower."""
        self.view.player.faster(steps)

    @on(Filter.Narrowed)
    def _wait_for_typing(self, event: Filter.Narrowed) -> None:
        if self._typing:
            self._typing.stop()
        self._typing = self.set_timer(_TYPING_S, lambda: self._narrow(event.words))

    def _narrow(self, words: str) -> None:
        self._words = words.strip()
        if self.app.reader is not None:
            self._read(self.app.reader)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what can be done here: sessions are filtered, dispatches are looked at."""
        if (action in _OF_LIST and self.is_open) or (action in _OF_SESSION and not self.is_open):
            return False
        if action == "unmark":
            return self.sessions.marked is not None
        return super().check_action(action, parameters)

    def action_why_not(self) -> None:
        """Show the hooks that did not run."""
        self.view.show_dispatch()
        super().action_why_not()

    def action_summary(self) -> None:
        """The session at a glance."""
        self.view.show_summary()

    def action_back(self) -> None:
        """From a dispatch to the summary, from there to the list."""
        if self.view.shows_dispatch:
            self.view.show_summary()
            return
        self.view.player.stop()
        self.query_one("#views", ContentSwitcher).current = "all"
        self.sessions.focus()
        self.refresh_bindings()
        if self.app.reader is not None:
            self.sessions.verify(self.app.reader)
