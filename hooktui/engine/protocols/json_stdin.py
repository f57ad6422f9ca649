"""What a hook of Claude Code, VS Code or Copilot CLI reads on stdin, whoever sent the event (formats.md §3)."""

from __future__ import annotations

import time

from hooktui import hosts
from hooktui.core import fast_json
from hooktui.core.events import GATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Event, Hook
    from hooktui.hosts import HostSpec

# AgentHooks' names of fields, and theirs.
_SNAKE = {"tool_output": "tool_response", "subagent_name": "agent_id", "subagent_type": "agent_type"}
_CAMEL = {"tool_input": "toolArgs", "tool_use_id": "toolCallId", "subagent_name": "agentName"}
_EVERY_STOP = {"stop_hook_active": False}  # written like this in camelCase payloads too


def snake_case(spec: HostSpec, hook: Hook, event: Event) -> dict[str, Any]:
    """The payload with names in snake_case, those of the session and the event in both spellings that have been seen."""
    own = event.payload if hosts.json_spec(event.host) and not is_camel_case(event) else {}
    fields = {_SNAKE.get(key, key): value for key, value in event.fields.items()}
    if spec.speech.result_object and "tool_output" in event.fields:
        fields["tool_result"] = {"result_type": "success", "text_result_for_llm": _text(event.fields["tool_output"])}
    return {
        **_defaults(spec, event),
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


def camel_case(event: Event, spec: HostSpec) -> dict[str, Any]:
    """The payload of an event in camelCase; the time in milliseconds."""
    own = event.payload if event.host == spec.name and is_camel_case(event) else {}
    fields = {_CAMEL.get(key) or _camel(key): value for key, value in event.fields.items() if key != "tool_output"}
    if "tool_output" in event.fields and "toolResult" not in own:
        fields["toolResult"] = {"resultType": "success", "textResultForLlm": _text(event.fields["tool_output"])}
    session = {"sessionId": event.session_id, "cwd": event.work_dir}
    return {"timestamp": int(time.time() * 1000), **_defaults(spec, event), **fields, **own, **session}


def is_camel_case(event: Event) -> bool:
    """Whether an event came in a camelCase payload, which does not name it."""
    return "hook_event_name" not in event.payload and "hookEventName" not in event.payload


def _defaults(spec: HostSpec, event: Event) -> dict[str, Any]:
    """What every payload of an event has."""
    if event.name == "pre-session":
        return {"source": spec.speech.session_source}
    return dict(_EVERY_STOP) if event.name in (GATE, "post-subagent") else {}


def _camel(name: str) -> str:
    first, *rest = [name] if name in _EVERY_STOP else name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else fast_json.dumps(value, ascii_only=False)
