"""The Fleet screen: the machines of a company and their hooks, what is missing where, and what fails."""

from __future__ import annotations

from typing import Any

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, Vertical
from textual.events import DescendantFocus
from textual.screen import Screen
from textual.widgets import OptionList

from hooktui.fleet import overview
from hooktui.fleet.fleet_log import FleetLog
from hooktui.fleet.overview import MachineRow, RuleRow
from hooktui.log.read import query
from hooktui.log.read.query import Query
from hooktui.screens.fleet.fleet_detail import FleetDetail
from hooktui.screens.fleet.fleet_reading import FLEET_BINDINGS, FleetReading
from hooktui.screens.fleet.fleet_table import FleetPane, FleetTable
from hooktui.screens.fleet.machine_groups import GROUPINGS, MachineGroup, groups
from hooktui.screens.fleet.row_kinds import MACHINES, RULES
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.banner import Banner
from hooktui.screens.widgets.filter import has_words
from hooktui.screens.widgets.footer import Footer
from hooktui.screens.widgets.header import Header
from hooktui.screens.widgets.notifications import notify_failure
from hooktui.screens.widgets.query_line import QueryLine


class FleetScreen(Screen[None]):
    """Machines, hooks, and the one under the cursor."""

    AUTO_FOCUS = "#machines"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (150, "-wide")]
    BINDING_GROUP_TITLE = "Fleet"
    HELP = """
    The machines that ship their logs, and the hooks that run on them; those with trouble come first. Missing: most machines
    run the hook for the same agent and event. Lost: records that never arrived. Enter shows the decisions of a machine or
    hook in Live. The filter takes names, and the query language: machine:dev-* -decision:none.
    """
    BINDINGS = [
        Binding("slash", "filter", "Filter", key_display="/", tooltip="Filter machines and hooks", id="filter"),
        Binding("v", "arrange", "Group by", tooltip="List the machines, or their teams or users", id="group"),
        *FLEET_BINDINGS,
        Binding("o", "open_hook", "Open hook", tooltip="Show the hook on the Hooks screen", id="open-hook"),
        Binding("left,h", "to_list('machines')", "To the machines", show=False),
        Binding("right,l", "to_list('rules')", "To the hooks", show=False),
        Binding("escape", "show_all", "Show all", tooltip="Clear the filter", show=False),
    ]
    on_worker_state_changed = notify_failure

    def __init__(self) -> None:
        super().__init__()
        self._words = ""
        self._reading = FleetReading(self, self._show, lambda: self._query)
        self._only_trouble = False
        self._grouping = "machine"
        self._looked_at = "machines"  # the list whose current row is shown in full
        self._first_lost: dict[str, int] = {}  # by instance

    def compose(self) -> ComposeResult:
        yield Header("fleet")
        machines = FleetPane(MACHINES, id="machines")
        with Vertical(id="fleet"):
            line = QueryLine(machines.table, "filter: a name, or machine:dev-* -decision:none", id="filter")
            yield line
            yield line.hint
            with Container(id="lists"):
                yield machines
                yield FleetPane(RULES, id="rules")
            yield FleetDetail(id="about")
        yield Banner()
        yield Footer()

    def on_mount(self) -> None:
        self._reading.start()
        self.watch(self.app, "fleet_window", self._forget_lost, init=False)

    def _forget_lost(self) -> None:
        self._first_lost.clear()

    def on_screen_resume(self) -> None:
        self._reading.catch_up()

    @property
    def _query(self) -> Query:
        """The filter's terms for the server; its other words are compared with names."""
        parsed = query.parse(self._words)
        return parsed._replace(terms=tuple(term for term in parsed.terms if term.field))

    @property
    def _names(self) -> str:
        return " ".join(term.value for term in query.parse(self._words).terms if not term.field)

    # What is shown

    def _show(self) -> None:
        read = self._reading.overview
        machines = read.machines if self._grouping == "machine" else groups(read.machines, self._grouping)
        for pane, rows in zip(self.query(FleetPane), (machines, read.rules), strict=True):
            kind = pane.table.kind
            shown = [row for row in rows if has_words(self._names, *kind.names(row))]
            if self._only_trouble:
                shown = [row for row in shown if kind.remarks(row)]
            title = self._reading.title(f"{kind.noun.capitalize()}s", words=self._words, only_trouble=self._only_trouble)
            pane.show(shown, title, self._reading.nothing(f"{kind.noun}s", self._words, only_trouble=self._only_trouble))
        self._show_current()

    @on(OptionList.OptionHighlighted)
    @on(DescendantFocus)
    def _show_current(self) -> None:
        """Show the current row of the list that has the focus, or had it last."""
        focused = self.focused
        if isinstance(focused, FleetTable):
            self._looked_at = focused.id or ""
        table, detail = self.query_one(f"#{self._looked_at}", FleetTable), self.query_one(FleetDetail)
        window, row = self._reading.window.name, table.current
        if isinstance(row, MachineRow):
            detail.show_machine(row, window, self._first_lost.get(row.instance, 0))
            if row.lost and row.instance not in self._first_lost:
                self._find_first_lost(row.instance)
        elif isinstance(row, RuleRow):
            detail.show_rule(row)
        elif isinstance(row, MachineGroup):
            detail.show_group(row, window)
        else:
            detail.clear()

    @work(exclusive=True, exit_on_error=False, group="lost", description="Looking for lost records")
    async def _find_first_lost(self, instance: str) -> None:
        reader = app_context(self).reader
        if isinstance(reader, FleetLog):
            window_s = self._reading.window.seconds
            self._first_lost[instance] = await overview.first_lost(reader.database, window_s, instance)
            self._show_current()

    @on(QueryLine.Entered)
    def _apply_filter(self, event: QueryLine.Entered) -> None:
        before, self._words = self._query, event.words
        if self._query.terms == before.terms:
            self._show()
        else:
            self._reading.read_now()

    # Actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "window":
            return self._reading.can_change_window(parameters[0])
        if action == "open_hook":
            return isinstance(self._current_pane.table.current, RuleRow)
        return bool(self._words) if action == "show_all" else True

    def action_window(self, step: int) -> None:
        self._reading.change_window(step)

    def action_only_trouble(self) -> None:
        self._only_trouble = not self._only_trouble
        self._show()

    def action_arrange(self) -> None:
        """List the machines, or their groups by the next attribute."""
        names = list(GROUPINGS)
        self._grouping = names[(names.index(self._grouping) + 1) % len(names)]
        next(iter(self.query(FleetPane))).list_by(GROUPINGS[self._grouping])
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
            app_context(self).copy(row.name)

    def action_open_hook(self) -> None:
        if isinstance(rule := self._current_pane.table.current, RuleRow):
            app_context(self).navigator.open_rule(rule.name)

    @property
    def _current_pane(self) -> FleetPane[Any]:
        return next(pane for pane in self.query(FleetPane) if pane.table.id == self._looked_at)

    @on(OptionList.OptionSelected)
    def _show_decisions(self) -> None:
        """Show the decisions of the current row in Live, within the filter."""
        row = self._current_pane.table.current
        terms = " ".join(term.source for term in self._query.terms)
        if isinstance(row, MachineGroup):
            app_context(self).navigator.show_decisions(query.joined(terms, row.term))
        elif isinstance(row, MachineRow):
            name = f"machine:{quoted(row.name)}"
            words = (terms, "" if name in terms.split() else name, _worth_seeing(row))
            app_context(self).navigator.show_decisions(query.joined(*words))
        elif isinstance(row, RuleRow):
            app_context(self).navigator.show_decisions(query.joined(terms, f"hook:{quoted(row.name)}", _outcome(row)))


def _outcome(rule: RuleRow) -> str:
    """The term for what is worth seeing of a rule: its failures if it fails, else its denials."""
    if rule.failing and len(rule.failure_states) == 1:
        return f"state:{rule.failure_states[0]}"
    return "decision:deny" if rule.denials and not rule.failing else ""


def _worth_seeing(machine: MachineRow) -> str:
    """The term for what is worth seeing of a machine: its failures if a hook fails there only, else its denials."""
    if machine.failing:
        return f"hook:{quoted(machine.failing[0])}"
    return "decision:deny" if machine.denials else ""


def quoted(name: str) -> str:
    """A name as a value of the query language."""
    return f'"{name}"' if set(name) & set(' *"') else name
