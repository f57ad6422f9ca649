"""The stdin and answers of Azure SRE Agent hooks (formats.md §4; seed 004)."""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.core.events import GATE
from hooktui.core.model import DECISIONS, Outcome
from hooktui.engine.protocols import RunResult, blocked_by_exit_2, failed, failure, invalid, parse, unfenced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hooktui.core.model import DecisionName, Event, Hook, Via
    from hooktui.engine.process import Ended

_NO_VOTE: tuple[DecisionName, Via | None] = ("none", None)
_DECISIONS: Mapping[str, DecisionName] = {"allow": "allow", "block": "deny"}


def stdin(hook: Hook, event: Event) -> dict[str, Any]:
    """The hook's context: common fields, then the event's own under Azure's names."""
    own = event.payload if event.host == hook.format else {}
    fields = {name: event.fields[name] for name in ("tool_name", "tool_input") if name in event.fields}
    if "tool_output" in event.fields:
        fields.update(tool_result=event.fields["tool_output"], tool_succeeded=own.get("tool_succeeded", True))
    if event.name == GATE:
        message = event.fields.get("final_message")
        content = message.get("content") if isinstance(message, dict) else message
        fields["final_output"] = own.get("final_output", content if isinstance(content, str) else "")
        fields["stop_hook_active"] = own.get("stop_hook_active", False)
        fields["stop_rejection_count"] = own.get("stop_rejection_count", 0)
    common = {"agent_name": event.agent_name or "", "current_turn": 0, "max_turns": 0, "execution_summary": ""}
    return {**common, **own, **fields, "hook_event_name": hook.event_as_written}


def read(hook: Hook, event: Event, ended: Ended) -> RunResult:
    """The result of a process that has ended; `failMode` decides the effect of a failure."""
    problem = failure(hook, ended)
    if problem:
        return _by_fail_mode(hook, failed(ended, problem))
    if ended.exit_code:
        result = blocked_by_exit_2(hook, ended)
        reason = ended.stderr.decode(errors="replace").strip()
        return result if reason or event.name != GATE else _allowed_without_reason(result)
    text = unfenced(ended.stdout.decode(errors="replace"))
    result = parse(ended, text, lambda answer: _interpret(hook, event, answer))
    return result if result.state == "ok" else _by_fail_mode(hook, result)


def _interpret(hook: Hook, event: Event, answer: dict[str, Any]) -> RunResult:
    answer = {key.lower(): value for key, value in answer.items()}  # Azure ignores the case of keys
    faults = _faults(answer)
    if faults:
        return invalid(*faults)
    result = RunResult(state="ok", outcome=_outcome(hook, answer))
    no_reason = result.outcome.decision == "deny" and not _text(answer.get("reason"))
    return _allowed_without_reason(result) if no_reason and event.name == GATE else result


def _faults(answer: dict[str, Any]) -> list[str]:
    faults = []
    if not isinstance(answer.get("ok", True), bool):
        faults.append("ok must be true or false")
    decision = answer.get("decision")
    if decision is not None and (not isinstance(decision, str) or decision.lower() not in _DECISIONS):
        faults.append(f"decision {fast_json.dumps(decision)[:80]} must be allow or block")
    if not isinstance(answer.get("reason"), str | None):
        faults.append("reason must be a string")
    if not isinstance(answer.get("hookspecificoutput"), dict | None):
        faults.append("hookSpecificOutput must be an object")
    return faults


def _outcome(hook: Hook, answer: dict[str, Any]) -> Outcome:
    """The stricter of `ok` and `decision`; without both, no decision."""
    votes: list[tuple[DecisionName, Via]] = []
    if "ok" in answer:
        votes.append(("allow" if answer["ok"] else "deny", "ok-field"))
    if answer.get("decision") is not None:
        votes.append((_DECISIONS[answer["decision"].lower()], "json"))
    decision, via = max(votes, key=lambda vote: DECISIONS.index(vote[0]), default=_NO_VOTE)
    specific = answer.get("hookspecificoutput")
    context = _text(specific.get("additionalContext")) if isinstance(specific, dict) else None
    reason = _text(answer.get("reason")) or (f"Blocked by hook {hook.label}" if decision == "deny" else None)
    problems = () if votes or context else ("the answer has neither ok nor decision",)
    return Outcome(decision=decision, via=via, reason=reason, additional_context=context, problems=problems)


def _allowed_without_reason(result: RunResult) -> RunResult:
    """A Stop rejection without a reason lets the agent stop (seed 004, "Caution")."""
    problem = "rejected without a reason, which the agent takes as approval"
    return RunResult(state="ok", outcome=result.outcome.replace(decision="allow", reason=None, problems=(problem,)))


def _by_fail_mode(hook: Hook, result: RunResult) -> RunResult:
    if hook.fail_mode == "allow":
        return result
    reason = f"Hook {hook.label} {'; '.join(result.outcome.problems)}"
    return result.replace(outcome=result.outcome.replace(decision="deny", reason=reason))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
