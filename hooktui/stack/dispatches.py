"""From the notes of an event to the dispatch that the log stores: host and format `python` (formats.md §5, "recording")."""

from __future__ import annotations

import hashlib
import linecache
import os
from inspect import EndOfBlock, getblock
from tokenize import TokenError
from typing import TYPE_CHECKING, Any

from hooktui.core.model import Dispatch, Hook, Outcome, Run
from hooktui.stack.context_matchers import needs_tool
from hooktui.stack.event_payloads import HOST, said
from hooktui.stack.outcomes import HookOutcome
from hooktui.stack.run_notes import UNCHANGED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hooktui.core.model import DecisionName, Event, Skip, State
    from hooktui.stack.callback_source import Place
    from hooktui.stack.hook_stack import Member
    from hooktui.stack.run_notes import HookNote, Recording

_DECISIONS: Mapping[str, DecisionName] = {"proceed": "none", "block": "deny", "stop": "stop"}
_NOTHING: HookOutcome[Any] = HookOutcome.proceed()
_SILENCE = Outcome()


def dispatch_of(recording: Recording, numbers: Callable[[int], Sequence[int]]) -> Dispatch:
    """The dispatch; its time is what the agent waited for hooks, without the action. `numbers` gives new ids."""
    outcome = recording.outcome
    acted_s = sum(act.lasted for act in recording.acts)
    return Dispatch(
        id=recording.number,
        event=recording.event,
        project=recording.event.work_dir,
        runs=tuple(_runs(recording, numbers)),
        decision=_DECISIONS[outcome.kind] if outcome else "none",
        reason=outcome.reason if outcome else None,
        modified_input=recording.change.modified_input if outcome is None or outcome.is_proceed else None,
        warnings=tuple(_warnings(recording)),
        duration_ms=max(recording.lasted - acted_s, 0.0) * 1000,
    )


def _runs(recording: Recording, numbers: Callable[[int], Sequence[int]]) -> Iterator[Run]:
    """Every hook in the order considered; last those that were not reached."""
    reached = {note.place for note in recording.hooks}
    missed = [member for place, member in enumerate(recording.members) if place not in reached]
    new_ids = iter(numbers(len(recording.hooks) + len(missed)))
    for note in recording.hooks:
        if note.runs is None:
            yield _run(note, recording, next(new_ids))
        else:
            offset_ms = (note.began - recording.began) * 1000
            yield from (run.replace(started_ms=run.started_ms + offset_ms) for run in note.runs)
    if not recording.hooks:  # ended by a signal before the first
        return
    last = _hook(recording.members[recording.hooks[-1].place], recording.event)
    for member in missed:
        hook = _hook(member, recording.event)
        yield Run(id=next(new_ids), hook=hook, state="skipped", skip="blocked-earlier", why=f"{last.name} did not go on")


def _run(note: HookNote, recording: Recording, number: int) -> Run:
    state, skip = _state(note)
    return Run(
        id=number,
        hook=_hook(recording.members[note.place], recording.event),
        state=state,
        skip=skip,
        why=_why(note, recording),
        outcome=_outcome(note),
        started_ms=(note.began - recording.began) * 1000,
        duration_ms=max(note.lasted - note.away_s, 0.0) * 1000,
        stderr=note.failure.traceback if note.failure else "",
    )


def _state(note: HookNote) -> tuple[State, Skip | None]:
    if note.skipped is not None:
        return "skipped", "tool-mismatch" if needs_tool(note.skipped) else "pattern-mismatch"
    return note.failure.state if note.failure else "ok", None


def _outcome(note: HookNote) -> Outcome:
    """What the hook itself said and did: to pass on what came from further in is to say nothing."""
    said, inner, change = note.outcome, note.inner, note.change
    if said is None or (inner is not None and (inner.kind, inner.reason) == (said.kind, said.reason)):
        said = _NOTHING
    if said.is_proceed and change is UNCHANGED and note.failure is None:
        return _SILENCE
    problems = (note.failure.problem,) if note.failure else ()
    decision = _DECISIONS[said.kind]
    return Outcome(
        decision=decision, reason=said.reason, modified_input=change.modified_input, log=change.log, problems=problems
    )


def _why(note: HookNote, recording: Recording) -> str:
    matcher = getattr(recording.members[note.place].hook, "matcher", None)
    matcher = matcher and said(matcher)
    if note.skipped is not None:
        tool = recording.event.tool_name
        return f"{f'tool {tool}' if tool else recording.event.as_written} is not matched by {matcher}"
    matched = f"matched {matcher}" if matcher else f"takes every {recording.event.as_written}"
    if note.inner and note.outcome and note.inner.kind != note.outcome.kind:
        return f"{matched}; turned {note.inner.kind} into {note.outcome.kind}"
    return f"{matched}; an exception went through it" if note.from_within and not note.outcome else matched


def _warnings(recording: Recording) -> Iterator[str]:
    for note in recording.hooks:
        yield from note.warnings
        if note.failure:
            name = _hook(recording.members[note.place], recording.event).name
            yield f"hook {name} {'raised' if note.failure.state == 'failed' else 'was ended by'} {note.failure.problem}"
    yield from (f"the action raised {act.failure.problem}" for act in recording.acts if act.failure)


def _hook(member: Member, event: Event) -> Hook:
    if event.as_written not in member.logged:
        member.logged[event.as_written] = _logged(member.place, member.priority, event)
    return member.logged[event.as_written]


def _logged(place: Place, priority: int, event: Event) -> Hook:
    """A Python hook as the log knows it: its version is that of its source text at its place."""
    text = _source(place)
    number = f":{place.line}" if "<lambda>" in place.name else ""  # they all have one name
    key = f"{HOST}:{_module(place, event.work_dir)}.{place.name}{number}:{event.as_written}"
    identity = "\0".join((key, place.file, str(place.line), text))
    return Hook(
        id=key,
        name=place.name,
        event=event.name,
        event_as_written=event.as_written,
        format=HOST,
        scope="project",
        file=os.path.abspath(place.file) if os.path.exists(place.file) else place.file,
        line=place.line,
        type="callback",
        priority=priority,
        text=text,
        version=hashlib.sha256(identity.encode(errors="replace")).hexdigest(),
    )


def _module(place: Place, project: str) -> str:
    """The module as others would import it: every script calls itself `__main__`."""
    if place.module != "__main__" or not place.file:
        return place.module
    path = os.path.splitext(place.file)[0]
    inside = os.path.relpath(path, project)
    return os.path.basename(path) if inside.startswith(os.pardir) else inside.replace(os.sep, ".")


def _source(place: Place) -> str:
    """The definition at a place; "" where its file cannot be read, or holds something else by now."""
    try:
        return "".join(getblock(linecache.getlines(place.file)[place.line - 1 :]))
    except (EndOfBlock, TokenError, SyntaxError):
        return ""
