"""Merge all sources of one event into one report: `run`, `exec` around each observed hook, and the agent's own transcript.

Each source stays as it came: a record of `run` or `exec` in the table `part`, which the hash chain covers, and what the
transcript tells in `told`. The row of `dispatch` follows from them by `merged` alone; verify.py merges them again and compares.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import fast_json, ids
from hooktui.core.events import GATES
from hooktui.core.model import DECISIONS, FAILURES, effect_of
from hooktui.runner.journal.entry import STATES, RunEntry, stored_json

if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Collection, Iterable, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    from hooktui.core.model import DecisionName, Effect, Origin
    from hooktui.runner.journal.entry import DispatchEntry

# Between two records of one event. Some hosts start a hook when the one before has ended; a loaded machine starts it late.
_GAP_MS = 10_000.0
_LISTS = ("additional_context", "system_messages", "log", "warnings")  # effects that are collected
_TROUBLE = (*FAILURES, "interrupted")
_DENIALS = ("deny", "stop")
# What became of a call that was not let through: no hook's `allow` and no rewrite had an effect.
REFUSED = ("denied-by-permission", "not-started")
AFTER_CALL = ("post-tool-call", "post-tool-call-failure")
_RESULTS = dict(zip(AFTER_CALL, ("ok", "failed"), strict=True))


@dataclass(frozen=True, kw_only=True)
class EventRecord:
    """An event as one process reported it: a row of `part`, or of `dispatch` while it has no parts.

    `payload` is None if it is that of the event; `skips` is the row of its list of skipped hooks.
    """

    id: int
    tool: str | None
    decision: DecisionName
    state: str
    ran: str
    reason: str | None
    duration_ms: float
    synthetic: int
    payload: str | None
    effects: str | None
    origin: Origin
    skips: int | None

    @property
    def begin_ms(self) -> float:
        return ids.seconds(self.id) * 1000

    @property
    def end_ms(self) -> float:
        return self.begin_ms + self.duration_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedHook:
    """A hook that a transcript tells of: its id and label, and its run."""

    key: str
    label: str
    run: RunEntry


@dataclass(frozen=True, kw_only=True)
class ReportedEvent:
    """What a transcript tells of an event, at its own time (seconds since 1970), and of the hooks that it names.

    `payload` has the fields that no record has.
    """

    at: float = 0.0
    tool: str | None = None
    decision: DecisionName = "none"
    state: str = ""
    reason: str | None = None
    duration_ms: float = 0.0
    outcome: str | None = None
    hooks_recorded: str | None = None
    effects: str | None = None
    payload: str = "{}"
    runs: tuple[ReportedHook, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRun:
    """What a record tells of a hook that ran: its id, its decision and its reason."""

    key: str
    decision: DecisionName
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class MergedEvent:
    """The row of `dispatch` that follows from the sources, the effects of `content`, and the runs that only `told` has."""

    tool: str | None
    decision: DecisionName
    state: str
    ran: str
    reason: str | None
    duration_ms: float
    origin: Origin
    skips: int | None
    effect: Effect
    outcome: str | None
    hooks_recorded: str | None
    overruled: int
    effects: str | None
    runs: tuple[ReportedHook, ...]


_Source = EventRecord | RunEntry | ReportedEvent
COLUMNS = tuple(EventRecord.__annotations__)
# The columns of `dispatch` that are merged; the hash chain covers those of COLUMNS in each record.
MERGED = tuple(MergedEvent.__annotations__)[:-2]
ADD_PART = f"INSERT INTO part (dispatch, {', '.join(COLUMNS)})"
MERGE = f"UPDATE dispatch SET {', '.join(f'{name} = ?' for name in MERGED)} WHERE id = ?"
PARTS = f"SELECT {', '.join(COLUMNS)} FROM part WHERE dispatch = ? ORDER BY id"
ALONE = f"""
SELECT {", ".join("NULL" if name == "payload" else name for name in COLUMNS)}
FROM dispatch JOIN content USING (id) WHERE dispatch.id = ? AND origin <> 'transcript'"""
# An imported event keeps its runs' origin NULL; in a recorded event, those that only the transcript tells have it.
RECORDED_RUNS = """
SELECT hook.key, run.decision, run.reason FROM run JOIN hook ON hook.id = run.hook
WHERE run.dispatch = ? AND run.state <> 'skipped' AND ifnull(run.origin, '') <> 'transcript'"""
_CANDIDATES = """
SELECT dispatch.id FROM dispatch JOIN session ON session.id = session
WHERE event_key = :key AND name = :name AND host = :host AND project = :project AND (:observed OR origin = 'observed')
ORDER BY abs(dispatch.id - :id) LIMIT 20"""


def event_of(connection: sqlite3.Connection, entry: DispatchEntry, hooks: AbstractSet[str]) -> int | None:
    """The id of the event in the log that an entry reports too; None for a new event. `hooks` are the keys of those that ran.

    Only one record is of `run`, and none of another record's hooks ran again: that is the next event.
    """
    about = {"key": entry.event_key, "id": entry.id, "observed": entry.origin == "observed", **entry.session.as_dict()}
    candidates = connection.execute(_CANDIDATES, about).fetchall()
    new = record_of(entry)
    for (number,) in candidates:
        known = records(connection, number)
        gap = max(new.begin_ms - max(record.end_ms for record in known), min(record.begin_ms for record in known) - new.end_ms)
        twice = entry.origin == "run" and any(record.origin == "run" for record in known)
        if gap <= _GAP_MS and not twice and hooks.isdisjoint(run.key for run in recorded_runs(connection, number)):
            return int(number)
    return None


def records(connection: sqlite3.Connection, number: int) -> list[EventRecord]:
    """The records of an event, by the time they began. Raises sqlite3.Error."""
    rows = connection.execute(PARTS, (number,)).fetchall() or connection.execute(ALONE, (number,)).fetchall()
    return [EventRecord(**dict(zip(COLUMNS, row, strict=True))) for row in rows]


def recorded_runs(connection: sqlite3.Connection, number: int) -> list[RecordedRun]:
    """The hooks of an event that ran by its records. Raises sqlite3.Error."""
    rows = connection.execute(RECORDED_RUNS, (number,))
    return [RecordedRun(key=key, decision=decision, reason=reason) for key, decision, reason in rows]


def record_of(entry: DispatchEntry, skips: int | None = None) -> EventRecord:
    """The record that an entry holds; `skips` is the row of its list of skipped hooks."""
    return EventRecord(**{name: getattr(entry, name) for name in COLUMNS if name != "skips"}, skips=skips)


def merged(
    event: str,
    host: str,
    parts: Sequence[EventRecord],
    runs: Iterable[RecordedRun] = (),
    told: ReportedEvent | None = None,
    results: Collection[str] = (),
) -> MergedEvent:
    """The whole event: the decision that the host obeyed, and the time that it waited.

    `runs` are the hooks that ran by the records, and `results` the events after the call that were recorded.
    """
    parts, told = sorted(parts, key=lambda part: part.id), told or ReportedEvent()
    only_told, unnamed = _only_told(told.runs, list(runs), parts), _unnamed(told, parts)
    sources: tuple[_Source, ...] = (*parts, *(told_run.run for told_run in only_told), unnamed)
    state = max((source.state for source in sources), key=STATES.index)
    wanted = obeyed(max((source.decision for source in sources), key=DECISIONS.index), told.outcome)
    has_run = told.outcome == "ran" or _show_that_it_ran(results, host, wanted)
    overruled = is_overruled(event, wanted, has_run=has_run)
    decision: DecisionName = "none" if overruled else wanted
    if told.outcome == "denied-by-hook" and decision not in _DENIALS:
        decision = "deny"
    is_held = wanted in _DENIALS or told.outcome in REFUSED
    effects = _merged_effects(parts, only_told, unnamed, is_held=is_held)
    return MergedEvent(
        tool=next(filter(None, (part.tool for part in parts)), told.tool),
        decision=decision,
        state=state,
        ran=_names(parts, only_told, wanted),
        reason=_reason(sources, wanted),
        duration_ms=max(
            _waited_ms(parts, only_told), *(told_run.run.duration_ms for told_run in only_told), unnamed.duration_ms
        ),
        origin=_origin(parts),
        skips=next(filter(None, (part.skips for part in parts)), None),
        effect=effect(decision, effects),
        outcome=outcome_of(event, host, decision, state, told.outcome, has_run=has_run),
        hooks_recorded=told.hooks_recorded,
        overruled=int(overruled),
        effects=effects,
        runs=only_told,
    )


def is_overruled(event: str, decision: str, *, has_run: bool) -> bool:
    """Whether a call ran, or an agent stopped, although a hook denied that."""
    return event in ("pre-tool-call", *GATES) and decision == "deny" and has_run


def obeyed(decision: DecisionName, outcome: str | None) -> DecisionName:
    """What the host obeyed of a decision, by what became of the call."""
    return "none" if decision == "allow" and outcome in REFUSED else decision


def _show_that_it_ran(results: Collection[str], host: str, decision: str) -> bool:
    """Whether events after a call show that it ran. Some hosts report a denial, by any hook, as a failure."""
    succeeded, failed = (name in results for name in AFTER_CALL)
    return succeeded or (failed and decision not in _DENIALS and _failure_shows_run(host))


def _failure_shows_run(host: str) -> bool:
    try:
        return hosts.spec(host).failure_shows_run()
    except KeyError:  # of another version
        return True


def outcome_of(
    event: str, host: str, decision: str, state: str, told: str | None = None, *, has_run: bool = False
) -> str | None:
    """The outcome in the transcript, else the one that records and later events imply; None if neither has one.

    `state` is the worst of the hooks that ran. A gate of which a hook failed was not checked.
    """
    if event in GATES:
        if decision == "deny" or told == "denied":
            return "denied"  # a `stop` ends the agent, as its own stop does
        # Of other hosts than agenthooks, hooks of their own may have held it.
        is_known = told is not None or host == "agenthooks" or decision == "stop"
        return "not-checked" if state in _TROUBLE else "passed" if is_known else None
    if told is not None:
        return "denied" if told == "denied-by-hook" and event != "pre-tool-call" else told
    if event == "pre-tool-call":
        return "ran" if has_run else "denied-by-hook" if decision in _DENIALS else None
    return _RESULTS.get(event) or ("denied" if decision in _DENIALS else None)


def effect(decision: DecisionName, effects: str | None) -> Effect:
    """What a dispatch did, by its decision and its effects as stored."""
    values = _parsed(effects)
    return effect_of(decision, values.get("modified_input"), values.get("additional_context"))


def in_order_of_weight(decides: bool, state: str) -> tuple[bool, bool]:
    """A key that sorts hooks for a list: those that decided the event, then those that failed, then the others."""
    return not decides, state not in _TROUBLE


def _only_told(
    told: Iterable[ReportedHook], runs: Sequence[RecordedRun], parts: Sequence[EventRecord]
) -> tuple[ReportedHook, ...]:
    """The hooks that a transcript tells of and no record.

    A denial without a command is a recorded one if that has the same reason, or no hook of the files has to have done it.
    """
    keys = {run.key for run in runs}
    reasons = {(run.reason or "").strip() for run in runs if run.decision in _DENIALS}

    def is_recorded(told_run: ReportedHook) -> bool:
        run = told_run.run
        is_same = run.decision in _DENIALS and (run.reason or "").strip() in reasons
        return told_run.key in keys or is_same or (run.why == ONLY_ONE and _is_explained(run.decision, run.state, parts))

    return tuple(told_run for told_run in told if not is_recorded(told_run))


ONLY_ONE = "the agent does not name the hook, and no other can have run"  # why a told run is that of a hook


def _is_explained(decision: str, state: str, parts: Sequence[EventRecord]) -> bool:
    """Whether records have a decision, or a failure, that an agent tells without naming the hook."""
    if decision != "none":
        return any(part.decision == decision or {part.decision, decision} <= {*_DENIALS} for part in parts)
    return state in _TROUBLE and any(part.state in _TROUBLE for part in parts)


def _unnamed(told: ReportedEvent, parts: Sequence[EventRecord]) -> ReportedEvent:
    """What a transcript tells of hooks that it does not name, as far as no record explains it."""
    runs = [one.run for one in told.runs]
    is_named = told.decision in {run.decision for run in runs} or _is_explained(told.decision, "", parts)
    is_state_known = told.state in {run.state for run in runs} or _is_explained("none", told.state, parts)
    state = told.state if told.state in _TROUBLE and not is_state_known else ""
    decision: DecisionName = "none" if is_named else told.decision
    effects = _unnamed_effects(told, parts)
    is_silent = decision == "none" and not state and effects is None
    duration_ms = 0.0 if runs or is_silent else told.duration_ms
    return replace(told, decision=decision, state=state, effects=effects, duration_ms=duration_ms)


def _unnamed_effects(told: ReportedEvent, parts: Sequence[EventRecord]) -> str | None:
    said, values = _parsed(told.effects), _input_of(told.effects)
    for name in _LISTS:
        named = {_parsed(one.run.effects).get(_IN_RUN.get(name, name)) for one in told.runs}
        recorded = [text.strip() for part in parts for text in _parsed(part.effects).get(name) or ()]
        texts = [text for text in said.get(name) or () if text not in named and not any(one in text for one in recorded)]
        values |= {name: texts} if texts else {}
    return stored_json(values, ())


def _names(parts: Sequence[EventRecord], told: Sequence[ReportedHook], decision: str) -> str:
    """The labels of the hooks that ran: those that decided, those that failed, the others."""
    named = [(in_order_of_weight(part.decision == decision, part.state), part.ran) for part in parts if part.ran]
    named += [(in_order_of_weight(one.run.decision == decision, one.run.state), one.label) for one in told]
    return "\n".join(label for _, label in sorted(named, key=lambda item: item[0]))


def _reason(sources: Iterable[_Source], decision: str) -> str | None:
    reasons = [source.reason.strip() for source in sources if source.decision == decision != "none" and source.reason]
    return "\n".join(dict.fromkeys(reasons)) or None


def _waited_ms(parts: Sequence[EventRecord], told: Sequence[ReportedHook]) -> float:
    """From the begin of the first record that the agent waited for to the end of the last.

    The time of a `run` without hooks says nothing about hooks whose time was not recorded.
    """
    ran = [part for part in parts if part.ran and part.duration_ms]
    waited = ran or [part for part in parts if part.duration_ms and not told]
    if len(waited) == 1:
        return waited[0].duration_ms  # times of ids are less exact
    return max((part.end_ms for part in waited), default=0.0) - min((part.begin_ms for part in waited), default=0.0)


def _origin(parts: Sequence[EventRecord]) -> Origin:
    """The first of run, observed, python and try that ran a hook, else the first that told of the event."""
    ran = [part.origin for part in parts if part.ran] or [part.origin for part in parts]
    return min(ran, key=_PRECEDENCE.index)


_PRECEDENCE: tuple[Origin, ...] = ("run", "observed", "python", "try")


def _merged_effects(
    parts: Sequence[EventRecord], told: Sequence[ReportedHook], unnamed: ReportedEvent, *, is_held: bool
) -> str | None:
    values: dict[str, Any] = {}
    if not is_held:
        values |= _input_of(unnamed.effects)
        for part in sorted(parts, key=lambda part: part.end_ms):  # the last rewrite counts
            values |= _input_of(part.effects)
        for one in told:
            values |= _input_of(one.run.effects)
    effects = [*(part.effects for part in parts), unnamed.effects]
    for name in _LISTS:
        texts = [text for given in effects for text in _parsed(given).get(name) or ()]
        texts += [text for one in told if (text := _parsed(one.run.effects).get(_IN_RUN.get(name, name)))]
        values |= {name: texts} if texts else {}
    return stored_json(values, ())


_IN_RUN = {"system_messages": "system_message"}


def _input_of(effects: str | None) -> dict[str, Any]:
    given = _parsed(effects).get("modified_input")
    return {"modified_input": given} if given is not None else {}


def _parsed(effects: str | None) -> dict[str, Any]:
    return fast_json.parse_object(effects) if effects else {}
