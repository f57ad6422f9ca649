"""The Live screen: watch what hooks decide, and why."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import Screen

from hooktui.log.read import query
from hooktui.log.read.search import SearchResults
from hooktui.screens.live.log_delta import ImportedEvents, read_delta
from hooktui.screens.live.selection import Selection, explain_nothing, subtitle, title
from hooktui.screens.services.app_context import app_context
from hooktui.screens.services.todays_hooks import AUDIT, TodaysHooks
from hooktui.screens.widgets.banner import Banner
from hooktui.screens.widgets.cells import Heads
from hooktui.screens.widgets.decision_actions import DECISION_BINDINGS, NEXT_BINDINGS, DecisionActions
from hooktui.screens.widgets.decision_list import DecisionList
from hooktui.screens.widgets.dispatch_detail import DispatchDetail
from hooktui.screens.widgets.empty import Empty, explain_fault
from hooktui.screens.widgets.filter import Filter
from hooktui.screens.widgets.footer import Footer
from hooktui.screens.widgets.header import Header
from hooktui.screens.widgets.notifications import notify_log_failure
from hooktui.screens.widgets.paged_list import PagedList
from hooktui.screens.widgets.query_line import QueryLine
from hooktui.screens.widgets.scope import ProjectScope
from hooktui.screens.widgets.throttle import Throttle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.events import Key

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.query import Query
    from hooktui.screens.dialogs.export_dialog import ExportRequest

_OLDER_S = 3.0  # between two readings of the whole log while transcripts are imported
_PROJECTS_S = 1.0  # between two reads of the log's projects
_ON_NO_ROW = ("export", "undo", "previous_tab", "next_tab")
_LOOK_S = 1.5  # between two looks at the decision under the cursor while following


class LiveScreen(Screen[None]):
    """Decisions above, the one under the cursor below."""

    AUTO_FOCUS = "#decisions"
    BINDING_GROUP_TITLE = "Live"
    HELP = """
    Tool calls and other events as hooks decide on them, for every agent. The lower half shows which hooks ran, what they read
    and printed, and why others did not run. {more} shows the events of a call. Scrolling up pauses the list; {follow}
    follows again.
    """
    BINDINGS = [
        *DECISION_BINDINGS,
        *NEXT_BINDINGS,
        Binding("space", "follow", "Follow", tooltip="Follow new decisions", id="follow"),
        Binding("space", "pause", "Pause", tooltip="Stop following", id="follow"),
        AUDIT,
        Binding("escape", "browse", "Back to the list", show=False),
        Binding("escape", "show", "Show all", tooltip="Clear the filter", show=False),
    ]
    on_worker_state_changed = notify_log_failure

    def __init__(self) -> None:
        super().__init__()
        self._decision = DecisionActions(self, self._export_request)
        self._scope = ProjectScope(self)
        self._selection = Selection(self._scope)
        self._filter: Query = query.parse("")  # what is shown, with `would:` answered
        self._total = 0
        self._counted_at: int | None = None  # the horizon of the total, None if it may be another
        self._horizon: int | None = None  # commit sequence up to which the log has been read
        self._imported = ImportedEvents()
        self._todays_hooks = TodaysHooks(self, self._show_title, self._read_older)
        self._reading_older = Throttle(self, self._read_older, _OLDER_S)
        self._taking = asyncio.Lock()  # an older reading of what is new must not end after a newer one
        self._oldest = 0
        self._projects_due = 0.0
        self._awaits_denial = False
        self._looking = Throttle(self, self._look_now, _LOOK_S)

    def compose(self) -> ComposeResult:
        yield Header("live")
        with Vertical(id="live", classes="pane"):
            decisions = DecisionList(id="decisions")
            line = QueryLine(decisions, 'filter: event:pre-* -decision:none "some text"', id="filter")
            yield line
            yield line.hint
            yield Heads(decisions.columns)
            yield decisions
            yield Empty(id="nothing")
        yield DispatchDetail()
        yield Banner()
        yield Footer()

    def on_mount(self) -> None:
        self.decisions.following = True
        self._awaits_denial = (
            bool(app_context(self).banner) and app_context(self).fleet is None
        )  # the demo stays on its first denial
        self.watch(self.app, "reader", self._take_reader)
        self.watch(self.app, "trouble", self._show_title)
        self.watch(self.app, "all_projects", self._read_again, init=False)
        self.watch(self.decisions, "following", self.refresh_bindings, init=False)
        self.watch(self.decisions, "following", self._show_title, init=False)
        self._show_title()

    @property
    def decisions(self) -> DecisionList:
        return self.query_one("#decisions", DecisionList)

    @property
    def detail(self) -> DispatchDetail:
        return self.query_one(DispatchDetail)

    # The log

    def _take_reader(self, reader: DecisionLog | None) -> None:
        self.decisions.reader = reader
        self._horizon = None  # that of another reader
        if reader is not None:
            self._read_log(reader)
            self._follow(reader)

    @work(exclusive=True, exit_on_error=False, group="search", description="Searching the log")
    async def _read_log(self, reader: DecisionLog, *, at_once: bool = False) -> None:
        """Read the decisions that match, newest first, showing them as they come, or `at_once` when all are read."""
        results = SearchResults()
        _, horizon, projects = await asyncio.gather(self._imported.begin(reader), reader.commits(), reader.projects())
        self._take_projects(projects)
        project = self._scope.shown
        oldest, _ = await reader.extent(project)
        filter_query = query.of_calls(await self._todays_hooks.answer(reader, self._selection.shown))
        self.decisions.show_would(self._todays_hooks.column)
        async with aclosing(reader.search(filter_query)) as batches:
            async for batch in batches:
                results.add_older(batch)
                if not at_once:
                    self._show(results, filter_query)
        results.complete, self._horizon, self._oldest = True, horizon, oldest
        await self._count(reader, horizon)
        self._show(results, filter_query)
        await self._take_new(reader)

    def _show(self, results: SearchResults, filter_query: Query) -> None:
        self._filter = filter_query
        if self.decisions.results is results:
            self.decisions.update_rows()
        else:
            self.decisions.show(results)
            self._highlight_matches()
        self._show_title()

    @work(exclusive=True, exit_on_error=False, group="follow", description="Following the log")
    async def _follow(self, reader: DecisionLog) -> None:
        async with aclosing(reader.changes()) as changes:
            async for _ in changes:
                await self._take_new(reader)

    async def _take_new(self, reader: DecisionLog) -> None:
        async with self._taking:
            if self._horizon is not None:  # `_read_log` has ended
                await self._take_since(reader, self._horizon)

    async def _take_since(self, reader: DecisionLog, horizon: int) -> None:
        results = self.decisions.results
        delta = await read_delta(reader, horizon, self._imported, self._filter)
        may_be_another = delta.has_new and self._scope.shown is None and not app_context(self).all_projects
        if may_be_another or time.monotonic() > self._projects_due:
            project = self._scope.shown
            self._take_projects(await reader.projects())
            if self._scope.shown != project:
                self._read_log(reader)
                return
        oldest, _ = await reader.extent(self._scope.shown)
        pruned = oldest > self._oldest
        fetched = await self.decisions.expect(delta.matching)
        if results.complete and self._counted_at == horizon and not pruned and not delta.has_imported:
            self._total += delta.added
            self._counted_at = delta.horizon
        elif results.complete:
            await self._count(reader, delta.horizon)
        if self.decisions.results is not results:
            return
        if results.complete:  # otherwise read again when `_read_log` ends
            self._horizon, self._oldest = delta.horizon, oldest
        if pruned:
            self.decisions.drop_before(oldest)
        results.add(delta.matching)
        results.remove(delta.gone)
        self.decisions.refetch({*delta.changed}.difference(fetched))
        self.decisions.update_rows()
        if self._awaits_denial and self.decisions.following:  # the user has not moved; later decisions are counted
            self._awaits_denial = not self.decisions.go_to_number(await reader.neighbour(query.of_trouble(self._filter), 0, 1))
        self._look()
        if delta.has_older:
            self._reading_older.request()

    async def _count(self, reader: DecisionLog, horizon: int) -> None:
        """Count all rows. If anything was committed after `horizon`, it may or may not be included: count again next time."""
        self._counted_at = None  # new rows that are taken in while this counts are not added to it
        total = await reader.total_calls(self._scope.shown)
        is_sure = await reader.commits() == horizon
        self._total, self._counted_at = total, horizon if is_sure else None

    def _read_older(self) -> None:
        """Read the log again, for what transcripts tell of the past."""
        if (reader := app_context(self).reader) is not None:
            self._read_log(reader, at_once=True)

    def _take_projects(self, projects: Sequence[str]) -> None:
        self._projects_due = time.monotonic() + _PROJECTS_S
        if self._scope.take(projects):
            self._show_projects()

    def _show_projects(self) -> None:
        self.decisions.show_projects(several=self._scope.has_several)

    def _read_again(self) -> None:
        self._show_projects()
        self.refresh_bindings()
        if app_context(self).reader is not None:
            self._read_log(app_context(self).reader)

    # Title and rows

    def _show_title(self) -> None:
        """Show following or paused, and the filter; an ellipsis follows the count while the log is read."""
        decisions, pane, empty = self.decisions, self.query_one("#live"), self.query_one("#nothing", Empty)
        scope = self._scope.parts(only_trouble=self._selection.only_trouble)
        pane.border_title = title(decisions, (*scope, *self._todays_hooks.parts()), self._selection.words)
        pane.border_subtitle = subtitle(decisions, self._total, filtered=bool(self._selection.name))
        is_empty = decisions.results.complete and not decisions.results
        if is_empty:
            explain_nothing(empty, self._selection.words, self._scope, only_trouble=self._selection.only_trouble)
        self.set_class(is_empty or (not decisions.results and explain_fault(empty)), "-empty")

    def _highlight_matches(self) -> None:
        pattern = self._selection.highlight
        self.decisions.highlight(pattern)
        self.detail.mark(pattern)

    @on(PagedList.LaidOut)
    def _refresh_heads(self) -> None:
        self.query_one(Heads).refresh()

    @on(PagedList.Moved)
    def _look(self) -> None:
        """Show the title, and the decision under the cursor, which need not keep up with decisions that rush by."""
        if self.decisions.following:
            self._looking.request()
        else:
            self._looking.run()

    def _look_now(self) -> None:
        self.detail.look_at(self.decisions.current, app_context(self).reader, whole=self.decisions.shows_whole_call)
        self._show_title()

    @on(QueryLine.Entered)
    def _apply_filter(self, event: QueryLine.Entered) -> None:
        if app_context(self).reader is not None and event.words != self._selection.words:
            self._selection.words = event.words
            self._read_log(app_context(self).reader)

    # Actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide or dim unavailable actions. Escape leads from the detail to the list, or clears the filter."""
        match action:
            case "all_projects":
                return self._scope.has_choice
            case "decision":
                return self._decision.check(str(parameters[0]))
            case "audit":
                return self._todays_hooks.can_run
            case "browse":
                return self.detail.has_focus_within
            case "follow" | "pause":
                return self.decisions.following == (action == "pause")
            case "show":
                return bool(self.query_one(Filter).value)
        return True

    def on_key(self, event: Key) -> None:
        self._decision.explain_dimmed(event)

    def action_decision(self, action: str) -> None:
        """Act on the decision under the cursor. Following stops, so that newer ones do not move it."""
        if self.decisions.following and action not in _ON_NO_ROW:
            self.decisions.following = False
            if self.detail.wanted != (self.decisions.current, self.decisions.shows_whole_call):
                self._looking.run()
        self._decision.run(action)

    def action_filter(self) -> None:
        self.query_one(Filter).open()

    def action_show(self, words: str = "") -> None:
        self.query_one(Filter).show(words)

    def action_follow(self) -> None:
        self.decisions.following = True
        self.decisions.focus()

    def action_audit(self) -> None:
        self._todays_hooks.toggle()

    def action_pause(self) -> None:
        self.decisions.following = False

    def _export_request(self) -> ExportRequest | None:
        from hooktui.screens.dialogs.export_dialog import ExportRequest

        if not self.decisions.results:
            return None
        name = self._selection.name
        return ExportRequest(self._filter._replace(by_call=False), name or "everything", name or "log")

    def action_browse(self) -> None:
        self.decisions.focus()

    def action_next(self, direction: int) -> None:
        """Go to the next denial or failure."""
        if app_context(self).reader is not None:
            self.decisions.next_trouble(self._filter, direction)

    def action_only_trouble(self) -> None:
        self._selection.only_trouble = not self._selection.only_trouble
        self._read_again()

    def action_all_projects(self) -> None:
        app_context(self).all_projects = not app_context(self).all_projects

    @on(PagedList.Chosen)
    def _open_session(self, event: PagedList.Chosen) -> None:
        if (row := self.decisions.row(event.number)) is not None:
            app_context(self).navigator.open_session(row.session)
