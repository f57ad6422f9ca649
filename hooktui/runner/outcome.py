"""What an AgentHooks hook said: exit code, stdout and stderr turned into an outcome (formats.md §2; seed 001 §2)."""

from __future__ import annotations

from hooktui import quick_json
from hooktui.model import Outcome
from hooktui.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.model import Event, Hook, State
    from hooktui.runner.process import Ended

_DECISIONS = ("allow", "deny", "ask")
_TEXT_FIELDS = ("reason", "additional_context", "log")
_END = 65536  # bytes kept of each end of a stream (contract.md, "The log")
SHOWN_LIMIT = 2 * _END


class Answer(Record):
    """The state a run ended in, and what it said."""

    state: State
    outcome: Outcome = Outcome()


def stdin(hook: Hook, event: Event, tool_input: Any) -> bytes:
    """The JSON object a hook reads: base fields, then the event's own, in the hook's own vocabulary."""
    fields = dict(event.fields)
    if "tool_input" in fields:
        fields["tool_input"] = tool_input
    context = event.payload.get("context")
    base = {
        "event_type": hook.event_as_written,
        "timestamp": event.timestamp,
        "session_id": event.session_id,
        "work_dir": event.work_dir,
        "context": context if isinstance(context, dict) else {},
    }
    return quick_json.dumps({**base, **fields}).encode()


def read(hook: Hook, event: Event, ended: Ended) -> Answer:
    """The outcome of a run that has ended; never raises."""
    trouble = failure(hook, ended)
    if trouble:
        state: State = "timeout" if ended.timed_out else "failed"
        return Answer(state=state, outcome=Outcome(problems=(trouble,)))
    if ended.exit_code == 2:  # the protocol's own number
        return Answer(state="ok", outcome=Outcome(decision="deny", via="exit-2", reason=_blocked(hook, ended)))
    return _read_stdout(hook, event, ended)


def shown(stream: bytes) -> str:
    """A stream as it is reported and stored: the first and last 64 KiB."""
    if len(stream) > SHOWN_LIMIT:
        stream = stream[:_END] + f"\n… {len(stream) - SHOWN_LIMIT} bytes left out …\n".encode() + stream[-_END:]
    return stream.decode(errors="replace")


def failure(hook: Hook, ended: Ended) -> str | None:
    """Why a run counts as failed, in words; None for exit codes 0 and 2."""
    if ended.timed_out:
        return f"timed out after {hook.timeout_ms} ms"
    if ended.spawn_error is not None:
        return f"could not be started: {ended.spawn_error}"
    if ended.signal is not None:
        return f"was ended by signal {ended.signal}"
    return None if ended.exit_code in (0, 2) else f"exited with {ended.exit_code}"


def _blocked(hook: Hook, ended: Ended) -> str:
    return ended.stderr.decode(errors="replace").strip() or f"Blocked by hook {hook.name}"


def _read_stdout(hook: Hook, event: Event, ended: Ended) -> Answer:
    if ended.overflow:
        return _invalid("stdout is longer than 10 MiB")
    text = ended.stdout.decode(errors="replace").strip()
    if not text:
        return Answer(state="ok")
    try:
        said = quick_json.loads(text)
    except (ValueError, RecursionError) as error:
        return _invalid(f"stdout is no JSON: {error}")
    if not isinstance(said, dict):
        return _invalid("stdout is JSON, but no object")
    if "decision" in said and said["decision"] not in _DECISIONS:
        return _invalid(f"decision {quick_json.dumps(said['decision'])[:80]} is none of allow, deny, ask")
    return Answer(state="ok", outcome=_outcome(hook, event, said))


def _invalid(problem: str) -> Answer:
    return Answer(state="invalid-output", outcome=Outcome(problems=(problem,)))


def _outcome(hook: Hook, event: Event, said: dict[str, Any]) -> Outcome:
    problems = [f"{name} is no text: dropped" for name in _TEXT_FIELDS if not isinstance(said.get(name, ""), str)]
    texts = {name: said[name] for name in _TEXT_FIELDS if isinstance(said.get(name), str)}
    rewrite = said.get("modified_input")
    if rewrite is not None and (problem := _refuse_rewrite(event, rewrite)):
        problems.append(problem)
        rewrite = None
    decision = said.get("decision", "none")
    if decision == "deny":
        texts.setdefault("reason", f"Blocked by hook {hook.name}")
    return Outcome(
        decision=decision,
        via="json" if decision != "none" else None,
        reason=texts.get("reason"),
        modified_input=rewrite,
        additional_context=texts.get("additional_context"),
        log=texts.get("log"),
        problems=tuple(problems),
    )


def _refuse_rewrite(event: Event, rewrite: Any) -> str | None:
    if event.name != "pre-tool-call":
        return f"modified_input has no meaning on {event.name}: dropped"
    return None if isinstance(rewrite, dict) else "modified_input is no object: dropped"
