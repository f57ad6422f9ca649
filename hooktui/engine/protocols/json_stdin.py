"""What a hook of Claude Code, VS Code or Copilot CLI reads on stdin, whoever sent the event (formats.md §3)."""

from __future__ import annotations

import time

from hooktui.core import fast_json
from hooktui.core.events import GATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Event, Hook

_HOSTS = ("claude", "vscode", "copilot")
# AgentHooks' names of fields, and theirs.
_SNAKE = {"tool_output": "tool_response", "subagent_name": "agent_id", "subagent_type": "agent_type"}
_CAMEL = {"tool_input": "toolArgs", "tool_use_id": "toolCallId", "subagent_name": "agentName"}
_EVERY_STOP = {"stop_hook_active": False}  # written like this in camelCase payloads too


def snake_case(host: str, hook: Hook, event: Event) -> dict[str, Any]:
    """The payload with names in snake_case, those of the session and the event in both spellings that have been seen."""
    own = event.payload if event.host in _HOSTS and not is_camel_case(event) else {}
    fields = {_SNAKE.get(key, key): value for key, value in event.fields.items()}
    if host == "copilot" and "tool_output" in event.fields:
        fields["tool_result"] = {"result_type": "success", "text_result_for_llm": _text(event.fields["tool_output"])}
    return {
        **_defaults(host, event),
        **own,
        **fields,
        "session_id": event.session_id,
        "sessionId": event.session_id,
        "hook_event_name": hook.event_as_written,
        "hookEventName": hook.event_as_written,
        "timestamp": event.timestamp,
        "cwd": event.work_dir,
        "transcript_path": own.get("transcript_path") or event.payload.get("transcriptPath") or "",
    }


def camel_case(event: Event) -> dict[str, Any]:
    """Copilot's payload of a camelCase event; the time in milliseconds."""
    own = event.payload if event.host == "copilot" and is_camel_case(event) else {}
    fields = {_CAMEL.get(key) or _camel(key): value for key, value in event.fields.items() if key != "tool_output"}
    if "tool_output" in event.fields and "toolResult" not in own:
        fields["toolResult"] = {"resultType": "success", "textResultForLlm": _text(event.fields["tool_output"])}
    session = {"sessionId": event.session_id, "cwd": event.work_dir}
    return {"timestamp": int(time.time() * 1000), **_defaults("copilot", event), **fields, **own, **session}


def is_camel_case(event: Event) -> bool:
    """Whether an event came in Copilot's camelCase payload, which does not name it."""
    return "hook_event_name" not in event.payload and "hookEventName" not in event.payload


def _defaults(host: str, event: Event) -> dict[str, Any]:
    """What every payload of an event has."""
    if event.name == "pre-session":
        return {"source": "startup" if host == "claude" else "new"}
    return dict(_EVERY_STOP) if event.name in (GATE, "post-subagent") else {}


def _camel(name: str) -> str:
    first, *rest = [name] if name in _EVERY_STOP else name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else fast_json.dumps(value, ascii_only=False)
