"""Compare a hook with its planned copy: run both on logged events and on examples, and report different decisions."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.formats import host_tools
from hooktui.log.read import event_subject, recent_events
from hooktui.log.read.connection import default_path
from hooktui.runner import matching
from hooktui.trials import Trial, payload_templates, unsaved_hooks
from hooktui.trials.payload_templates import readable
from hooktui.trials.unsaved_hooks import event_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Event, Hook
    from hooktui.core.report import RunReport
    from hooktui.edit.copy_targets import Target
    from hooktui.log.read.recent_events import LoggedEvent


LOGGED = 12  # events of the log; those that the hook matches come first
_CANDIDATES = 200  # newest logged events to choose those from
_FAILED = ("failed", "timeout", "invalid-output", "interrupted")


@dataclass(frozen=True, slots=True)
class ComparedEvent:
    """An event, and what the original and the copy did on it. `is_example`: it is not from the log."""

    event: Event
    is_example: bool
    original: RunReport
    copy: RunReport
    differences: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """What the event is about: a command, a file, a prompt."""
        return event_subject.of_payload(self.event.payload)


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """The events to run a hook and its copy on. `examples` of them are not from the log, and come last."""

    hook: Hook
    target: Target
    events: tuple[Event, ...]
    examples: int


async def plan_comparison(catalog: Catalog, hook: Hook, target: Target, path: str | None = None) -> ComparisonPlan:
    """Choose events for a hook: logged ones of its project, and an example for each tool of its host.

    `path` is the log's. Raises TrialError if the hook is not approved, LogError.
    """
    unsaved_hooks.require_approval(hook, catalog.trust[hook.id])
    logged = await recent_events.read(path or default_path(), hook.event, hook.identity, _CANDIDATES, catalog.project)
    return await asyncio.to_thread(_plan, catalog, hook, target, logged)


async def run_comparison(plan: ComparisonPlan, tell: Callable[[ComparedEvent], None]) -> None:
    """Run hook and copy on each event, and tell each result. Cancelling ends what runs. Raises TrialError."""
    logged = len(plan.events) - plan.examples
    async with Trial(plan.target.project, plan.hook.id, target=plan.target) as trial:
        for number, event in enumerate(plan.events):
            original, copy = await trial.compare(event.payload)
            differences = tuple(_differences(plan, event, original, copy))
            tell(ComparedEvent(event, number >= logged, original, copy, differences))


def _plan(catalog: Catalog, hook: Hook, target: Target, logged: Sequence[LoggedEvent]) -> ComparisonPlan:
    payloads = (payload_templates.payload_again(event.payload) for event in logged if event.payload is not None)
    events = [event for payload in payloads if (event := readable(hook, payload, catalog.project))]
    events.sort(key=lambda event: matching.match(hook, event_for(hook, event)).skip is not None)
    chosen = events[:LOGGED]
    fitting = payload_templates.payload_for(hook, catalog.project)
    examples = {
        str((event.tool_name, event.tool_input)): event
        for payload in (fitting, *payload_templates.samples(hook, catalog.project))
        if (event := readable(hook, payload, catalog.project))
    }
    return ComparisonPlan(hook, target, (*chosen, *examples.values()), len(examples))


def _differences(plan: ComparisonPlan, event: Event, original: RunReport, copy: RunReport) -> Iterator[str]:
    """The parts of the two results that an agent would notice, as nouns."""
    if original["decision"] != copy["decision"]:
        yield "decision"
    elif (original["reason"] or "").strip() != (copy["reason"] or "").strip():
        yield "reason"
    if (original["state"] in _FAILED) != (copy["state"] in _FAILED):
        yield "failure"
    tool_input = event_for(plan.hook, event).tool_input
    changed = copy["modified_input"]
    if isinstance(changed, dict):
        changed = host_tools.renamed_input(changed, plan.target.format, plan.hook.format)
    inputs = (original["modified_input"], changed)
    before, after = (tool_input if modified is None else modified for modified in inputs)
    if before != after:
        yield "input"
    if (original["additional_context"] or "").strip() != (copy["additional_context"] or "").strip():
        yield "context"
