"""The Fleet screen: the machines of a company and their rules, what is missing where, and what fails."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.containers import Container, Vertical
from textual.content import Content
from textual.events import DescendantFocus
from textual.screen import Screen
from textual.widgets import OptionList

from hooktui.core.text_sanitizer import one_line
from hooktui.fleet import overview
from hooktui.fleet.fleet_log import FleetLog
from hooktui.fleet.overview import MachineRow, Overview, RuleRow
from hooktui.log.read import query
from hooktui.log.read.connection import LogError
from hooktui.log.read.query import QueryError
from hooktui.screens.fleet.fleet_detail import FleetDetail
from hooktui.screens.fleet.fleet_table import FleetPane, FleetTable
from hooktui.screens.fleet.row_kinds import MACHINES, RULES
from hooktui.screens.services.shell import shell
from hooktui.screens.widgets.advice import notify_failure
from hooktui.screens.widgets.banner import Banner
from hooktui.screens.widgets.filter import has_words
from hooktui.screens.widgets.footer import Footer
from hooktui.screens.widgets.header import Header
from hooktui.screens.widgets.query_line import QueryLine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from textual.app import ComposeResult

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.query import Query

# Time windows: their names and seconds.
_WINDOWS = (("hour", 3600.0), ("day", 86_400.0), ("week", 604_800.0), ("30 days", 2_592_000.0))
_DAY = 1
_REST_S = 5.0  # between two readings
_SHARE = 10  # and at least this many times as long as one took, so that the server has other things to do


class FleetScreen(Screen[None]):
    """Machines, rules, and the one under the cursor."""

    AUTO_FOCUS = "#machines"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (150, "-wide")]
    BINDING_GROUP_TITLE = "Fleet"
    HELP = """
    The machines that ship their logs, and the rules (hooks) that run on them; those with trouble come first. Missing: most
    machines run the rule for the same agent and event. Lost: records that never arrived. Enter shows the decisions of a
    machine or rule in Live. The filter takes names, and the query language: machine:dev-* -decision:none.
    """
    BINDINGS = [
        Binding("slash", "filter", "Filter", key_display="/", tooltip="Filter machines and rules", id="filter"),
        Binding("S", "sort", "Sort", tooltip="Sort by the next column", id="sort"),
        Binding("plus,equals_sign", "window(1)", "Longer", key_display="+", tooltip="Longer time window", id="more"),
        Binding("minus", "window(-1)", "Shorter", key_display="-", tooltip="Shorter time window", id="less"),
        Binding("D", "only_trouble", "Trouble", tooltip="Show only machines and rules with trouble, or all", id="only-trouble"),
        Binding("y", "copy", "Copy the name", show=False, id="copy"),
        Binding("left,h", "to_list('machines')", "To the machines", show=False),
        Binding("right,l", "to_list('rules')", "To the rules", show=False),
        Binding("escape", "show_all", "Show all", tooltip="Clear the filter", show=False),
    ]
    on_worker_state_changed = notify_failure

    def __init__(self) -> None:
        super().__init__()
        self._overview = Overview()
        self._is_reading = False
        self._words = ""
        self._window = _DAY
        self._only_trouble = False
        self._fault = ""  # why the server does not answer
        self._looked_at = "machines"  # the list whose current row is shown in full
        self._first_lost: dict[str, int] = {}  # by instance

    def compose(self) -> ComposeResult:
        yield Header("fleet")
        machines = FleetPane(MACHINES, id="machines")
        with Vertical(id="fleet"):
            line = QueryLine(machines.table, "filter: a name, or machine:dev-* -decision:none", self._values, id="filter")
            yield line
            yield line.hint
            with Container(id="lists"):
                yield machines
                yield FleetPane(RULES, id="rules")
            yield FleetDetail()
        yield Banner()
        yield Footer()

    def on_mount(self) -> None:
        self.watch(self.app, "reader", self._take_reader)
        self.watch(self.app, "trouble", self._show)

    @property
    def _tables(self) -> list[FleetTable[Any]]:
        return list(self.query(FleetTable))

    # The server

    def _take_reader(self, reader: DecisionLog | None) -> None:
        if isinstance(reader, FleetLog):
            self._follow(reader)

    @work(exclusive=True, exit_on_error=False, group="follow", description="Reading the fleet")
    async def _follow(self, reader: FleetLog) -> None:
        """Read the overview again and again while the screen is shown; a server that does not answer is asked again."""
        while True:
            if self.is_current:
                self._fault = await self._read(reader)
                self._show()
            await asyncio.sleep(max(_REST_S, _SHARE * self._overview.took_s))

    @work(exclusive=True, exit_on_error=False, group="read", description="Reading the fleet")
    async def _read_now(self) -> None:
        """Read another selection."""
        reader = shell(self).reader
        if isinstance(reader, FleetLog):
            self._is_reading = True
            self._show()
            self._fault = await self._read(reader)
            self._is_reading = False
            self._show()

    async def _read(self, reader: FleetLog) -> str:
        """Read the overview for what is chosen now; why that failed, "" if it did not."""
        chosen = (self._words, self._window)
        try:
            fresh = await overview.read(reader.database, self._query, _WINDOWS[self._window][1])
        except (LogError, QueryError) as error:
            return one_line(str(error))
        if chosen == (self._words, self._window):
            self._overview = fresh
        return ""

    @property
    def _query(self) -> Query:
        """The filter's terms for the server; its other words are compared with names."""
        parsed = query.parse(self._words)
        return replace(parsed, terms=tuple(term for term in parsed.terms if term.field))

    @property
    def _names(self) -> str:
        """The filter's words that names contain."""
        return " ".join(term.value for term in query.parse(self._words).terms if not term.field)

    async def _values(self, field: str, beginning: str) -> Sequence[str]:
        reader = shell(self).reader
        return await reader.values(field, beginning) if reader else ()

    # What is shown

    def _show(self) -> None:
        for pane, rows in zip(self.query(FleetPane), (self._overview.machines, self._overview.rules), strict=True):
            kind = pane.table.kind
            shown = [row for row in rows if has_words(self._names, *kind.names(row))]
            if self._only_trouble:
                shown = [row for row in shown if kind.remarks(row)]
            pane.show(shown, self._title(f"{kind.noun.capitalize()}s"), self._nothing(f"{kind.noun}s"))
        self._show_current()

    def _title(self, noun: str) -> Content:
        window = _WINDOWS[self._window][0]
        return Content.assemble(
            noun,
            (f" ─ last {window}", "$foreground"),
            (" …" if self._is_reading else "", "$secondary"),
            (f" ─ {one_line(self._words.strip())}" if self._words.strip() else "", "$foreground"),
            (" ─ only trouble" if self._only_trouble else "", "$error"),
            (f" ─ ✕ {self._fault}" if self._fault else "", "$error"),
        )

    def _nothing(self, noun: str) -> tuple[str, Sequence[tuple[str, str]]]:
        """Why a list is empty, and the keys to press."""
        if fault := self._fault or shell(self).log_monitor.fault:
            return f"Cannot read the fleet.\n\n{fault}\n\nAgents are not affected. hooktui asks the server again.", ()
        if not self._overview.took_s:
            return "Reading the fleet…", ()
        if self._words.strip():
            return f"No {noun} match the filter.", [("esc", "show all")]
        if self._only_trouble:
            return f"No {noun} with trouble.", [("{only-trouble}", "show all")]
        return f"No {noun} in the last {_WINDOWS[self._window][0]}.", [("{more}", "a longer time")]

    @on(OptionList.OptionHighlighted)
    @on(DescendantFocus)
    def _show_current(self) -> None:
        """Show the current row of the list that has the focus, or had it last."""
        focused = self.focused
        if isinstance(focused, FleetTable):
            self._looked_at = focused.id or ""
        table, detail = self.query_one(f"#{self._looked_at}", FleetTable), self.query_one(FleetDetail)
        window, row = _WINDOWS[self._window][0], table.current
        if isinstance(row, MachineRow):
            detail.show_machine(row, window, self._first_lost.get(row.instance, 0))
            if row.lost and row.instance not in self._first_lost:
                self._find_first_lost(row.instance)
        elif isinstance(row, RuleRow):
            detail.show_rule(row, window)
        else:
            detail.clear()

    @work(exclusive=True, exit_on_error=False, group="lost", description="Looking for lost records")
    async def _find_first_lost(self, instance: str) -> None:
        reader = shell(self).reader
        if isinstance(reader, FleetLog):
            window_s = _WINDOWS[self._window][1]
            self._first_lost[instance] = await overview.first_lost(reader.database, window_s, instance)
            self._show_current()

    @on(QueryLine.Entered)
    def _apply_filter(self, event: QueryLine.Entered) -> None:
        before, self._words = self._query, event.words
        if self._query.terms == before.terms:
            self._show()
        else:
            self._read_now()

    # Actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "window":
            return None if self._next_window(int(str(parameters[0]))) == self._window else True
        return bool(self._words) if action == "show_all" else True

    def _next_window(self, step: int) -> int:
        return min(max(self._window + step, 0), len(_WINDOWS) - 1)

    def action_window(self, step: int) -> None:
        self._window = self._next_window(step)
        self._first_lost.clear()
        self.refresh_bindings()
        self._read_now()

    def action_only_trouble(self) -> None:
        self._only_trouble = not self._only_trouble
        self._show()

    def action_filter(self) -> None:
        self.query_one(QueryLine).open()

    def action_show_all(self) -> None:
        self.query_one(QueryLine).action_clear()

    def action_sort(self) -> None:
        self._current_pane.sort_next()

    def action_to_list(self, name: str) -> None:
        self.query_one(f"#{name}").focus()

    def action_copy(self) -> None:
        if (row := self._current_pane.table.current) is not None:
            shell(self).copy(row.name)

    @property
    def _current_pane(self) -> FleetPane[Any]:
        return next(pane for pane in self.query(FleetPane) if pane.table.id == self._looked_at)

    @on(OptionList.OptionSelected)
    def _show_decisions(self) -> None:
        """Show the decisions of the current row in Live, within the filter."""
        row = self._current_pane.table.current
        terms = " ".join(term.source for term in self._query.terms)
        if isinstance(row, MachineRow):
            shell(self).navigator.show_decisions(query.joined(terms, f"machine:{quoted(row.name)}"))
        elif isinstance(row, RuleRow):
            shell(self).navigator.show_decisions(query.joined(terms, f"hook:{quoted(row.name)}", _outcome(row)))


def _outcome(rule: RuleRow) -> str:
    """The term for what is worth seeing of a rule: its failures if it fails, else its denials."""
    if rule.failing and len(rule.failure_states) == 1:
        return f"state:{rule.failure_states[0]}"
    return "decision:deny" if rule.denials and not rule.failing else ""


def quoted(name: str) -> str:
    """A name as a value of the query language."""
    return f'"{name}"' if set(name) & set(' *"') else name
