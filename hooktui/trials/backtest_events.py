"""Try a hook on the past: run it on the logged events that it matches, and report where its decision changes.

It compares the saved and the edited version or, without edits, the log and the saved version. A version runs for real, under
its real limits, on the events that it matches, and not at all on the others. The log gets none of these runs: a hundred of
them would bury what happened.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from hooktui import hosts
from hooktui.core.model import JsonEntry
from hooktui.log.read import event_subject, recent_events
from hooktui.log.read.connection import default_path
from hooktui.log.read.query import Query
from hooktui.log.read.recent_events import LoggedOutcome
from hooktui.runner import matching
from hooktui.trials import backtest_search, unsaved_hooks
from hooktui.trials.payload_templates import TrialError, payload_again, readable
from hooktui.trials.trial_process import Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import DecisionName, Event, Hook
    from hooktui.log.read.recent_events import LoggedEvent
    from hooktui.trials.backtest_search import PastCount
    from hooktui.trials.unsaved_hooks import Edit

DEFAULT_EVENTS, MAX_EVENTS = 100, 500  # events to run a hook on
_AT_ONCE = max(2, min(4, os.cpu_count() or 2))  # processes
_ALL = Query()
_DENIALS = ("deny", "stop")

OutcomeChange = Literal["decision", "unknown", "effect", "none"]


class PastEvent(NamedTuple):
    """A logged event with both outcomes. None: not tried yet or, in `before`, the hook did not exist then or decided nothing.

    `unrecorded`: the agent program runs the hook itself, and what it answered is not in the log.
    """

    event: LoggedEvent
    payload: Mapping[str, Any]
    before: LoggedOutcome | None = None
    after: LoggedOutcome | None = None
    unrecorded: bool = False

    @property
    def about(self) -> str:
        return event_subject.of_payload(self.payload)

    @property
    def matched(self) -> bool:
        """Whether the saved or, with edits, the edited hook matches the event. It has been tried."""
        return self.after is not None and self.after.state != "skipped"

    @property
    def is_first(self) -> bool:
        """Whether the hook has no earlier result to compare with."""
        return self.before is None or self.before.state == "skipped"

    @property
    def denied_then(self) -> str:
        """`denied by guard.sh then`, where not this hook denied the event but others did; else empty."""
        own = self.event.outcome.decision if self.event.outcome else "none"
        if own in _DENIALS or not (self.event.denied_by or self.event.decision in _DENIALS):
            return ""
        return " ".join(("denied", *(["by", ", ".join(self.event.denied_by)] if self.event.denied_by else ()), "then"))

    @property
    def change(self) -> OutcomeChange:
        """Whether the decision differs, or only the effect: whether the hook runs, its input, its context.

        Unknown for a hook that matches today, where what it answered was not recorded.
        """
        if self.after is None or (self.before is None and not self.matched):
            return "none"
        if self.unrecorded:
            return "unknown"
        if (self.before.decision if self.before else "none") != self.after.decision:
            return "decision"
        return "none" if _effect(self.before) == _effect(self.after) else "effect"


@dataclass(frozen=True, slots=True)
class PastTrial:
    """The events to try. `decided` ones need no process; `waiting` ones need `after` and, with edits, `before`.

    `count` has the events that were searched for matches. `is_draft`: nothing can run yet.
    """

    directory: str
    hook: Hook
    edits: tuple[Edit, ...]
    decided: tuple[PastEvent, ...]
    waiting: tuple[PastEvent, ...]
    left_out: int
    untried: int  # matched events beyond the newest
    count: PastCount
    is_draft: bool = False

    @property
    def events(self) -> int:
        return self.count.searched

    @property
    def runs(self) -> int:
        return (
            0 if self.is_draft else sum((row.after is None) + (bool(self.edits) and row.before is None) for row in self.waiting)
        )

    @property
    def why_never(self) -> str:
        """Why the hook never runs, whatever the event; empty if it may, or if edits are tried beside it."""
        return self.hook.obstacle.why if self.hook.obstacle and not self.edits else ""

    @property
    def shown(self) -> tuple[PastEvent, ...]:
        """The events to list: those that match, and those that did then."""
        return (*self.waiting, *(row for row in self.decided if row.matched or row.change != "none"))


class PastSummary(NamedTuple):
    """How many events were tried, matched and decided differently, and today's decisions on those that were matched.

    `new` are those decisions where no earlier one of the hook is known, apart from none; `different` those that differ from it.
    """

    events: int
    matched: int
    changed: int
    decisions: Mapping[DecisionName, int]
    new: Mapping[DecisionName, int]
    different: int

    @property
    def of_decisions(self) -> str:
        """` (3 deny, 1 none)`; empty without any, and where `of_changes` says the same."""
        if self.decisions == self.new:
            return ""
        counts = ", ".join(f"{count:,} {decision}" for decision, count in sorted(self.decisions.items()))
        return f" ({counts})" if counts else ""

    @property
    def of_changes(self) -> str:
        """`would now deny 14`, and `2 with a different decision` where the hook had decided before."""
        new = ", ".join(f"{decision} {count:,}" for decision, count in sorted(self.new.items()))
        compared = f"{self.different:,} with a different decision" if self.different or not new else ""
        return ", ".join(filter(None, (f"would now {new}" if new else "", compared)))


async def plan(
    catalog: Catalog,
    hook: Hook,
    edits: Iterable[Edit] = (),
    *,
    last: int | None = None,
    most: int | None = None,
    path: str | None = None,
    query: Query = _ALL,
    tell: Callable[[PastCount], None] = lambda _: None,
) -> PastTrial:
    """Plan a trial on all past events of the hook's kind that match a query, or the `last` ones.

    They are those of the hook's project; for a user's hook those of all projects. It runs on at most so many of those that it
    matches, the newest; `tell` hears how many were found so far. Raises TrialError, LogError.
    """
    unsaved_hooks.require_approval(hook, catalog.trust[hook.id])
    edits, path = tuple(edits), path or default_path()
    project = backtest_search.everywhere(hook, catalog.project)
    edited = _edited(hook, edits, catalog.project)
    count = None
    where, values = backtest_search.conditions(hook.event, project, query)
    async with aclosing(backtest_search.search((hook, edited), project, None, path, query, last)) as counts:
        async for count in counts:
            tell(count)
    assert count is not None
    numbers = count.every or await _to_look_at(count, path, hook, where, values)
    logged = await _read(path, hook, project, numbers)
    rows = await asyncio.to_thread(lambda: list(_known_outcomes(catalog, hook, edited, edits, logged)))
    waiting: list[PastEvent] = []
    decided: list[PastEvent] = []
    for row in rows:
        (waiting if row.after is None or (edits and row.before is None) else decided).append(row)
    tried = waiting[: most or MAX_EVENTS]
    matched = count.matched if not count.every else len(waiting)
    left_out = count.left_out if not count.every else len(logged) - len(rows)
    return PastTrial(catalog.directory, hook, edits, tuple(decided), tuple(tried), left_out, matched - len(tried), count)


async def draft_plan(
    hook: Hook, then: Hook | None, project: str, path: str | None, tell: Callable[[PastCount], None]
) -> PastTrial:
    """The events that a draft matches, to look at. `then` is what its script checks. Raises TrialError, LogError."""
    path, count = path or default_path(), None
    async with aclosing(backtest_search.of_draft(hook, then, project, path)) as counts:
        async for count in counts:
            tell(count)
    assert count is not None
    numbers = [match.id for match in count.newest]
    logged = await recent_events.read(path, hook.event, "", len(numbers), None, numbers) if numbers else []
    rows = [PastEvent(event, payload_again(event.payload)) for event in logged if event.payload is not None]
    return PastTrial("", hook, (), (), tuple(rows), count.left_out, count.matched - len(rows), count, is_draft=True)


def stdin_of(hook: Hook, row: PastEvent, project: str) -> str:
    """What the hook reads on an event, as indented JSON; empty if it cannot be tried on it."""
    event = readable(hook, row.payload, project)
    return json.dumps(hosts.spec(hook.format).hook_stdin(hook, event), indent=2, ensure_ascii=False) if event else ""


async def _read(path: str, hook: Hook, project: str | None, numbers: Sequence[int]) -> list[LoggedEvent]:
    if not numbers:
        return []
    event, key = hook.event, hook.identity
    return await recent_events.read(path, event, key, len(numbers), project, numbers, label=hook.label, file=hook.file)


async def _to_look_at(count: PastCount, path: str, hook: Hook, where: str, values: Mapping[str, Any]) -> list[int]:
    """The ids of the newest events that match now, and of those on which the hook ran then."""
    matched = [match.id for match in count.newest]
    since = matched[-1] if len(matched) == backtest_search.KEPT else count.oldest or 0
    return [*{*matched, *await recent_events.ran(path, hook, since, where, values)}]


async def play(plan: PastTrial, tell: Callable[[PastEvent], None]) -> None:
    """Run the trial, a few events at once, and tell each result. Cancelling ends everything. Raises TrialError."""
    for row in plan.decided:
        tell(row)
    waiting = iter(plan.waiting)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(_AT_ONCE, len(plan.waiting))):
                group.create_task(_work(plan, waiting, tell))
    except* TrialError as errors:
        error = errors.exceptions[0]
    else:
        return
    raise TrialError(str(error))


def summary(rows: Iterable[PastEvent]) -> PastSummary:
    """Summarize the events that were tried so far."""
    rows = tuple(rows)
    matched = [(row, row.after.decision) for row in rows if row.after is not None and row.matched]
    changed = [row for row in rows if row.change == "decision"]
    new: Counter[DecisionName] = Counter(decision for row, decision in matched if row.is_first and decision != "none")
    different = sum(not row.is_first for row in changed)
    return PastSummary(len(rows), len(matched), len(changed), Counter(decision for _, decision in matched), new, different)


def in_order(rows: Iterable[PastEvent]) -> list[PastEvent]:
    """Sort events: changes first, then the newest."""
    return sorted(rows, key=lambda row: (_CHANGES.index(row.change), -row.event.id))


async def _work(plan: PastTrial, waiting: Iterator[PastEvent], tell: Callable[[PastEvent], None]) -> None:
    async with Trial(plan.directory, plan.hook.id, plan.edits, recorded=False) as trial:
        for row in waiting:
            before, after = row.before, row.after
            if plan.edits and before is None:
                before = await _outcome(trial, row.payload, is_edited=False)
            if after is None:
                after = await _outcome(trial, row.payload, is_edited=bool(plan.edits))
            tell(row._replace(before=before, after=after))


async def _outcome(trial: Trial, payload: Mapping[str, Any], *, is_edited: bool) -> LoggedOutcome:
    report = await trial.run(payload, edited=is_edited)
    run = report["hooks"][0]
    return LoggedOutcome(**{name: run[name] for name in LoggedOutcome._fields})


def _edited(hook: Hook, edits: tuple[Edit, ...], project: str) -> Hook:
    """The edited version, as far as its matcher goes; the hook itself without edits of its file. Raises TrialError."""
    text = next((edit.text for edit in edits if edit.path == hook.file), None)
    edited = hook if text is None else unsaved_hooks.in_text(hook, text, project)
    if edited is None:
        raise TrialError(f"{hook.label} is no longer in the text")
    return edited


def _known_outcomes(
    catalog: Catalog, hook: Hook, edited: Hook, edits: tuple[Edit, ...], logged: Iterable[LoggedEvent]
) -> Iterator[PastEvent]:
    """Yield the events that can be tried, with the outcomes that are known without running anything."""
    runs_itself = isinstance(hook.source, JsonEntry) and hook.format not in catalog.settings.formats
    for logged_event in logged:
        if logged_event.payload is None:
            continue
        payload = payload_again(logged_event.payload)
        if event := readable(hook, payload, catalog.project):
            before = _unmatched(hook, event) if edits else logged_event.outcome
            unrecorded = before is None and not edits and runs_itself and not logged_event.recorded
            yield PastEvent(logged_event, payload, before, _unmatched(edited, event), unrecorded)


def _unmatched(hook: Hook, event: Event) -> LoggedOutcome | None:
    """Return a version's outcome on an event that it does not match; None if it has to run."""
    if hook.event != event.name:
        return LoggedOutcome("skipped", None, f"listens to {hook.event_as_written}", "none")
    verdict = matching.match(hook, event)
    return LoggedOutcome("skipped", verdict.skip, verdict.why, "none") if verdict.skip else None


def _effect(outcome: LoggedOutcome | None) -> tuple[Any, ...]:
    """What two outcomes of the same decision may differ in; no outcome is as good as silence."""
    if outcome is None:
        return "ok", None, None
    if outcome.state == "skipped":
        return ()
    state = "ok" if outcome.state == "started" else outcome.state  # an async hook may have ended, or not
    return state, outcome.modified_input, outcome.additional_context


_CHANGES: tuple[OutcomeChange, ...] = ("decision", "unknown", "effect", "none")
