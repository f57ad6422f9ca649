"""Reading the payloads of hosts that follow Claude Code's JSON protocol (formats.md §3, "stdin")."""

from __future__ import annotations

from hooktui.core import events, fast_json, paths
from hooktui.core.model import Event
from hooktui.hosts.shared.payloads import event_name, text, tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hooktui.hosts.shared.spec import HostSpec, Reader

_OURS = {
    "tool_response": "tool_output",
    "tool_result": "tool_output",
    "toolName": "tool_name",
    "toolArgs": "tool_input",
    "toolCallId": "tool_use_id",
    "agent_type": "subagent_type",
    "agentType": "subagent_type",
    "agent_id": "subagent_name",
    "agent_name": "subagent_name",
    "agentName": "subagent_name",
    "stopReason": "stop_reason",
    "reason": "exit_reason",
}
# Copilot's camelCase payloads do not name their event; the first row whose fields are all there gives it away.
_CAMEL_EVENTS = (
    (("toolName", "toolResult"), "postToolUse"),
    (("toolName", "error"), "postToolUseFailure"),
    (("toolName",), "preToolUse"),
    (("prompt",), "userPromptSubmitted"),
    (("error",), "errorOccurred"),
    (("agentName", "stopReason"), "subagentStop"),
    (("agentName",), "subagentStart"),
    (("stopReason",), "agentStop"),
    (("trigger",), "preCompact"),
    (("source",), "sessionStart"),
    (("reason",), "sessionEnd"),
)
_HOST_FIELDS = ("source", "stop_hook_active")


def reader(spec: Callable[[], HostSpec]) -> Reader:
    """The reader of a host's payloads, in either spelling that the hosts have used; it raises UnreadableEvent."""

    def read(payload: dict[str, Any], given: str | None, now: str) -> Event:
        named = "hook_event_name" in payload or "hookEventName" in payload
        written = event_name(payload, given if named else given or _told_by(payload), "hook_event_name", "hookEventName")
        name = events.canonical(written) or written
        fields = _fields(payload, name)
        stamp = payload.get("timestamp")
        return Event(
            name=name,
            as_written=written,
            known=name in events.CANONICAL or written in events.WITHOUT_TWIN or written in spec().events,
            host=spec().name,
            session_id=text(payload.get("session_id")) or text(payload.get("sessionId")),
            work_dir=text(payload.get("cwd")) or text(payload.get("work_dir")) or paths.working_directory(),
            timestamp=stamp if isinstance(stamp, str) else now,
            tool_name=tool(fields.get("tool_name")),
            tool_input=fields.get("tool_input"),
            agent_name=text(payload.get("agent_type")) or None,
            fields=fields,
            payload=payload,
        )

    return read


def _told_by(payload: dict[str, Any]) -> str | None:
    return next((event for fields, event in _CAMEL_EVENTS if all(field in payload for field in fields)), None)


def _fields(payload: dict[str, Any], event: str) -> dict[str, Any]:
    """The event's own values under AgentHooks names; all there are of an event without a canonical name."""
    fields = {_OURS.get(key, key): value for key, value in payload.items()}
    if "toolArgs" in payload:
        fields["tool_input"] = _arguments(payload["toolArgs"])
    result = payload.get("toolResult", payload.get("tool_result"))
    if isinstance(result, dict):
        fields["tool_output"] = result.get("textResultForLlm", result.get("text_result_for_llm"))
    if event == events.GATE:
        fields |= _end_of_turn(fields)
    if event not in events.CANONICAL:
        return fields
    return {key: fields[key] for key in (*events.FIELDS.get(event, ()), *_HOST_FIELDS) if key in fields}


def _arguments(value: Any) -> Any:
    """Copilot's toolArgs: an object, or a JSON text in older versions."""
    try:
        return fast_json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def _end_of_turn(fields: dict[str, Any]) -> dict[str, Any]:
    """Why the agent stops, in AgentHooks' word for it (these hosts ask when no tool call is left), and its last message."""
    reason, said = fields.get("stop_reason"), fields.get("last_assistant_message")
    return {
        "stop_reason": "no_tool_calls" if reason in (None, "end_turn") else reason,
        "final_message": {"role": "assistant", "content": said} if isinstance(said, str) else None,
    }
