"""Tables of what a new hook's script reads and may answer, by the kind of payload (formats.md §2, §3, §4)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hooktui import hosts
from hooktui.core import events

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.hosts import HostSpec

    Keys = tuple[str, ...]  # a path to a value of the event

EXIT_2 = "exit 2"  # the reason on stderr
NOTHING = ""  # exit 0 with nothing on stdout
_GRANTS = ("rewrite", "allow", "ask the person")
_CAMEL, _PASCAL = "camelCase", "PascalCase"  # payloads of a host that has both
CAMEL_OR_PASCAL = (_CAMEL, _PASCAL)
_EVENT = "EVENT"  # placeholder for the event as its host spells it
_WHY = "why not"


@dataclass(frozen=True, slots=True)
class ScriptAnswer:
    """`effect` is for a person; `output` is the JSON to print, EXIT_2 or NOTHING; `reason` goes with EXIT_2."""

    effect: str
    output: str
    reason: str = ""


def value_keys(payload: str, event: str) -> Keys:
    """Return the path to the most useful value of an event (canonical, or the format's own)."""
    return _VALUES[payload].get(event) or _VALUES[payload]["tool" if event in _PERMISSIONS else ""]


def variable(keys: Keys) -> str:
    """Return a variable name for a value."""
    return _SHORT.get(keys[-1]) or re.sub(r"[A-Z]", lambda match: f"_{match[0].lower()}", keys[-1])


def tool_input(payload: str) -> str:
    """Return the key of a tool's input."""
    return "toolArgs" if payload == _CAMEL else "tool_input"


def payload_of(format_name: str, event_as_written: str) -> str:
    """Return the kind of payload a hook reads: by the shape of its file, and by the case of its event where that matters."""
    spec = hosts.spec(format_name)
    if not spec.speech.camel_payloads:
        return spec.format
    return _PASCAL if event_as_written[:1].isupper() else _CAMEL


def answers(host: str, payload: str, event: str, event_as_written: str) -> Iterator[ScriptAnswer]:
    """Yield what a hook may answer on an event (canonical, or the format's own), the strictest first."""
    spec = hosts.spec(host)
    block = _block(spec, event)
    if block:
        yield block
    for effect, answer in _json_answers(payload, event):
        if not (spec.speech.rejects_ask and effect in _GRANTS):
            yield ScriptAnswer(effect, json.dumps(answer).replace(_EVENT, event_as_written))
    yield ScriptAnswer("no opinion", NOTHING)


def _block(spec: HostSpec, event: str) -> ScriptAnswer | None:
    """Return the answer that blocks the agent by exit code 2, if the host obeys it."""
    continues = event in _CONTINUES
    if spec.name == hosts.DEFAULT:
        obeyed = event != "post-session"
    elif spec.speech.denies_by_exit_2 is None:
        obeyed = event not in _NOT_BLOCKABLE
    else:
        obeyed = spec.denies_by_exit_2(event) and event not in _PERMISSIONS
    if not obeyed:
        return None
    return ScriptAnswer("keep it working", EXIT_2, "what is missing") if continues else ScriptAnswer("deny", EXIT_2, _WHY)


def _json_answers(payload: str, event: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if payload == "azure":
        yield from _AZURE["stop" if event == events.GATE else ""]
    elif payload == "agenthooks":
        yield from _AGENTHOOKS.get(event, _AGENTHOOKS_REST)
    elif payload in CAMEL_OR_PASCAL:
        yield from _COPILOT.get(event, ())
    else:
        yield from _CLAUDE.get(event, ())
        yield "tell the person", {"systemMessage": "what happened"}


_PERMISSIONS = ("PermissionRequest", "permissionRequest")
_CONTINUES = (events.GATE, "post-subagent")
_NOT_BLOCKABLE = ("pre-session", "pre-subagent")  # notifications: there is nothing to deny
_SHORT = {
    **dict.fromkeys(("tool_name", "toolName"), "tool"),
    **dict.fromkeys(("text_result_for_llm", "textResultForLlm"), "result"),
}
# The most useful value by event; "tool" for permission requests, "" for every other event.
_CLAUDE_VALUES: Mapping[str, Keys] = {
    "": ("session_id",),
    "tool": ("tool_name",),
    "pre-session": ("source",),
    "post-session": ("reason",),
    "pre-agent-turn": ("prompt",),
    events.GATE: ("stop_hook_active",),
    "pre-tool-call": ("tool_name",),
    "post-tool-call": ("tool_response",),
    "post-tool-call-failure": ("error",),
    "pre-subagent": ("agent_type",),
    "post-subagent": ("agent_type",),
    "pre-context-compact": ("trigger",),
    "agent-failure": ("error",),
    "Notification": ("message",),
}
_VALUES: Mapping[str, Mapping[str, Keys]] = {
    "agenthooks": {
        "": ("session_id",),
        "pre-session": ("model",),
        "post-session": ("exit_reason",),
        "pre-agent-turn": ("prompt",),
        events.GATE: ("stop_reason",),
        "pre-tool-call": ("tool_name",),
        "post-tool-call": ("tool_output",),
        "post-tool-call-failure": ("error",),
        "pre-subagent": ("task_description",),
        "post-subagent": ("task_description",),
        "pre-context-compact": ("trigger",),
    },
    "json_hooks": _CLAUDE_VALUES,
    _PASCAL: {**_CLAUDE_VALUES, "post-tool-call": ("tool_result", "text_result_for_llm")},
    _CAMEL: {
        "": ("sessionId",),
        "tool": ("toolName",),
        "pre-session": ("source",),
        "post-session": ("reason",),
        "pre-agent-turn": ("prompt",),
        events.GATE: ("stopReason",),
        "pre-tool-call": ("toolName",),
        "post-tool-call": ("toolResult", "textResultForLlm"),
        "post-tool-call-failure": ("error",),
        "pre-subagent": ("agentName",),
        "post-subagent": ("agentName",),
        "pre-context-compact": ("trigger",),
        "agent-failure": ("error",),
    },
    "azure": {
        "": ("agent_name",),
        events.GATE: ("final_output",),
        "pre-tool-call": ("tool_name",),
        "post-tool-call": ("tool_result",),
    },
}

_TELL = ("tell the agent", {"additional_context": "what it should know"})
_LOG = ("note in the log", {"log": "what happened"})
_AGENTHOOKS_REST = (_TELL, _LOG)
_AGENTHOOKS: Mapping[str, tuple[tuple[str, Mapping[str, Any]], ...]] = {
    "pre-tool-call": (
        ("rewrite", {"modified_input": {"command": "ls"}}),
        ("allow", {"decision": "allow"}),
        ("ask the person", {"decision": "ask", "reason": "why"}),
        _TELL,
        _LOG,
    ),
    "post-session": (_LOG,),
    events.GATE: (_LOG,),
}


def _specific(**fields: Any) -> Mapping[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": _EVENT, **fields}}


_TELL_CLAUDE = ("tell the agent", _specific(additionalContext="what it should know"))
_CLAUDE: Mapping[str, tuple[tuple[str, Mapping[str, Any]], ...]] = {
    "pre-tool-call": (
        ("rewrite", _specific(updatedInput={"command": "ls"})),
        ("allow", _specific(permissionDecision="allow")),
        ("ask the person", _specific(permissionDecision="ask", permissionDecisionReason="why")),
        _TELL_CLAUDE,
    ),
    **dict.fromkeys(
        ("post-tool-call", "post-tool-call-failure", "pre-agent-turn", "pre-session", "pre-subagent"), (_TELL_CLAUDE,)
    ),
    "PermissionRequest": (
        ("deny", _specific(decision={"behavior": "deny", "message": _WHY})),
        ("allow", _specific(decision={"behavior": "allow"})),
    ),
}
_TELL_COPILOT = ("tell the agent", {"additionalContext": "what it should know"})
_COPILOT: Mapping[str, tuple[tuple[str, Mapping[str, Any]], ...]] = {
    "pre-tool-call": (
        ("also deny", {"permissionDecision": "deny", "permissionDecisionReason": _WHY}),
        ("rewrite", {"modifiedArgs": {"command": "ls"}}),
        ("allow", {"permissionDecision": "allow"}),
        ("ask the person", {"permissionDecision": "ask", "permissionDecisionReason": "why"}),
        _TELL_COPILOT,
    ),
    **dict.fromkeys(_CONTINUES, (("keep it working", {"decision": "block", "reason": "what is missing"}),)),
    **dict.fromkeys(("post-tool-call", "pre-agent-turn", "pre-session", "pre-subagent"), (_TELL_COPILOT,)),
    **dict.fromkeys(_PERMISSIONS, (("deny", {"behavior": "deny", "message": _WHY}), ("allow", {"behavior": "allow"}))),
}
_AZURE: Mapping[str, tuple[tuple[str, Mapping[str, Any]], ...]] = {
    "": (
        ("also deny", {"decision": "block", "reason": _WHY}),
        ("allow", {"decision": "allow"}),
        ("tell the agent", {"decision": "allow", "hookSpecificOutput": {"additionalContext": "what it should know"}}),
    ),
    "stop": (("let it stop", {"ok": True}), ("also continue", {"ok": False, "reason": "what is missing"})),
}
