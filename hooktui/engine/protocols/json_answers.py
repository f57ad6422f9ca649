"""What Claude Code, VS Code and Copilot CLI understand of a hook's JSON answer (formats.md §3, "stdout")."""

from __future__ import annotations

from hooktui.core import events, fast_json
from hooktui.core.model import DECISIONS, Outcome
from hooktui.core.records import Record
from hooktui.engine.protocols import Heard, invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hooktui.core.model import DecisionName, Event, Hook, Via
    from hooktui.hosts import HostSpec

_PERMISSIONS = ("allow", "deny", "ask")
_CLAUDE_PERMISSIONS = (*_PERMISSIONS, "defer")
# What Claude Code wants these fields to be; one that is something else makes it throw the whole answer away.
_TOP = {"continue": bool, "suppressOutput": bool, "stopReason": str, "reason": str, "systemMessage": str}
_SPECIFIC = {"permissionDecisionReason": str, "updatedInput": dict, "additionalContext": str}
_KINDS = {bool: "true or false", str: "a string", dict: "an object"}
_BLOCKS: Mapping[str, DecisionName] = {"block": "deny", "deny": "deny", "approve": "allow", "allow": "allow"}


class _Opinion(Record):
    """One place of an answer that decides something."""

    decision: DecisionName
    via: Via
    reason: str | None


def faults(said: dict[str, Any], event: Event, spec: HostSpec) -> tuple[str, ...]:
    """Why a strict host rejects an answer; empty when it does not."""
    return tuple(f"{fault}: {spec.title} rejects the answer" for fault in _faults(said, event))


def outcome(spec: HostSpec, hook: Hook, event: Event, said: dict[str, Any]) -> Outcome:
    """What an answer comes to on a host."""
    specific = said.get("hookSpecificOutput")
    specific = specific if isinstance(specific, dict) else {}
    problems: list[str] = []
    heard = list(_opinions(spec, said, specific, problems))
    top_only = said.get("decision") == "block" and "decision" not in specific
    if event.name == events.GATE and top_only and "top" not in spec.speech.block_at:
        problems.append(f"{spec.title} reads a Stop decision only inside hookSpecificOutput: this one is at the top")
    opinion = max(heard, key=lambda one: DECISIONS.index(one.decision), default=None)
    if _halts(spec, event, said, opinion):
        told = _text(said.get("stopReason")) or (opinion.reason if opinion else None)
        opinion = _Opinion(decision="stop", via="json", reason=told)
    reason = opinion.reason if opinion else None
    if opinion and opinion.decision in ("deny", "stop") and not reason:
        reason = f"Blocked by hook {hook.name}"
    return Outcome(
        decision=opinion.decision if opinion else "none",
        via=opinion.via if opinion else None,
        reason=reason,
        modified_input=_rewrite(event, said, specific, problems),
        additional_context=_text(specific.get("additionalContext")) or _text(said.get("additionalContext")),
        system_message=_text(said.get("systemMessage")),
        problems=tuple(problems),
    )


def judgement(hook: Hook, said: dict[str, Any]) -> Heard:
    """What a model said for a prompt hook of Claude's: `{"ok": bool, "reason"}`. An `ok` leaves the usual ways open."""
    if not isinstance(said.get("ok"), bool):
        return invalid("the model's answer has no ok that is true or false")
    if said["ok"]:
        return Heard(state="ok")
    reason = _text(said.get("reason")) or f"Blocked by hook {hook.name}"
    return Heard(state="ok", outcome=Outcome(decision="deny", via="ok-field", reason=reason))


def _faults(said: dict[str, Any], event: Event) -> Iterator[str]:
    yield from _wrong_kinds(said, _TOP)
    if said.get("decision") not in (None, "block", "approve"):
        yield f"decision {_quoted(said['decision'])} is neither block nor approve"
    if "hookSpecificOutput" not in said:
        return
    specific = said["hookSpecificOutput"]
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
    yield from _wrong_kinds(specific, _SPECIFIC)


def _wrong_kinds(place: dict[str, Any], kinds: Mapping[str, type]) -> Iterator[str]:
    for name, kind in kinds.items():
        if name in place and not isinstance(place[name], kind):
            yield f"{name} must be {_KINDS[kind]}"


def _opinions(spec: HostSpec, said: dict[str, Any], specific: dict[str, Any], problems: list[str]) -> Iterator[_Opinion]:
    """What an answer says in each of the places where this host looks."""
    for place in (specific, said):
        told = place.get("permissionDecision")
        if told in _PERMISSIONS:
            yield _Opinion(decision=told, via="permission", reason=_text(place.get("permissionDecisionReason")))
        elif told is not None:
            problems.append(f"permissionDecision {_quoted(told)} must be allow, deny or ask: ignored")
    told = said.get("decision")
    if isinstance(told, str) and told in _BLOCKS:
        yield _Opinion(decision=_BLOCKS[told], via="json", reason=_text(said.get("reason")))
    elif told is not None:
        problems.append(f"decision {_quoted(told)} is unknown: dropped")
    if specific.get("decision") == "block" and "nested" not in spec.speech.block_at:
        if told is None:
            problems.append(f"{spec.title} reads decision only at the top: this one is inside hookSpecificOutput")
    elif specific.get("decision") == "block":
        yield _Opinion(decision="deny", via="json", reason=_text(specific.get("reason")))
    yield from _behaviors(said, specific)


def _behaviors(said: dict[str, Any], specific: dict[str, Any]) -> Iterator[_Opinion]:
    """Answers to a permission request: Claude's inside `decision`, Copilot's at the top."""
    nested = specific.get("decision")
    for place in (nested if isinstance(nested, dict) else {}, said):
        told = place.get("behavior")
        if told in ("allow", "deny"):
            yield _Opinion(decision=told, via="permission", reason=_text(place.get("message")))


def _halts(spec: HostSpec, event: Event, said: dict[str, Any], opinion: _Opinion | None) -> bool:
    """`continue: false`; in VS Code a stopReason alone. Before a tool Claude goes on when the tool was denied as well."""
    if said.get("continue") is False:
        denied = opinion is not None and opinion.decision == "deny"
        return not (spec.speech.goes_on_when_denied and event.name == "pre-tool-call" and denied)
    return spec.speech.stop_reason_stops and said.get("continue") is not True and _text(said.get("stopReason")) is not None


def _rewrite(event: Event, said: dict[str, Any], specific: dict[str, Any], problems: list[str]) -> Mapping[str, Any] | None:
    told = specific.get("updatedInput", specific.get("modifiedArgs", said.get("modifiedArgs")))
    if isinstance(told, str):  # older Copilot versions write arguments as a JSON string
        try:
            told = fast_json.loads(told)
        except (ValueError, RecursionError):
            told = ""
    if told is None:
        return None
    if event.name != "pre-tool-call" or not isinstance(told, dict):
        problems.append("a rewritten input that this event cannot use: dropped")
        return None
    return told


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _quoted(value: Any) -> str:
    return fast_json.dumps(value)[:80]
