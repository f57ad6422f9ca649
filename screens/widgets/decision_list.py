"""The list of the Live screen: one tool call, or other event, per line."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from textual import work
from textual.binding import Binding
from textual.message import Message

from hooktui.core import ids, ui_state
from hooktui.log.read.query import of_trouble
from hooktui.log.read.rows import SUBJECT, DispatchRow
from hooktui.log.read.search import SearchResults
from hooktui.log.read.terms import WOULD_MATCH
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets import decision_list
from hooktui.screens.widgets.call_list import CallList
from hooktui.screens.widgets.cells import Cell, Column
from hooktui.screens.widgets.decision_cells import CELLS, LONG_TIME, SHORT_TIME, clock, effect_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.query import Query

NARROW, WIDE = 90, 150  # columns from which the tool's time fits; from which reasons fit
_LEAST = 18  # width of a long column


class ColumnKind(NamedTuple):
    """One column: meaning, width or share of the space (also for wide terminals), and the width it is shown from."""

    meaning: str
    width: int = 0
    wide: int = 0
    share: int = 0
    wide_share: int = 0
    title: str | None = None
    shown_from: int = 0


MARK, WOULD = "mark", "would"
# In display order.
KINDS: Mapping[str, ColumnKind] = {
    MARK: ColumnKind("marked, or matches the search", 1, 1, title="◆"),
    "time": ColumnKind("when it began", SHORT_TIME, LONG_TIME),
    "event": ColumnKind("the first event", 19, 22),
    "call": ColumnKind("the tool with its command or file, or the event", share=19, wide_share=12, title="call"),
    "decision": ColumnKind("the decision", 9, 9),
    WOULD: ColumnKind("what today's hooks would decide, while a filter asks for it", 9, 9, title="today"),
    "hooks that ran": ColumnKind("the hook that denied or failed, and others that ran", share=10, wide_share=6, title="hooks"),
    "took": ColumnKind("how long the agent waited for hooks", 8, 8, title="in hooks"),
    "tool": ColumnKind("how long the tool took", 7, 7, shown_from=NARROW),
    "session": ColumnKind("the agent's session, if there are several", 18, 26, shown_from=NARROW),
    "project": ColumnKind("the project, if all are shown", 14, 18),
    "agent": ColumnKind("the agent program, if there are several", 10, 10, shown_from=NARROW),
    "machine": ColumnKind("the machine, in a fleet", 12, 16),
    "reason": ColumnKind("the reason for a denial", share=7, wide_share=6, shown_from=WIDE),
}
CHOICES = tuple(name for name in KINDS if name not in (MARK, WOULD))
_FIRST_TO_GO = ("reason", "agent", "session", "tool", "took", "project", "machine", "hooks that ran", "event")
_APART = ("session", "project", "agent", "machine")  # columns that only tell rows apart
_UNUSUAL = ("event",)  # shown when chosen


@lru_cache(maxsize=8)  # each row asks for them
def columns(
    width: int,
    chosen: tuple[str, ...] = (),
    *,
    marked: bool = False,
    several: frozenset[str] = frozenset(),
    would: bool = False,
) -> Sequence[Column]:
    """What fits into a width of what was chosen, or of what is usual.

    `marked`: with a column for marks; `several`: with those of _APART that have more than one value; `would`: with what today's
    hooks would decide.
    """
    names = [name for name in CHOICES if (name in chosen if chosen else usual(name, width, several))]
    names = [MARK] * marked + [part for name in names for part in ([name, WOULD] if would and name == "decision" else [name])]
    for name in _FIRST_TO_GO:
        if _room(names, width) < _LEAST * sum(bool(KINDS[name].share) for name in names) and name in names:
            names.remove(name)
    return _laid_out(names, width)


def usual(name: str, width: int, several: Collection[str]) -> bool:
    """Whether a column is shown by default at a width. `several` are those of _APART with more than one value."""
    return width >= KINDS[name].shown_from and name not in _UNUSUAL and (name not in _APART or name in several)


def _fixed(name: str, width: int) -> int:
    kind = KINDS[name]
    return kind.wide if width >= WIDE else kind.width


def _share(name: str, width: int) -> int:
    return KINDS[name].wide_share if width >= WIDE else KINDS[name].share


def _room(names: Sequence[str], width: int) -> int:
    """The space left for the long columns."""
    return width - sum(_fixed(name, width) for name in names) - (len(names) - 1)


def _laid_out(names: Sequence[str], width: int) -> Sequence[Column]:
    room, shares = _room(names, width), sum(_share(name, width) for name in names)
    widths = {name: _fixed(name, width) + room * _share(name, width) // max(shares, 1) for name in names}
    last = next((name for name in reversed(names) if KINDS[name].share), names[-1])
    widths[last] += width - sum(widths.values()) - (len(names) - 1)
    return [
        Column(name, widths[name], right=name in ("took", "tool"), title=KINDS[name].title, long=bool(KINDS[name].share))
        for name in names
    ]


_COLUMNS = "live columns"  # key in the stored UI state
_PAN = 8  # cells per step


class DecisionList(CallList[DispatchRow]):
    """Calls and other events with time, decision, hooks, durations and session, as far as there is room."""

    BINDINGS = [
        Binding("enter", "choose", "Session", tooltip="Open the session's timeline", id="open"),
        Binding("right,l", f"pan({_PAN})", "Scroll text right", show=False, id="pan-right"),
        Binding("left,h", f"pan(-{_PAN})", "Scroll text left", show=False, id="pan-left"),
        Binding("z", "wrap", "Wrap or cut long text", show=False, id="wrap"),
        Binding("m", "mark", "Mark or unmark", show=False, id="mark"),
        Binding("apostrophe", "to_mark(1)", "Next mark", key_display="'", show=False, id="next-mark"),
        Binding("quotation_mark", "to_mark(-1)", "Previous mark", key_display='"', show=False, id="previous-mark"),
        Binding("U", "clear_marks", "Clear marks", show=False, id="clear-marks"),
    ]
    BINDING_GROUP_TITLE = "Decisions"

    reader: DecisionLog | None = None

    class Searched(Message):
        """The search changed, or found more."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.marks = SearchResults()
        self.matches: SearchResults | None = None
        self.chosen: Collection[str] = ()
        self._several_projects = False
        self._hosts: set[str] = set()  # of the rows read so far
        self._sessions: set[int] = set()
        self.would: Callable[[int], str] | None = None  # what today's hooks would decide on an event, while that is asked for

    def on_mount(self) -> None:
        self._recall()

    async def fetch(self, numbers: Sequence[int]) -> Mapping[int, DispatchRow]:
        rows = await self.reader.calls(numbers) if self.reader else ()
        before = self._several
        self._hosts.update(row.host for row in rows)
        self._sessions.update(row.session for row in rows)
        self.take_calls(rows)
        if self._several != before:
            self.relayout()
        return {row.id: row for row in rows}

    def action_last(self) -> None:
        self.following = True

    def columns(self, width: int) -> Sequence[Column]:
        """The columns that fit; marks only while there are any, or during a search."""
        marked = bool(self.marks) or self.matches is not None
        return decision_list.columns(
            width, tuple(self.chosen), marked=marked, several=self._several, would=self.would is not None
        )

    @property
    def _several(self) -> frozenset[str]:
        """The columns that tell rows apart: the log has several projects or machines, or the rows several agents."""
        is_fleet = self.reader is not None and self.reader.path is None
        several = {
            "session": len(self._sessions) > 1,
            "project": self._several_projects,
            "agent": len(self._hosts) > 1,
            "machine": is_fleet,
        }
        return frozenset(name for name, is_several in several.items() if is_several)

    @property
    def wanted_columns(self) -> Collection[str]:
        """The chosen columns, else the defaults at this width, whether they fit or not."""
        usual = (name for name in CHOICES if decision_list.usual(name, self.row_width, self._several))
        return self.chosen or list(usual)

    def cells(self, column: Column, row: DispatchRow) -> Sequence[Cell]:
        if column.name == MARK:
            return [_MARKS[row.id in self.marks, row.id in (self.matches or ())]]
        if column.name == WOULD:
            would = self.would(row.id) if self.would else "none"
            return [Cell("· match", "muted") if would == WOULD_MATCH else effect_cell(would)]
        return CELLS[column.name](self.shown(row), column.width)

    def call_of(self, row: DispatchRow) -> DispatchRow:
        return row

    def when(self, number: int, column: Column) -> str:
        return clock(ids.seconds(number), column.width) if column.name == "time" else ""

    @work(thread=True, exit_on_error=False, group="remember", description="Recalling the columns")
    def _recall(self) -> None:
        chosen = ui_state.recall(_COLUMNS)
        if isinstance(chosen, list):
            self.app.call_from_thread(self._take, chosen)

    async def choose(self, chosen: Sequence[str]) -> None:
        """Show these columns from now on; an empty list restores the defaults."""
        self._take(chosen)
        await asyncio.to_thread(ui_state.keep, _COLUMNS, chosen or None)

    def _take(self, chosen: Sequence[str]) -> None:
        self.chosen = chosen
        self.relayout()

    def show_would(self, would: Callable[[int], str] | None) -> None:
        """Show what today's hooks would decide on each event; None hides it."""
        if would is not None or self.would is not None:
            self.would = would
            self.relayout()

    def show_projects(self, *, several: bool) -> None:
        """Show each row's project if the log has several."""
        self._several_projects = several
        self.relayout()

    def drop_before(self, number: int) -> None:
        """Drop rows older than an ID, which the log has pruned; `update_rows` then hides them."""
        for rows in (self.results, self.marks, self.matches):
            if rows is not None:
                rows.drop_before(number)

    def search(self, wanted: Query | None) -> None:
        """Search among the rows; None ends the search."""
        self.workers.cancel_group(self, "find")
        self._set_matches(None)
        if self.reader is not None and wanted is not None:
            self._find(self.reader, wanted, self.current or 0)

    @work(exclusive=True, exit_on_error=False, group="find", description="Searching the log")
    async def _find(self, reader: DecisionLog, wanted: Query, start: int) -> None:
        """Search, newest first, and go to the first match at or above the cursor, else below."""
        matches, arrived, horizon = SearchResults(), False, await reader.commits()
        self._set_matches(matches)
        async with aclosing(reader.search(wanted)) as batches:
            async for batch in batches:
                matches.add_older(batch)
                arrived = arrived or self.go_to_number(matches.next(start + 1, -1, self.results))
                self.repaint()
                self.post_message(self.Searched())
        matches.complete = True
        matches.add(await reader.matching(wanted, (await reader.committed(horizon)).new))
        if not arrived:
            self.go_to_number(matches.next(start, 1, self.results))
        self.post_message(self.Searched())

    def _set_matches(self, matches: SearchResults | None) -> None:
        self.matches = matches
        self.relayout()
        self.post_message(self.Searched())

    def next_match(self, direction: int) -> None:
        """Go to the next match below (1) or above (-1)."""
        matches = self.matches or SearchResults()
        if not self.go_to_number(matches.next(self.current or 0, direction, self.results)):
            self.notify(
                "No matches below." if direction > 0 else "No matches above." if matches.complete else "Still searching…"
            )

    @work(exclusive=True, exit_on_error=False, group="next", description="Looking for a denial")
    async def next_trouble(self, among: Query, direction: int) -> None:
        """Go to the next decision below (1) or above (-1) that was denied or failed; from the newest, to the last of them."""
        if self.reader is None or self.current is None:
            return
        at_end = self.current == self.results[-1]
        start = self.current + 1 if at_end else self.current
        number = await self.reader.neighbour(of_trouble(among), start, -1 if at_end else direction)
        if not self.go_to_number(number):
            where = "here" if at_end else "below" if direction > 0 else "above"
            self.notify(f"No denials or failures {where}.")

    def relayout(self) -> None:
        self.repaint()
        self.post_message(self.LaidOut())

    def go_to_number(self, number: int | None) -> bool:
        """Go to a decision; whether it is in the list."""
        if number is None or number not in self.results:
            return False
        self.go_to(self.results.row_of(number))
        return True

    def action_pan(self, cells: int) -> None:
        pan = 0 if self.look.wrap else min(max(self.look.pan + cells, 0), SUBJECT)
        self.look = replace(self.look, pan=pan)

    def action_wrap(self) -> None:
        self.look = replace(self.look, wrap=not self.look.wrap, pan=0)

    def action_mark(self) -> None:
        if self.current is not None:
            self.marks.toggle(self.current)
            self.relayout()

    def action_to_mark(self, direction: int) -> None:
        if not self.go_to_number(self.marks.next(self.current or 0, direction, self.results)):
            self.notify(hint(f"No marks {'below' if direction > 0 else 'above'} ({{mark}} marks a decision)."))

    def action_clear_marks(self) -> None:
        self.marks = SearchResults()
        self.relayout()

    def on_mouse_scroll_right(self) -> None:
        self.action_pan(_PAN)

    def on_mouse_scroll_left(self) -> None:
        self.action_pan(-_PAN)


# By (is marked, matches the search).
_MARKS = {
    (False, False): Cell(""),
    (True, False): Cell("◆", "accent"),
    (False, True): Cell("•", "warning"),
    (True, True): Cell("◆", "warning"),
}
