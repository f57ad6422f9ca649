"""The list of the Live screen: one tool call, or other event, per line."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from textual import work
from textual.binding import Binding

from hooktui.core import ids
from hooktui.log.read.query import of_trouble
from hooktui.log.read.rows import DispatchRow
from hooktui.log.read.terms import WOULD_MATCH
from hooktui.screens.widgets import decision_list
from hooktui.screens.widgets.call_list import CallList
from hooktui.screens.widgets.cells import Cell, Column
from hooktui.screens.widgets.decision_cells import CELLS, LONG_TIME, SHORT_TIME, TODAYS_TIME, clock, effect_cell, is_today

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.query import Query

NARROW, WIDE = 90, 150  # columns from which the tool's time fits; from which reasons fit
_LEAST = 18  # width of a long column


class ColumnKind(NamedTuple):
    """One column: width or share of the space (also for wide terminals), and the width it is shown from."""

    width: int = 0
    wide: int = 0
    share: int = 0
    wide_share: int = 0
    title: str | None = None
    shown_from: int = 0


WOULD = "would"
# In display order.
KINDS: Mapping[str, ColumnKind] = {
    "time": ColumnKind(SHORT_TIME, LONG_TIME),
    "call": ColumnKind(share=19, wide_share=11),
    "decision": ColumnKind(9, 9),
    WOULD: ColumnKind(9, 9, title="today"),  # what today's hooks would decide
    "hooks that ran": ColumnKind(share=10, wide_share=6, title="hooks"),
    "took": ColumnKind(8, 8, title="in hooks"),
    "tool": ColumnKind(7, 7, shown_from=NARROW),
    "session": ColumnKind(18, 16, wide_share=4, shown_from=NARROW),
    "project": ColumnKind(14, 18),
    "agent": ColumnKind(10, 10, shown_from=NARROW),
    "machine": ColumnKind(12, 16),  # in a fleet
    "reason": ColumnKind(share=7, wide_share=6, shown_from=WIDE),
}
_TODAY = ColumnKind(TODAYS_TIME, TODAYS_TIME)  # of times, where all rows are of today
_FIRST_TO_GO = ("reason", "agent", "session", "tool", "took", "project", "machine", "hooks that ran")
_APART = ("session", "project", "agent", "machine")  # columns that only tell rows apart


@lru_cache(maxsize=8)  # each row asks for them
def columns(
    width: int, *, several: frozenset[str] = frozenset(), with_would: bool = False, of_today: bool = False
) -> Sequence[Column]:
    """The columns that fit a width: those of _APART only in `several`, which have more than one value."""
    wanted = {name for name in KINDS if name not in (*_APART, WOULD)} | several | ({WOULD} if with_would else set())
    kinds = {name: kind for name, kind in KINDS.items() if name in wanted and width >= kind.shown_from}
    if of_today:
        kinds["time"] = _TODAY
    for name in _FIRST_TO_GO:
        if _room(kinds, width) < _LEAST * sum(bool(kind.share) for kind in kinds.values()):
            kinds.pop(name, None)
    return _laid_out(kinds, width)


def _fixed(kind: ColumnKind, width: int) -> int:
    return kind.wide if width >= WIDE else kind.width


def _share(kind: ColumnKind, width: int) -> int:
    return kind.wide_share if width >= WIDE else kind.share


def _room(kinds: Mapping[str, ColumnKind], width: int) -> int:
    return width - sum(_fixed(kind, width) for kind in kinds.values()) - (len(kinds) - 1)


def _laid_out(kinds: Mapping[str, ColumnKind], width: int) -> Sequence[Column]:
    room, shares = _room(kinds, width), sum(_share(kind, width) for kind in kinds.values())
    widths = {name: _fixed(kind, width) + room * _share(kind, width) // max(shares, 1) for name, kind in kinds.items()}
    last = next(name for name in reversed([*kinds]) if kinds[name].share)
    widths[last] += width - sum(widths.values()) - (len(kinds) - 1)
    return [Column(name, widths[name], right=name in ("took", "tool"), title=kind.title) for name, kind in kinds.items()]


class DecisionList(CallList[DispatchRow]):
    """Calls and other events with time, decision, hooks, durations and session, as far as there is room."""

    BINDINGS = [Binding("enter", "choose", "Session", tooltip="Open the session's timeline", id="open")]
    BINDING_GROUP_TITLE = "Decisions"

    reader: DecisionLog | None = None

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self._several_projects = False
        self._hosts: set[str] = set()  # of the rows read so far
        self._sessions: set[int] = set()
        self._titled: set[int] = set()  # sessions whose first prompt has come
        self._of_today = False  # all rows are
        self.would: Callable[[int], str] | None = None  # what today's hooks would decide on an event, while that is asked for

    async def fetch(self, numbers: Sequence[int]) -> Mapping[int, DispatchRow]:
        rows = await self.completed(await self.reader.calls(numbers) if self.reader else ())
        before = self._several
        self._hosts.update(row.host for row in rows)
        self._sessions.update(row.session for row in rows)
        self.take_calls(rows)
        self._fetch_untitled({row.session for row in rows if row.title})
        if self._several != before:
            self.relayout()
        return {row.id: row for row in rows}

    def _fetch_untitled(self, titled: set[int]) -> None:
        """Fetch rows again that were read before their session had a title."""
        fresh = titled - self._titled
        self._titled |= fresh
        known = map(self._rows.get, self._rows.keys()) if fresh else ()
        self._stale.update(row.id for row in known if row and row.session in fresh and not row.title)

    def action_last(self) -> None:
        self.following = True

    def columns(self, width: int) -> Sequence[Column]:
        with_would = self.would is not None
        return decision_list.columns(width, several=self._several, with_would=with_would, of_today=self._of_today)

    def update_rows(self) -> None:
        """Also make room for days, unless all rows are of today; which is known once the oldest one is."""
        before = self._of_today
        if self.results:
            self._of_today = is_today(ids.seconds(self.results[0])) and (before or self.results.complete)
        if self._of_today != before:
            self.relayout()
        super().update_rows()

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

    def cells(self, column: Column, row: DispatchRow) -> Sequence[Cell]:
        if column.name == WOULD:
            would = self.would(row.id) if self.would else "none"
            return [Cell("· match", "muted") if would == WOULD_MATCH else effect_cell(would)]
        return CELLS[column.name](self.shown(row), column.width)

    def call_of(self, row: DispatchRow) -> DispatchRow:
        return row

    def when(self, number: int, column: Column) -> str:
        return clock(ids.seconds(number), column.width) if column.name == "time" else ""

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
        self.results.drop_before(number)

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
