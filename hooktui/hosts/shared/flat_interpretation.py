"""What hosts make of answers that are a flat JSON object: `permission`, `continue` or `followup_message`."""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.core.events import TURN_STARTS
from hooktui.core.model import Outcome
from hooktui.hosts.shared import json_answers
from hooktui.hosts.shared.interpretation import RunResult, failed, failure, invalid, unfenced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import DecisionName, Event, Hook
    from hooktui.hosts.shared.interpretation import Ended
    from hooktui.hosts.shared.spec import HostSpec

_PERMISSIONS = ("allow", "deny", "ask")
_TYPES = {
    **dict.fromkeys(("user_message", "agent_message", "additional_context", "followup_message"), (str, "text")),
    "updated_input": (dict, "an object"),
    "continue": (bool, "true or false"),
}


def interpret(spec: HostSpec, hook: Hook, event: Event, ended: Ended) -> RunResult:
    """The host's view of a process that has ended; never raises."""
    problem = failure(hook, ended)
    if problem:
        return _closed(spec, hook, event, failed(ended, problem))
    text = ended.stdout.decode(errors="replace").strip()
    if hook.type == "prompt":
        return json_answers.model_answer(spec, hook, event, fast_json.parse_object(unfenced(text)))
    if ended.exit_code:
        return _denied(spec, hook, event, text or ended.stderr.decode(errors="replace").strip())
    if not text:
        return _closed(spec, hook, event, RunResult(state="ok"), "printed nothing")
    answer = fast_json.parse_object(text)
    faults = tuple(_faults(answer)) if answer or text == "{}" else ("stdout must be a JSON object",)
    if faults:
        is_permission = hook.event_as_written in spec.speech.permission_steps
        return _closed(spec, hook, event, invalid(*faults), closed=is_permission)
    return RunResult(state="ok", outcome=_outcome(spec, hook, event, answer))


def _denied(spec: HostSpec, hook: Hook, event: Event, reason: str) -> RunResult:
    if not spec.denies_by_exit_2(event.name):
        problem = f"no exit code can deny {hook.event_as_written} in {spec.title}"
        return RunResult(state="ok", outcome=Outcome(via="exit-2", problems=(problem,)))
    outcome = Outcome(decision="deny", via="exit-2", reason=reason or f"Blocked by hook {hook.label}")
    return RunResult(state="ok", outcome=outcome)


def _closed(
    spec: HostSpec, hook: Hook, event: Event, result: RunResult, problem: str = "", *, closed: bool = False
) -> RunResult:
    """A failure as a denial if the entry or the host asks for that."""
    if not (closed or hook.fail_mode == "block") or not spec.denies_by_exit_2(event.name):
        return result
    reason = f"Hook {hook.label} {problem or result.outcome.problems[0]}"
    return result.replace(outcome=result.outcome.replace(decision="deny", reason=reason))


def _outcome(spec: HostSpec, hook: Hook, event: Event, answer: dict[str, Any]) -> Outcome:
    obeyed = spec.obeys(hook.event_as_written) or ()
    problems = tuple(f"{spec.title} ignores {key} on {hook.event_as_written}" for key in answer if key not in obeyed)
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
    """Why a host rejects an answer; none if it accepts it."""
    wrong = ((name, kind) for name, (cls, kind) in _TYPES.items() if not isinstance(answer.get(name), cls | None))
    faults = [f"{name} must be {kind}" for name, kind in wrong]
    if answer.get("permission") not in (None, *_PERMISSIONS):
        faults.append(f"permission must be {', '.join(_PERMISSIONS)}")
    return faults
