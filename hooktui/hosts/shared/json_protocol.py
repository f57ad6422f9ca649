"""Claude Code's JSON protocol, for the hosts that follow it: reading payloads and writing answers (formats.md §3)."""

from __future__ import annotations

from hooktui.core import events, fast_json, paths
from hooktui.core.model import Event
from hooktui.hosts.shared.answers import CONTEXT_ON, PERMISSION_REQUESTS, HostAnswer, denied, printed
from hooktui.hosts.shared.payloads import event_name, text, tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch
    from hooktui.hosts.base import Host

_OURS = {
    "tool_response": "tool_output",
    "tool_result": "tool_output",
    "toolName": "tool_name",
    "toolArgs": "tool_input",
    "toolInput": "tool_input",
    "toolCallId": "tool_use_id",
    "tool_call_id": "tool_use_id",
    "agent_type": "subagent_type",
    "agentType": "subagent_type",
    "agent_id": "subagent_name",
    "agent_name": "subagent_name",
    "agentName": "subagent_name",
    "stopReason": "stop_reason",
    "reason": "exit_reason",
}
# Copilot's camelCase payloads do not name their event: it is that of the first row whose fields are all present.
_CAMEL_EVENTS = (
    (("toolName", "toolResult"), "postToolUse"),
    (("toolName", "error"), "postToolUseFailure"),
    (("toolName",), "preToolUse"),
    (("transformedPrompt",), "userPromptTransformed"),
    (("prompt",), "userPromptSubmitted"),
    (("error",), "errorOccurred"),
    (("agentName", "stopReason"), "subagentStop"),
    (("agentName",), "subagentStart"),
    (("stopReason",), "agentStop"),
    (("trigger",), "preCompact"),
    (("source",), "sessionStart"),
    (("reason",), "sessionEnd"),
)
_FINAL_MESSAGES = ("last_assistant_message", "response", "prompt_response")
_HOST_FIELDS = ("source", "stop_hook_active")


def read(host: Host, payload: dict[str, Any], given: str | None, now: str) -> Event:
    """Read a payload in any spelling that these hosts have used. Raises UnreadableEventError."""
    if not given and "hook_event_name" not in payload and "hookEventName" not in payload:
        given = text(payload.get("hookName")) or next(
            (event for fields, event in _CAMEL_EVENTS if all(field in payload for field in fields)), None
        )
    written = event_name(payload, given, "hook_event_name", "hookEventName")
    name = events.canonical(written) or written
    fields = _fields(payload, name)
    stamp = payload.get("timestamp")
    return Event(
        name=name,
        as_written=written,
        known=name in events.CANONICAL or written in events.WITHOUT_TWIN or written in host.events,
        host=host.name,
        session_id=text(payload.get("session_id")) or text(payload.get("sessionId")),
        work_dir=text(payload.get("cwd")) or text(payload.get("work_dir")) or paths.working_directory(),
        timestamp=stamp if isinstance(stamp, str) else now,
        tool_name=tool(fields.get("tool_name")),
        tool_input=fields.get("tool_input"),
        agent_name=text(payload.get("agent_type")) or None,
        fields=fields,
        payload=payload,
    )


def _fields(payload: dict[str, Any], event: str) -> dict[str, Any]:
    """The event's values under their AgentHooks names; all values of an event without a canonical name."""
    fields = {_OURS.get(key, key): value for key, value in payload.items()}
    if "toolArgs" in payload:
        fields["tool_input"] = _arguments(payload["toolArgs"])
    result = payload.get("toolResult", payload.get("tool_result"))
    if isinstance(result, dict):
        fields["tool_output"] = result.get("textResultForLlm", result.get("text_result_for_llm"))
    if event == events.GATE:
        fields |= {"stop_reason": _stop_reason(fields), "final_message": _final_message(fields)}
    elif event == "post-subagent" and (message := _final_message(fields)):
        fields["final_message"] = message
    if event not in events.CANONICAL:
        return fields
    return {key: fields[key] for key in (*events.FIELDS.get(event, ()), *_HOST_FIELDS) if key in fields}


def _arguments(value: Any) -> Any:
    """Copilot's `toolArgs`: an object, or JSON as text in older versions."""
    try:
        return fast_json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def _stop_reason(fields: dict[str, Any]) -> Any:
    """The stop reason in AgentHooks terms: these hosts ask when no tool call is left."""
    reason = fields.get("stop_reason")
    return "no_tool_calls" if reason in (None, "end_turn") else reason


def _final_message(fields: dict[str, Any]) -> dict[str, str] | None:
    """The agent's last message, by any of its names."""
    message = next((fields[name] for name in _FINAL_MESSAGES if name in fields), None)
    return {"role": "assistant", "content": message} if isinstance(message, str) else None


def denies_by_exit_2(dispatch: Dispatch, host: Host) -> bool:
    """Whether to deny with exit 2, which permission requests do not obey. A `stop` before a tool is a denial too."""
    name = dispatch.event.name
    stops_tool = dispatch.decision == "stop" and name == "pre-tool-call"
    denies = stops_tool or (dispatch.decision == "deny" and host.denies_by_exit_2(name))
    return denies and name not in PERMISSION_REQUESTS


def answer(dispatch: Dispatch, *, denies: bool) -> HostAnswer:
    """Deny with exit 2 and the reason, or print Claude's JSON at exit 0."""
    return denied(dispatch.reason) if denies else printed(_claude_json(dispatch))


def _claude_json(dispatch: Dispatch) -> dict[str, Any]:
    """The output that Claude Code and VS Code read."""
    name = dispatch.event.name
    value: dict[str, Any] = {}
    messages = list(dispatch.system_messages)
    specific: dict[str, Any] = {}
    if dispatch.decision == "stop":
        value = {"continue": False, "stopReason": dispatch.reason}
    elif name in PERMISSION_REQUESTS:
        specific |= {"decision": granted} if (granted := behavior(dispatch)) else {}
    elif dispatch.decision == "deny":
        messages.append(dispatch.reason or "")
    if name == "pre-tool-call" and dispatch.decision != "deny":
        specific |= tool_decision(dispatch)  # even with a stop, which older versions of VS Code do not read
    if dispatch.modified_input is not None and name == "pre-tool-call":
        specific["updatedInput"] = dispatch.modified_input
    if dispatch.additional_context and name in CONTEXT_ON:
        specific["additionalContext"] = "\n".join(dispatch.additional_context)
    else:
        messages += dispatch.additional_context
    if messages:
        value["systemMessage"] = "\n".join(messages)
    if specific:
        value["hookSpecificOutput"] = {"hookEventName": events.spelling(name, "pascal") or name, **specific}
    return value


def tool_decision(dispatch: Dispatch) -> dict[str, Any]:
    """The decision about a tool call and its reason."""
    if dispatch.decision == "none":
        return {}
    reason = {"permissionDecisionReason": dispatch.reason} if dispatch.reason else {}
    return {"permissionDecision": "deny" if dispatch.blocks else dispatch.decision, **reason}


def behavior(dispatch: Dispatch) -> dict[str, Any]:
    """The answer to a permission request; empty if the host should ask the user as usual."""
    if dispatch.blocks:
        return {"behavior": "deny", "message": dispatch.reason}
    return {"behavior": "allow"} if dispatch.decision == "allow" else {}


def is_json(text: str) -> bool:
    """Whether a host that reads stderr as an answer finds no plain text in a reason."""
    try:
        fast_json.loads(text.strip())
    except (ValueError, RecursionError):
        return not text.strip()
    return True
