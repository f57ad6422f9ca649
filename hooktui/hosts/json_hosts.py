"""Claude Code, VS Code and Copilot CLI: read their payloads, answer so that the real program obeys (formats.md §3)."""

from __future__ import annotations

import os

from hooktui import events, quick_json
from hooktui.hosts import BLOCKED, Answer, event_name, text
from hooktui.model import Event
from hooktui.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.model import Dispatch

# Events on which Claude and VS Code take exit 2 as a denial; on the others it is only a message to the user.
_EXIT_2_DENIES = (
    "pre-tool-call", "post-tool-call", "post-tool-call-failure", "pre-agent-turn", "pre-agent-turn-stop", "post-subagent",
)  # fmt: skip
# Events whose answer may carry context for the model.
_TAKES_CONTEXT = ("pre-tool-call", "post-tool-call", "post-tool-call-failure", "pre-agent-turn", "pre-session", "pre-subagent")
_OURS = {
    "tool_response": "tool_output",
    "toolName": "tool_name",
    "toolArgs": "tool_input",
    "toolCallId": "tool_use_id",
    "agent_type": "subagent_type",
    "agent_id": "subagent_name",
}
_CAMEL_EVENTS = {  # Copilot's camelCase payloads do not name their event; these fields give it away
    "toolResult": "post-tool-call",
    "toolName": "pre-tool-call",
    "prompt": "pre-agent-turn",
    "error": "agent-failure",
}


class _JsonHost(Record):
    """One of the three, by name."""

    name: str

    def read(self, payload: dict[str, Any], given: str | None, now: str) -> Event:
        """The event in a payload, in either spelling that the hosts have used; raises UnreadableEvent."""
        guess = given or next((event for field, event in _CAMEL_EVENTS.items() if field in payload), None)
        named = "hook_event_name" in payload or "hookEventName" in payload
        written = event_name(payload, given if named else guess, "hook_event_name", "hookEventName")
        name = events.canonical(written) or written
        fields = _fields(payload, name)
        stamp = payload.get("timestamp")
        return Event(
            name=name,
            as_written=written,
            known=name in events.CANONICAL or written in events.CLAUDE_ONLY,
            host=self.name,
            session_id=text(payload.get("session_id")) or text(payload.get("sessionId")),
            work_dir=text(payload.get("cwd")) or text(payload.get("work_dir")) or os.getcwd(),
            timestamp=stamp if isinstance(stamp, str) else now,
            tool_name=text(fields.get("tool_name")) or None,
            tool_input=fields.get("tool_input"),
            agent_name=text(payload.get("agent_type")) or None,
            fields=fields,
            payload=payload,
        )

    def answer(self, dispatch: Dispatch) -> Answer:
        """Exit 2 for a denial wherever the host takes it as one; its own JSON at exit 0 for everything else."""
        event = dispatch.event
        stops_before_tool = dispatch.decision == "stop" and event.name == "pre-tool-call"
        if stops_before_tool or (dispatch.decision == "deny" and event.name in self._denied_by_exit_2()):
            return Answer(exit_code=BLOCKED, stderr=f"{dispatch.reason}\n")
        camel = self.name == "copilot" and event.as_written[:1].islower()
        said = _camel_answer(dispatch) if camel else _pascal_answer(dispatch)
        return Answer(exit_code=0, stdout=quick_json.dumps(said) + "\n" if said else "")

    def _denied_by_exit_2(self) -> tuple[str, ...]:
        return ("pre-tool-call",) if self.name == "copilot" else _EXIT_2_DENIES


def of(name: str) -> _JsonHost:
    """`claude`, `vscode` or `copilot`."""
    return _JsonHost(name=name)


def _fields(payload: dict[str, Any], event: str) -> dict[str, Any]:
    """The event's own values under AgentHooks names."""
    fields = {_OURS.get(key, key): value for key, value in payload.items()}
    if "toolArgs" in payload:
        fields["tool_input"] = _arguments(payload["toolArgs"])
    result = payload.get("toolResult")
    if isinstance(result, dict):
        fields["tool_output"] = result.get("textResultForLlm")
    return {key: fields[key] for key in (*events.FIELDS.get(event, ()), *_HOST_FIELDS) if key in fields}


def _arguments(value: Any) -> Any:
    """Copilot's toolArgs: an object, or a JSON text in older versions."""
    try:
        return quick_json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


_HOST_FIELDS = ("source", "stop_hook_active")


def _pascal_answer(dispatch: Dispatch) -> dict[str, Any]:
    """Claude's and VS Code's output (formats.md §3, "stdout")."""
    event = dispatch.event
    said: dict[str, Any] = {}
    messages = [*dispatch.system_messages]
    specific: dict[str, Any] = {}
    if dispatch.decision == "stop":
        said = {"continue": False, "stopReason": dispatch.reason}
    elif dispatch.decision == "deny":
        messages.append(dispatch.reason or "")
    elif dispatch.decision in ("ask", "allow") and event.name == "pre-tool-call":
        specific["permissionDecision"] = dispatch.decision
        if dispatch.reason:
            specific["permissionDecisionReason"] = dispatch.reason
    if dispatch.modified_input is not None and event.name == "pre-tool-call":
        specific["updatedInput"] = dispatch.modified_input
    if dispatch.additional_context and event.name in _TAKES_CONTEXT:
        specific["additionalContext"] = "\n".join(dispatch.additional_context)
    elif dispatch.additional_context:
        messages += dispatch.additional_context
    if messages:
        said["systemMessage"] = "\n".join(messages)
    if specific:
        said["hookSpecificOutput"] = {"hookEventName": events.spelling(event.name, "claude") or event.as_written, **specific}
    return said


def _camel_answer(dispatch: Dispatch) -> dict[str, Any]:
    """Copilot's camelCase output."""
    said: dict[str, Any] = {}
    if dispatch.event.name == "pre-tool-call" and dispatch.decision in ("ask", "allow"):
        said["permissionDecision"] = dispatch.decision
        if dispatch.reason:
            said["permissionDecisionReason"] = dispatch.reason
    elif dispatch.blocks:
        said.update(decision="block", reason=dispatch.reason)
    if dispatch.modified_input is not None:
        said["modifiedArgs"] = dispatch.modified_input
    if dispatch.additional_context:
        said["additionalContext"] = "\n".join(dispatch.additional_context)
    return said
