"""The machines of a fleet by team or user, as rows of a list."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from hooktui.catalog.hook_states import counted
from hooktui.fleet.overview import MachineRow
from hooktui.screens.fleet.row_kinds import MACHINES, Remark, RowKind, machine_remarks, with_state, worst
from hooktui.screens.widgets.cells import Cell, Column, count_cell

_NONE = "–"


class MachineGroup(NamedTuple):
    """The machines of one team or user; `term` finds them, "" if they have none."""

    name: str
    term: str
    machines: Sequence[MachineRow]

    def sum(self, count: Callable[[MachineRow], int]) -> int:
        return sum(map(count, self.machines))


def groups(machines: Iterable[MachineRow], grouping: str) -> list[MachineGroup]:
    """The groups of machines by one of GROUPINGS."""
    members: defaultdict[str, list[MachineRow]] = defaultdict(list)
    for machine in machines:
        members[machine.team if grouping == "team" else machine.user].append(machine)
    return [MachineGroup(name or _NONE, _term(grouping, name), rows) for name, rows in members.items()]


def _term(grouping: str, name: str) -> str:
    value = name.replace('"', "")
    return f'{grouping}:"{value}"' if value else ""


def _columns(grouping: str, width: int) -> Sequence[Column]:
    counts = [Column("machines", 8, right=True), Column("events", 8, right=True)]
    counts += [Column("denials", 7, right=True, title="denied"), Column("failures", 7, right=True, title="failed")]
    return with_state(Column("group", min(max(14, width // 5), 24), title=grouping), counts, width)


def _remarks(group: MachineGroup) -> list[Remark]:
    """What is wrong with the group's machines, the worst first: a remark that several have is counted."""
    counts = Counter(remark for machine in group.machines for remark in machine_remarks(machine))
    remarks = [each if n == 1 else each._replace(text=f"{each.text} on {counted(n, 'machine')}") for each, n in counts.items()]
    return sorted(remarks)


_CELLS: Mapping[str, Callable[[MachineGroup], Cell]] = {
    "group": lambda row: Cell(row.name, "strong"),
    "machines": lambda row: Cell(f"{len(row.machines):,}", "muted"),
    "events": lambda row: Cell(f"{row.sum(lambda machine: machine.events):,}"),
    "denials": lambda row: count_cell(row.sum(lambda machine: machine.denials), "denied", "✕"),
    "failures": lambda row: count_cell(row.sum(lambda machine: machine.failures), "warning", "▲"),
}
_ORDERS: Mapping[str, Callable[[MachineGroup], Any]] = {
    "state": lambda row: (*worst(_remarks(row)), row.name),
    "group": lambda row: row.name,
    "machines": lambda row: (-len(row.machines), row.name),
    "events": lambda row: (-row.sum(lambda machine: machine.events), row.name),
    "denials": lambda row: (-row.sum(lambda machine: machine.denials), row.name),
    "failures": lambda row: (-row.sum(lambda machine: machine.failures), row.name),
}


def _kind(grouping: str) -> RowKind[MachineGroup]:
    return RowKind[MachineGroup](
        noun=grouping,
        columns=partial(_columns, grouping),
        cells=_CELLS,
        orders=_ORDERS,
        remarks=_remarks,
        key=lambda row: row.term,
        names=lambda row: (row.name, *(machine.name for machine in row.machines)),
    )


# What the Fleet screen lists: machines, or the groups of those that have the same attribute.
GROUPINGS: Mapping[str, RowKind[Any]] = {"machine": MACHINES, "team": _kind("team"), "user": _kind("user")}
