"""The Sessions screen: audit the past, session by session."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import ContentSwitcher, OptionList

from hooktui.log.read import query
from hooktui.log.read.sessions import ORDERS
from hooktui.screens.services.app_context import app_context
from hooktui.screens.services.todays_hooks import AUDIT
from hooktui.screens.sessions.session_list import SessionList, explain_nothing, subtitle, title
from hooktui.screens.sessions.session_selection import WouldFilter, read_sessions
from hooktui.screens.sessions.session_summary import SessionPreview
from hooktui.screens.sessions.session_view import SessionView
from hooktui.screens.widgets.banner import Banner
from hooktui.screens.widgets.cells import Heads
from hooktui.screens.widgets.decision_actions import DECISION_BINDINGS, NEXT_BINDINGS, DecisionActions
from hooktui.screens.widgets.empty import Empty, explain_fault
from hooktui.screens.widgets.filter import Filter
from hooktui.screens.widgets.footer import Footer
from hooktui.screens.widgets.header import Header
from hooktui.screens.widgets.notifications import notify_log_failure
from hooktui.screens.widgets.scope import ProjectScope
from hooktui.screens.widgets.throttle import Throttle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.events import Key

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.sessions import SessionKey, SessionRow
    from hooktui.screens.dialogs.export_dialog import ExportRequest

_TYPING_S = 0.12  # without a keystroke before the filter is applied
_REST_S = 0.5  # between two reads of a busy log
_IMPORT_REST_S = 2.0  # the same while transcripts are imported
_HEADS_S = 0.3  # between two readings of a list that heads of transcripts are added to
_SCREENFUL = 60  # sessions that are shown before the rest is read
_MOST = 500  # sessions in the list; the filter finds older ones
_LIST_ACTIONS = ("filter", "show_all", "sort", "compare", "all_projects")
_EXPORT = Binding("x", "decision('export')", "Export…", tooltip="Export the session", id="export")
_TRY_AGAIN = Binding("t,ctrl+t,r", "decision('try_again')", "Try", tooltip="Try this event again", show=False, id="try")
_OWN = {binding.id: binding for binding in (_EXPORT, _TRY_AGAIN)}


class SessionsScreen(Screen[None]):
    """A list of sessions, and the open session in its place."""

    AUTO_FOCUS = "#sessions"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (118, "-wide")]
    BINDING_GROUP_TITLE = "Sessions"
    HELP = """
    The sessions of your agents. Open one as a timeline, compare it with another, or export it.
    """
    BINDINGS = [
        *(_OWN.get(binding.id, binding) for binding in DECISION_BINDINGS),
        *NEXT_BINDINGS,
        AUDIT,
        Binding("S", "sort", "Sort", tooltip="Sort by the next column", id="sort"),
        Binding("C", "compare", "Compare", tooltip="Compare the session with another", show=False, id="compare"),
        Binding("escape", "back", "Back"),
        Binding("escape", "show_all", "Show all", tooltip="Clear the filter", show=False),
    ]

    on_worker_state_changed = notify_log_failure

    def __init__(self) -> None:
        super().__init__()
        self._decision = DecisionActions(self, self._export_request)
        self._words = ""
        self._only_trouble = False  # in the list
        self._scope = ProjectScope(self, widens=True)
        self._order = "last"
        self._most = _MOST  # sessions that were asked for
        self._gaps = False
        self._has_missed = False  # whether something was logged while another screen was shown
        self._would = WouldFilter(self, self._show_title, self._ask)
        self._heads = Throttle(self, self._read_again, _HEADS_S)
        self._awaited: SessionKey | None = None  # of the session to open once its transcript is read

    def compose(self) -> ComposeResult:
        yield Header("sessions")
        with ContentSwitcher(initial="list", id="views"):
            with Vertical(id="list"):
                with Vertical(id="all", classes="pane"):
                    sessions = SessionList(id="sessions")
                    term = "machine:dev-*" if app_context(self).fleet else "would:deny"
                    yield Filter(sessions, f"title, day, agent or project, {term}")
                    yield Heads(sessions.columns, self._sort)
                    yield sessions
                    yield Empty(id="nothing")
                yield SessionPreview()
            yield SessionView(id="one")
        yield Banner(offers=False)
        yield Footer()

    def on_mount(self) -> None:
        self.watch(self.app, "reader", self._take_reader)
        self.watch(self.app, "trouble", self._show_trouble)
        self.watch(self.app, "all_projects", self._read_again, init=False)
        for name in ("unread", "transcript_places"):
            self.watch(self.app, name, self._heads.request, init=False)
        self.watch(self.app, "reading", self._end_import, init=False)

    def on_screen_resume(self) -> None:
        """Read what was logged while another screen was shown; what there was before, `_follow` reads."""
        reader, has_missed, self._has_missed = app_context(self).reader, self._has_missed, False
        if reader is not None and has_missed:
            self._read(reader)
            self._look_for_gaps(reader)

    @property
    def sessions(self) -> SessionList:
        return self.query_one(SessionList)

    @property
    def view(self) -> SessionView:
        return self.query_one(SessionView)

    @property
    def is_open(self) -> bool:
        return self.query_one("#views", ContentSwitcher).current == "one"

    # The log

    def _show_trouble(self) -> None:
        self.query_one("#all").set_class(not self.sessions.rows and explain_fault(self.query_one("#nothing", Empty)), "-empty")

    def _take_reader(self, reader: DecisionLog | None) -> None:
        if reader is not None:
            self._follow(reader)
            self._look_for_gaps(reader)

    @work(exclusive=True, exit_on_error=False, group="gaps", description="Looking for gaps in the log")
    async def _look_for_gaps(self, reader: DecisionLog) -> None:
        """Find deleted records: a session deleted whole shows only as a gap in the hash chain."""
        self._gaps = bool(await reader.gaps())
        self._show_title()

    @work(exclusive=True, exit_on_error=False, group="follow", description="Following the log")
    async def _follow(self, reader: DecisionLog) -> None:
        async with aclosing(reader.changes()) as changes:
            async for _ in changes:
                if self.is_current:
                    self._read(reader)
                self._has_missed = not self.is_current
                await asyncio.sleep(_IMPORT_REST_S if app_context(self).reading else _REST_S)

    @work(exclusive=True, exit_on_error=False, group="read", description="Reading the sessions")
    async def _read(self, reader: DecisionLog) -> None:
        unread, only_trouble = app_context(self).unread, self._only_trouble
        self._scope.take(sorted({*await reader.projects(), *(head.project for head in unread)}))
        self.sessions.with_project, project = self._scope.has_several, self._scope.shown
        words, would = self._would.words, await self._would.counts(reader)
        self.sessions.would = would
        selection = (words, self._order, project, only_trouble, would)
        for most in (_MOST,) if self.sessions.rows else (_SCREENFUL, _MOST):
            self._most = most
            rows = await read_sessions(
                reader, unread, words, self._order, most, project=project, only_trouble=only_trouble, among=would
            )
            self._show(rows, selection)
            if len(rows) < most:
                break
        self._open_awaited(rows)
        if self.is_open and self.view.session is not None:
            await self.view.look_at(self.view.session.id, reader)

    def _show(self, rows: Sequence[SessionRow], selection: object) -> None:
        self.sessions.show(rows, selection, keeps_order=bool(app_context(self).reading))
        self.query_one("#all Heads", Heads).refresh()
        self._preview()
        self._show_title()
        self.query_one("#all").set_class(not rows, "-empty")
        if not rows:
            nothing = self.query_one("#nothing", Empty)
            explain_nothing(nothing, self._words, self._would.error, only_trouble=self._only_trouble)

    def _read_again(self) -> None:
        if app_context(self).reader is not None:
            self._read(app_context(self).reader)

    def _end_import(self, reading: str) -> None:
        """Sort the sessions, which kept their places during the import."""
        if not reading:
            self._read_again()

    @on(OptionList.OptionHighlighted, "#sessions")
    def _preview(self) -> None:
        self.query_one(SessionPreview).look_at(self.sessions.current, app_context(self).reader)

    def _show_title(self) -> None:
        pane, rows = self.query_one("#all"), self.sessions.rows
        scope = (*self._scope.parts(only_trouble=self._only_trouble), *self._would.hooks.parts())
        pane.border_title = title(scope, self._order, self._words)
        pane.border_subtitle = subtitle(len(rows), self._most, has_gaps=self._gaps)

    # One session

    @on(OptionList.OptionSelected, "#sessions")
    def _choose(self) -> None:
        row = self.sessions.current
        if row is None:
            return
        self._awaited = row.key if row.transcript else None
        if row.transcript:
            app_context(self).history.read_next(row.transcript)
            self.notify("Reading this session…")
        else:
            self.open_session(row.id)

    @work(exclusive=True, exit_on_error=False, group="open", description="Opening the session")
    async def open_session(self, number: int) -> None:
        reader = app_context(self).reader
        if reader is None or not await self.view.look_at(number, reader):
            self.notify("This session no longer exists.", severity="warning")
            return
        self.query_one("#views", ContentSwitcher).current = "one"
        self.view.timeline.focus()
        self.refresh_bindings()

    def _open_awaited(self, rows: Sequence[SessionRow]) -> None:
        """Open the session that the user chose before its transcript was read."""
        row = next((row for row in rows if row.key == self._awaited and not row.transcript), None)
        if row is not None:
            self._awaited = None
            self.open_session(row.id)

    # Actions

    def action_sort(self) -> None:
        orders = list(ORDERS)
        self._sort(orders[(orders.index(self._order) + 1) % len(orders)])

    def _sort(self, column: str) -> None:
        if column in ORDERS and app_context(self).reader is not None:
            self._order = column
            self.query_one("#all Heads", Heads).mark(column)
            self._show_title()
            self._read(app_context(self).reader)

    @work(exclusive=True, exit_on_error=False, group="compare", description="Comparing the sessions")
    async def action_compare(self) -> None:
        from hooktui.screens.sessions.comparison_dialog import SessionChoice, comparison_dialog

        current, reader = self.sessions.current, app_context(self).reader
        others = [row for row in self.sessions.rows if row != current and not row.transcript]
        if current is None or current.transcript or reader is None or not others:
            self.notify("No other session to compare with." if current else "Select a session first.")
            return
        chosen = await self.app.push_screen_wait(SessionChoice(current, others))
        if chosen is None:
            return
        comparison = await reader.comparison(current.id, chosen.id)
        if comparison is None:
            self.notify("This session no longer exists.", severity="warning")
        else:
            self.app.push_screen(comparison_dialog(comparison, self.app.size.width))

    def _export_request(self) -> ExportRequest | None:
        """The open session, else the one under the cursor."""
        from hooktui.screens.dialogs.export_dialog import ExportRequest

        session = self.view.session if self.is_open else self.sessions.current
        if session is None or session.transcript:
            return None
        session_query = query.of_session(session.id)._replace(text=f"session:{query.quoted(session.name)}")
        return ExportRequest(session_query, f"session {session.label}", session.label)

    def action_audit(self) -> None:
        self._would.hooks.toggle()

    @on(Filter.Narrowed)
    def _narrow(self, event: Filter.Narrowed) -> None:
        self._words = event.words.strip()
        self._ask()

    @work(exclusive=True, exit_on_error=False, group="ask", description="Asking today's hooks")
    async def _ask(self) -> None:
        """Read the list for another filter once the user rests; `would:` is answered first."""
        await asyncio.sleep(_TYPING_S)
        if (reader := app_context(self).reader) is not None:
            await self._would.ask(reader, self._words)
            self._read(reader)

    def action_all_projects(self) -> None:
        if self._scope.is_widened:
            self.notify("This project has no sessions yet.")
        else:
            app_context(self).all_projects = not app_context(self).all_projects

    def action_only_trouble(self) -> None:
        """Show only what was denied or failed: sessions in the list, events in an open session."""
        if self.is_open:
            self.view.toggle_trouble()
        else:
            self._only_trouble = not self._only_trouble
            self._read_again()

    def action_next(self, direction: int) -> None:
        """Go to the next denial or failure, or to the next session with one."""
        moved = self.view.next_trouble(direction) if self.is_open else self.sessions.next_trouble(direction)
        if not moved:
            self.notify(f"No denials or failures {'below' if direction > 0 else 'above'}.")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide or dim unavailable actions: the list and an open session have actions of their own."""
        if action in _LIST_ACTIONS and self.is_open:
            return False
        match action:
            case "all_projects":
                return self._scope.has_choice
            case "audit":
                return not self.is_open and self._would.hooks.can_run
            case "back":
                return self.is_open
            case "decision":
                name = str(parameters[0])
                return False if name not in ("export", "undo") and not self.is_open else self._decision.check(name)
            case "show_all":
                return bool(self.query_one(Filter).value)
        return True

    def on_key(self, event: Key) -> None:
        self._decision.explain_dimmed(event)

    def action_decision(self, action: str) -> None:
        if action == "why_not":
            self.view.show_dispatch()
        self._decision.run(action)

    def action_filter(self) -> None:
        self.query_one(Filter).open()

    def action_show_all(self) -> None:
        self.query_one(Filter).action_clear()

    def action_back(self) -> None:
        if self.view.shows_dispatch:
            self.view.show_summary()
            return
        self.query_one("#views", ContentSwitcher).current = "list"
        self.sessions.focus()
        self.refresh_bindings()
