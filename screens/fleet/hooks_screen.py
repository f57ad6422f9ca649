"""The Hooks screen of a fleet: the hooks that its machines list in their events, and what each does on which machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widgets import OptionList

from hooktui.core.text_sanitizer import one_line
from hooktui.fleet.overview import RuleOnMachine, RuleRow
from hooktui.screens.fleet import hook_rows
from hooktui.screens.fleet.fleet_detail import FleetDetail
from hooktui.screens.fleet.fleet_reading import FLEET_BINDINGS, FleetReading
from hooktui.screens.fleet.fleet_table import FleetPane
from hooktui.screens.fleet.hook_rows import ARRANGEMENTS
from hooktui.screens.fleet.row_kinds import MACHINES_OF_RULE
from hooktui.screens.fleet.screen import quoted
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.banner import Banner
from hooktui.screens.widgets.empty import Empty
from hooktui.screens.widgets.filter import Filter, has_words
from hooktui.screens.widgets.footer import Footer
from hooktui.screens.widgets.grouped_tree import GroupedTree
from hooktui.screens.widgets.header import Header
from hooktui.screens.widgets.notifications import notify_failure


class FleetTree(GroupedTree[RuleRow]):
    """The hooks of a fleet; `enter` leads to decisions, `→` to the machines of a hook. Posts `Resized`."""

    BINDINGS = [
        Binding("enter", "open", "Decisions", tooltip="Show its decisions in Live", id="open"),
        Binding("l,right", "unfold", "Unfold, or go to the machines", show=False, id="unfold"),
    ]

    class Resized(Message):
        """The tree has another width."""

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    def action_unfold(self) -> None:
        if self.current is not None and not self.current.is_group:
            self.screen.set_focus(self.screen.query_one("#on-machines"))
        else:
            super().action_unfold()


class FleetHooksScreen(Screen[None]):
    """Hooks, the one under the cursor, and its machines."""

    AUTO_FOCUS = "#fleet-hooks"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (160, "-wide")]
    BINDING_GROUP_TITLE = "Hooks"
    HELP = """
    The hooks that the fleet's machines list in their events, those with trouble first. The right side shows the hook under
    the cursor and what it does on each machine. Enter shows its decisions in Live, on all machines or on one. Hooks are
    changed on their machines.
    """
    BINDINGS = [
        Binding("slash", "filter", "Filter", key_display="/", tooltip="Filter the hooks, or the machines", id="filter"),
        Binding("v", "arrange", "Group by", tooltip="Group by event, agent, scope or format", id="group"),
        *FLEET_BINDINGS,
        Binding("left,h", "to_hooks", "To the hooks", show=False),
        Binding("escape", "show_all", "Show all", tooltip="Clear the filter", show=False),
    ]
    on_worker_state_changed = notify_failure

    def __init__(self) -> None:
        super().__init__()
        self._reading = FleetReading(self, self._show)
        self._tree = FleetTree(id="fleet-hooks")
        self._machines = FleetPane(MACHINES_OF_RULE, id="on-machines")
        self._hook_filter = Filter(self._tree, "name, event, scope, state, machine …")
        self._machine_filter = Filter(self._machines.table, "machine, state …")
        self._arrangement = "event"
        self._only_trouble = False
        self._wanted = ""  # a rule to go to once the fleet is read
        self._wanted_machine = ("", "")  # the machine to go to for a rule

    def compose(self) -> ComposeResult:
        yield Header("hooks")
        with Horizontal(id="fleet-panes"):
            with Vertical(id="hook-list", classes="pane"):
                yield self._hook_filter
                yield self._tree
                yield Empty(id="no-rows")
            with Vertical(id="hook-side"):
                yield FleetDetail(id="facts")
                yield self._machine_filter
                yield self._machines
        yield Banner()
        yield Footer()

    def on_mount(self) -> None:
        self._reading.start()

    def on_screen_resume(self) -> None:
        self._reading.catch_up()

    # What is shown

    @property
    def current(self) -> RuleRow | None:
        row = self._tree.current
        return row.data if row else None

    @on(FleetTree.Resized)
    def _show(self) -> None:
        rules, words = self._reading.overview.rules, self._hook_filter.value
        width = self._tree.scrollable_content_region.width
        groups = hook_rows.rows(rules, self._arrangement, words, width=width, only_trouble=self._only_trouble)
        if not groups and self._hook_filter.give_way():
            return
        self._tree.show(groups)
        pane = self.query_one("#hook-list")
        pane.set_class(not groups, "-empty")
        self.query_one("#fleet-panes").set_class(not rules, "-empty")
        self.query_one("#no-rows", Empty).show(*self._reading.nothing("hooks", words, only_trouble=self._only_trouble))
        title = self._reading.title(f"Hooks by {self._arrangement}", only_trouble=self._only_trouble)
        pane.border_title = title
        pane.border_subtitle = f"{sum(group.count for group in groups)} found" if words else ""
        if self._wanted and rules:
            self.open_rule(self._wanted)
        self._show_current()

    @on(GroupedTree.Highlighted)
    def _show_current(self) -> None:
        """Show the hook under the cursor; of a group, the first."""
        rule = self.current or self._first_of_group
        machines, detail = rule.on if rule else (), self.query_one(FleetDetail)
        detail.show_hook(rule) if rule else detail.clear()
        words = self._machine_filter.value
        shown = [row for row in machines if has_words(words, *MACHINES_OF_RULE.names(row))] if words else machines
        name = f"Machines ─ {one_line(rule.name)}" if rule else "Machines"
        nothing = ("No machines match the filter.", [("esc", "show all")]) if words else ("No machines.", ())
        self._machines.show(shown, self._reading.title(name, words=words), nothing)
        if rule and rule.name == self._wanted_machine[0]:
            self._machines.table.go_to(lambda row: row.machine == self._wanted_machine[1])
            self._wanted_machine = ("", "")

    @property
    def _first_of_group(self) -> RuleRow | None:
        row = self._tree.current
        return row.children[0].data if row and row.children else None

    @on(Filter.Narrowed)
    def _narrow(self) -> None:
        self._show()

    # Requests from other screens

    def open_run(self, report: Mapping[str, Any], run: Mapping[str, Any]) -> None:
        """Show the hook of a logged run, and the machine that it ran on."""
        name = " ".join(run["label"].split())
        self._wanted_machine = (name, report.get("machine", ""))
        self.open_rule(name)

    def open_rule(self, name: str) -> None:
        """Show a hook by its name, once the fleet is read; notify if no machine has it."""
        self._wanted = ""
        rule = next((rule for rule in self._reading.overview.rules if rule.name == name), None)
        if rule is not None:
            self.set_focus(self._tree)
            self._reveal(rule)
        elif self._reading.why_empty:
            self._wanted = name
        else:
            window = self._reading.window.name
            self.notify(f"No machine has {one_line(name)} in the last {window}.", severity="warning", markup=False)

    def _reveal(self, rule: RuleRow) -> None:
        key = hook_rows.key_of(rule.name, next(iter(ARRANGEMENTS[self._arrangement](rule)), ""))
        if not self._tree.has(key):
            self._only_trouble = False
            self._hook_filter.show("")
            self._show()
        self._tree.go_to(key)

    # Actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "window":
                return self._reading.can_change_window(parameters[0])
            case "to_hooks":
                return self._machines.table.has_focus
            case "show_all":
                return bool(self._current_filter.value)
        return True

    @property
    def _current_filter(self) -> Filter:
        return self._machine_filter if self._machines.table.has_focus else self._hook_filter

    def on_descendant_focus(self) -> None:
        self.refresh_bindings()

    def action_filter(self) -> None:
        self._current_filter.open()

    def action_show_all(self) -> None:
        self._current_filter.action_clear()

    def action_arrange(self) -> None:
        names, current = list(ARRANGEMENTS), self.current
        self._arrangement = names[(names.index(self._arrangement) + 1) % len(names)]
        self._show()
        if current is not None:
            self._reveal(current)

    def action_only_trouble(self) -> None:
        self._only_trouble = not self._only_trouble
        self._show()

    def action_window(self, step: int) -> None:
        self._reading.change_window(step)

    def action_sort(self) -> None:
        self._machines.sort_next()

    def action_to_hooks(self) -> None:
        self.set_focus(self._tree)

    def action_copy(self) -> None:
        row = self._machines.table.current if self._machines.table.has_focus else None
        name = row.machine if row else self.current.name if self.current else ""
        if name:
            app_context(self).copy(name)

    @on(GroupedTree.Opened)
    def _show_decisions(self) -> None:
        if self.current is not None:
            app_context(self).navigator.show_decisions(f"hook:{quoted(self.current.name)}")

    @on(OptionList.OptionSelected)
    def _show_decisions_of_machine(self) -> None:
        rule, machine = self.current or self._first_of_group, self._machines.table.current
        if rule is not None and isinstance(machine, RuleOnMachine):
            words = f"hook:{quoted(rule.name)} machine:{quoted(machine.machine)}"
            app_context(self).navigator.show_decisions(words)
