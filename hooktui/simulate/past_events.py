"""Trying a hook on the past: what it would have said of the last logged events of its kind, and where that is something else.

Two versions stand side by side: the saved and the edited one, or, when nothing is edited, what the log has and the saved one.
An event that a version does not match is decided by looking at it; on the others the hook really runs, under its real limits.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from hooktui.catalog import matching
from hooktui.log.read import event_subject, recent_events
from hooktui.log.read.connection import default_path
from hooktui.log.read.recent_events import LoggedOutcome
from hooktui.simulate import Trial, edited_hook
from hooktui.simulate.payload_templates import CannotTry, event_of, payload_again

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Event, Hook
    from hooktui.log.read.recent_events import LoggedEvent
    from hooktui.simulate.edited_hook import Edit

USUAL, MOST = 50, 500  # events to try a hook on
_AT_ONCE = 2  # processes

OutcomeChange = Literal["decision", "otherwise", "none"]


@dataclass(frozen=True, slots=True)
class PastEvent:
    """One logged event and what is said of it. None: not tried yet, or, in `before`, not considered when it happened."""

    event: LoggedEvent
    payload: Mapping[str, Any]
    before: LoggedOutcome | None = None
    after: LoggedOutcome | None = None

    @property
    def about(self) -> str:
        """What the event was about: a command, a file, a prompt."""
        return event_subject.of_payload(self.payload)

    @property
    def change(self) -> OutcomeChange:
        """Whether the decision is another one, or else what is said beside it: that it runs at all, input, context."""
        if (self.before.decision if self.before else "none") != (self.after.decision if self.after else "none"):
            return "decision"
        return "none" if _gist(self.before) == _gist(self.after) else "otherwise"


@dataclass(frozen=True, slots=True)
class PastTrial:
    """What is to be done. `decided` needs no process; each of `waiting` waits for `after`, and for `before` with edits."""

    project: str
    hook: Hook
    edits: tuple[Edit, ...]
    decided: tuple[PastEvent, ...]
    waiting: tuple[PastEvent, ...]
    left_out: int
    others: int = 0  # of the chosen events, those of another kind or project

    @property
    def runs(self) -> int:
        """How many times the hook will run."""
        return sum((row.after is None) + (bool(self.edits) and row.before is None) for row in self.waiting)


async def plan(
    found: Catalog,
    hook: Hook,
    edits: Iterable[Edit] = (),
    limit: int = USUAL,
    path: str | None = None,
    chosen: Sequence[int] = (),
) -> PastTrial:
    """Look at the last events of the hook's kind in its project, or at those `chosen` by their ids.

    Raises CannotTry, LogError.
    """
    edited_hook.require_approval(hook, found.trust[hook.id])
    edits = tuple(edits)
    logged = await recent_events.read(path or default_path(), hook.event, hook.id, min(limit, MOST), found.project, chosen)
    rows = await asyncio.to_thread(lambda: list(_looked_at(found, hook, edits, logged)))
    unknown = [row for row in rows if row.after is None or (edits and row.before is None)]
    decided = tuple(row for row in rows if row not in unknown)
    others = max(min(len(chosen), MOST) - len(logged), 0)
    return PastTrial(found.project, hook, edits, decided, tuple(unknown), len(logged) - len(rows), others)


async def play(plan: PastTrial, tell: Callable[[PastEvent], None]) -> None:
    """Run what has to be run, a few at once, and tell each row as it is known. Cancelling ends all of it. Raises CannotTry."""
    for row in plan.decided:
        tell(row)
    waiting = iter(plan.waiting)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(_AT_ONCE, len(plan.waiting))):
                group.create_task(_work(plan, waiting, tell))
    except* CannotTry as troubles:
        trouble = troubles.exceptions[0]
    else:
        return
    raise CannotTry(str(trouble))


def in_order(rows: Iterable[PastEvent]) -> list[PastEvent]:
    """What changes first, then the newest."""
    return sorted(rows, key=lambda row: (_CHANGES.index(row.change), -row.event.id))


async def _work(plan: PastTrial, waiting: Iterator[PastEvent], tell: Callable[[PastEvent], None]) -> None:
    async with Trial(plan.project, plan.hook.id, plan.edits) as trial:
        for row in waiting:
            before, after = row.before, row.after
            if plan.edits and before is None:
                before = await _said(trial, row.payload, is_edited=False)
            if after is None:
                after = await _said(trial, row.payload, is_edited=bool(plan.edits))
            tell(replace(row, before=before, after=after))


async def _said(trial: Trial, payload: Mapping[str, Any], *, is_edited: bool) -> LoggedOutcome:
    report = await trial.run(payload, edited=is_edited)
    run = report["hooks"][0]
    return LoggedOutcome(**{name: run[name] for name in LoggedOutcome.__slots__})


def _looked_at(found: Catalog, hook: Hook, edits: tuple[Edit, ...], logged: Iterable[LoggedEvent]) -> Iterator[PastEvent]:
    """The events that can be tried, with what is known of them without running anything."""
    typed = next((edit.text for edit in edits if edit.path == hook.file), None)
    after = hook if typed is None else edited_hook.in_text(hook, typed, found.project)
    if after is None:
        raise CannotTry(f"{hook.name} is not in the text any more")
    for one in logged:
        if one.payload is None:
            continue
        payload = payload_again(one.payload)
        try:
            event = event_of(hook, payload, found.project)
        except CannotTry:
            continue
        yield PastEvent(one, payload, _unmatched(hook, event) if edits else one.outcome, _unmatched(after, event))


def _unmatched(hook: Hook, event: Event) -> LoggedOutcome | None:
    """What a version says of an event that it does not run on; None when it has to be run."""
    if hook.event != event.name:
        return LoggedOutcome("skipped", None, f"listens to {hook.event}", "none")
    verdict = matching.match(hook, event)
    return LoggedOutcome("skipped", verdict.skip, verdict.why, "none") if verdict.skip else None


def _gist(said: LoggedOutcome | None) -> tuple[Any, ...]:
    """What tells what was said from something else that was decided alike."""
    if said is None or said.state == "skipped":
        return ()
    state = "ok" if said.state == "started" else said.state  # the end of an async hook, or not yet
    return state, said.modified_input, said.additional_context


_CHANGES: tuple[OutcomeChange, ...] = ("decision", "otherwise", "none")
