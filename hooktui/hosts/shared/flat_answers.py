"""Hooks that answer with a flat JSON object, `permission`, `continue` or `followup_message`: their stdin, and what counts."""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.core.events import GATES, TURN_STARTS
from hooktui.core.model import Outcome
from hooktui.hosts.shared import json_answers
from hooktui.hosts.shared.interpretation import RunResult, failed, failure, invalid, unfenced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import DecisionName, Event, Hook
    from hooktui.hosts.base import Host
    from hooktui.hosts.shared.interpretation import Ended

_NAMES = {"error": "error_message", "subagent_name": "subagent_id", "task_description": "task", "stop_reason": "status"}
_PERMISSIONS = ("allow", "deny", "ask")
_TYPES = {
    **dict.fromkeys(("user_message", "agent_message", "additional_context", "followup_message"), (str, "text")),
    "updated_input": (dict, "an object"),
    "continue": (bool, "true or false"),
}


def stdin(host: Host, hook: Hook, event: Event) -> dict[str, Any]:
    """The host's payload for an event."""
    own = event.payload if event.host == host.name else {}
    fields = {_NAMES.get(key, key): value for key, value in event.fields.items()}
    if event.name in GATES:
        fields |= {"status": "completed", "loop_count": 0}
    return {
        "conversation_id": event.session_id,
        "session_id": event.session_id,
        "workspace_roots": [event.work_dir],
        "transcript_path": None,
        "cwd": event.work_dir,
        **fields,
        **own,
        "hook_event_name": hook.event_as_written,
    }


def interpret(host: Host, hook: Hook, event: Event, ended: Ended, *, is_permission: bool) -> RunResult:
    """The host's view of a process that has ended; never raises.

    `is_permission`: an answer that cannot be read denies.
    """
    problem = failure(hook, ended)
    if problem:
        return _closed(host, hook, event, failed(ended, problem))
    text = ended.stdout.decode(errors="replace").strip()
    if hook.type == "prompt":
        return json_answers.model_answer(host, hook, event, fast_json.parse_object(unfenced(text)))
    if ended.exit_code:
        return _denied(host, hook, event, text or ended.stderr.decode(errors="replace").strip())
    if not text:
        return _closed(host, hook, event, RunResult(state="ok"), "printed nothing")
    answer = fast_json.parse_object(text)
    faults = tuple(_faults(answer)) if answer or text == "{}" else ("stdout must be a JSON object",)
    if faults:
        return _closed(host, hook, event, invalid(*faults), closed=is_permission)
    return RunResult(state="ok", outcome=_outcome(host, hook, event, answer))


def _denied(host: Host, hook: Hook, event: Event, reason: str) -> RunResult:
    if not host.denies_by_exit_2(event.name):
        problem = f"no exit code can deny {hook.event_as_written} in {host.title}"
        return RunResult(state="ok", outcome=Outcome(via="exit-2", problems=(problem,)))
    outcome = Outcome(decision="deny", via="exit-2", reason=reason or f"Blocked by hook {hook.label}")
    return RunResult(state="ok", outcome=outcome)


def _closed(host: Host, hook: Hook, event: Event, result: RunResult, problem: str = "", *, closed: bool = False) -> RunResult:
    """A failure as a denial if the entry or the host asks for that."""
    if not (closed or hook.fail_mode == "block") or not host.denies_by_exit_2(event.name):
        return result
    reason = f"Hook {hook.label} {problem or result.outcome.problems[0]}"
    return result.replace(outcome=result.outcome.replace(decision="deny", reason=reason))


def _outcome(host: Host, hook: Hook, event: Event, answer: dict[str, Any]) -> Outcome:
    obeyed = host.obeys(hook.event_as_written) or ()
    problems = tuple(f"{host.title} ignores {key} on {hook.event_as_written}" for key in answer if key not in obeyed)
    heard = {key: value for key, value in answer.items() if key in obeyed}
    decision: DecisionName = "none"
    reason = heard.get("user_message") or heard.get("agent_message")
    if heard.get("permission") in _PERMISSIONS:
        decision = heard["permission"]
    elif heard.get("continue") is False:
        decision = "deny" if event.name != TURN_STARTS[0] else "stop"
    elif followup := heard.get("followup_message") or _blocked(heard):
        decision, reason = "deny", followup
    if decision in ("deny", "stop") and not reason:
        reason = f"Blocked by hook {hook.label}"
    return Outcome(
        decision=decision,
        via=None if decision == "none" else "json",
        reason=reason,
        modified_input=heard.get("updated_input"),
        additional_context=heard.get("additional_context") or None,
        problems=problems,
    )


def _blocked(answer: dict[str, Any]) -> str:
    """The reason of Claude Code's `decision: block`, "" if there is none."""
    reason = answer.get("reason")
    return reason.strip() if answer.get("decision") == "block" and isinstance(reason, str) else ""


def _faults(answer: dict[str, Any]) -> list[str]:
    wrong = ((name, kind) for name, (cls, kind) in _TYPES.items() if not isinstance(answer.get(name), cls | None))
    faults = [f"{name} must be {kind}" for name, kind in wrong]
    if answer.get("permission") not in (None, *_PERMISSIONS):
        faults.append(f"permission must be {', '.join(_PERMISSIONS)}")
    return faults
