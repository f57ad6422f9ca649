"""The list of sessions, latest first: what its title says, and why it is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.content import Content, Span
from textual.widgets.option_list import Option

from hooktui.catalog.hook_states import counted
from hooktui.core.paths import name as name_of
from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read.rows import day
from hooktui.screens.widgets.cells import Cell, Column, count_cell, duration, end_of, fit, text_style
from hooktui.screens.widgets.decision_cells import LONG_TIME
from hooktui.screens.widgets.empty import Empty, explain_empty_log, where_looked
from hooktui.screens.widgets.row_list import LazyLine, RowList

if TYPE_CHECKING:
    TextPart = tuple[str, str]  # a text and its style
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from hooktui.log.read.sessions import SessionRow

_WIDE = 108  # columns from which there is room
_MATCHES = 13  # columns of `matches 1,234`
_COUNTS = (
    Column("length", 8, right=True),
    Column("calls", 8, right=True),
    Column("denials", 8, right=True, title="denied"),
    Column("failures", 8, right=True, title="failed"),
    Column("in hooks", 9, right=True),
)


class SessionList(RowList["SessionRow"]):
    """One line per session."""

    BINDING_GROUP_TITLE = "Sessions"
    BINDINGS = [Binding("enter", "select", "Timeline", id="open")]

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self._selection: object = None
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
        return LazyLine(lambda: _line(row, layout, (self.would or {}).get(row.id, 0)))


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


def _line(row: SessionRow, layout: Sequence[Column], would: int) -> Content:
    known = {"would": count_cell(would, "accent", "matches")}
    line, spans = "", []
    for column in layout:
        text, style = known[column.name] if column.name in known else _CELLS[column.name](row, column.width)
        begin = len(line)
        line += fit(one_line(text), column.width, right=column.right)
        spans.append(Span(begin, len(line), text_style(style)))
        line += " "
    return Content(line[:-1], spans)


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
    "session": lambda row, _: Cell(row.label, "accent" if row.synthetic else ""),
    "length": lambda row, _: Cell(length(row.length_s), "muted"),
    "calls": lambda row, _: Cell("…" if row.transcript else f"{row.calls:,}", "muted" if row.transcript else ""),
    "denials": lambda row, _: count_cell(row.denials if row.has_trouble else 0, "deny", "✕"),
    "failures": lambda row, _: count_cell(row.failures if row.has_trouble else 0, "warning", "▲"),
    "in hooks": lambda row, _: Cell("" if row.transcript else duration(row.hook_ms), "muted"),
}


_GAPS = "✕ records are missing · hooktui doctor --verify · "
_MUTED = "$secondary"


def title(scope: Iterable[TextPart], order: str, words: str) -> Content:
    """The order of the sessions, which of them are shown, and the filter, with the keys that change them."""
    by = "" if order == "last" else f" by {order}"
    filtered = ((f" ─ {words}", "$foreground"), (" · esc show all", _MUTED)) if words else ()
    return Content.assemble(("Sessions", "bold"), by, *scope, *filtered)


def subtitle(count: int, most: int, *, has_gaps: bool) -> Content:
    """How many sessions are listed, `most` at most, after what is wrong with their records."""
    return Content.assemble(
        (_GAPS if has_gaps else "", "$error"), f"the first {count:,}" if count == most else counted(count, "session")
    )


_NO_SESSIONS = "No sessions yet.\nhooktui logs every event of a connected agent here, session by session."


def explain_nothing(nothing: Empty, words: str, error: str, *, only_trouble: bool) -> None:
    """Explain an empty list; `words` is the filter, `error` what is wrong with it."""
    if words:
        nothing.show(error or "No sessions match the filter.", [("esc", "show all")])
    elif only_trouble:
        nothing.show("No session has denials or failures.", [("{only-trouble}", "show all")])
    else:
        explain_empty_log(nothing, f"{_NO_SESSIONS}\n\n{where_looked(nothing)}")
