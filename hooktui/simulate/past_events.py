"""Try a hook on the past: run it on the last logged events of its kind, and report where its decision changes.

It compares the saved and the edited version or, without edits, the log and the saved version. A version runs for real, under
its real limits, on the events that it matches, and not at all on the others. The log gets none of these runs: a hundred of
them would bury what happened.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from hooktui.catalog import matching
from hooktui.core.model import JsonEntry
from hooktui.log.read import event_subject, recent_events
from hooktui.log.read.connection import default_path
from hooktui.log.read.query import Query
from hooktui.log.read.recent_events import LoggedOutcome
from hooktui.simulate import Trial, unsaved_hooks
from hooktui.simulate.payload_templates import CannotTry, payload_again, readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import DecisionName, Event, Hook
    from hooktui.log.read.recent_events import LoggedEvent
    from hooktui.simulate.unsaved_hooks import Edit

DEFAULT_EVENTS, MAX_EVENTS = 50, 500  # events to try a hook on
_AT_ONCE = 2  # processes
_ALL = Query()

OutcomeChange = Literal["decision", "unknown", "effect", "none"]


@dataclass(frozen=True, slots=True)
class PastEvent:
    """A logged event with both outcomes. None: not tried yet or, in `before`, not considered when it happened.

    `unrecorded`: the agent program runs the hook itself, and what it answered is not in the log.
    """

    event: LoggedEvent
    payload: Mapping[str, Any]
    before: LoggedOutcome | None = None
    after: LoggedOutcome | None = None
    unrecorded: bool = False

    @property
    def about(self) -> str:
        """What the event was about: a command, a file, a prompt."""
        return event_subject.of_payload(self.payload)

    @property
    def matched(self) -> bool:
        """Whether the saved or, with edits, the edited hook matches the event. It has been tried."""
        return self.after is not None and self.after.state != "skipped"

    @property
    def change(self) -> OutcomeChange:
        """Whether the decision differs, or only the effect: whether the hook runs, its input, its context.

        Unknown for a hook that matches today, where what it answered was not recorded.
        """
        if self.unrecorded:
            return "unknown" if self.matched else "none"
        if (self.before.decision if self.before else "none") != (self.after.decision if self.after else "none"):
            return "decision"
        return "none" if _effect(self.before) == _effect(self.after) else "effect"


@dataclass(frozen=True, slots=True)
class PastTrial:
    """The events to try. `decided` ones need no process; `waiting` ones need `after` and, with edits, `before`."""

    directory: str
    hook: Hook
    edits: tuple[Edit, ...]
    decided: tuple[PastEvent, ...]
    waiting: tuple[PastEvent, ...]
    left_out: int
    others: int = 0  # chosen events of another kind or project
    untried: int = 0  # matched events beyond MAX_EVENTS

    @property
    def runs(self) -> int:
        """The number of times that the hook will run."""
        return sum((row.after is None) + (bool(self.edits) and row.before is None) for row in self.waiting)


@dataclass(frozen=True, slots=True)
class PastSummary:
    """How many events were tried, matched and decided differently, and today's decisions on those that were matched."""

    events: int
    matched: int
    changed: int
    decisions: Mapping[DecisionName, int]

    @property
    def of_decisions(self) -> str:
        """` (3 deny, 1 none)`; empty without any."""
        counts = ", ".join(f"{count:,} {decision}" for decision, count in sorted(self.decisions.items()))
        return f" ({counts})" if counts else ""


async def plan(
    catalog: Catalog,
    hook: Hook,
    edits: Iterable[Edit] = (),
    limit: int = DEFAULT_EVENTS,
    path: str | None = None,
    chosen: Sequence[int] = (),
    query: Query = _ALL,
) -> PastTrial:
    """Plan a trial on the last events of the hook's kind in its project that match a query, or on events `chosen` by id.

    Raises CannotTry, LogError.
    """
    unsaved_hooks.require_approval(hook, catalog.trust[hook.id])
    edits = tuple(edits)
    path = path or default_path()
    logged = await recent_events.read(path, hook.event, hook.identity, limit, catalog.project, chosen, query)
    rows = await asyncio.to_thread(lambda: list(_known_outcomes(catalog, hook, edits, logged)))
    waiting: list[PastEvent] = []
    decided: list[PastEvent] = []
    for row in rows:
        (waiting if row.after is None or (edits and row.before is None) else decided).append(row)
    tried, untried = waiting[:MAX_EVENTS], len(waiting[MAX_EVENTS:])
    others = max(min(len(chosen), limit) - len(logged), 0)
    left_out = len(logged) - len(rows)
    return PastTrial(catalog.directory, hook, edits, tuple(decided), tuple(tried), left_out, others, untried)


async def play(plan: PastTrial, tell: Callable[[PastEvent], None]) -> None:
    """Run the trial, a few events at once, and tell each result. Cancelling ends everything. Raises CannotTry."""
    for row in plan.decided:
        tell(row)
    waiting = iter(plan.waiting)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(_AT_ONCE, len(plan.waiting))):
                group.create_task(_work(plan, waiting, tell))
    except* CannotTry as errors:
        error = errors.exceptions[0]
    else:
        return
    raise CannotTry(str(error))


def summary(rows: Iterable[PastEvent]) -> PastSummary:
    """Summarize the events that were tried so far."""
    rows = tuple(rows)
    matched = [row.after.decision for row in rows if row.after is not None and row.matched]
    return PastSummary(len(rows), len(matched), sum(row.change == "decision" for row in rows), Counter(matched))


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
            tell(replace(row, before=before, after=after))


async def _outcome(trial: Trial, payload: Mapping[str, Any], *, is_edited: bool) -> LoggedOutcome:
    report = await trial.run(payload, edited=is_edited)
    run = report["hooks"][0]
    return LoggedOutcome(**{name: run[name] for name in LoggedOutcome.__slots__})


def _known_outcomes(
    catalog: Catalog, hook: Hook, edits: tuple[Edit, ...], logged: Iterable[LoggedEvent]
) -> Iterator[PastEvent]:
    """Yield the events that can be tried, with the outcomes that are known without running anything."""
    edited = next((edit.text for edit in edits if edit.path == hook.file), None)
    after = hook if edited is None else unsaved_hooks.in_text(hook, edited, catalog.project)
    if after is None:
        raise CannotTry(f"{hook.label} is no longer in the text")
    runs_itself = isinstance(hook.source, JsonEntry) and hook.format not in catalog.settings.formats
    for logged_event in logged:
        if logged_event.payload is None:
            continue
        payload = payload_again(logged_event.payload)
        if event := readable(hook, payload, catalog.project):
            before = _unmatched(hook, event) if edits else logged_event.outcome
            unrecorded = before is None and not edits and runs_itself and not logged_event.observed
            yield PastEvent(logged_event, payload, before, _unmatched(after, event), unrecorded)


def _unmatched(hook: Hook, event: Event) -> LoggedOutcome | None:
    """Return a version's outcome on an event that it does not match; None if it has to run."""
    if hook.event != event.name:
        return LoggedOutcome("skipped", None, f"listens to {hook.event_as_written}", "none")
    verdict = matching.match(hook, event)
    return LoggedOutcome("skipped", verdict.skip, verdict.why, "none") if verdict.skip else None


def _effect(outcome: LoggedOutcome | None) -> tuple[Any, ...]:
    """What two outcomes of the same decision may differ in."""
    if outcome is None or outcome.state == "skipped":
        return ()
    state = "ok" if outcome.state == "started" else outcome.state  # an async hook may have ended, or not
    return state, outcome.modified_input, outcome.additional_context


_CHANGES: tuple[OutcomeChange, ...] = ("decision", "unknown", "effect", "none")
