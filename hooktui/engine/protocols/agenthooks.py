"""The stdin of AgentHooks hooks (formats.md §2; seed 001 §2 and §5)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Event, Hook


def stdin(hook: Hook, event: Event) -> dict[str, Any]:
    """The base fields and the event's own, in the hook's vocabulary; further fields of an AgentHooks payload are kept."""
    context = event.payload.get("context")
    return {
        **(event.payload if event.host == hook.format else {}),
        "event_type": hook.event_as_written,
        "timestamp": event.timestamp,
        "session_id": event.session_id,
        "work_dir": event.work_dir,
        "context": context if isinstance(context, dict) else {},
        **event.fields,
    }
