"""The stdin of hooks in JSON files (formats.md §3; seed 003; seen in Claude Code 2.1.197).

One protocol for all their hosts, which differ as HostSpec.speech says.
"""

from __future__ import annotations

import time

from hooktui import hosts
from hooktui.core import fast_json
from hooktui.core.events import GATES
from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Event, Hook
    from hooktui.hosts import HostSpec


class _Protocol(Record):
    """The protocol of one host."""

    spec: HostSpec

    def stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
        """The host's payload for an event."""
        if self.spec.speech.camel_payloads and hook.event_as_written[:1].islower():
            return camel_case(event, self.spec)
        return snake_case(self.spec, hook, event)


def of(spec: HostSpec) -> _Protocol:
    """The protocol of a host."""
    return _Protocol(spec=spec)


# AgentHooks names of fields -> the hosts' names.
_SNAKE = {"tool_output": "tool_response", "subagent_name": "agent_id", "subagent_type": "agent_type"}
_CAMEL = {"tool_input": "toolArgs", "tool_use_id": "toolCallId", "subagent_name": "agentName"}
_EVERY_STOP = {"stop_hook_active": False}  # in camelCase payloads too


def snake_case(spec: HostSpec, hook: Hook, event: Event) -> dict[str, Any]:
    """The payload with snake_case names; the session and the event have both spellings that hosts use."""
    own = event.payload if hosts.json_spec(event.host) and not is_camel_case(event) else {}
    fields = {_SNAKE.get(key, key): value for key, value in event.fields.items()}
    if spec.speech.prompt_parts and isinstance(fields.get("prompt"), str):
        fields["prompt"] = [{"type": "text", "text": fields["prompt"]}]
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
    """The payload with camelCase names; the timestamp is in milliseconds."""
    own = event.payload if event.host == spec.name and is_camel_case(event) else {}
    fields = {_CAMEL.get(key) or _camel(key): value for key, value in event.fields.items() if key != "tool_output"}
    if "tool_output" in event.fields and "toolResult" not in own:
        fields["toolResult"] = {"resultType": "success", "textResultForLlm": _text(event.fields["tool_output"])}
    session = {"sessionId": event.session_id, "cwd": event.work_dir}
    return {"timestamp": int(time.time() * 1000), **_defaults(spec, event), **fields, **own, **session}


def is_camel_case(event: Event) -> bool:
    """Whether the payload of an event is in camelCase; such a payload does not name its event."""
    return "hook_event_name" not in event.payload and "hookEventName" not in event.payload


def _defaults(spec: HostSpec, event: Event) -> dict[str, Any]:
    """The fields that every payload of an event has."""
    if event.name == "pre-session":
        return {"source": spec.speech.session_source}
    return dict(_EVERY_STOP) if event.name in GATES else {}


def _camel(name: str) -> str:
    first, *rest = [name] if name in _EVERY_STOP else name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else fast_json.dumps(value, ascii_only=False)
