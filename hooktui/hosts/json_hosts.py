"""Claude Code, VS Code and Copilot CLI: read their payloads, answer so that the real program obeys (formats.md §3)."""

from __future__ import annotations

from hooktui.core import events, fast_json, paths
from hooktui.core.model import Event
from hooktui.core.records import Record
from hooktui.hosts import BLOCKED, Answer, event_name, text, tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch

# Events on which a host takes exit 2 as a denial; None is every event. On the others it is at most a message to the user.
_EXIT_2_DENIES: dict[str, tuple[str, ...] | None] = {
    "claude": (
        *("pre-tool-call", "post-tool-call", "post-tool-call-failure", "pre-agent-turn", "pre-agent-turn-stop"),
        *("post-subagent", "pre-context-compact", "UserPromptExpansion", "TeammateIdle", "TaskCreated", "TaskCompleted"),
        *("ConfigChange", "PostToolBatch", "Elicitation", "ElicitationResult", "WorktreeCreate", "WorktreeRemove"),
    ),
    "vscode": None,
    "copilot": ("pre-tool-call", "PermissionRequest", "permissionRequest"),
}
# Events whose answer may carry context for the model.
_TAKES_CONTEXT = ("pre-tool-call", "post-tool-call", "post-tool-call-failure", "pre-agent-turn", "pre-session", "pre-subagent")
_CAN_GO_ON = ("pre-agent-turn-stop", "post-subagent")
_PERMISSION_REQUESTS = ("PermissionRequest", "permissionRequest")
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


def heeds_exit_2(host: str, event: str) -> bool:
    """Whether a host takes exit 2 on an event as a denial."""
    heeded = _EXIT_2_DENIES[host]
    return heeded is None or event in heeded


class _JsonHost(Record):
    """One of the three, by name."""

    name: str

    def read(self, payload: dict[str, Any], given: str | None, now: str) -> Event:
        """The event in a payload, in either spelling that the hosts have used; raises UnreadableEvent."""
        named = "hook_event_name" in payload or "hookEventName" in payload
        written = event_name(payload, given if named else given or _told_by(payload), "hook_event_name", "hookEventName")
        name = events.canonical(written) or written
        fields = _fields(payload, name)
        stamp = payload.get("timestamp")
        return Event(
            name=name,
            as_written=written,
            known=name in events.CANONICAL or written in events.CLAUDE_ONLY,
            host=self.name,
            session_id=text(payload.get("session_id")) or text(payload.get("sessionId")),
            work_dir=text(payload.get("cwd")) or text(payload.get("work_dir")) or paths.here(),
            timestamp=stamp if isinstance(stamp, str) else now,
            tool_name=tool(fields.get("tool_name")),
            tool_input=fields.get("tool_input"),
            agent_name=text(payload.get("agent_type")) or None,
            fields=fields,
            payload=payload,
        )

    def answer(self, dispatch: Dispatch) -> Answer:
        """Exit 2 for a denial wherever the host takes it as one; its own JSON at exit 0 for everything else."""
        said = _copilot_answer(dispatch) if self.name == "copilot" else _answer(dispatch)
        if not self._by_exit_2(dispatch):
            return Answer(exit_code=0, stdout=fast_json.dumps(said) + "\n" if said else "")
        # Copilot's newer versions take the reason from stdout, which the others do not read beside exit 2.
        stdout = fast_json.dumps(said) + "\n" if self.name == "copilot" else ""
        return Answer(exit_code=BLOCKED, stdout=stdout, stderr=f"{dispatch.reason}\n")

    def _by_exit_2(self, dispatch: Dispatch) -> bool:
        """Claude runs the tool in spite of a `stop`, and Copilot knows none: before a tool they get a denial for it."""
        name = dispatch.event.name
        if name in _PERMISSION_REQUESTS:
            return False
        stops_tool = dispatch.decision == "stop" and name == "pre-tool-call" and self.name != "vscode"
        return stops_tool or (dispatch.decision == "deny" and heeds_exit_2(self.name, name))


def of(name: str) -> _JsonHost:
    """`claude`, `vscode` or `copilot`."""
    return _JsonHost(name=name)


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


def _answer(dispatch: Dispatch) -> dict[str, Any]:
    """Claude's and VS Code's output (formats.md §3, "stdout")."""
    name = dispatch.event.name
    said: dict[str, Any] = {}
    messages = list(dispatch.system_messages)
    specific: dict[str, Any] = {}
    if dispatch.decision == "stop":
        said = {"continue": False, "stopReason": dispatch.reason}
    elif name in _PERMISSION_REQUESTS:
        specific |= _permission(dispatch)
    elif dispatch.decision == "deny":
        messages.append(dispatch.reason or "")
    if name == "pre-tool-call" and dispatch.decision != "deny":
        specific |= _decision(dispatch)  # beside a stop, which older versions of VS Code do not read there
    if dispatch.modified_input is not None and name == "pre-tool-call":
        specific["updatedInput"] = dispatch.modified_input
    if dispatch.additional_context and name in _TAKES_CONTEXT:
        specific["additionalContext"] = "\n".join(dispatch.additional_context)
    else:
        messages += dispatch.additional_context
    if messages:
        said["systemMessage"] = "\n".join(messages)
    if specific:
        said["hookSpecificOutput"] = {"hookEventName": events.spelling(name, "claude") or name, **specific}
    return said


def _decision(dispatch: Dispatch) -> dict[str, Any]:
    """What is decided about a tool call, and why."""
    if dispatch.decision == "none":
        return {}
    decided = "deny" if dispatch.blocks else dispatch.decision
    reason = {"permissionDecisionReason": dispatch.reason} if dispatch.reason else {}
    return {"permissionDecision": decided, **reason}


def _permission(dispatch: Dispatch) -> dict[str, Any]:
    """Claude's answer to a permission request; `ask` is what happens without one."""
    return {"decision": behavior} if (behavior := _behavior(dispatch)) else {}


def _behavior(dispatch: Dispatch) -> dict[str, Any]:
    if dispatch.blocks:
        return {"behavior": "deny", "message": dispatch.reason}
    return {"behavior": "allow"} if dispatch.decision == "allow" else {}


def _copilot_answer(dispatch: Dispatch) -> dict[str, Any]:
    """Copilot's output: all at the top, and for PascalCase events of tools where Claude has it, too.

    It can neither stop an agent nor take back what was done: the model is told of such a denial.
    """
    name = dispatch.event.name
    context = list(dispatch.additional_context)
    said: dict[str, Any] = {}
    if name == "pre-tool-call":
        said = _decision(dispatch)
        if dispatch.modified_input is not None:
            said["modifiedArgs"] = dispatch.modified_input
    elif name in _PERMISSION_REQUESTS:
        said = _behavior(dispatch)
    elif name in _CAN_GO_ON and dispatch.decision == "deny":
        said = {"decision": "block", "reason": dispatch.reason}
    elif dispatch.blocks and name not in _CAN_GO_ON:
        context.append(dispatch.reason or "")
    if context:
        said["additionalContext"] = "\n".join(context)
    if name == "pre-tool-call" and said and not dispatch.event.as_written[:1].islower():
        renamed = {"updatedInput" if key == "modifiedArgs" else key: value for key, value in said.items()}
        said["hookSpecificOutput"] = {"hookEventName": "PreToolUse", **renamed}
    return said
