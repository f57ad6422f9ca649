"""The Live screen: watch what the hooks decide, and why."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.containers import Vertical

from hooktui.log.read import query
from hooktui.log.read.search_results import SearchResults
from hooktui.screens.live import live_title
from hooktui.screens.live.query_line import QueryLine
from hooktui.screens.widgets.decision_list import DecisionList
from hooktui.screens.widgets.dispatch_detail import DispatchDetail
from hooktui.screens.widgets.dispatch_screen import DispatchScreen
from hooktui.screens.widgets.empty import Empty
from hooktui.screens.widgets.footer import Footer
from hooktui.screens.widgets.header import Header
from hooktui.screens.widgets.heads import Heads
from hooktui.screens.widgets.paged_list import PagedList

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from hooktui.log.read.query import Query
    from hooktui.log.read.reader import LogReader
    from hooktui.screens.dialogs.export_dialog import Wanted

_OF_SEARCH = ("next_match", "end_search")
_PROJECTS_S = 1.0  # for which one knows of which projects the log has


class LiveScreen(DispatchScreen):
    """Decisions above, the one under the cursor below."""

    AUTO_FOCUS = "#decisions"
    BINDING_GROUP_TITLE = "Live"
    HELP = """
    What hooks decide, as it happens, whichever agent they work for. Below the list stands the decision under the cursor:
    which hooks ran, what they read and printed, and why others did not run. The list stops when the cursor goes up;
    {follow} follows again.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "search", "Search", tooltip="Search among the decisions", id="search"),
        Binding("n", "next_match(1)", "Next match", show=False, id="next-match"),
        Binding("N", "next_match(-1)", "Previous match", show=False, id="previous-match"),
        Binding("f", "follow", "Follow", tooltip="Follow what comes", id="follow"),
        Binding("f", "pause", "Pause", tooltip="Pause: what comes is counted", id="follow"),
        Binding("P", "only_here", "Only this project, or all", show=False, id="only-here"),
        Binding("c", "columns", "Choose the columns", show=False, id="columns"),
        Binding("Y", "copy_some", "Copy a field, the row or all as JSON", show=False, id="copy-some"),
        Binding("escape", "browse", "Back to the list", show=False),
        Binding("escape", "end_search", "End the search", show=False),
        Binding("escape", "show_all", "Show all", tooltip="Clear the filter", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._query = query.parse("")
        self._sought = query.parse("")
        self._total = 0
        self._horizon: int | None = None  # how far the log had come when it was searched, or looked at last
        self._oldest = 0
        self._projects: Sequence[str] = ()
        self._projects_until = 0.0

    def compose(self) -> ComposeResult:
        """Header, list, detail, footer."""
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
        """Follow the log."""
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

    # The log

    def _take_reader(self, reader: LogReader | None) -> None:
        self.decisions.reader = reader
        if reader is not None:
            self._search(reader, self._query)
            self._follow(reader)

    async def _values(self, field: str, beginning: str) -> Sequence[str]:
        """What the log has of a field of the query language."""
        return await self.app.reader.values(field, beginning) if self.app.reader else ()

    @work(exclusive=True, exit_on_error=False, group="search", description="Searching the log")
    async def _search(self, reader: LogReader, wanted: Query) -> None:
        """Find what matches, newest first, showing it as it comes."""
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
        """Take in what other processes committed, each in its place, and what changed about rows in view."""
        if self._horizon is None:  # all that there is: the search finds it
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
        if found.complete:  # what came during a search is looked at again when it ends
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
        self.set_class(empty or (not found and self.explain_trouble()), "-empty")

    def _show_following(self) -> None:
        self.refresh_bindings()
        self._show_title()

    def _show_found(self) -> None:
        """Mark what was filtered and searched for."""
        shown = query.parse(query.joined(self._query.text, self._sought.text)).highlight
        self.decisions.look = self.decisions.look.showing(shown)
        self.detail.mark(shown)

    @on(PagedList.LaidOut)
    def _refresh_heads(self) -> None:
        self.query_one(Heads).refresh()

    @on(PagedList.Moved)
    def _look_at(self, event: PagedList.Moved) -> None:
        self.detail.look_at(event.number, self.app.reader)
        self._show_title()

    # Filter and search

    @on(QueryLine.Asked, "#filter")
    def _narrow(self, event: QueryLine.Asked) -> None:
        if self.app.reader is not None and event.words != self._query.text:
            self._search(self.app.reader, query.parse(event.words))
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
        """From the detail escape leads back to the list, on the list it ends the search, then the filter."""
        if action == "browse":
            return self.detail.has_focus_within
        if action in ("follow", "pause"):
            return self.decisions.following == (action == "pause")
        if action in _OF_SEARCH:
            return bool(self._sought.text)
        return super().check_action(action, parameters)

    def action_follow(self) -> None:
        """Go with the newest again."""
        self.decisions.following = True
        self.decisions.focus()

    def action_pause(self) -> None:
        """Stay here; what comes is counted."""
        self.decisions.following = False

    @property
    def selected(self) -> Sequence[int]:
        """Those that are marked, else the one under the cursor."""
        return list(self.decisions.marks.ids) or super().selected

    def to_export(self) -> Wanted | None:
        """All that the filter lets through."""
        from hooktui.screens.dialogs.export_dialog import Wanted

        words, found = self._query.text.strip(), self.decisions.found
        return Wanted(self._query, words or "everything", words or "log") if found else None

    def action_browse(self) -> None:
        """Back to the list."""
        self.decisions.focus()

    def action_search(self) -> None:
        """Look for something among the rows that are there."""
        self.query_one("#search", QueryLine).open()

    def action_end_search(self) -> None:
        """Look for nothing any more."""
        self.query_one("#search", QueryLine).action_clear()

    def action_next_match(self, direction: int) -> None:
        """To the next row below or above that the search found."""
        self.decisions.next_match(direction)

    def action_only_here(self) -> None:
        """Only what happened in this project, or in all of them."""
        line = self.query_one("#filter", QueryLine)
        line.toggle(f"project:{query.quoted(self.app.project)}")

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Choosing the columns")
    async def action_columns(self) -> None:
        """Choose what is shown of each decision."""
        from hooktui.screens.live.choose_columns import ColumnsDialog

        chosen = await self.app.push_screen_wait(ColumnsDialog(self.decisions.wanted_columns))
        if chosen is not None:
            await self.decisions.choose(chosen)

    def _choose_columns(self, _clicked: str) -> None:
        self.action_columns()

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Copying")
    async def action_copy_some(self) -> None:
        """Choose what to copy of the decision under the cursor, or of those that are marked."""
        from hooktui.log.export import clipboard_text
        from hooktui.screens.live.copy_menu import CopyDialog

        report, reader = self.detail.report, self.app.reader
        if report is not None and reader is not None:
            marked = await reader.reports(self.decisions.marks.ids[-clipboard_text.MOST :])
            text = await self.app.push_screen_wait(CopyDialog(clipboard_text.items(report, self.detail.hook, marked)))
            if text is not None:
                self.app.copy(text)

    @on(PagedList.Chosen)
    def _open_session(self, event: PagedList.Chosen) -> None:
        row = self.decisions.row(event.number)
        if row is not None:
            self.app.open_session(row.session)
