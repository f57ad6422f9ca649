"""`hooktui log` at a terminal: this project's newest events, the hook that mattered in each, and how to see more."""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING, NamedTuple

import click
from rich.cells import cell_len

from hooktui.catalog import listed_mods
from hooktui.catalog.hook_states import counted
from hooktui.cli.console import cut
from hooktui.cli.decision_lines import COLOURS, DENIALS, UNCHECKED, cell, in_ms, is_unchecked
from hooktui.cli.text_layout import shortened
from hooktui.core import paths, project
from hooktui.core.report import effect_named, effect_word, what_went_on
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read import query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.report import LoggedReport, RunReport
    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.query import Query
    from hooktui.log.read.rows import DispatchRow

NEWEST = 200  # events without -n
_MORE = 1000
_NARROW, _WITH_DURATION = 110, 140  # columns of the terminal
_EVENT, _PROJECT, _MACHINE, _TOOK = 19, 14, 14, 8  # columns
_DETAIL, _LEAST_DETAIL, _LEAST_REASON, _LABEL = 48, 8, 12, 24
_TROUBLE = {"failed": "failed", "timeout": "timed out", "invalid-output": "invalid output", "interrupted": "interrupted"}
_QUIET = ("skipped", "would-run", "unrecorded")


async def of_this_project(reader: DecisionLog, wanted: Query) -> Query:
    """The query for this project's events.

    It is the query itself if that names projects or a session, for a fleet, and while the log has nothing of this project.
    """
    if reader.path is None or any(term.field in ("project", "session") for term in wanted.terms):
        return wanted
    here = project.root(paths.working_directory())
    own, total = [(await reader.extent(place))[1] for place in (here, None)]
    return query.parse(query.joined(wanted.text, f"project:{query.quoted(here)}")) if 0 < own < total else wanted


def more(shown: int, total: int, terms: Sequence[str], *, is_narrowed: bool) -> str:
    """How to see more events: `200 of 4,776 events · hooktui log 'project:*' -n 1000`."""
    words = [*terms, *(["project:*"] if is_narrowed else [])]
    count = _MORE if shown < _MORE else shown * 10
    return f"{shown:,} of {counted(total, 'event')} · hooktui log {shlex.join([*words, '-n', str(count)])}"


class LogLayout:
    """The columns of a terminal's lines, which grow with the events that are shown; `several`: with the project."""

    def __init__(self, width: int, *, several: bool) -> None:
        self.width = width
        self.several = several
        self.is_narrow = width < _NARROW
        self.time = ""
        self.event = 0

    def fit(self, rows: Sequence[DispatchRow]) -> None:
        """Make room for the names of events; on a narrow terminal the date is left out if all are of today."""
        if rows and not self.time:
            day = "" if self.is_narrow and _is_today(rows[0].at) else "%m-%d "
            self.time = f"{day}%H:%M" if self.is_narrow else f"{day}%H:%M:%S"
        self.event = min(max([self.event, *(cell_len(row.spelling) for row in rows)]), _EVENT)


def _is_today(at: float) -> bool:
    return time.localtime(at)[:3] == time.localtime()[:3]


def line(row: DispatchRow, report: LoggedReport, layout: LogLayout) -> str:
    """Format an event as a line of a terminal: id, time, decision, event, tool and subject, and what mattered.

    On a narrow terminal the decision is part of what mattered.
    """
    width, is_narrow, effect = layout.width, layout.is_narrow, effect_word(row.effect)
    cells = [report["id"], time.strftime(layout.time, time.localtime(row.at))]
    cells += [] if is_narrow else [click.style(f"{effect:<7}", fg=COLOURS.get(row.effect), dim=row.effect == "none")]
    cells += [cell(row.machine, _MACHINE)] if row.machine else []
    cells += [cell(paths.name(row.project) or paths.short(row.project), _PROJECT)] if layout.several else []
    cells.append(cell(row.spelling, layout.event))
    cells += [(in_ms(row.duration_ms) if row.duration_ms else "–").rjust(_TOOK)] if width >= _WITH_DURATION else []
    room = width - sum(cell_len(click.unstyle(part)) + 2 for part in cells)
    detail = " ".join(filter(None, ("try" if row.synthetic else "", row.tool, row.about)))
    matter = what_mattered(report)
    if is_narrow and row.effect != "none":
        matter = matter.after(effect)
    return "  ".join((*cells, *_shared(room, detail, matter))).rstrip()


class Matter(NamedTuple):
    """What mattered in an event: wordings, the longest first, of which one that fits is shown whole, and a reason to cut."""

    wordings: Sequence[str]
    reason: str = ""

    def after(self, word: str) -> Matter:
        reason = self.reason if any(self.wordings) or not self.reason else f": {self.reason}"
        return Matter([f"{word} {wording}".rstrip() for wording in self.wordings], reason)


def _shared(room: int, detail: str, matter: Matter) -> Sequence[str]:
    """Share columns between the subject and what mattered, whose name and numbers are not cut for it."""
    if not any((*matter.wordings, matter.reason)):
        return [cell(detail, room)]
    length = cell_len(detail)
    most = room - 2 - min(length, _LEAST_DETAIL)
    words = next((words for words in matter.wordings if cell_len(words) <= most), matter.wordings[-1])
    aligned, free = room - 2 - min(room * 3 // 5, _DETAIL), room - 2 - length
    named, whole = max(aligned, min(cell_len(words), most)), cell_len(words + matter.reason)
    space = max(named, min(whole, free))
    text = words + matter.reason
    if words and space < min(whole, cell_len(words) + _LEAST_REASON):
        text, space = words, named
    return cell(detail, room - space - 2), _coloured(cut(one_line(text), space))


def what_mattered(report: LoggedReport) -> Matter:
    """The hook that mattered: the one that denied, else one that failed, else one that decided; `+2` counts the others."""
    ran = [hook for hook in report["hooks"] if hook["state"] not in _QUIET]
    denied = [hook for hook in ran if hook["decision"] in DENIALS]
    failed = [hook for hook in ran if hook["state"] in _TROUBLE]
    others = f" +{len(ran) - 1}" if len(ran) > 1 else ""
    if report.get("overruled") and denied:
        went_on = what_went_on(report["event"])
        said = f"denied by {_short(denied[0])}{others}, but {went_on}"
        by = listed_mods.overruled_by(report)
        return Matter([*([said + by] if by else []), said, f"denied, but {went_on}"])
    if failed and not denied:
        return _failure(report, failed[0], others)
    main = next((hook for hook in ran if hook["decision"] == report["decision"]), None)
    named = f"{_short(main)}{others}" if main else ""
    reason = " ".join((report["reason"] or "").split())
    return Matter([named], reason and (f": {reason}" if named else reason))


def _failure(report: LoggedReport, hook: RunReport, others: str) -> Matter:
    code, signal, label = hook["exit_code"], hook["signal"], _short(hook)
    ending = f", exit {code}" if code else f", signal {signal}" if signal and hook["state"] == "failed" else ""
    if is_unchecked(report):
        return Matter([f"▲ {UNCHECKED} ({label}{ending}){others}", f"▲ {UNCHECKED}", "▲ gate failed"])
    failed = f"▲ {label} {_TROUBLE[hook['state']]}"
    return Matter([failed + ending + others, failed + others, failed])


def _short(hook: RunReport) -> str:
    return shortened(hook["label"], _LABEL)


def _coloured(text: str) -> str:
    """Mark a failure in red, and the decision that a narrow line begins with."""
    first, space, rest = text.partition(" ")
    colour = "red" if first == "▲" else COLOURS.get(effect_named(first))
    return f"{click.style(first, fg=colour)}{space}{rest}" if colour else text
