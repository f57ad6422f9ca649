"""Events of transcripts as the rows of the log: redacted and capped like everything that is recorded."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import TYPE_CHECKING

from hooktui.core import ids
from hooktui.core.model import DECISIONS, effect_of
from hooktui.formats import hook_identity
from hooktui.log.write import entry
from hooktui.log.write.entry import DispatchEntry, HookEntry, RunEntry, SessionEntry
from hooktui.security.redaction import stored_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import DecisionName, Via
    from hooktui.transcripts.transcript_records import ReportedRun, TranscriptEvent

_PROCESS = (1 << 12) - 1  # the low bits of an id, which tell sessions of one moment apart
_TICK = 1 << 12  # of an id: a microsecond
_RUNS = 16  # ids that an event leaves to its runs
_HALF_TICK_S = 4e-7
_ENDED = ("denied-by-hook",)


def number_of(at: float, session: str, place: int) -> int:
    """An id at a moment; `place` is that among the events of the session at this moment."""
    return (ids.at_time(at + _HALF_TICK_S) + place * _RUNS * _TICK) | (zlib.crc32(session.encode(errors="replace")) & _PROCESS)


def key_of(session: str, event: TranscriptEvent) -> int:
    """The key that a record of the event has too (entry.event_key); an event without a call has one that no record has."""
    return entry.key_of([session, event.event, [event.call] if event.call else ["transcript", event.key]])


def dispatch_entry(
    number: int, session: SessionEntry, event: TranscriptEvent, key: int, payload: str, secrets: Sequence[str]
) -> DispatchEntry:
    """The entry of an event with its stored payload and the hook runs that the agent reports."""
    runs, hooks = [], []
    for place, run in enumerate(event.hooks):
        hook = _hook(run.event, run.command or "", session.host, tuple(secrets))
        hooks.append(hook)
        runs.append(_run(run, number, place, hook, secrets))
    decision: DecisionName = max((run.decision for run in event.hooks), key=DECISIONS.index, default="none")
    if event.outcome in _ENDED and decision not in ("deny", "stop"):
        decision = "deny"
    deciding = [run for run in event.hooks if run.decision == decision]
    reason = next((run.reason for run in deciding if run.reason), None) if decision != "none" else None
    effects = {
        "modified_input": next((run.modified_input for run in reversed(event.hooks) if run.modified_input), None),
        "additional_context": [run.context for run in event.hooks if run.context],
        "system_messages": [run.system_message for run in event.hooks if run.system_message],
    }
    told = {name: value for name, value in effects.items() if value}
    return DispatchEntry(
        id=number,
        session=session,
        event=event.event,
        tool=event.tool and entry.label(event.tool, secrets),
        decision=decision,
        state=max((run.state for run in runs), key=entry.STATES.index, default=""),
        ran="\n".join(
            hooks[place].label or "" for place in sorted(range(len(runs)), key=lambda at: runs[at].decision != decision)
        ),
        reason=reason and stored_text(reason, secrets),
        duration_ms=max((run.duration_ms for run in runs), default=0.0),
        synthetic=0,
        payload=payload,
        effects=entry.stored_json(told, secrets),
        runs=tuple(runs),
        hooks=tuple(hooks),
        origin="transcript",
        effect=effect_of(decision, effects["modified_input"], effects["additional_context"]),
        event_key=key,
    )


@lru_cache(maxsize=1000)
def _hook(event: str, command: str, host: str, secrets: tuple[str, ...]) -> HookEntry:
    """The hook that a transcript names by its command, if at all."""
    text = entry.stored_name(command, secrets) if command else ""
    label = hook_identity.command_label(text) if text else event
    digest = f"{entry.key_of([host, event, text]) & (1 << 64) - 1:016x}"
    return HookEntry(
        version=f"transcript:{digest}",
        key=f"{host}:transcript:{event}:{digest[:12]}",
        name=label,
        format=host,
        scope="user",
        file="",
        line=0,
        event=event,
        text=text,
        label=label,
    )


def _run(run: ReportedRun, dispatch: int, place: int, hook: HookEntry, secrets: Sequence[str]) -> RunEntry:
    via: Via | None = None
    if run.decision != "none":
        via = "exit-2" if run.exit_code == 2 else "json"
    told = {
        "modified_input": run.modified_input,
        "additional_context": run.context,
        "system_message": run.system_message,
        "problems": [f"timeout after {run.timeout_ms:g} ms"] if run.timeout_ms and run.state == "timeout" else None,
    }
    effects = {name: value for name, value in told.items() if value}
    return RunEntry(
        id=dispatch + place * _TICK,
        dispatch=dispatch,
        hook_version=hook.version,
        position=place,
        state=run.state,
        skip=None,
        why="reported by the agent's transcript",
        decision=run.decision,
        via=via,
        reason=run.reason and stored_text(run.reason, secrets),
        exit_code=run.exit_code,
        signal=None,
        started_ms=0.0,
        duration_ms=float(run.duration_ms or 0.0),
        stdout=run.stdout and stored_text(run.stdout, secrets),
        stderr=run.stderr and stored_text(run.stderr, secrets),
        truncated=0,
        effects=entry.stored_json(effects, secrets),
    )
