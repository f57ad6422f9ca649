"""The machines of a rule as rows of a list: what the rule does on each."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from hooktui.fleet.overview import DIFFERS, RuleOnMachine
from hooktui.fleet.rule_presence import CHOSEN
from hooktui.screens.fleet.row_kinds import Remark, RowKind, ago, count, moment, with_state, worst
from hooktui.screens.widgets.cells import Cell, Column

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

_NARROW, _WIDE = 56, 84  # columns
_HASH = 8  # characters of a version


def _columns(width: int) -> Sequence[Column]:
    """The columns that fit a width; the state has the room that is left."""
    counts = [Column("denials", 7, right=True, title="denied"), Column("failures", 7, right=True, title="failed")]
    if width >= _NARROW:
        counts[:0] = [Column("last", 8, right=True, title="last run"), Column("runs", 6, right=True)]
    if width >= _WIDE:
        counts.append(Column("version", _HASH))
    return with_state(Column("machine", min(max(10, width // 6), 24)), counts, width)


def _remarks(row: RuleOnMachine) -> list[Remark]:
    """What is wrong with the rule on this machine, the worst first."""
    remarks = []
    if row.failing_since:
        remarks.append(Remark(0, f"✕ fails since {moment(row.failing_since)}", "deny"))
    if row.state == DIFFERS:
        remarks.append(Remark(5, f"≠ {DIFFERS}", "warning"))
    elif row.state and row.state not in CHOSEN:
        text = f"{row.state} · {row.why}" if row.why not in ("", row.state) else row.state
        remarks.append(Remark(1, f"✕ {text}", "deny") if row.is_fault else Remark(4, f"◌ {text}", "warning"))
    return remarks


def _usual(row: RuleOnMachine) -> Cell:
    if row.state:
        return Cell(f"○ {row.state}", "muted")
    return Cell("● runs", "allow") if row.runs else Cell("● no runs", "muted")


_CELLS: Mapping[str, Callable[[RuleOnMachine], Cell]] = {
    "machine": lambda row: Cell(row.machine, "strong"),
    "last": lambda row: Cell(ago(time.time() - row.last_run) if row.last_run else "–", "muted"),
    "runs": lambda row: Cell(f"{row.runs:,}" if row.runs else "–", "" if row.runs else "muted"),
    "denials": lambda row: count(row.denials, "denied", "✕"),
    "failures": lambda row: count(row.failures, "warning", "▲"),
    "version": lambda row: Cell(row.version[:_HASH], "muted"),
}
_ORDERS: Mapping[str, Callable[[RuleOnMachine], Any]] = {
    "state": lambda row: (*worst(_remarks(row)), row.machine),
    "machine": lambda row: row.machine,
    "last": lambda row: (-row.last_run, row.machine),
    "runs": lambda row: (-row.runs, row.machine),
    "denials": lambda row: (-row.denials, row.machine),
    "failures": lambda row: (-row.failures, row.machine),
}
MACHINES_OF_RULE = RowKind[RuleOnMachine](
    noun="machine",
    columns=_columns,
    cells=_CELLS,
    orders=_ORDERS,
    remarks=_remarks,
    key=lambda row: row.instance,
    names=lambda row: (row.machine, row.instance, _usual(row).text, *(remark.text for remark in _remarks(row))),
    ok=_usual,
)
