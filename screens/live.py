"""The Live screen: watch what the hooks decide, and why."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from hooktui import ids
from hooktui.log import query
from hooktui.log.found import Found
from hooktui.screens.dispatch_screen import DispatchScreen
from hooktui.screens.header import Header
from hooktui.screens.widgets.decision_list import DecisionList
from hooktui.screens.widgets.dispatch_detail import DispatchDetail
from hooktui.screens.widgets.empty import Empty
from hooktui.screens.widgets.filter import Filter
from hooktui.screens.widgets.footer import Footer
from hooktui.screens.widgets.heads import Heads
from hooktui.screens.widgets.paged_list import PagedList
from hooktui.screens.widgets.query_words import QueryWords

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer

    from hooktui.log.query import Query
    from hooktui.log.reader import LogReader
    from hooktui.screens.dialogs.export import Wanted

_TYPING_S = 0.12  # without a keystroke before the filter is applied
_LATE_S = 900.0  # a dispatch is stored when its hooks have ended: how far back a new one may belong
_HINT = f'{" ".join(f"{name}:" for name in query.FIELDS)} · - negates, * is any text, "some words"'
_NOTHING = "Nothing has been decided yet.\nWhat hooks decide appears here as it happens, whichever agent they work for."
_NOTHING_KEYS = (
    ("ctrl+d", "watch the demo: agents at work"),
    ("hooktui connect", "in a shell: has an agent call hooktui for each event"),
)


class LiveScreen(DispatchScreen):
    """Decisions above, the one under the cursor below."""

    AUTO_FOCUS = "#decisions"
    BINDING_GROUP_TITLE = "Live"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "follow", "Follow", tooltip="Follow what comes"),
        Binding("escape", "browse", "Back to the list", show=False),
        Binding("escape", "show_all", "Show all", tooltip="Clear the filter", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._query = query.parse("")
        self._total = 0
        self._horizon = 0
        self._wrong = ""
        self._typing: Timer | None = None

    def compose(self) -> ComposeResult:
        """Header, list, detail, footer."""
        yield Header("live")
        with Vertical(id="live", classes="pane"):
            decisions = DecisionList(id="decisions")
            yield Filter(decisions, 'event:pre-* -decision:none "some text"')
            yield Static(id="query-hint", markup=False)
            yield Heads(decisions.columns)
            yield decisions
            yield Empty(id="nothing")
        yield DispatchDetail()
        yield Footer()

    def on_mount(self) -> None:
        """Follow the log."""
        self.decisions.following = True
        self.query_one(Filter).suggester = QueryWords(self._names)
        self.watch(self.app, "reader", self._take_reader)
        self.watch(self.app, "trouble", self._show_title)
        self.watch(self.query_one(Filter), "has_focus", self._show_hint)
        self.watch(self.decisions, "following", self._show_title, init=False)
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

    @work(exclusive=True, exit_on_error=False, group="search", description="Searching the log")
    async def _search(self, reader: LogReader, wanted: Query) -> None:
        """Find what matches, newest first, showing it as it comes."""
        found = Found()
        self._horizon, self._total = await reader.newest(), await reader.total()
        async with aclosing(reader.search(wanted)) as batches:
            async for batch in batches:
                found.add_older(batch)
                self._show(found, wanted)
        found.complete = True
        self._show(found, wanted)
        await self._take_new(reader)

    def _show(self, found: Found, wanted: Query) -> None:
        self._query = wanted
        if self.decisions.found is found:
            self.decisions.update_rows()
        else:
            self.decisions.show(found)
        self._show_title()

    @work(exclusive=True, exit_on_error=False, group="follow", description="Following the log")
    async def _follow(self, reader: LogReader) -> None:
        async with aclosing(reader.changes()) as changes:
            async for _ in changes:
                await self._take_new(reader)

    async def _take_new(self, reader: LogReader) -> None:
        """Take in what other processes committed, each in its place, and what changed about rows in view."""
        found = self.decisions.found
        if not found and not found.complete:
            return  # the search that is on ends with a look of its own
        above = ids.at_time(ids.seconds(self._horizon) - _LATE_S)
        if not found.complete:
            above = max(above, found[0] - 1)
        fresh = await reader.newer(self._query, above)
        horizon, self._total = await reader.newest(), await reader.total()
        if self.decisions.found is not found:
            return
        self._horizon = horizon
        found.replace_newest(above, fresh)
        self.decisions.refetch()
        self.decisions.update_rows()
        self.detail.look_at(self.decisions.current, reader)
        self._show_title()

    # What is shown

    def _show_title(self) -> None:
        found, words = self.decisions.found, self._query.text.strip()
        filtered = Content.assemble((f" ─ {words}", "$foreground"), (" · esc shows all", "$secondary")) if words else ""
        pane = self.query_one("#live")
        pane.border_title = Content.assemble(self._state(), filtered)
        pane.border_subtitle = f"{len(found):,} of {self._total:,}{'' if found.complete else ' …'}"
        empty = found.complete and not found
        if empty:
            self._explain_nothing()
        self.set_class(empty or (not found and self.explain_trouble()), "-empty")

    def _state(self) -> tuple[str, str]:
        """Whether the list goes with the log, and how much it has not shown yet."""
        if self.decisions.following:
            return "● following", "$success"
        new = self.decisions.unseen
        return f"‖ paused{f' · {new:,} new: f follows' if new else ''}", "$warning"

    def _explain_nothing(self) -> None:
        nothing = self.query_one("#nothing", Empty)
        if self._total:
            nothing.tell("No decision matches the filter.", [("esc", "shows all again")])
        else:
            nothing.tell(_NOTHING, _NOTHING_KEYS)

    @on(PagedList.Moved)
    def _look_at(self, event: PagedList.Moved) -> None:
        self.detail.look_at(event.number, self.app.reader)
        self._show_title()

    # The filter

    @on(Filter.Narrowed)
    def _wait_for_typing(self, event: Filter.Narrowed) -> None:
        if self._typing:
            self._typing.stop()
        self._typing = self.set_timer(_TYPING_S, lambda: self._narrow(event.words))

    def _narrow(self, words: str) -> None:
        """Apply a filter; while it means nothing, say so and leave the rows as they are."""
        try:
            wanted = query.parse(words)
        except query.QueryError as wrong:
            self._wrong = str(wrong)
        else:
            self._wrong = ""
            if self.app.reader is not None:
                self._search(self.app.reader, wanted)
        self._show_hint()

    def _show_hint(self) -> None:
        """What is wrong with the filter, or what it may hold, as long as one is at it."""
        hint = self.query_one("#query-hint", Static)
        hint.display = bool(self._wrong) or self.query_one(Filter).has_focus
        hint.set_class(bool(self._wrong), "-wrong")
        hint.update(f"✕ {self._wrong}" if self._wrong else _HINT)

    def _names(self) -> Mapping[str, Iterable[str]]:
        """What the filter can be completed to: names of the catalog's hooks, and of rows that were looked at."""
        rows = self.decisions.rows_at_hand()
        hooks = self.app.catalog.hooks if self.app.catalog else ()
        return {
            "hook": sorted({hook.name for hook in hooks} | {name for row in rows for name in row.ran}),
            "tool": sorted({row.tool for row in rows if row.tool}),
            "session": sorted({row.session_name for row in rows}),
            "host": sorted({row.host for row in rows}),
        }

    # Actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """From the detail escape leads back to the list, on the list it shows everything."""
        if action == "browse":
            return self.detail.has_focus_within
        return super().check_action(action, parameters)

    def action_follow(self) -> None:
        """Go with the newest again."""
        self.decisions.following = True
        self.decisions.focus()

    def to_export(self) -> Wanted | None:
        """All that the filter lets through."""
        from hooktui.screens.dialogs.export import Wanted

        words, found = self._query.text.strip(), self.decisions.found
        return Wanted(self._query, words or "everything", words or "log") if found else None

    def action_browse(self) -> None:
        """Back to the list."""
        self.decisions.focus()

    @on(PagedList.Chosen)
    def _open_session(self, event: PagedList.Chosen) -> None:
        row = self.decisions.row(event.number)
        if row is not None:
            self.app.open_session(row.session)
