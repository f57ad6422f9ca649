"""Convert the recording of an event to the dispatch that the log stores: host and format `python` (formats.md §5)."""

from __future__ import annotations

import hashlib
import linecache
import os
from inspect import EndOfBlock, getblock
from tokenize import TokenError
from typing import TYPE_CHECKING, Any

from hooktui.core.model import Callback, Dispatch, Hook, Outcome, Run
from hooktui.stack.context_matchers import needs_tool
from hooktui.stack.event_payloads import HOST, error_text
from hooktui.stack.outcomes import HookOutcome
from hooktui.stack.recording import UNCHANGED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hooktui.core.model import DecisionName, Event, Skip, State
    from hooktui.stack.introspection import SourceLocation
    from hooktui.stack.recording import HookSpan, Recording, RegisteredHook

_DECISIONS: Mapping[str, DecisionName] = {"proceed": "none", "block": "deny", "stop": "stop"}
_PROCEED: HookOutcome[Any] = HookOutcome.proceed()
_NO_OUTCOME = Outcome()


def dispatch_of(recording: Recording, new_ids: Callable[[int], Sequence[int]]) -> Dispatch:
    """Build the dispatch. Its duration is the time that the agent waited for hooks, without the action."""
    outcome = recording.outcome
    action_s = sum(action.duration_s for action in recording.actions)
    return Dispatch(
        id=recording.number,
        event=recording.event,
        project=recording.event.work_dir,
        runs=tuple(_runs(recording, new_ids)),
        decision=_DECISIONS[outcome.kind] if outcome else "none",
        reason=outcome.reason if outcome else None,
        modified_input=recording.change.modified_input if outcome is None or outcome.is_proceed else None,
        warnings=tuple(_warnings(recording)),
        duration_ms=max(recording.duration_s - action_s, 0.0) * 1000,
    )


def _runs(recording: Recording, new_ids: Callable[[int], Sequence[int]]) -> Iterator[Run]:
    """Every hook in the order considered, then the hooks that were not reached."""
    reached = {span.position for span in recording.spans}
    unreached = [hook for position, hook in enumerate(recording.registered) if position not in reached]
    numbers = iter(new_ids(len(recording.spans) + len(unreached)))
    for span in recording.spans:
        if span.runs is None:
            yield _run(span, recording, next(numbers))
        else:
            offset_ms = (span.began - recording.began) * 1000
            yield from (run.replace(started_ms=run.started_ms + offset_ms) for run in span.runs)
    if not recording.spans:  # a signal ended the event before the first hook
        return
    last = _logged_hook(recording.registered[recording.spans[-1].position], recording.event)
    for registered in unreached:
        hook = _logged_hook(registered, recording.event)
        yield Run(id=next(numbers), hook=hook, state="skipped", skip="blocked-earlier", why=f"{last.name} ended the chain")


def _run(span: HookSpan, recording: Recording, number: int) -> Run:
    state, skip = _state(span)
    return Run(
        id=number,
        hook=_logged_hook(recording.registered[span.position], recording.event),
        state=state,
        skip=skip,
        why=_why(span, recording),
        outcome=_outcome(span),
        started_ms=(span.began - recording.began) * 1000,
        duration_ms=max(span.duration_s - span.next_s, 0.0) * 1000,
        stderr=span.failure.traceback if span.failure else "",
    )


def _state(span: HookSpan) -> tuple[State, Skip | None]:
    if span.skipped is not None:
        return "skipped", "tool-mismatch" if needs_tool(span.skipped) else "pattern-mismatch"
    return span.failure.state if span.failure else "ok", None


def _outcome(span: HookSpan) -> Outcome:
    """The hook's own decision and changes: passing on an inner outcome counts as no decision."""
    outcome, inner, change = span.outcome, span.inner, span.change
    if outcome is None or (inner is not None and (inner.kind, inner.reason) == (outcome.kind, outcome.reason)):
        outcome = _PROCEED
    if outcome.is_proceed and change is UNCHANGED and span.failure is None:
        return _NO_OUTCOME
    problems = (span.failure.problem,) if span.failure else ()
    decision = _DECISIONS[outcome.kind]
    return Outcome(
        decision=decision, reason=outcome.reason, modified_input=change.modified_input, log=change.log, problems=problems
    )


def _why(span: HookSpan, recording: Recording) -> str:
    matcher = getattr(recording.registered[span.position].hook, "matcher", None)
    matcher = matcher and error_text(matcher)
    if span.skipped is not None:
        tool = recording.event.tool_name
        return f"{f'tool {tool}' if tool else recording.event.as_written} does not match {matcher}"
    reason = f"matched {matcher}" if matcher else f"listens to {recording.event.as_written}"
    if span.inner and span.outcome and span.inner.kind != span.outcome.kind:
        return f"{reason}; turned {span.inner.kind} into {span.outcome.kind}"
    return f"{reason}; an inner exception propagated" if span.inner_error and not span.outcome else reason


def _warnings(recording: Recording) -> Iterator[str]:
    for span in recording.spans:
        yield from span.warnings
        if span.failure:
            name = _logged_hook(recording.registered[span.position], recording.event).name
            verb = "raised" if span.failure.state == "failed" else "was interrupted by"
            yield f"hook {name} {verb} {span.failure.problem}"
    yield from (f"the action raised {action.failure.problem}" for action in recording.actions if action.failure)


def _logged_hook(registered: RegisteredHook, event: Event) -> Hook:
    if event.as_written not in registered.logged:
        registered.logged[event.as_written] = _build_hook(registered.location, registered.priority, event)
    return registered.logged[event.as_written]


def _build_hook(location: SourceLocation, priority: int, event: Event) -> Hook:
    """A Python hook as a log record; its version is the hash of its location and source."""
    text = _source(location)
    line_suffix = f":{location.line}" if "<lambda>" in location.name else ""  # lambdas share one name
    key = f"{HOST}:{_module(location, event.work_dir)}.{location.name}{line_suffix}:{event.as_written}"
    identity = "\0".join((key, location.file, str(location.line), text))
    return Hook(
        id=key,
        name=location.name,
        event=event.name,
        event_as_written=event.as_written,
        format=HOST,
        scope="project",
        file=os.path.abspath(location.file) if os.path.exists(location.file) else location.file,
        line=location.line,
        source=Callback(),
        type="callback",
        priority=priority,
        text=text,
        version=hashlib.sha256(identity.encode(errors="replace")).hexdigest(),
    )


def _module(location: SourceLocation, project: str) -> str:
    """The importable module name; every script is `__main__` at run time."""
    if location.module != "__main__" or not location.file:
        return location.module
    path = os.path.splitext(location.file)[0]
    relative = os.path.relpath(path, project)
    return os.path.basename(path) if relative.startswith(os.pardir) else relative.replace(os.sep, ".")


def _source(location: SourceLocation) -> str:
    """The source of the definition; "" if its file is unreadable or has changed."""
    try:
        return "".join(getblock(linecache.getlines(location.file)[location.line - 1 :]))
    except (EndOfBlock, TokenError, SyntaxError):
        return ""
