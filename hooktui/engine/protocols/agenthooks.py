"""The stdin and answers of AgentHooks hooks (formats.md §2; seed 001 §2 and §5)."""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.core.model import Outcome
from hooktui.engine.protocols import RunResult, blocked_by_exit_2, failed, failure, invalid, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Event, Hook
    from hooktui.engine.process import Ended

_DECISIONS = ("allow", "deny", "ask")
_TEXT_FIELDS = ("reason", "additional_context", "log")


def stdin(hook: Hook, event: Event) -> dict[str, Any]:
    """The base fields and the event's own, in the hook's vocabulary; further fields of an AgentHooks payload are kept."""
    context = event.payload.get("context")
    return {
        **(event.payload if event.host == hook.format else {}),
        "event_type": hook.event_as_written,
        "timestamp": event.timestamp,
        "session_id": event.session_id,
        "work_dir": event.work_dir,
        "context": context if isinstance(context, dict) else {},
        **event.fields,
    }


def read(hook: Hook, event: Event, ended: Ended) -> RunResult:
    """The result of a process that has ended; never raises."""
    problem = failure(hook, ended)
    if problem:
        return failed(ended, problem)
    if ended.exit_code:
        return blocked_by_exit_2(hook, ended)
    return parse(ended, ended.stdout.decode(errors="replace").strip(), lambda answer: _interpret(hook, event, answer))


def _interpret(hook: Hook, event: Event, answer: dict[str, Any]) -> RunResult:
    if "decision" in answer and answer["decision"] not in _DECISIONS:
        return invalid(f"decision {fast_json.dumps(answer['decision'])[:80]} must be allow, deny or ask")
    problems = [f"{name} must be a string: ignored" for name in _TEXT_FIELDS if not isinstance(answer.get(name, ""), str)]
    texts = {name: answer[name] for name in _TEXT_FIELDS if isinstance(answer.get(name), str)}
    rewrite = answer.get("modified_input")
    if rewrite is not None and (event.name != "pre-tool-call" or not isinstance(rewrite, dict)):
        is_tool = event.name == "pre-tool-call"
        problem = "must be an object" if is_tool else f"has no effect on {event.name}"
        problems.append(f"modified_input {problem}: ignored")
        rewrite = None
    decision = answer.get("decision", "none")
    if decision == "deny" and not texts.get("reason", "").strip():
        texts["reason"] = f"Blocked by hook {hook.label}"
    outcome = Outcome(
        decision=decision,
        via="json" if decision != "none" else None,
        reason=texts.get("reason"),
        modified_input=rewrite,
        additional_context=texts.get("additional_context"),
        log=texts.get("log"),
        problems=tuple(problems),
    )
    return RunResult(state="ok", outcome=outcome)
