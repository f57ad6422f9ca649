"""The stdin of Azure SRE Agent hooks (formats.md §4; seed 004)."""

from __future__ import annotations

from hooktui.core.events import GATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Event, Hook


def stdin(hook: Hook, event: Event) -> dict[str, Any]:
    """The hook's context: common fields, then the event's own under Azure's names."""
    own = event.payload if event.host == hook.format else {}
    fields = {name: event.fields[name] for name in ("tool_name", "tool_input") if name in event.fields}
    if "tool_output" in event.fields:
        fields.update(tool_result=event.fields["tool_output"], tool_succeeded=own.get("tool_succeeded", True))
    if event.name == GATE:
        message = event.fields.get("final_message")
        content = message.get("content") if isinstance(message, dict) else message
        fields["final_output"] = own.get("final_output", content if isinstance(content, str) else "")
        fields["stop_hook_active"] = own.get("stop_hook_active", False)
        fields["stop_rejection_count"] = own.get("stop_rejection_count", 0)
    common = {"agent_name": event.agent_name or "", "current_turn": 0, "max_turns": 0, "execution_summary": ""}
    return {**common, **own, **fields, "hook_event_name": hook.event_as_written}
