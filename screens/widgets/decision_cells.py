"""The cells of a row of decisions: what was called, what was decided and by whom, and how long it took."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from hooktui.core import events, paths
from hooktui.core.report import effect_word, what_went_on
from hooktui.log.read.rows import DispatchRow, day, hooks_recorded
from hooktui.screens.widgets.cells import Cell, duration, fit
from hooktui.screens.widgets.lines import DECISION_SIGNS

LONG_TIME, SHORT_TIME, TODAYS_TIME = 16, 12, 8  # columns
_LEAST_NAME = 6
UNKNOWN_HOOK, _NOT_RECORDED = "a hook that is not recorded", "not recorded"
NOT_CHECKED, _UNCHECKED = "gate failed: not checked", "not checked · "
_ORDINARY = Cell("·", "muted")
# What became of a call, in words, where that is not ordinary.
OUTCOMES: Mapping[str, str] = {
    "denied-by-permission": "not permitted",
    "interrupted": "interrupted",
    "not-started": "not started",
    "no-result": "no result",
    "invalid": "invalid call",
    "failed": "tool failed",
}


def is_today(at: float) -> bool:
    """Whether a time is of today, here."""
    return datetime.fromtimestamp(at).astimezone().date() == datetime.now().astimezone().date()


def clock(at: float, width: int = LONG_TIME) -> str:
    """The local time of today, else the day: `14:05:22`, `Tue 17 Nov 14:05`, without the weekday in a narrow column."""
    if is_today(at):
        return f"{datetime.fromtimestamp(at).astimezone():%H:%M:%S}"
    return day(at) if width >= LONG_TIME else day(at)[4:]


def effect_cell(effect: str) -> Cell:
    """Glyph and word of what an event did, in its colour; a dim dot for nothing."""
    sign = next((glyph for name, (glyph, _) in DECISION_SIGNS.items() if name == effect), "")
    return Cell(f"{sign} {effect_word(effect)}", effect) if sign and effect != "none" else _ORDINARY


def decision_cell(row: DispatchRow) -> Cell:
    """What was decided; else that a hook failed, or that a denied call ran."""
    if row.overruled:
        return Cell("▲ but ran", "warning")
    if row.is_denied and row.decision == "none":
        return effect_cell("deny")
    if row.has_failed and not row.is_denied:
        return Cell("▲ timeout" if row.state == "timeout" else "▲ failed", "warning")
    cell = effect_cell(row.effect)
    return Cell(cell.text, "muted") if row.synthetic else cell


def hooks_cells(row: DispatchRow, width: int) -> Iterator[Cell]:
    """The decisive hook and the number of others, then the outcome of the call unless it simply ran.

    In a narrow column the name is cut, not the number, and the outcome is left out.
    """
    names = [*row.failed, *row.ran] if row.failed and not (row.is_denied or row.overruled) else list(row.ran)
    others = len(dict.fromkeys(names)) - 1
    after = f" +{others}" if names and others else ""
    if row.overruled:
        yield Cell(f"denied by {names[0] if names else UNKNOWN_HOOK}, but {what_went_on(row.event)}", "warning")
    elif names:
        if row.has_failed and not row.is_denied and row.event in events.GATES:
            yield Cell(_UNCHECKED, "warning")
            width -= len(_UNCHECKED)
        room = max(width - len(after), _LEAST_NAME)
        name = fit(names[0], room) if len(names[0]) > room else names[0]
        width -= len(name + after)
        yield Cell(name, "" if row.is_denied or row.has_failed else "muted")
    elif row.is_denied:
        yield Cell(UNKNOWN_HOOK if len(UNKNOWN_HOOK) <= width else _NOT_RECORDED, "muted")
    if after:
        yield Cell(after, "muted")
    word = OUTCOMES.get(row.outcome or "", "") if not row.is_denied else ""
    if word and (not names or len(word) + 2 <= width):
        yield Cell(f"  {word}" if names else word, "muted")
    elif not names and not row.is_denied and not row.overruled and hooks_recorded(row) != "all":
        yield Cell(_NOT_RECORDED, "faint")


def call_cells(row: DispatchRow) -> Sequence[Cell]:
    """The tool and its command or file, else the event and its subject; before them what tells it from a call."""
    mark = [Cell("try ", "accent")] if row.synthetic else []
    if row.tool is None:
        return *mark, Cell(f"{row.spelling} ", "strong"), Cell(row.about, "muted")
    is_event = row.head is not None or row.event != "pre-tool-call"
    event = [Cell(f"{'└ ' if row.head else ''}{row.spelling} ", "muted")] if is_event else []
    return *mark, *event, Cell(f"{row.tool} ", "strong"), Cell(row.about)


# Cells by column, given its width.
CELLS: Mapping[str, Callable[[DispatchRow, int], Sequence[Cell]]] = {
    "time": lambda row, width: [Cell(clock(row.at, width), "muted")],
    "call": lambda row, _: call_cells(row),
    "decision": lambda row, _: [decision_cell(row)],
    "hooks that ran": lambda row, width: list(hooks_cells(row, width)),
    "took": lambda row, _: [Cell(duration(row.duration_ms) if row.ran and row.duration_ms else "", "muted")],
    "tool": lambda row, _: [Cell(duration(row.tool_ms) if row.tool_ms else "", "muted")],
    "session": lambda row, _: [Cell("Tries" if row.synthetic else row.title or row.short_session, "muted")],
    "project": lambda row, _: [Cell(paths.name(row.project) or paths.short(row.project), "muted")],
    "machine": lambda row, _: [Cell(row.machine, "muted")],
    "agent": lambda row, _: [Cell(row.host, "muted")],
    "reason": lambda row, _: [Cell(row.reason or "", "muted")],
}
