"""Events of transcripts as rows of the log: redacted and capped like everything that is recorded, without ids."""

from __future__ import annotations

import zlib
from functools import lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, NamedTuple

from hooktui.core import fast_json, ids
from hooktui.core.hook_sources import MOD_FORMAT
from hooktui.core.model import DECISIONS, effect_of
from hooktui.formats import hook_identity
from hooktui.log.store import calls
from hooktui.log.store.calls import CallEvent
from hooktui.log.store.merge_sources import (
    ONLY_ONE,
    REFUSED,
    ReportedEvent,
    ReportedHook,
    in_order_of_weight,
    is_overruled,
    obeyed,
    outcome_of,
)
from hooktui.runner.journal import entry
from hooktui.runner.journal.entry import HookEntry, RunEntry
from hooktui.runner.redaction import stored_text
from hooktui.scripts import hooktui_commands

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hooktui.core.model import DecisionName, Via
    from hooktui.transcripts.transcript_records import ReportedRun, TranscriptEvent

    Row = tuple[Any, ...]

_PROCESS = (1 << 12) - 1  # the low bits of an id, which tell sessions of one moment apart
_TICK = 1 << 12  # of an id: a microsecond
_RUNS = 16  # ids that an event leaves to its runs
_HALF_TICK_S = 4e-7
_ENDED = ("denied-by-hook", "denied")
UNNAMED_MOD = "a mod"

# The columns of `EventRows.dispatch` and of a run in `EventRows.runs`.
DISPATCH_COLUMNS = (
    *("event", "tool", "decision", "state", "ran", "reason", "duration_ms", "synthetic", "origin", "effect", "event_key"),
    *("outcome", "hooks_recorded", "overruled"),
)
RUN_COLUMNS = RunEntry._fields[RunEntry._fields.index("position") : -1]
_RUN_DECISION = RUN_COLUMNS.index("decision")
_DECISION, _STATE, _RAN = DISPATCH_COLUMNS.index("decision"), RUN_COLUMNS.index("state"), DISPATCH_COLUMNS.index("ran")
_RECORDED, _WHY = DISPATCH_COLUMNS.index("hooks_recorded"), RUN_COLUMNS.index("why")


class EventRows(NamedTuple):
    """An event as it is stored: values of the tables `dispatch`, `content` and `run`, the latter behind their hooks' versions.

    `call` and `own_key` identify it in its session, `key` everywhere. `at` is in seconds since 1970, 0 if it is unknown.
    `stored`: an earlier portion of the transcript had it.
    """

    key: int
    call: str | None
    own_key: str
    at: float
    stored: bool
    dispatch: Row
    payload: str
    effects: str | None
    runs: tuple[tuple[str, Row], ...]

    @property
    def event(self) -> str:
        return str(self.dispatch[0])


def number_of(at: float, session: str, place: int) -> int:
    """An id at a moment; `place` is that among the events of the session at this moment."""
    return (ids.at_time(at + _HALF_TICK_S) + place * _RUNS * _TICK) | _session_bits(session)


@lru_cache(maxsize=100)
def _session_bits(session: str) -> int:
    return zlib.crc32(session.encode(errors="replace")) & _PROCESS


def run_number(dispatch: int, position: int) -> int:
    """An id for a run of an event."""
    return dispatch + position * _TICK


def key_of(session: str, event: str, call: str | None, own_key: str) -> int:
    """The key that a record of the event has too (entry.event_key); an event without a call has one that no record has."""
    near, begin = _key_begin(session, event)
    about = encode_basestring(call) if call else f'"transcript", {encode_basestring(own_key)}'
    return entry.key_near(near, f"{begin}{about}]]")


def call_events(events: Sequence[EventRows], numbers: Sequence[int], session: int, name: str) -> list[CallEvent]:
    """The events of tool calls among stored ones; `name` is the id that the agent gave their session."""
    of_calls = [(number, event) for number, event in zip(numbers, events, strict=True) if event.event in calls.EVENTS]
    return [
        CallEvent(id=number, session=session, tool=event.dispatch[1], payload=event.payload, keys=_call_keys(name, event))
        for number, event in of_calls
        if event.dispatch[1]
    ]


def _call_keys(name: str, event: EventRows) -> list[int]:
    kinds = dict.fromkeys((*calls.NUMBERED, event.event)) if event.call else ()
    return [key_of(name, kind, event.call, "") for kind in kinds]


@lru_cache(maxsize=100)
def _key_begin(session: str, event: str) -> tuple[int, str]:
    """What the keys of a session's events of a kind are made from: the session's own, and the beginning of the JSON text."""
    return entry.key_of_json(session), f"[{encode_basestring(session)}, {encode_basestring(event)}, ["


def event_rows(
    host: str, session: str, event: TranscriptEvent, payload: str, secrets: Sequence[str], hooks: dict[str, HookEntry]
) -> EventRows:
    """An event with its stored payload and the hook runs that the agent reports; adds their `hooks`."""
    told = [run for run in event.hooks if not hooktui_commands.runs(run.command, host)]  # `run` records what hooktui answers
    decision, overruled = _decision(event, told)
    runs = tuple(_runs(told, host, tuple(secrets), hooks))
    state = max((run.state for run in told), key=entry.STATES.index, default="")
    effects, effect = _effects(told, decision, secrets, is_refused=event.outcome in REFUSED) if told else (None, decision)
    key = key_of(session, event.event, event.call, event.key)
    dispatch = (
        event.event,
        _label(event.tool, tuple(secrets)) if event.tool else event.tool,
        decision,
        state,
        _labels(decision, runs, hooks),
        _reason(event, told, decision, secrets),
        max((float(run.duration_ms or 0.0) for run in told), default=0.0),
        0,
        "transcript",
        effect,
        key,
        outcome_of(event.event, host, decision, state, event.outcome),
        event.hooks_recorded,
        overruled,
    )
    return EventRows(key, event.call, event.key, event.at, event.stored, dispatch, payload, effects, runs)


def _decision(event: TranscriptEvent, told: Sequence[ReportedRun]) -> tuple[DecisionName, bool]:
    """Return the decision, and whether the agent overruled a hook's answer."""
    decision: DecisionName = "none"
    if told:
        decision = obeyed(max((run.decision for run in told), key=DECISIONS.index), event.outcome)
    if event.outcome in _ENDED and decision not in ("deny", "stop"):
        decision = "deny"
    overruled = is_overruled(event.event, decision, has_run=event.outcome == "ran")
    return "none" if overruled else decision, overruled


def _reason(event: TranscriptEvent, told: Sequence[ReportedRun], decision: DecisionName, secrets: Sequence[str]) -> str | None:
    if decision == "none":
        return None
    reason = next((run.reason for run in told if run.decision == decision and run.reason), event.reason)
    return stored_text(reason.strip(), secrets) if reason else None


def _runs(
    told: Sequence[ReportedRun], host: str, secrets: tuple[str, ...], hooks: dict[str, HookEntry]
) -> Iterator[tuple[str, Row]]:
    for place, run in enumerate(told):
        hook = _hook(run.event, run.command or "", host, secrets, is_mod=run.is_mod)
        hooks[hook.version] = hook
        yield hook.version, _run(run, place, secrets)


_label = lru_cache(maxsize=1000)(entry.label)


def _labels(decision: str, runs: Iterable[tuple[str, Row]], hooks: Mapping[str, HookEntry]) -> str:
    """The labels of hooks that ran: those that decided, those that failed, the others."""
    ordered = sorted(runs, key=lambda run: in_order_of_weight(run[1][_RUN_DECISION] == decision, run[1][_STATE]))
    return "\n".join(hooks[version].label or "" for version, _ in ordered)


def with_hooks(event: EventRows, names: Mapping[str, str], hooks: Mapping[str, HookEntry]) -> EventRows:
    """An event with other hooks than its transcript names: `names` has the version of each, the same for two names of one.

    What the agent tells of its hooks without naming one is no hook: only the event has its decision, reason and effects.
    """
    told = [(names[version], row if hooks[version].text else _as_only(row)) for version, row in event.runs if version in names]
    by_hook: dict[str, tuple[str, Row]] = {}
    for version, row in told:
        _, known = by_hook.setdefault(hooks[version].key, (version, row))
        if (known[_RUN_DECISION], known[_STATE]) == ("none", "ok"):
            by_hook[hooks[version].key] = version, row
    runs = tuple(by_hook.values())
    dispatch = list(event.dispatch)
    dispatch[_RAN] = _labels(dispatch[_DECISION], runs, hooks)
    if len(told) < len(event.runs):
        dispatch[_RECORDED] = "some"
    return event._replace(dispatch=tuple(dispatch), runs=runs)


def _as_only(row: Row) -> Row:
    return (*row[:_WHY], ONLY_ONE, *row[_WHY + 1 :])


def reported_event(event: EventRows, number: int, hooks: Mapping[str, HookEntry]) -> ReportedEvent:
    """What an event tells of one that was recorded; `number` is the id that it would have."""
    values = dict(zip(DISPATCH_COLUMNS, event.dispatch, strict=True))
    runs = [
        ReportedHook(
            key=hooks[version].key,
            label=hooks[version].label or hooks[version].name,
            run=RunEntry(
                id=run_number(number, place), dispatch=0, hook_version=version, **dict(zip(RUN_COLUMNS, row, strict=True))
            ),
        )
        for place, (version, row) in enumerate(event.runs)
    ]
    told = {name: values[name] for name in ("tool", "decision", "state", "reason", "duration_ms", "outcome", "hooks_recorded")}
    return ReportedEvent(**told, at=event.at, effects=event.effects, payload=event.payload, runs=tuple(runs))


def _effects(
    runs: Sequence[ReportedRun], decision: DecisionName, secrets: Sequence[str], *, is_refused: bool
) -> tuple[str | None, str]:
    """The effects of an event's hooks as JSON, and their summary."""
    rewrites = [run.modified_input for run in runs if run.modified_input and not is_refused]
    effects = {
        "modified_input": rewrites[-1] if rewrites else None,
        "additional_context": [run.context for run in runs if run.context],
        "system_messages": [run.system_message for run in runs if run.system_message],
    }
    stored = _stored_effects(effects, tuple(secrets))
    return stored, effect_of(decision, effects["modified_input"], effects["additional_context"])


def _stored_effects(effects: dict[str, Any], secrets: tuple[str, ...]) -> str | None:
    """Effects as JSON, without empty ones."""
    given = {name: value for name, value in effects.items() if value}
    return _redacted_effects(fast_json.dumps(given, ascii_only=False), secrets) if given else None


@lru_cache(maxsize=200)
def _redacted_effects(text: str, secrets: tuple[str, ...]) -> str | None:
    """The same hook says the same again and again."""
    return entry.stored_json(fast_json.loads(text), secrets)


@lru_cache(maxsize=1000)
def _hook(event: str, command: str, host: str, secrets: tuple[str, ...], *, is_mod: bool = False) -> HookEntry:
    """The hook that a transcript names by its command, if at all; an observed command by what is inside. A mod by its name."""
    text = entry.stored_name(hooktui_commands.original(command, host) or command, secrets) if command else ""
    label = hook_identity.command_label(text) if text else event
    if is_mod:
        label = text = text or UNNAMED_MOD
    digest = f"{entry.key_of([host, event, text, *(['mod'] if is_mod else ())]) & (1 << 64) - 1:016x}"
    return HookEntry(
        version=f"transcript:{digest}",
        key=f"{host}:transcript:{event}:{digest[:12]}",
        name=label,
        format=MOD_FORMAT if is_mod else host,
        scope="user",
        file="",
        line=0,
        event=event,
        text=text,
        label=label,
    )


def _run(run: ReportedRun, place: int, secrets: Sequence[str]) -> Row:
    via: Via | None = None
    if run.decision != "none" and run.state == "ok" and not run.is_mod:
        via = "exit-2" if run.exit_code == 2 else "json"
    effects = {
        "modified_input": run.modified_input,
        "additional_context": run.context,
        "system_message": run.system_message,
        "problems": [f"timeout after {run.timeout_ms:g} ms"] if run.timeout_ms and run.state == "timeout" else None,
    }
    return (
        place,
        run.state,
        None,
        "reported by the agent's transcript",
        run.decision,
        via,
        run.reason and stored_text(run.reason, secrets),
        run.exit_code,
        None,
        0.0,
        float(run.duration_ms or 0.0),
        run.stdout and stored_text(run.stdout, secrets),
        run.stderr and stored_text(run.stderr, secrets),
        0,
        _stored_effects(effects, tuple(secrets)),
    )
