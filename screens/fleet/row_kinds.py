"""Machines, rules and the machines of a rule as rows of a list: their columns, their state in a mark and words, their order."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

from hooktui.catalog.hook_states import counted
from hooktui.fleet.overview import DIFFERS, MachineRow, RuleOnMachine, RuleRow
from hooktui.fleet.rule_presence import CHOSEN
from hooktui.screens.widgets.cells import Cell, Column, count_cell, duration

_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86_400
FEW = 2  # names in a row; more are counted
Row = TypeVar("Row")
OK = Cell("● ok", "allow")


@dataclass(frozen=True)
class RowKind(Generic[Row]):
    """How a kind of rows is listed: the columns for a width, their cells, and what sorts by them, the usual order first.

    `remarks` is what the column `state` says, `ok` what it says without any. `key` identifies a row, `names` are what words of
    the filter are compared with.
    """

    noun: str
    columns: Callable[[int], Sequence[Column]]
    cells: Mapping[str, Callable[[Row], Cell]]
    orders: Mapping[str, Callable[[Row], Any]]
    remarks: Callable[[Row], Sequence[Remark]]
    key: Callable[[Row], str]
    names: Callable[[Row], Iterable[str]]
    ok: Callable[[Row], Cell] = lambda _row: OK


class Remark(NamedTuple):
    """Something to know of a machine or a rule; the lowest `rank` is the worst."""

    rank: int
    text: str
    style: str


def ago(seconds: float) -> str:
    """How long ago something was: `12 s`, `5 min`, `3 h`, `4 d`."""
    for unit, size in (("d", _DAY_S), ("h", _HOUR_S), ("min", _MINUTE_S)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"


def moment(at: float) -> str:
    """The local time, with the day unless it is today."""
    when, now = (datetime.fromtimestamp(seconds).astimezone() for seconds in (at, time.time()))
    return f"{when:%H:%M}" if when.date() == now.date() else f"{when:%b %d %H:%M}"


# Machines

_NARROW_MACHINES, _WIDE_MACHINES, _WIDEST_MACHINES = 60, 90, 110  # columns


def _machine_columns(width: int) -> Sequence[Column]:
    """The columns that fit a width; the state has the room that is left."""
    counts = [Column("denials", 7, right=True, title="denied"), Column("failures", 7, right=True, title="failed")]
    if width >= _NARROW_MACHINES:
        counts.insert(0, Column("events", 8, right=True))
    if width >= _WIDE_MACHINES:
        counts[:0] = [Column("version", 8), Column("seen", 8, right=True)]
    if width >= _WIDEST_MACHINES:
        counts[:0] = [Column("team", 10), Column("user", 10)]
    name = min(max(14, width // 5), 24)
    return with_state(Column("machine", name), counts, width)


def machine_remarks(machine: MachineRow) -> list[Remark]:
    """What is wrong on a machine, the worst first."""
    remarks = [
        *_fault_remarks(machine.faults, lambda fault: fault.rule, "hooks"),
        *(Remark(2, f"▲ {rule} fails", "warning") for rule in machine.failing),
    ]
    if machine.lost:
        remarks.append(Remark(3, f"▲ {counted(machine.lost, 'record')} lost", "warning"))
    if machine.conflicts:
        remarks.append(Remark(2, f"▲ {counted(len(machine.conflicts), 'conflict')}", "warning"))
    if machine.unreadable:
        remarks.append(Remark(3, f"▲ {machine.unreadable:,} unreadable", "warning"))
    if machine.ahead_s:
        remarks.append(Remark(2, f"▲ clock ahead by {ago(machine.ahead_s)}", "warning"))
    if machine.is_silent:
        remarks.append(Remark(4, f"○ silent for {ago(time.time() - machine.seen_at)}", "warning"))
    return sorted(remarks)


_MACHINE_CELLS: Mapping[str, Callable[[MachineRow], Cell]] = {
    "machine": lambda row: Cell(row.name, "strong"),
    "version": lambda row: Cell(row.version, "muted"),
    "team": lambda row: Cell(row.team, "muted"),
    "user": lambda row: Cell(row.user, "muted"),
    "seen": lambda row: Cell(ago(time.time() - row.seen_at) if row.seen_at else "–", "muted"),
    "events": lambda row: Cell(f"{row.events:,}"),
    "denials": lambda row: count_cell(row.denials, "denied", "✕"),
    "failures": lambda row: count_cell(row.failures, "warning", "▲"),
}
_MACHINE_ORDERS: Mapping[str, Callable[[MachineRow], Any]] = {
    "state": lambda row: (*worst(machine_remarks(row)), row.name),
    "machine": lambda row: row.name,
    "team": lambda row: (row.team, row.name),
    "user": lambda row: (row.user, row.name),
    "seen": lambda row: -row.seen_at,
    "events": lambda row: (-row.events, row.name),
    "denials": lambda row: (-row.denials, row.name),
    "failures": lambda row: (-row.failures, row.name),
}
MACHINES = RowKind[MachineRow](
    noun="machine",
    columns=_machine_columns,
    cells=_MACHINE_CELLS,
    orders=_MACHINE_ORDERS,
    remarks=machine_remarks,
    key=lambda row: row.instance,
    names=lambda row: (row.name, row.instance, row.team, row.user, *(fault.rule for fault in row.faults), *row.failing),
)


# Rules

_NARROW_RULES, _WIDE_RULES = 70, 96  # columns


def _rule_columns(width: int) -> Sequence[Column]:
    """The columns that fit a width; the state has the room that is left."""
    counts = [Column("denials", 7, right=True, title="denied"), Column("failures", 7, right=True, title="failed")]
    if width >= _NARROW_RULES:
        counts.append(Column("p95", 8, right=True))
        counts.append(Column("machines", 8, right=True))
    if width >= _WIDE_RULES:
        counts.insert(2, Column("p50", 8, right=True))
        counts.insert(0, Column("runs", 8, right=True))
    return with_state(Column("rule", min(max(16, width // 4), 30), title="hook"), counts, width)


def rule_remarks(rule: RuleRow) -> list[Remark]:
    """What is wrong with a rule, the worst first."""
    remarks = list(_fault_remarks(rule.faults, lambda fault: fault.machine, "machines", "on "))
    if rule.failing:
        where = "" if len(rule.failing) >= rule.machines else f" on {_names(rule.failing, 'machines')}"
        remarks.append(Remark(0, f"✕ fails since {moment(rule.failing_since)}{where}", "deny"))
    for word in dict.fromkeys(kept.state for kept in rule.kept):
        names = [kept.machine for kept in rule.kept if kept.state == word]
        where = "all machines" if FEW < len(names) == expected(rule) else _names(names, "machines")
        remarks.append(Remark(4, f"◌ {word} on {where}", "warning"))
    return sorted(remarks)


_RULE_CELLS: Mapping[str, Callable[[RuleRow], Cell]] = {
    "rule": lambda row: Cell(row.name, "strong"),
    "runs": lambda row: Cell(f"{row.runs:,}"),
    "denials": lambda row: count_cell(row.denials, "denied", "✕"),
    "failures": lambda row: count_cell(row.failures, "warning", "▲"),
    "p50": lambda row: Cell(duration(row.p50_ms), "muted"),
    "p95": lambda row: Cell(duration(row.p95_ms), "muted"),
    "machines": lambda row: Cell(f"{row.machines:,}/{expected(row):,}", "warning" if expected(row) > row.machines else "muted"),
}
_RULE_ORDERS: Mapping[str, Callable[[RuleRow], Any]] = {
    "state": lambda row: (*worst(rule_remarks(row)), -row.denials, row.name),
    "rule": lambda row: row.name,
    "runs": lambda row: (-row.runs, row.name),
    "denials": lambda row: (-row.denials, row.name),
    "failures": lambda row: (-row.failures, row.name),
    "p95": lambda row: (-(row.p95_ms or 0.0), row.name),
    "machines": lambda row: (-row.machines, row.name),
}
RULES = RowKind[RuleRow](
    noun="hook",
    columns=_rule_columns,
    cells=_RULE_CELLS,
    orders=_RULE_ORDERS,
    remarks=rule_remarks,
    key=lambda row: row.name,
    names=lambda row: (row.name, *(fault.machine for fault in row.faults), *row.failing),
)


def expected(rule: RuleRow) -> int:
    """The number of machines that have a rule or should have it."""
    return rule.machines + len(rule.kept) + sum(fault.state != DIFFERS for fault in rule.faults)


# Both


def with_state(name: Column, counts: Sequence[Column], width: int) -> Sequence[Column]:
    """A row's name, its state in the room that is left, and its counts."""
    room = width - name.width - sum(column.width + 1 for column in counts) - 1
    return name, Column("state", max(room, 1)), *counts


def worst(remarks: Sequence[Remark]) -> tuple[int, int]:
    """What sorts rows with the worst remarks, and the most of them, first."""
    return (remarks[0].rank, -len(remarks)) if remarks else (9, 0)


def _fault_remarks(
    faults: Iterable[RuleOnMachine], name: Callable[[RuleOnMachine], str], noun: str, before: str = ""
) -> Iterator[Remark]:
    """A remark on each kind of fault; `name` is the machine or rule that a fault is about."""
    kinds = Counter(fault.state for fault in faults)
    for kind in kinds:
        names = [name(fault) for fault in faults if fault.state == kind]
        text = f"{kind} {before}{_names(names, noun)}" if before else f"{_names(names, noun)} {kind}"
        yield Remark(5, f"≠ {text}", "warning") if kind == DIFFERS else Remark(1, f"✕ {text}", "deny")


def _names(names: Sequence[str], noun: str) -> str:
    return ", ".join(names) if len(names) <= FEW else f"{len(names):,} {noun}"


_NARROW_PRESENCE, _WIDE_PRESENCE = 56, 84  # columns
_HASH = 8  # characters of a version


def _presence_columns(width: int) -> Sequence[Column]:
    """The columns that fit a width; the state has the room that is left."""
    counts = [Column("denials", 7, right=True, title="denied"), Column("failures", 7, right=True, title="failed")]
    if width >= _NARROW_PRESENCE:
        counts[:0] = [Column("last", 8, right=True, title="last run"), Column("runs", 6, right=True)]
    if width >= _WIDE_PRESENCE:
        counts.append(Column("version", _HASH))
    return with_state(Column("machine", min(max(10, width // 6), 24)), counts, width)


def _presence_remarks(row: RuleOnMachine) -> list[Remark]:
    """What is wrong with the rule on this machine, the worst first."""
    remarks = []
    if row.totals.failing_since:
        remarks.append(Remark(0, f"✕ fails since {moment(row.totals.failing_since)}", "deny"))
    if row.state == DIFFERS:
        remarks.append(Remark(5, f"≠ {DIFFERS}", "warning"))
    elif row.state and row.state not in CHOSEN:
        text = f"{row.state} · {row.why}" if row.why not in ("", row.state) else row.state
        remarks.append(Remark(1, f"✕ {text}", "deny") if row.is_fault else Remark(4, f"◌ {text}", "warning"))
    return remarks


def _presence(row: RuleOnMachine) -> Cell:
    if row.state:
        return Cell(f"○ {row.state}", "muted")
    return Cell("● runs", "allow") if row.totals.runs else Cell("● no runs", "muted")


_PRESENCE_CELLS: Mapping[str, Callable[[RuleOnMachine], Cell]] = {
    "machine": lambda row: Cell(row.machine, "strong"),
    "last": lambda row: Cell(ago(time.time() - row.totals.last_run) if row.totals.last_run else "–", "muted"),
    "runs": lambda row: Cell(f"{row.totals.runs:,}" if row.totals.runs else "–", "" if row.totals.runs else "muted"),
    "denials": lambda row: count_cell(row.totals.denials, "denied", "✕"),
    "failures": lambda row: count_cell(row.totals.failures, "warning", "▲"),
    "version": lambda row: Cell(row.version[:_HASH], "muted"),
}
_PRESENCE_ORDERS: Mapping[str, Callable[[RuleOnMachine], Any]] = {
    "state": lambda row: (*worst(_presence_remarks(row)), row.machine),
    "machine": lambda row: row.machine,
    "last": lambda row: (-row.totals.last_run, row.machine),
    "runs": lambda row: (-row.totals.runs, row.machine),
    "denials": lambda row: (-row.totals.denials, row.machine),
    "failures": lambda row: (-row.totals.failures, row.machine),
}
MACHINES_OF_RULE = RowKind[RuleOnMachine](
    noun="machine",
    columns=_presence_columns,
    cells=_PRESENCE_CELLS,
    orders=_PRESENCE_ORDERS,
    remarks=_presence_remarks,
    key=lambda row: row.instance,
    names=lambda row: (
        row.machine,
        row.instance,
        _presence(row).text,
        *(remark.text for remark in _presence_remarks(row)),
    ),
    ok=_presence,
)
