"""Test a matcher on example events, logged events and typed events, without running anything.

`examine` gives every event the verdict of a real dispatch (runner/matching.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hooktui import hosts
from hooktui.catalog.hook_states import counted
from hooktui.core import patterns
from hooktui.core.model import Event, Hook, JsonEntry
from hooktui.formats.diagnostic_collector import shortened
from hooktui.log.read import event_subject, recent_events
from hooktui.log.read.connection import default_path
from hooktui.runner import matching
from hooktui.runner.matching import Hit, Verdict
from hooktui.trials import payload_templates

if TYPE_CHECKING:
    from hooktui.core.model import Severity

EVENTS = 500  # logged events to test a matcher on
_EVENT_S = 2 * matching.MATCH_BUDGET_S  # CPU seconds for one event, including overhead for large inputs
FEW = 20  # fewer events prove nothing about a matcher
_SHOWN = 40  # characters of a regex
_BY_MATCHER = (None, "tool-mismatch", "pattern-mismatch")


class MatcherCase(NamedTuple):
    """An event to test a matcher on; `logged` is its id in the log, None for an example."""

    event: Event
    logged: int | None = None

    @property
    def key(self) -> object:
        """What identifies the case when the events are loaded again."""
        return self.logged or self.event.tool_name

    @property
    def about(self) -> str:
        return event_subject.of_payload(self.event.payload)


class MatchResult(NamedTuple):
    """The verdict on one event."""

    case: MatcherCase
    verdict: Verdict

    @property
    def matched(self) -> bool:
        return self.verdict.skip is None

    @property
    def too_slow(self) -> bool:
        return self.verdict == matching.TOO_SLOW

    @property
    def depends(self) -> bool:
        """Whether the hook matches the tool of an example, and would run on some input."""
        return self.case.logged is None and self.verdict.skip == "pattern-mismatch"


class MatcherReport(NamedTuple):
    """The verdicts on all events. `tools` maps each tool to whether the hook matches it on some input.

    `untested` counts the events after one on which the matcher took too long.
    """

    results: tuple[MatchResult, ...] = ()
    untested: int = 0
    tools: Mapping[str, bool] | None = None
    doubts: tuple[Doubt, ...] = ()

    @property
    def logged(self) -> tuple[MatchResult, ...]:
        return tuple(result for result in self.results if result.case.logged is not None)

    @property
    def faulty(self) -> MatchResult | None:
        """The first result that the matcher did not decide: the hook can never run, or the matcher cannot be used."""
        return next((result for result in self.results if result.verdict.skip not in _BY_MATCHER), None)

    @property
    def of_tools(self) -> str:
        """The number of matched tools: `3 of 9 tools`; empty on events without tools, and if the matcher did not decide."""
        tools = {} if self.faulty else self.tools or {}
        return f"{sum(tools.values())} of {len(tools)} tools" if tools else ""

    @property
    def of_logged(self) -> str:
        """`12 of the last 500`; empty if nothing is logged or not all events were tested."""
        logged = () if self.untested else self.logged
        return f"{sum(result.matched for result in logged):,} of the last {len(logged):,}" if logged else ""


async def cases(hook: Hook, project: str, path: str | None = None) -> tuple[MatcherCase, ...]:
    """Return the events to test a hook's matcher on: an example for each known tool, then logged events, newest first.

    A hook of all projects is tested on the events of all. Raises LogError.
    """
    where = None if hook.scope in ("user", "managed") else project
    logged = await recent_events.read(path or default_path(), hook.event, hook.identity, EVENTS, where)
    examples = ((payload, None) for payload in payload_templates.samples(hook, project))
    kept = ((event.payload, event.id) for event in logged if event.payload is not None)
    return tuple(
        MatcherCase(event, number)
        for payload, number in (*examples, *kept)
        if (event := payload_templates.readable(hook, payload, project))
    )


def typed(hook: Hook, project: str, tool: str, text: str) -> MatcherCase:
    """Return the case for a tool and an input that a person typed. Raises TrialError."""
    return MatcherCase(payload_templates.event_of(hook, payload_templates.typed(hook, project, tool, text), project))


def examine(hook: Hook, given: Sequence[MatcherCase], then: Hook | None = None) -> MatcherReport:
    """Test a hook's matcher and, on the events it accepts, the matcher of `then`, which equals what the script checks itself.

    Testing stops at an event on which the matcher takes too long.
    """
    results = tuple(_tested(hook, given, then))
    tools: dict[str, bool] = {}
    for result in results:
        name = result.case.event.tool_name
        if name and hook.event in matching.WITH_TOOL:
            tools[name] = tools.get(name, False) or result.verdict.skip in (None, "pattern-mismatch")
    report = MatcherReport(results, len(given) - len(results), tools)
    return report._replace(doubts=tuple(_doubts([hook] if then is None else [hook, then], report)))


def _tested(hook: Hook, given: Sequence[MatcherCase], then: Hook | None) -> Iterator[MatchResult]:
    """Test in one child process for all events: a matcher may never end, and a child for each event is slow."""
    if hook.obstacle:
        never = Verdict(skip=hook.obstacle.skip, why=hook.obstacle.why)
        yield from (MatchResult(case, never) for case in given)
        return
    verdicts = patterns.in_child(lambda: (_plain(_matched(hook, case.event, then)) for case in given), _EVENT_S)
    tested = 0
    try:
        for case, verdict in zip(given, verdicts, strict=False):
            yield MatchResult(case, Verdict(**{**verdict, "hits": tuple(Hit(**hit) for hit in verdict["hits"])}))
            tested += 1
    except patterns.RegexTimeoutError:
        yield MatchResult(given[tested], matching.TOO_SLOW)


def _matched(hook: Hook, event: Event, then: Hook | None) -> Verdict:
    verdict = matching.match(hook, event)
    if verdict.skip is not None or then is None:
        return verdict
    further = matching.match(then, event)
    return further.replace(hits=(*verdict.hits, *further.hits))


def _plain(verdict: Verdict) -> dict[str, Any]:
    return {**verdict.as_dict(), "hits": [hit.as_dict() for hit in verdict.hits]}


class Doubt(NamedTuple):
    """A sentence about a matcher: an error where it cannot be used, an info where too few events were seen."""

    text: str
    severity: Severity = "warning"


def _doubts(listeners: Sequence[Hook], report: MatcherReport) -> Iterator[Doubt]:
    """Yield the doubts about the matchers of some hooks, given their results."""
    if faulty := report.faulty:
        others = f"; {counted(report.untested, 'more event')} not tested" if report.untested else ""
        where = f" on {shortened(faulty.case.about, _SHOWN)}{others}" if faulty.too_slow else ""
        yield Doubt(f"{faulty.verdict.why}{where}", "warning" if faulty.too_slow else "error")
    elif any(map(_is_selective, listeners)):
        yield from _by_results(report)


def _is_selective(hook: Hook) -> bool:
    """Whether a hook has a matcher that its host reads."""
    of_tool = hook.event in matching.WITH_TOOL
    matcher = hosts.spec(hook.format).matcher
    compared = hook.event in matching.SUBJECTS and isinstance(hook.source, JsonEntry)
    names = hook.tool is not None and hook.tool not in matcher.everything and matcher.is_read and (of_tool or compared)
    return names or (hook.pattern is not None and of_tool) or bool(hook.condition)


def _by_results(report: MatcherReport) -> Iterator[Doubt]:
    """Doubt a matcher that matched none of the events, or all events and all known tools."""
    number, matched = len(report.logged), sum(result.matched for result in report.logged)
    tools = {result.case.event.tool_name for result in report.logged} - {None}
    of_tools = f" from {counted(len(tools), 'tool')}" if tools else ""
    basis = f"of {counted(number, 'logged event')}{of_tools}"
    few = "" if number >= FEW else ": too few to tell"
    severity: Severity = "info" if few else "warning"
    if number and not matched:
        yield Doubt(f"matches none {basis}{few}", severity)
    elif number and matched == number and all((report.tools or {}).values()):
        yield Doubt(f"matches every one {basis}{few}", severity)
