"""What an AgentHooks hook reads and says (formats.md §2; seed 001 §2 and §5)."""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.core.model import Outcome
from hooktui.engine.protocols import Heard, blocked_by_exit_2, failed, failure, hear, invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hooktui.core.model import Event, Hook
    from hooktui.core.settings import Setting
    from hooktui.engine.process import Ended

_DECISIONS = ("allow", "deny", "ask")
_TEXT_FIELDS = ("reason", "additional_context", "log")


def stdin(hook: Hook, event: Event) -> dict[str, Any]:
    """Base fields, then the event's own, in the hook's own vocabulary; what an AgentHooks host says beyond them is kept."""
    context = event.payload.get("context")
    return {
        **(event.payload if event.host == "agenthooks" else {}),
        "event_type": hook.event_as_written,
        "timestamp": event.timestamp,
        "session_id": event.session_id,
        "work_dir": event.work_dir,
        "context": context if isinstance(context, dict) else {},
        **event.fields,
    }


def environment(_hook: Hook, _setting: Setting) -> Mapping[str, str]:
    """Nothing beside what the agent has."""
    return {}


def directory(_hook: Hook, event: Event, _project: str) -> str:
    """The event's work_dir."""
    return event.work_dir


def read(hook: Hook, event: Event, ended: Ended) -> Heard:
    """The outcome of a run that has ended; never raises."""
    problem = failure(hook, ended)
    if problem:
        return failed(ended, problem)
    if ended.exit_code:
        return blocked_by_exit_2(hook, ended)
    return hear(ended, ended.stdout.decode(errors="replace").strip(), lambda said: _understand(hook, event, said))


def _understand(hook: Hook, event: Event, said: dict[str, Any]) -> Heard:
    if "decision" in said and said["decision"] not in _DECISIONS:
        return invalid(f"decision {fast_json.dumps(said['decision'])[:80]} must be allow, deny or ask")
    return Heard(state="ok", outcome=_outcome(hook, event, said))


def _outcome(hook: Hook, event: Event, said: dict[str, Any]) -> Outcome:
    problems = [f"{name} must be a string: ignored" for name in _TEXT_FIELDS if not isinstance(said.get(name, ""), str)]
    texts = {name: said[name] for name in _TEXT_FIELDS if isinstance(said.get(name), str)}
    rewrite = said.get("modified_input")
    if rewrite is not None and (problem := _refuse_rewrite(event, rewrite)):
        problems.append(problem)
        rewrite = None
    decision = said.get("decision", "none")
    if decision == "deny" and not texts.get("reason", "").strip():
        texts["reason"] = f"Blocked by hook {hook.name}"
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
        return f"modified_input has no effect on {event.name}: ignored"
    return None if isinstance(rewrite, dict) else "modified_input must be an object: ignored"
