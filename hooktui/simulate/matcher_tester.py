"""What a matcher makes of events: known tools, the last logged ones, what a person types. It runs nothing.

`examine` gives every event the verdict that a dispatch would give it (matching.py), so that its words are those of "why not".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hooktui.catalog import matching
from hooktui.catalog.matching import Hit, Verdict
from hooktui.core import patterns
from hooktui.log.read import event_subject, recent_events
from hooktui.log.read.connection import default_path
from hooktui.simulate import payload_templates
from hooktui.simulate.matcher_doubts import Doubt, doubts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hooktui.core.model import Event, Hook

EVENTS = 500  # logged events that a matcher is tested on
_EVENT_S = 2 * matching.MATCH_BUDGET_S  # CPU seconds for one event, with what large inputs add


@dataclass(frozen=True, slots=True)
class MatcherCase:
    """An event to test a matcher on; `logged` is its id in the log, None for one that was made up."""

    event: Event
    logged: int | None = None

    @property
    def key(self) -> object:
        """What it is known by when the events are looked for anew."""
        return self.logged or self.event.tool_name

    @property
    def about(self) -> str:
        """What the event is about: a command, a file, a prompt."""
        return event_subject.of_payload(self.event.payload)


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What a matcher made of one event."""

    case: MatcherCase
    verdict: Verdict

    @property
    def matched(self) -> bool:
        """Whether the hook would run."""
        return self.verdict.skip is None

    @property
    def too_slow(self) -> bool:
        """Whether the matcher was given up on this event."""
        return self.verdict == matching.TOO_SLOW

    @property
    def depends(self) -> bool:
        """Whether the hook listens to the tool and would run on some input: the one here was only made up."""
        return self.case.logged is None and self.verdict.skip == "pattern-mismatch"


@dataclass(frozen=True, slots=True)
class MatcherReport:
    """What a matcher made of all of them. `tools` tells of each tool whether the hook listens to it at all.

    `untested` are those behind one for which the matcher took too long.
    """

    results: tuple[MatchResult, ...] = ()
    untested: int = 0
    tools: Mapping[str, bool] | None = None
    doubts: tuple[Doubt, ...] = ()

    @property
    def logged(self) -> tuple[MatchResult, ...]:
        """Those of the log."""
        return tuple(result for result in self.results if result.case.logged is not None)

    @property
    def of_tools(self) -> str:
        """How many it listens to: `3 of 9 tools`; empty on events without tools."""
        tools = self.tools or {}
        return f"{sum(tools.values())} of {len(tools)} tools" if tools else ""

    @property
    def of_logged(self) -> str:
        """`12 of the last 500`; empty as long as there is nothing logged, or where not all was tested."""
        logged = () if self.untested else self.logged
        return f"{sum(result.matched for result in logged):,} of the last {len(logged):,}" if logged else ""


async def cases(hook: Hook, project: str, path: str | None = None) -> tuple[MatcherCase, ...]:
    """What a hook's matcher is tested on: an event for each known tool, then the last logged events of its kind, newest first.

    A hook of the user's own is tested on the events of all projects. Raises LogError.
    """
    where = None if hook.scope == "user" else project
    logged = await recent_events.read(path or default_path(), hook.event, hook.id, EVENTS, where)
    made_up = ((payload, None) for payload in payload_templates.samples(hook, project))
    told = ((one.payload, one.id) for one in logged if one.payload is not None)
    return tuple(_readable(hook, project, (*made_up, *told)))


def typed(hook: Hook, project: str, tool: str, text: str) -> MatcherCase:
    """An event as a person types it: a tool and its input. Raises payloads.CannotTry."""
    return MatcherCase(payload_templates.event_of(hook, payload_templates.typed(hook, project, tool, text), project))


def examine(hook: Hook, given: Sequence[MatcherCase], then: Hook | None = None) -> MatcherReport:
    """Test a hook's matcher, and what another one makes of what it lets through: one that stands for what a script looks for.

    A matcher that takes too long is tested no further.
    """
    results = tuple(_tested(hook, given, then))
    tools: dict[str, bool] = {}
    for result in results:
        name = result.case.event.tool_name
        if name and hook.event in matching.WITH_TOOL:
            tools[name] = tools.get(name, False) or result.verdict.skip in (None, "pattern-mismatch")
    found = MatcherReport(results, len(given) - len(results), tools)
    return replace(found, doubts=tuple(doubts(hook, found, then)))


def _readable(hook: Hook, project: str, told: Iterable[tuple[Mapping[str, Any], int | None]]) -> Iterator[MatcherCase]:
    for payload, number in told:
        try:
            yield MatcherCase(payload_templates.event_of(hook, payload, project), number)
        except payload_templates.CannotTry:
            continue


def _tested(hook: Hook, given: Sequence[MatcherCase], then: Hook | None) -> Iterator[MatchResult]:
    """In a child of its own, since a matcher may want to take for ever, and one child is quicker than one for each event."""
    if hook.obstacle:
        kept_from_running = Verdict(skip=hook.obstacle.skip, why=hook.obstacle.why)
        yield from (MatchResult(case, kept_from_running) for case in given)
        return
    verdicts = patterns.in_child(lambda: (_plain(_matched(hook, case.event, then)) for case in given), _EVENT_S)
    tested = 0
    try:
        for case, verdict in zip(given, verdicts, strict=False):
            yield MatchResult(case, _verdict(verdict))
            tested += 1
    except patterns.TooSlow:
        yield MatchResult(given[tested], matching.TOO_SLOW)


def _matched(hook: Hook, event: Event, then: Hook | None) -> Verdict:
    verdict = matching.match(hook, event)
    if verdict.skip is not None or then is None:
        return verdict
    further = matching.match(then, event)
    return further.replace(hits=(*verdict.hits, *further.hits))


def _plain(verdict: Verdict) -> dict[str, Any]:
    return {**verdict.as_dict(), "hits": [hit.as_dict() for hit in verdict.hits]}


def _verdict(plain: dict[str, Any]) -> Verdict:
    return Verdict(**{**plain, "hits": tuple(Hit(**hit) for hit in plain["hits"])})
