"""Tool calls as one row each: what came before and after a call, its permission question and its failure."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, cast

from hooktui.core import ids
from hooktui.core.model import EFFECTS, FAILURES
from hooktui.log.read.rows import DISPATCHES
from hooktui.runner.journal.entry import STATES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hooktui.core.report import LoggedReport
    from hooktui.log.read.rows import DispatchRow

HEADS = "SELECT DISTINCT ifnull(head, id) FROM dispatch WHERE id IN (SELECT value FROM json_each(?)) ORDER BY 1"
FOLLOWING = "SELECT after.id FROM dispatch AS after WHERE after.head IN (SELECT value FROM json_each(?1))"
EVENTS = f"{DISPATCHES} WHERE dispatch.id IN (SELECT value FROM json_each(?1) UNION ALL {FOLLOWING}) ORDER BY dispatch.id"
COUNT = "SELECT count(*) FROM dispatch WHERE head IS NOT NULL"
COUNT_OF_PROJECT = f"{COUNT} AND session IN (SELECT id FROM session WHERE project = as_stored(:project))"
_FAILURES = (*FAILURES, "interrupted")
FAILED = f"""
SELECT dispatch, ifnull(label, name) FROM run JOIN hook ON hook.id = run.hook
WHERE dispatch IN (SELECT value FROM json_each(?)) AND state IN ({", ".join(f"'{state}'" for state in _FAILURES)})
ORDER BY dispatch, position"""
_ENDS = ("post-tool-call", "post-tool-call-failure")
_ORDINARY = ("", "ran", "ok", "passed")  # outcomes that need no word
_DENIALS = ("stop", "deny")
_STRENGTH: Mapping[str, int] = {effect: place for place, effect in enumerate(EFFECTS)}
_KNOWN = ("none", "some", "all")


def rows(events: Iterable[DispatchRow], failed: Iterable[tuple[int, str]]) -> list[DispatchRow]:
    """One row for each call, by its first event; `failed` are rows of FAILED."""
    labels = {number: tuple(dict.fromkeys(label for _, label in group)) for number, group in groupby(failed, itemgetter(0))}
    known = [event._replace(failed=labels[event.id]) if event.id in labels else event for event in events]
    known.sort(key=lambda event: (event.head or event.id, event.id))
    return [_row(list(group)) for _, group in groupby(known, lambda event: event.head or event.id)]


def _row(events: Sequence[DispatchRow]) -> DispatchRow:
    if len(events) == 1:
        return events[0]
    main = events[_decisive([(event.effect, event.has_failed) for event in events])]
    ran = [label for event in (main, *events) for label in event.ran]
    outcomes = [event.outcome for event in events if (event.outcome or "") not in _ORDINARY]
    return events[0]._replace(
        decision=main.decision,
        effect=main.effect,
        state=max((event.state for event in events), key=STATES.index),
        ran=tuple(dict.fromkeys(ran)),
        reason=main.reason,
        duration_ms=sum(event.duration_ms for event in events),
        outcome=next(iter(outcomes), "failed" if events[-1].event == "post-tool-call-failure" else events[0].outcome),
        hooks_recorded=min((event.hooks_recorded or "none" for event in events), key=_KNOWN.index),
        overruled=any(event.overruled for event in events),
        failed=tuple(dict.fromkeys(label for event in events for label in event.failed)),
        tool_ms=_tool_ms(events),
        events=tuple(events),
    )


def _decisive(events: Sequence[tuple[str, bool]]) -> int:
    """The place of the event that mattered most, given effects and failures: the strongest denial, a failure, an effect."""

    def rank(place: int) -> tuple[bool, bool, int]:
        effect, failed = events[place]
        return effect not in _DENIALS, not failed, _STRENGTH.get(effect, len(EFFECTS))

    return min(range(len(events)), key=rank)


def _tool_ms(events: Sequence[DispatchRow]) -> float | None:
    """How long the tool took, from the last answer of hooks before it."""
    end = next((event for event in events if event.event in _ENDS), None)
    before = [event for event in events if end is not None and event.id < end.id]
    if end is None or not before or before[0].event != "pre-tool-call":
        return None
    return max(ids.seconds(end.id) - before[-1].at, 0.0) * 1000 - before[-1].duration_ms


def merged(reports: Sequence[LoggedReport]) -> LoggedReport:
    """A call as the report of the event that mattered, with the hooks of all its events."""
    main = reports[_decisive([(report["effect"], _has_failed(report)) for report in reports])]
    known = min((report["hooks_recorded"] for report in reports), key=_KNOWN.index)
    hooks = [run for report in reports for run in report["hooks"]]
    warnings = [text for report in reports for text in report["warnings"]]
    overruled = any(report.get("overruled") for report in reports)
    values = {**main, "hooks": hooks, "hooks_recorded": known, "warnings": warnings, "overruled": overruled}
    allowing = [label for report in reports for label in report.get("may_have_allowed", ())]
    logged = next((report["debug_log"] for report in reports if "debug_log" in report), "")
    hints = {"may_have_allowed": allowing, "debug_log": logged}
    return cast("LoggedReport", values | {name: hint for name, hint in hints.items() if hint})


def _has_failed(report: LoggedReport) -> bool:
    return any(run["state"] in _FAILURES for run in report["hooks"])
