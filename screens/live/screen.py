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
from hooktui.screens.live import live_title
from hooktui.screens.live.query_line import QueryLine
from hooktui.screens.services.shell import shell
from hooktui.screens.widgets.advice import notify_log_failure
from hooktui.screens.widgets.cells import Heads
from hooktui.screens.widgets.decision_actions import DECISION_BINDINGS, DecisionActions
from hooktui.screens.widgets.decision_list import DecisionList
from hooktui.screens.widgets.dispatch_detail import DispatchDetail
from hooktui.screens.widgets.empty import Empty, explain_fault
from hooktui.screens.widgets.filter import Filter
from hooktui.screens.widgets.footer import Footer
from hooktui.screens.widgets.header import Header
from hooktui.screens.widgets.paged_list import PagedList

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Key

    from hooktui.log.read.query import Query
    from hooktui.log.read.reader import LogReader
    from hooktui.screens.dialogs.export_dialog import ExportRequest

_PROJECTS_S = 1.0  # between two reads of the log's projects


class LiveScreen(Screen[None]):
    """Decisions above, the one under the cursor below."""

    AUTO_FOCUS = "#decisions"
    BINDING_GROUP_TITLE = "Live"
    HELP = """
    Decisions as hooks make them, for every agent. The lower half shows the decision under the cursor: which hooks ran, what
    they read and printed, and why others did not run. Scrolling up pauses the list; {follow} follows again.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *DECISION_BINDINGS,
        Binding("s", "search", "Search", tooltip="Search the decisions", id="search"),
        Binding("n", "next_match(1)", "Next match", show=False, id="next-match"),
        Binding("N", "next_match(-1)", "Previous match", show=False, id="previous-match"),
        Binding("f", "follow", "Follow", tooltip="Follow new decisions", id="follow"),
        Binding("f", "pause", "Pause", tooltip="Stop following", id="follow"),
        Binding("P", "only_here", "Only this project, or all projects", show=False, id="only-here"),
        Binding("c", "columns", "Choose columns", show=False, id="columns"),
        Binding("Y", "copy_some", "Copy…", show=False, id="copy-some"),
        Binding("escape", "browse", "Back to the list", show=False),
        Binding("escape", "end_search", "End the search", show=False),
        Binding("escape", "show_all", "Show all", tooltip="Clear the filter", show=False),
    ]
    on_worker_state_changed = notify_log_failure

    def __init__(self) -> None:
        super().__init__()
        self._decision = DecisionActions(self, self._export_request, lambda: list(self.decisions.marks.ids))
        self._query = query.parse("")
        self._sought = query.parse("")
        self._total = 0
        self._horizon: int | None = None  # commit sequence up to which the log has been read
        self._oldest = 0
        self._projects: Sequence[str] = ()
        self._projects_until = 0.0

    def compose(self) -> ComposeResult:
        yield Header("live")
        with Vertical(id="live", classes="pane"):
            decisions = DecisionList(id="decisions")
            for line in (
                QueryLine(decisions, 'filter: event:pre-* -decision:none "some text"', self._values, id="filter"),
                QueryLine(decisions, "search: rm tool:Shell", self._values, id="search", lasting=False),
            ):
                yield line
                yield line.hint
            yield Heads(decisions.columns, self._choose_columns)
            yield decisions
            yield Empty(id="nothing")
        yield DispatchDetail()
        yield Footer()

    def on_mount(self) -> None:
        self.decisions.following = True
        self.watch(self.app, "reader", self._take_reader)
        self.watch(self.app, "trouble", self._show_title)
        self.watch(self.decisions, "following", self._show_following, init=False)
        self.watch(self.decisions, "look", self._show_title, init=False)
        self._show_title()

    @property
    def decisions(self) -> DecisionList:
        """The list."""
        return self.query_one("#decisions", DecisionList)

    @property
    def detail(self) -> DispatchDetail:
        """The decision under the cursor."""
        return self.query_one(DispatchDetail)

    # The log

    def _take_reader(self, reader: LogReader | None) -> None:
        self.decisions.reader = reader
        if reader is not None:
            self._search(reader, self._query)
            self._follow(reader)

    async def _values(self, field: str, beginning: str) -> Sequence[str]:
        """A field's values in the log."""
        reader = shell(self).reader
        return await reader.values(field, beginning) if reader else ()

    @work(exclusive=True, exit_on_error=False, group="search", description="Searching the log")
    async def _search(self, reader: LogReader, wanted: Query) -> None:
        """Search the log, newest first, showing matches as they come."""
        found = SearchResults()
        self._horizon, self._total, self._oldest, projects = await asyncio.gather(
            reader.commits(), reader.total(), reader.oldest(), reader.projects()
        )
        self._take_projects(projects)
        async with aclosing(reader.search(wanted)) as batches:
            async for batch in batches:
                found.add_older(batch)
                self._show(found, wanted)
        found.complete = True
        self._show(found, wanted)
        await self._take_new(reader)

    def _show(self, found: SearchResults, wanted: Query) -> None:
        self._query = wanted
        if self.decisions.found is found:
            self.decisions.update_rows()
        else:
            self.decisions.show(found)
            self._show_found()
        self._show_title()

    @work(exclusive=True, exit_on_error=False, group="follow", description="Following the log")
    async def _follow(self, reader: LogReader) -> None:
        async with aclosing(reader.changes()) as changes:
            async for _ in changes:
                await self._take_new(reader)

    async def _take_new(self, reader: LogReader) -> None:
        """Add what other processes committed, and update rows that changed."""
        if self._horizon is None:  # the search finds everything
            return
        found, matches = self.decisions.found, self.decisions.matches
        fresh = await reader.committed(self._horizon)
        wanted = await reader.matching(self._query, fresh.new)
        sought = await reader.matching(self._sought, wanted) if matches is not None else ()
        if time.monotonic() > self._projects_until:
            self._take_projects(await reader.projects())
        oldest = await reader.oldest()
        pruned = oldest > self._oldest
        total = await reader.total() if pruned else self._total + len(fresh.new)
        await self.decisions.expect(wanted)
        if self.decisions.found is not found:
            return
        if found.complete:  # otherwise read again when the search ends
            self._horizon = fresh.last
            self._total, self._oldest = total, oldest
        if pruned:
            self.decisions.drop_before(oldest)
        found.add(wanted)
        if matches is not None:
            matches.add(sought)
        self.decisions.refetch(fresh.changed)
        self.decisions.update_rows()
        self.detail.look_at(self.decisions.current, reader)
        self._show_title()

    def _take_projects(self, projects: Sequence[str]) -> None:
        self._projects_until = time.monotonic() + _PROJECTS_S
        if projects != self._projects:
            self._projects = projects
            self.decisions.several = len(projects) > 1
            self.decisions.relayout()

    # What is shown

    def _show_title(self) -> None:
        decisions, pane, words = self.decisions, self.query_one("#live"), self._query.text.strip()
        found = decisions.found
        pane.border_title = live_title.title(decisions, words, self._sought.text, self._projects)
        pane.border_subtitle = live_title.count(found, self._total)
        empty = found.complete and not found
        if empty:
            live_title.explain(self.query_one("#nothing", Empty), nothing_at_all=not self._total)
        self.set_class(empty or (not found and explain_fault(self.query_one("#nothing", Empty))), "-empty")

    def _show_following(self) -> None:
        self.refresh_bindings()
        self._show_title()

    def _show_found(self) -> None:
        """Highlight what was filtered and searched for."""
        shown = query.parse(query.joined(self._query.text, self._sought.text)).highlight
        self.decisions.look = self.decisions.look.showing(shown)
        self.detail.mark(shown)

    @on(PagedList.LaidOut)
    def _refresh_heads(self) -> None:
        self.query_one(Heads).refresh()

    @on(PagedList.Moved)
    def _look_at(self, event: PagedList.Moved) -> None:
        self.detail.look_at(event.number, shell(self).reader)
        self._show_title()

    # Filter and search

    @on(QueryLine.Asked, "#filter")
    def _narrow(self, event: QueryLine.Asked) -> None:
        if shell(self).reader is not None and event.words != self._query.text:
            self._search(shell(self).reader, query.parse(event.words))
            self._find_again()

    @on(QueryLine.Asked, "#search")
    def _look_for(self, event: QueryLine.Asked) -> None:
        if event.words != self._sought.text:
            self._sought = query.parse(event.words)
            self._find_again()

    def _find_again(self) -> None:
        self._show_found()
        words = query.joined(self.query_one("#filter", QueryLine).value, self._sought.text)
        self.decisions.search(query.parse(words) if self._sought.text.strip() else None)
        self.refresh_bindings()

    @on(DecisionList.Searched)
    def _show_searched(self) -> None:
        self._show_title()

    # Actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide or dim what cannot be done now. Escape leads from the detail to the list, ends the search, clears the filter."""
        match action:
            case "decision":
                return self._decision.check(str(parameters[0]))
            case "copy_some":
                return self._decision.check(action)
            case "browse":
                return self.detail.has_focus_within
            case "follow" | "pause":
                return self.decisions.following == (action == "pause")
            case "next_match" | "end_search":
                return bool(self._sought.text)
            case "show_all":
                return bool(self.query_one(Filter).value)
        return True

    def on_key(self, event: Key) -> None:
        self._decision.explain_dimmed(event)

    def action_decision(self, action: str) -> None:
        self._decision.run(action)

    def action_filter(self) -> None:
        self.query_one(Filter).open()

    def action_show_all(self) -> None:
        self.query_one(Filter).action_clear()

    def action_follow(self) -> None:
        self.decisions.following = True
        self.decisions.focus()

    def action_pause(self) -> None:
        self.decisions.following = False

    def _export_request(self) -> ExportRequest | None:
        """Everything that matches the filter."""
        from hooktui.screens.dialogs.export_dialog import ExportRequest

        words, found = self._query.text.strip(), self.decisions.found
        return ExportRequest(self._query, words or "everything", words or "log") if found else None

    def action_browse(self) -> None:
        self.decisions.focus()

    def action_search(self) -> None:
        self.query_one("#search", QueryLine).open()

    def action_end_search(self) -> None:
        self.query_one("#search", QueryLine).action_clear()

    def action_next_match(self, direction: int) -> None:
        self.decisions.next_match(direction)

    def action_only_here(self) -> None:
        line = self.query_one("#filter", QueryLine)
        line.toggle(f"project:{query.quoted(shell(self).project)}")

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Choosing the columns")
    async def action_columns(self) -> None:
        from hooktui.screens.live.dialogs import ColumnsDialog

        chosen = await self.app.push_screen_wait(ColumnsDialog(self.decisions.wanted_columns))
        if chosen is not None:
            await self.decisions.choose(chosen)

    def _choose_columns(self, _clicked: str) -> None:
        self.action_columns()

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Copying")
    async def action_copy_some(self) -> None:
        from hooktui.log.export import exporters
        from hooktui.screens.live.dialogs import CopyTextDialog

        report, reader = self.detail.report, shell(self).reader
        if report is not None and reader is not None:
            marked = await reader.reports(self.decisions.marks.ids[-exporters.MOST :])
            text = await self.app.push_screen_wait(CopyTextDialog(exporters.items(report, self.detail.hook, marked)))
            if text is not None:
                shell(self).copy(text)

    @on(PagedList.Chosen)
    def _open_session(self, event: PagedList.Chosen) -> None:
        row = self.decisions.row(event.number)
        if row is not None:
            shell(self).navigator.open_session(row.session)
