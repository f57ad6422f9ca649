"""The list of sessions, latest first: whether each is verified, what its title says, and why it is empty."""

from __future__ import annotations

import asyncio
import time
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from textual import work
from textual.binding import Binding
from textual.content import Content, Span
from textual.message import Message
from textual.visual import Visual
from textual.widgets.option_list import Option
from textual.worker import WorkerState

from hooktui.catalog.hook_states import counted
from hooktui.core.paths import name as name_of
from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read.rows import day
from hooktui.screens.widgets.cells import Cell, Column, count_cell, duration, end_of, fit, text_style
from hooktui.screens.widgets.decision_cells import LONG_TIME
from hooktui.screens.widgets.empty import Empty, explain_empty_log, where_looked
from hooktui.screens.widgets.notifications import notify_failure
from hooktui.screens.widgets.row_list import RowList

if TYPE_CHECKING:
    TextPart = tuple[str, str]  # a text and its style
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from textual.css.styles import RulesMap
    from textual.strip import Strip
    from textual.style import Style
    from textual.visual import RenderOptions
    from textual.worker import Worker

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.sessions import SessionRow
    from hooktui.log.read.verify import Verification

_WIDE = 108  # columns from which there is room
_GROWN = 1.5  # growth after which a session is verified again; three times the cost for a growing one, in all
_REST_S = 0.5  # before verifying, and between two updates of the list
_MATCHES = 13  # columns of `matches 1,234`
_COUNTS = (
    Column("length", 8, right=True),
    Column("calls", 8, right=True),
    Column("denials", 8, right=True, title="denied"),
    Column("failures", 8, right=True, title="failed"),
    Column("in hooks", 9, right=True),
)


class Checked(NamedTuple):
    """A session's verdict, and how many events it had then."""

    verdict: Verification
    events: int


class SessionChecks:
    """The verdicts on sessions, by their numbers in the log."""

    def __init__(self) -> None:
        self._known: dict[int, Checked] = {}

    def take(self, session: SessionRow, verdict: Verification) -> None:
        self._known[session.id] = Checked(verdict, session.events)

    def of(self, session: SessionRow) -> Verification | None:
        """A session's verdict; None if it is not known."""
        checked = self._known.get(session.id)
        return checked.verdict if checked else None

    def summary(self, sessions: Sequence[SessionRow]) -> str:
        """How many sessions were altered; "" if none is known to be."""
        altered = sum(not verdict.intact for verdict in map(self.of, sessions) if verdict)
        return f"✕ {altered:,} altered" if altered else ""

    def next(self, sessions: Sequence[SessionRow], visible: slice) -> SessionRow | None:
        """The session to verify next, those in the `visible` rows first; None if none is due."""
        return next(filter(self._is_due, (*sessions[visible], *sessions)), None)

    def _is_due(self, session: SessionRow) -> bool:
        checked = self._known.get(session.id)
        if session.transcript:
            return False
        return checked is None or session.events >= _GROWN * checked.events


class LazyLine(Visual):
    """A line that is made when it is shown: of hundreds of sessions, a page is."""

    def __init__(self, make: Callable[[], Content]) -> None:
        self._make = make

    @cached_property
    def _content(self) -> Content:
        return self._make()

    def render_strips(self, width: int, height: int | None, style: Style, options: RenderOptions) -> list[Strip]:
        return self._content.render_strips(width, height, style, options)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return self._content.get_optimal_width(rules, container_width)

    def get_height(self, _rules: RulesMap, _width: int) -> int:
        return 1


class SessionList(RowList["SessionRow"]):
    """One line per session, marked if its log is not intact."""

    BINDING_GROUP_TITLE = "Sessions"
    BINDINGS = [Binding("enter", "select", "Timeline", id="open")]

    on_worker_state_changed = notify_failure

    class Verified(Message):
        """More sessions have been verified."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.checks = SessionChecks()
        self._unshown: set[int] = set()
        self._selection: object = None
        self._verifying: Worker[None] | None = None
        self._had_project = False
        self.would: Mapping[int, int] | None = None  # events that the filter `would:` finds, by session
        self._had_would: Mapping[int, int] | None = None
        self.with_project = False  # whether rows say which project they belong to

    def columns(self, width: int) -> Sequence[Column]:
        values = {"machine": {row.machine for row in self.rows}, "agent": {row.host for row in self.rows}}
        several = {name for name, known in values.items() if len(known) > 1} | ({"project"} if self.with_project else set())
        return columns(width, several=several, with_would=self.would is not None)

    def next_trouble(self, direction: int) -> bool:
        """Go to the next session below (1) or above (-1) with denials or failures; whether there is one."""
        here = self.highlighted or 0
        places = range(here + 1, len(self.rows)) if direction > 0 else range(here - 1, -1, -1)
        place = next((place for place in places if self.rows[place].has_trouble), None)
        if place is not None:
            self.highlighted = place
        return place is not None

    def show(self, rows: Sequence[SessionRow], selection: object = None, *, keeps_order: bool = False) -> None:
        """Show sessions; the cursor stays on its session. `selection`: what they were selected and sorted by.

        `keeps_order`: the same sessions stay in their places while the selection is the same.
        """
        places = {row.key: place for place, row in enumerate(self.rows)}
        before_selection, self._selection = self._selection, selection
        if keeps_order and selection == before_selection and places.keys() == {row.key for row in rows}:
            rows = sorted(rows, key=lambda row: places[row.key])
        layout, had = (self.with_project, self.would), (self._had_project, self._had_would)
        if (rows, layout) == (self.rows, had):
            return
        before, current, self.rows = self.rows, self.current, rows
        if layout != had or [row.key for row in before] != [row.key for row in rows]:
            self._had_project, self._had_would = layout
            self._write(current)
            return
        for place, row in enumerate(rows):
            if row != before[place]:
                self._write_again(place)

    def verify(self, reader: DecisionLog) -> None:
        """Continue verifying, unless it failed before."""
        if self._verifying is None or self._verifying.state in (WorkerState.SUCCESS, WorkerState.CANCELLED):
            self._verifying = self._verify(reader)

    def pause(self) -> None:
        """Stop verifying while the user waits for something else."""
        if self._verifying is not None:
            self._verifying.cancel()

    def take_verdict(self, session: SessionRow, verdict: Verification) -> None:
        """Store a verdict; show it soon, together with others."""
        self.checks.take(session, verdict)
        self._unshown.add(session.id)
        if len(self._unshown) == 1:
            self.set_timer(_REST_S, self._show_verdicts)

    @work(exit_on_error=False, group="verify", description="Verifying the sessions")
    async def _verify(self, reader: DecisionLog) -> None:
        """Verify one session after another while the list is visible, resting as long as each took."""
        await asyncio.sleep(_REST_S)
        while self.screen.is_current and self.is_on_screen and (session := self.checks.next(self.rows, self._visible)):
            began = time.monotonic()
            self.take_verdict(session, await reader.verdict(session.id))
            await asyncio.sleep(time.monotonic() - began)

    @property
    def _visible(self) -> slice:
        top = int(self.scroll_offset.y)
        return slice(top, top + self.scrollable_content_region.height)

    def _show_verdicts(self) -> None:
        places = [place for place, row in enumerate(self.rows) if row.id in self._unshown]
        self._unshown.clear()
        for place in places:
            self._write_again(place)
        self.post_message(self.Verified())

    def on_resize(self) -> None:
        self._write(self.current)

    def _write(self, current: SessionRow | None) -> None:
        layout = self.columns(self.scrollable_content_region.width)
        self.clear_options()
        self.add_options([Option(self._line(row, layout)) for row in self.rows])
        places = [place for place, row in enumerate(self.rows) if current and row.key == current.key]
        self.highlighted = (places or [0])[0] if self.rows else None

    def _write_again(self, place: int) -> None:
        layout = self.columns(self.scrollable_content_region.width)
        self.replace_option_prompt_at_index(place, self._line(self.rows[place], layout))

    def _line(self, row: SessionRow, layout: Sequence[Column]) -> LazyLine:
        return LazyLine(lambda: _line(row, self.checks.of(row), layout, (self.would or {}).get(row.id, 0)))


def columns(width: int, *, several: Collection[str], with_would: bool = False) -> Sequence[Column]:
    """The columns that fit a width; `several` are those of project, agent and machine that tell sessions apart.

    In a narrow list only one of them fits, and no times. `with_would`: how many events match what today's
    hooks would decide, in the place of the time in hooks.
    """
    apart = [name for name in ("machine", "project", "agent") if name in several]
    if width < _WIDE:
        apart, widths = apart[:1], dict.fromkeys(apart, 10)
        counts = [column._replace(width=6) for column in _COUNTS[1:-1]]
    else:
        widths = {"machine": 12, "project": width // 6, "agent": 12}
        counts = list(_COUNTS[:-1] if with_would else _COUNTS)
    before = (Column("last", LONG_TIME), *(Column(name, widths[name]) for name in apart))
    counts += [Column("would", _MATCHES, right=True, title="today")] * with_would
    room = width - sum(column.width + 1 for column in (*before, *counts))
    return *before, Column("session", room), *counts


def _line(row: SessionRow, verdict: Verification | None, layout: Sequence[Column], would: int) -> Content:
    known = {"session": _session(row, verdict), "would": count_cell(would, "accent", "matches")}
    line, spans = "", []
    for column in layout:
        text, style = known[column.name] if column.name in known else _CELLS[column.name](row, column.width)
        begin = len(line)
        line += fit(one_line(text), column.width, right=column.right)
        spans.append(Span(begin, len(line), text_style(style)))
        line += " "
    return Content(line[:-1], spans)


def _session(row: SessionRow, verdict: Verification | None) -> Cell:
    """The title, else the ID; before it what is wrong with its record."""
    if verdict is not None and not verdict.intact:
        return Cell(f"✕ {verdict.faults[0].kind} {row.label}", "deny")
    return Cell(row.label, "accent" if row.synthetic else "")


def length(seconds: float) -> str:
    """A duration: `17 s`, `42 min`, `3.5 h`, `2.1 d`."""
    for unit, size in (("d", 86400), ("h", 3600)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"


_CELLS: Mapping[str, Callable[[SessionRow, int], Cell]] = {
    "last": lambda row, _: Cell(day(row.last_at), "muted"),
    "agent": lambda row, _: Cell(row.host, "strong"),
    "machine": lambda row, _: Cell(row.machine, "strong"),
    "project": lambda row, width: Cell(name_of(row.project) or end_of(short(row.project), width)),
    "length": lambda row, _: Cell(length(row.length_s), "muted"),
    "calls": lambda row, _: Cell("…" if row.transcript else f"{row.calls:,}", "muted" if row.transcript else ""),
    "denials": lambda row, _: count_cell(row.denials if row.has_trouble else 0, "deny", "✕"),
    "failures": lambda row, _: count_cell(row.failures if row.has_trouble else 0, "warning", "▲"),
    "in hooks": lambda row, _: Cell("" if row.transcript else duration(row.hook_ms), "muted"),
}


_GAPS = "✕ records are missing · hooktui doctor --verify"
_MUTED = "$secondary"


def title(scope: Iterable[TextPart], order: str, words: str) -> Content:
    """The order of the sessions, which of them are shown, and the filter, with the keys that change them."""
    by = "" if order == "last" else f" by {order}"
    filtered = ((f" ─ {words}", "$foreground"), (" · esc show all", _MUTED)) if words else ()
    return Content.assemble(("Sessions", "bold"), by, *scope, *filtered)


def subtitle(count: int, most: int, altered: str, *, has_gaps: bool) -> Content:
    """How many sessions are listed, `most` at most, after what is wrong with their records."""
    errors = "".join(f"{part} · " for part in (_GAPS if has_gaps else "", altered) if part)
    return Content.assemble((errors, "$error"), f"the first {count:,}" if count == most else counted(count, "session"))


_NO_SESSIONS = "No sessions yet.\nhooktui logs every event of a connected agent here, session by session."


def explain_nothing(nothing: Empty, words: str, error: str, *, only_trouble: bool) -> None:
    """Explain an empty list; `words` is the filter, `error` what is wrong with it."""
    if words:
        nothing.show(error or "No sessions match the filter.", [("esc", "show all")])
    elif only_trouble:
        nothing.show("No session has denials or failures.", [("{only-trouble}", "show all")])
    else:
        explain_empty_log(nothing, f"{_NO_SESSIONS}\n\n{where_looked(nothing)}")
