"""JSON answers as the hosts of JSON hook files read them (formats.md §3, "stdout")."""

from __future__ import annotations

from hooktui.core import events, fast_json
from hooktui.core.model import DECISIONS, Outcome
from hooktui.core.records import Record
from hooktui.hosts.shared.interpretation import RunResult, invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hooktui.core.model import DecisionName, Event, Hook, Via
    from hooktui.hosts.shared.spec import HostSpec

_PERMISSIONS = ("allow", "deny", "ask")
_CLAUDE_PERMISSIONS = (*_PERMISSIONS, "defer")
# Types of fields; a strict host ignores the whole answer if one is wrong.
_TOP = {"continue": bool, "suppressOutput": bool, "stopReason": str, "reason": str, "systemMessage": str}
_SPECIFIC = {"permissionDecisionReason": str, "updatedInput": dict, "additionalContext": str}
_TYPE_NAMES = {bool: "true or false", str: "a string", dict: "an object"}
# Keys of an answer that change what the agent does; a host that ignores them is reported.
_CHANGES_SOMETHING = (
    *("decision", "permissionDecision", "behavior", "continue", "hookSpecificOutput", "additionalContext"),
    *("modifiedArgs", "modifiedPrompt", "modifiedTransformedPrompt", "modifiedResult"),
)
_BLOCKS: Mapping[str, DecisionName] = {"block": "deny", "deny": "deny", "approve": "allow", "allow": "allow", "ask": "ask"}


class _Opinion(Record):
    """A decision at one place of an answer."""

    decision: DecisionName
    via: Via
    reason: str | None


def faults(answer: dict[str, Any], event: Event, spec: HostSpec) -> tuple[str, ...]:
    """Why a strict host rejects an answer; empty if it accepts it."""
    return tuple(f"{fault}: {spec.title} rejects the answer" for fault in _faults(answer, event))


def outcome(spec: HostSpec, hook: Hook, event: Event, answer: dict[str, Any]) -> Outcome:
    """The outcome of an answer on a host."""
    problems: list[str] = []
    answer = _obeyed(spec, hook, answer, problems)
    specific = answer.get("hookSpecificOutput")
    specific = _nested(spec, specific, problems) if isinstance(specific, dict) else {}
    opinions = list(_opinions(spec, answer, specific, problems))
    top_only = answer.get("decision") == "block" and "decision" not in specific
    if event.name == events.GATE and top_only and "top" not in spec.speech.block_at:
        problems.append(f"{spec.title} reads a Stop decision only inside hookSpecificOutput: this one is at the top level")
    opinion = max(opinions, key=lambda opinion: DECISIONS.index(opinion.decision), default=None)
    if _stops(spec, event, answer, opinion):
        stop_reason = _text(answer.get("stopReason")) or (opinion.reason if opinion else None)
        decides: DecisionName = "deny" if spec.speech.stop_is_denial else "stop"
        opinion = _Opinion(decision=decides, via="json", reason=stop_reason)
    reason = opinion.reason if opinion else None
    if opinion and opinion.decision in ("deny", "stop") and not reason:
        if spec.speech.needs_reason and opinion.via == "json" and opinion.decision == "deny":
            return Outcome(problems=(*problems, f"{spec.title} ignores a block without a reason"))
        reason = f"Blocked by hook {hook.label}"
    return Outcome(
        decision=opinion.decision if opinion else "none",
        via=opinion.via if opinion else None,
        reason=reason,
        modified_input=_rewrite(spec, event, answer, specific, problems),
        additional_context=_context(spec, hook, answer, specific),
        system_message=_text(answer.get("systemMessage")),
        problems=tuple(problems),
    )


def permission_reason(answer: dict[str, Any]) -> str | None:
    """The reason of a permission decision at the top level."""
    return _text(answer.get("permissionDecisionReason"))


def model_answer(spec: HostSpec, hook: Hook, event: Event, answer: dict[str, Any]) -> RunResult:
    """The result of a prompt hook, whose model answers `{"ok": bool, "reason"}`. `ok: true` decides nothing."""
    if not isinstance(answer.get("ok"), bool):
        return invalid("the model's answer must contain ok: true or false")
    if answer["ok"]:
        return RunResult(state="ok")
    reason = _text(answer.get("reason")) or f"Blocked by hook {hook.label}"
    decision: DecisionName = "stop" if _ends_turn(spec, hook, event) else "deny"
    return RunResult(state="ok", outcome=Outcome(decision=decision, via="ok-field", reason=reason))


def _ends_turn(spec: HostSpec, hook: Hook, event: Event) -> bool:
    """Whether a prompt hook's denial ends the agent's turn, too."""
    if not spec.speech.prompt_denial_stops or hook.metadata.get("continueOnBlock") is True:
        return False
    return event.name not in events.GATES and (event.name != "pre-tool-call" or spec.is_since(spec.speech.stops_denied_since))


def _obeyed(spec: HostSpec, hook: Hook, answer: dict[str, Any], problems: list[str]) -> dict[str, Any]:
    """The part of an answer that the host obeys on the hook's event. Other keys that would change something are problems."""
    obeyed = spec.obeys(hook.event_as_written)
    if obeyed is None:
        return answer
    ignored = (key for key in _CHANGES_SOMETHING if key in answer and key not in obeyed)
    problems += (f"{spec.title} ignores {key} on {hook.event_as_written}" for key in ignored)
    return {key: value for key, value in answer.items() if key in obeyed}


def _nested(spec: HostSpec, specific: dict[str, Any], problems: list[str]) -> dict[str, Any]:
    """The part of `hookSpecificOutput` that the host obeys."""
    keys = spec.speech.nested_keys
    if keys is None:
        return specific
    ignored = (key for key in ("updatedInput", *_CHANGES_SOMETHING) if key in specific and key not in keys)
    problems += (f"{spec.title} ignores {key}" for key in ignored)
    return {key: value for key, value in specific.items() if key in keys}


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


def _opinions(spec: HostSpec, answer: dict[str, Any], specific: dict[str, Any], problems: list[str]) -> Iterator[_Opinion]:
    """The decisions at each place of an answer that this host reads."""
    yield from _permissions(spec, answer, specific, problems)
    decision = answer.get("decision")
    if isinstance(decision, str) and decision in spec.speech.decisions:
        yield _Opinion(decision=_BLOCKS[decision], via="json", reason=_text(answer.get("reason")))
    elif decision is not None:
        problems.append(f"decision {_quoted(decision)} is unknown: ignored")
    if specific.get("decision") == "block" and "nested" not in spec.speech.block_at:
        if decision is None:
            problems.append(f"{spec.title} reads decision only at the top level: this one is inside hookSpecificOutput")
    elif specific.get("decision") == "block":
        yield _Opinion(decision="deny", via="json", reason=_text(specific.get("reason")))
    yield from _request_answers(answer, specific)


def _permissions(spec: HostSpec, answer: dict[str, Any], specific: dict[str, Any], problems: list[str]) -> Iterator[_Opinion]:
    """The decisions about a tool call, nested and at the top level."""
    for place, fields in (("nested", specific), ("top", answer)):
        permission = fields.get("permissionDecision")
        if permission is not None and place not in spec.speech.permission_at:
            only = " only inside hookSpecificOutput" if spec.speech.permission_at else " nowhere"
            problems.append(f"{spec.title} reads permissionDecision{only}: ignored")
        elif permission in spec.speech.permissions:
            yield _Opinion(decision=permission, via="permission", reason=_text(fields.get("permissionDecisionReason")))
        elif permission in _PERMISSIONS:
            problems.append(f"{spec.title} ignores permissionDecision {permission}")
        elif permission is not None:
            problems.append(f"permissionDecision {_quoted(permission)} must be allow, deny or ask: ignored")


def _request_answers(answer: dict[str, Any], specific: dict[str, Any]) -> Iterator[_Opinion]:
    """Answers to a permission request: Claude's inside `decision`, Copilot's at the top."""
    nested = specific.get("decision")
    for fields in (nested if isinstance(nested, dict) else {}, answer):
        behavior = fields.get("behavior")
        if behavior in ("allow", "deny"):
            yield _Opinion(decision=behavior, via="permission", reason=_text(fields.get("message")))


def _context(spec: HostSpec, hook: Hook, answer: dict[str, Any], specific: dict[str, Any]) -> str | None:
    """The context for the model, which a host may call `message` on prompts."""
    is_message = hook.event == events.PROMPT and "message" in (spec.obeys(hook.event_as_written) or ())
    fields = (specific.get("additionalContext"), answer.get("additionalContext"), answer.get("message") if is_message else None)
    return next(filter(None, map(_text, fields)), None)


def _stops(spec: HostSpec, event: Event, answer: dict[str, Any], opinion: _Opinion | None) -> bool:
    """Whether an answer stops the agent: by `continue: false`, on some hosts by `stopReason` alone.

    Older versions of Claude Code continue if they deny a tool as well.
    """
    if answer.get("continue") is False:
        denied = opinion is not None and opinion.decision == "deny" and event.name == "pre-tool-call"
        return not denied or spec.is_since(spec.speech.stops_denied_since)
    return spec.speech.stop_reason_stops and answer.get("continue") is not True and _text(answer.get("stopReason")) is not None


def _rewrite(
    spec: HostSpec, event: Event, answer: dict[str, Any], specific: dict[str, Any], problems: list[str]
) -> Mapping[str, Any] | None:
    key, field, text = spec.speech.rewrites.get(event.name, ("", "", ""))
    if key in answer:
        value = answer[key]
        if _text(value.get(text) if text and isinstance(value, dict) else None if text else value):
            return {field: value}
        problems.append(f"{key} must be {f'an object with the text {text}' if text else 'text'}: ignored")
        return None
    wanted = spec.speech.rewrite_key
    rewrite = specific.get("updatedInput", specific.get("modifiedArgs", answer.get("modifiedArgs")))
    if wanted != "updatedInput":
        if rewrite is not None:
            problems.append(f"{spec.title} ignores updatedInput")
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
    merged = spec.speech.merges_rewrites and isinstance(event.tool_input, dict)
    return {**event.tool_input, **rewrite} if merged else rewrite


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _quoted(value: Any) -> str:
    return fast_json.dumps(value)[:80]
