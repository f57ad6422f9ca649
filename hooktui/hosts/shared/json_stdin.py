"""What hooks in JSON files read (formats.md §3; seed 003; seen in Claude Code 2.1.197)."""

from __future__ import annotations

import time

from hooktui import hosts
from hooktui.core import fast_json
from hooktui.core.events import GATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Event, Hook
    from hooktui.hosts.base import Host

# AgentHooks names of fields -> the hosts' names.
_SNAKE = {"tool_output": "tool_response", "subagent_name": "agent_id", "subagent_type": "agent_type"}
_CAMEL = {"tool_input": "toolArgs", "tool_use_id": "toolCallId", "subagent_name": "agentName"}
_EVERY_STOP = {"stop_hook_active": False}  # in camelCase payloads too


def snake_case(host: Host, hook: Hook, event: Event) -> dict[str, Any]:
    """The payload with snake_case names; the session and the event have both spellings that hosts use."""
    own = event.payload if hosts.json_spec(event.host) and not _is_camel_case(event) else {}
    return {
        **_defaults(host, event),
        **own,
        **{_SNAKE.get(key, key): value for key, value in event.fields.items()},
        "session_id": event.session_id,
        "sessionId": event.session_id,
        "hook_event_name": hook.event_as_written,
        "hookEventName": hook.event_as_written,
        "timestamp": event.timestamp,
        "cwd": event.work_dir,
        "transcript_path": own.get("transcript_path") or event.payload.get("transcriptPath") or "",
    }


def camel_case(host: Host, event: Event) -> dict[str, Any]:
    """The payload with camelCase names; the timestamp is in milliseconds."""
    own = event.payload if event.host == host.name and _is_camel_case(event) else {}
    fields = {_CAMEL.get(key) or _camel(key): value for key, value in event.fields.items() if key != "tool_output"}
    if "tool_output" in event.fields and "toolResult" not in own:
        fields["toolResult"] = {"resultType": "success", "textResultForLlm": as_text(event.fields["tool_output"])}
    session = {"sessionId": event.session_id, "cwd": event.work_dir}
    return {"timestamp": int(time.time() * 1000), **_defaults(host, event), **fields, **own, **session}


def as_text(value: Any) -> str:
    """A result as a text."""
    return value if isinstance(value, str) else fast_json.dumps(value, ascii_only=False)


def _is_camel_case(event: Event) -> bool:
    """Whether the payload of an event is in camelCase; such a payload does not name its event."""
    return "hook_event_name" not in event.payload and "hookEventName" not in event.payload


def _defaults(host: Host, event: Event) -> dict[str, Any]:
    if event.name == "pre-session":
        return {"source": host.session_source}
    return dict(_EVERY_STOP) if event.name in GATES else {}


def _camel(name: str) -> str:
    first, *rest = [name] if name in _EVERY_STOP else name.split("_")
    return first + "".join(map(str.capitalize, rest))
