"""What an Azure SRE Agent hook reads and says (formats.md §4; seed 004)."""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.core.model import DECISIONS, Outcome
from hooktui.engine.protocols import Heard, blocked_by_exit_2, failed, failure, hear, invalid, unfenced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hooktui.core.model import DecisionName, Event, Hook, Via
    from hooktui.core.settings import Setting
    from hooktui.engine.process import Ended

_GATE = "pre-agent-turn-stop"
_DECISIONS: Mapping[str, DecisionName] = {"allow": "allow", "block": "deny"}
_NOTHING: tuple[DecisionName, Via | None] = ("none", None)


def stdin(hook: Hook, event: Event) -> dict[str, Any]:
    """The hook's context: common fields, then the event's own under Azure's names."""
    own = event.payload if event.host == "azure" else {}
    fields = {name: event.fields[name] for name in ("tool_name", "tool_input") if name in event.fields}
    if "tool_output" in event.fields:
        fields.update(tool_result=event.fields["tool_output"], tool_succeeded=own.get("tool_succeeded", True))
    if event.name == _GATE:
        fields["final_output"] = own.get("final_output", _final_text(event.fields.get("final_message")))
        fields["stop_hook_active"] = own.get("stop_hook_active", False)
        fields["stop_rejection_count"] = own.get("stop_rejection_count", 0)
    common = {"agent_name": event.agent_name or "", "current_turn": 0, "max_turns": 0, "execution_summary": ""}
    return {**common, **own, **fields, "hook_event_name": hook.event_as_written}


def environment(_hook: Hook, _setting: Setting) -> Mapping[str, str]:
    """Nothing beside what the agent has."""
    return {}


def directory(_hook: Hook, _event: Event, project: str) -> str:
    """The project."""
    return project


def read(hook: Hook, event: Event, ended: Ended) -> Heard:
    """The outcome of a run that has ended; what went wrong means what `failMode` says."""
    problem = failure(hook, ended)
    if problem:
        return _by_fail_mode(hook, failed(ended, problem))
    if ended.exit_code:
        answer = blocked_by_exit_2(hook, ended)
        reason = ended.stderr.decode(errors="replace").strip()
        return answer if reason or event.name != _GATE else _approved_for_want_of_a_reason(answer)
    answer = hear(ended, unfenced(ended.stdout.decode(errors="replace")), lambda said: _understand(hook, event, said))
    return answer if answer.state == "ok" else _by_fail_mode(hook, answer)


def _understand(hook: Hook, event: Event, said: dict[str, Any]) -> Heard:
    said = {key.lower(): value for key, value in said.items()}  # as Azure's reader does
    faults = _faults(said)
    if faults:
        return invalid(*faults)
    answer = Heard(state="ok", outcome=_outcome(hook, said))
    no_reason = answer.outcome.decision == "deny" and not _text(said.get("reason"))
    return _approved_for_want_of_a_reason(answer) if no_reason and event.name == _GATE else answer


def _faults(said: dict[str, Any]) -> list[str]:
    faults = []
    if not isinstance(said.get("ok", True), bool):
        faults.append("ok must be true or false")
    decision = said.get("decision")
    if decision is not None and (not isinstance(decision, str) or decision.lower() not in _DECISIONS):
        faults.append(f"decision {fast_json.dumps(decision)[:80]} must be allow or block")
    if not isinstance(said.get("reason"), str | None):
        faults.append("reason must be a string")
    if not isinstance(said.get("hookspecificoutput"), dict | None):
        faults.append("hookSpecificOutput must be an object")
    return faults


def _outcome(hook: Hook, said: dict[str, Any]) -> Outcome:
    """`ok` and `decision` together: the stricter one; neither: no objection."""
    heard: list[tuple[DecisionName, Via | None]] = []
    if "ok" in said:
        heard.append(("allow" if said["ok"] else "deny", "ok-field"))
    if said.get("decision") is not None:
        heard.append((_DECISIONS[said["decision"].lower()], "json"))
    decision, via = max([*heard, _NOTHING], key=lambda one: DECISIONS.index(one[0]))
    specific = said.get("hookspecificoutput")
    context = _text(specific.get("additionalContext")) if isinstance(specific, dict) else None
    reason = _text(said.get("reason")) or (f"Blocked by hook {hook.name}" if decision == "deny" else None)
    problems = () if heard or context else ("the answer has neither ok nor decision",)
    return Outcome(decision=decision, via=via, reason=reason, additional_context=context, problems=problems)


def _approved_for_want_of_a_reason(answer: Heard) -> Heard:
    """A Stop rejection without a reason lets the agent stop (seed 004, "Caution")."""
    problem = "rejected without a reason, which the agent takes as approval"
    return Heard(state="ok", outcome=answer.outcome.replace(decision="allow", reason=None, problems=(problem,)))


def _by_fail_mode(hook: Hook, answer: Heard) -> Heard:
    if hook.fail_mode == "allow":
        return answer
    reason = f"Hook {hook.name} {'; '.join(answer.outcome.problems)}"
    return answer.replace(outcome=answer.outcome.replace(decision="deny", reason=reason))


def _final_text(message: Any) -> str:
    content = message.get("content") if isinstance(message, dict) else message
    return content if isinstance(content, str) else ""


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
