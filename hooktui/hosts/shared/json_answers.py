"""JSON answers as the hosts of JSON hook files read them (formats.md §3, "stdout")."""

from __future__ import annotations

from hooktui.core import events, fast_json
from hooktui.core.model import DECISIONS, Outcome
from hooktui.core.records import Record
from hooktui.hosts.shared.answers import CONTEXT_ON
from hooktui.hosts.shared.interpretation import RunResult, invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hooktui.core.model import DecisionName, Event, Hook, Via
    from hooktui.hosts.base import Host

_PERMISSIONS = ("allow", "deny", "ask")
_CLAUDE_PERMISSIONS = (*_PERMISSIONS, "defer")
# Types of fields; a strict host ignores the whole answer if one is wrong.
_TOP = {"continue": bool, "suppressOutput": bool, "stopReason": str, "reason": str, "systemMessage": str}
_SPECIFIC = {"permissionDecisionReason": str, "updatedInput": dict, "additionalContext": str}
_TYPE_NAMES = {bool: "true or false", str: "a string", dict: "an object"}
# Keys of an answer that change what the agent does; a host that ignores them is reported.
CHANGES_SOMETHING = (
    *("decision", "permissionDecision", "behavior", "continue", "hookSpecificOutput", "additionalContext"),
    *("modifiedArgs", "modifiedPrompt", "modifiedTransformedPrompt", "modifiedResult"),
)
_BLOCKS: Mapping[str, DecisionName] = {"block": "deny", "deny": "deny", "approve": "allow", "allow": "allow", "ask": "ask"}


class _Opinion(Record):
    decision: DecisionName
    via: Via
    reason: str | None


def faults(host: Host, answer: dict[str, Any], event: Event) -> tuple[str, ...]:
    """Why a strict host rejects an answer; empty if it accepts it."""
    return tuple(f"{fault}: {host.title} rejects the answer" for fault in _faults(answer, event))


def outcome(host: Host, hook: Hook, event: Event, answer: dict[str, Any]) -> Outcome:
    """The outcome of an answer on a host."""
    problems: list[str] = []
    answer = _obeyed(host, hook, answer, problems)
    specific = answer.get("hookSpecificOutput")
    specific = specific if isinstance(specific, dict) else {}
    opinions = list(_opinions(host, event, answer, specific, problems))
    top_only = answer.get("decision") == "block" and "decision" not in specific
    if event.name == events.GATE and top_only and "top" not in host.block_at:
        problems.append(f"{host.title} reads a Stop decision only inside hookSpecificOutput: this one is at the top level")
    opinion = max(opinions, key=lambda opinion: DECISIONS.index(opinion.decision), default=None)
    if host.stops(event, answer, is_denied=opinion is not None and opinion.decision == "deny"):
        stop_reason = _text(answer.get("stopReason")) or (opinion.reason if opinion else None)
        opinion = _Opinion(decision="stop", via="json", reason=stop_reason)
    reason = opinion.reason if opinion else None
    if opinion and opinion.decision in ("deny", "stop") and not reason:
        if host.needs_reason and opinion.via == "json" and opinion.decision == "deny":
            return Outcome(problems=(*problems, f"{host.title} ignores a block without a reason"))
        reason = f"Blocked by hook {hook.label}"
    return Outcome(
        decision=opinion.decision if opinion else "none",
        via=opinion.via if opinion else None,
        reason=reason,
        modified_input=_rewrite(host, event, answer, specific, problems),
        additional_context=_context(host, hook, answer, specific, problems),
        system_message=_text(answer.get("systemMessage")),
        problems=tuple(problems),
    )


def model_answer(host: Host, hook: Hook, event: Event, answer: dict[str, Any]) -> RunResult:
    """The result of a prompt hook, whose model answers `{"ok": bool, "reason"}`. `ok: true` decides nothing."""
    if not isinstance(answer.get("ok"), bool):
        return invalid("the model's answer must contain ok: true or false")
    if answer["ok"]:
        return RunResult(state="ok")
    reason = _text(answer.get("reason")) or f"Blocked by hook {hook.label}"
    decision: DecisionName = "stop" if host.ends_turn(hook, event) else "deny"
    return RunResult(state="ok", outcome=Outcome(decision=decision, via="ok-field", reason=reason))


def _obeyed(host: Host, hook: Hook, answer: dict[str, Any], problems: list[str]) -> dict[str, Any]:
    """The part of an answer that the host obeys on the hook's event. Other keys that would change something are problems."""
    obeyed = host.obeys(hook.event_as_written)
    if obeyed is None:
        return host.heard(answer, hook.event_as_written, problems)
    ignored = (key for key in CHANGES_SOMETHING if key in answer and key not in obeyed)
    problems += (f"{host.title} ignores {key} on {hook.event_as_written}" for key in ignored)
    return host.heard({key: answer[key] for key in answer if key in obeyed}, hook.event_as_written, problems)


def _faults(answer: dict[str, Any], event: Event) -> Iterator[str]:
    yield from _wrong_types(answer, _TOP)
    if answer.get("decision") not in (None, "block", "approve"):
        yield f"decision {_quoted(answer['decision'])} is neither block nor approve"
    if "hookSpecificOutput" not in answer:
        return
    specific = answer["hookSpecificOutput"]
    if not isinstance(specific, dict):
        yield "hookSpecificOutput must be an object"
        return
    expected = events.spelling(event.name, "pascal") or event.name
    if "hookEventName" not in specific:
        yield "hookSpecificOutput has no hookEventName"
    elif specific["hookEventName"] != expected:
        yield f"hookEventName {_quoted(specific['hookEventName'])} is not {expected}"
    if "permissionDecision" in specific and specific["permissionDecision"] not in _CLAUDE_PERMISSIONS:
        yield f"permissionDecision {_quoted(specific['permissionDecision'])} is unknown"
    yield from _wrong_types(specific, _SPECIFIC)


def wrong_types(answer: dict[str, Any]) -> Iterator[str]:
    """The fields of an answer that have another type than the hosts expect."""
    yield from _wrong_types(answer, _TOP)
    specific = answer.get("hookSpecificOutput", {})
    yield from _wrong_types(specific, _SPECIFIC) if isinstance(specific, dict) else ("hookSpecificOutput must be an object",)


def _wrong_types(fields: dict[str, Any], types: Mapping[str, type]) -> Iterator[str]:
    for name, kind in types.items():
        if name in fields and not isinstance(fields[name], kind):
            yield f"{name} must be {_TYPE_NAMES[kind]}"


def _opinions(
    host: Host, event: Event, answer: dict[str, Any], specific: dict[str, Any], problems: list[str]
) -> Iterator[_Opinion]:
    yield from _permissions(host, event, answer, specific, problems)
    decision = answer.get("decision")
    if isinstance(decision, str) and decision in host.decisions:
        yield _Opinion(decision=_BLOCKS[decision], via="json", reason=_text(answer.get("reason")))
    elif decision is not None:
        problems.append(f"decision {_quoted(decision)} is unknown: ignored")
    if specific.get("decision") == "block" and "nested" not in host.block_at:
        if decision is None:
            problems.append(f"{host.title} reads decision only at the top level: this one is inside hookSpecificOutput")
    elif specific.get("decision") == "block":
        yield _Opinion(decision="deny", via="json", reason=_text(specific.get("reason")))
    yield from _request_answers(answer, specific)


def _permissions(
    host: Host, event: Event, answer: dict[str, Any], specific: dict[str, Any], problems: list[str]
) -> Iterator[_Opinion]:
    """The decisions about a tool call, nested and at the top level."""
    is_read = host.permission_on is None or event.name in host.permission_on
    for place, fields in (("nested", specific), ("top", answer)):
        permission = fields.get("permissionDecision")
        if permission is not None and not is_read:
            problems.append(f"{host.title} reads permissionDecision before a tool only: ignored")
        elif permission is not None and place not in host.permission_at:
            only = " only inside hookSpecificOutput" if host.permission_at else " nowhere"
            problems.append(f"{host.title} reads permissionDecision{only}: ignored")
        elif permission in _PERMISSIONS:
            yield _Opinion(decision=permission, via="permission", reason=_text(fields.get("permissionDecisionReason")))
        elif permission is not None:
            problems.append(f"permissionDecision {_quoted(permission)} must be allow, deny or ask: ignored")


def _request_answers(answer: dict[str, Any], specific: dict[str, Any]) -> Iterator[_Opinion]:
    """Answers to a permission request: Claude's inside `decision`, Copilot's at the top."""
    nested = specific.get("decision")
    for fields in (nested if isinstance(nested, dict) else {}, answer):
        behavior = fields.get("behavior")
        if behavior in ("allow", "deny"):
            yield _Opinion(decision=behavior, via="permission", reason=_text(fields.get("message")))


def _context(host: Host, hook: Hook, answer: dict[str, Any], specific: dict[str, Any], problems: list[str]) -> str | None:
    """The context for the model, which a host may call `message` on prompts."""
    is_message = hook.event == events.PROMPT and "message" in (host.obeys(hook.event_as_written) or ())
    fields = (specific.get("additionalContext"), answer.get("additionalContext"), answer.get("message") if is_message else None)
    context = next(filter(None, map(_text, fields)), None)
    if context is None or hook.event not in {*CONTEXT_ON} - {*host.context_on}:
        return context
    problems.append(f"{host.title} ignores additionalContext on {hook.event_as_written}")
    return None


def _rewrite(
    host: Host, event: Event, answer: dict[str, Any], specific: dict[str, Any], problems: list[str]
) -> Mapping[str, Any] | None:
    if (own := host.own_rewrite(event, answer, problems)) is not None:
        return own or None
    wanted = host.rewrite_key
    rewrite = specific.get("updatedInput", specific.get("modifiedArgs", answer.get("modifiedArgs")))
    if wanted != "updatedInput":
        if rewrite is not None:
            problems.append(f"{host.title} ignores updatedInput")
        rewrite = specific.get(wanted) if wanted else None
    if isinstance(rewrite, str):  # older Copilot versions write arguments as a JSON string
        try:
            rewrite = fast_json.loads(rewrite)
        except (ValueError, RecursionError):
            rewrite = ""
    if rewrite is None:
        return None
    if event.name != "pre-tool-call" or not isinstance(rewrite, dict):
        problems.append(f"{wanted} has no effect here: ignored")
        return None
    merged = host.merges_rewrites and isinstance(event.tool_input, dict)
    return {**event.tool_input, **rewrite} if merged else rewrite


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _quoted(value: Any) -> str:
    return fast_json.dumps(value)[:80]
