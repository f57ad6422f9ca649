"""The stdin of hosts whose hooks answer with a flat JSON object: `permission`, `continue` or `followup_message`."""

from __future__ import annotations

from hooktui.core.events import GATES
from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Event, Hook
    from hooktui.hosts import HostSpec

_NAMES = {"error": "error_message", "subagent_name": "subagent_id", "task_description": "task", "stop_reason": "status"}


class _Protocol(Record):
    """The protocol of one host."""

    spec: HostSpec

    def stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
        """The host's payload for an event."""
        own = event.payload if event.host == self.spec.name else {}
        fields = {_NAMES.get(key, key): value for key, value in event.fields.items()}
        if event.name in GATES:
            fields |= {"status": "completed", "loop_count": 0}
        return {
            "conversation_id": event.session_id,
            "session_id": event.session_id,
            "workspace_roots": [event.work_dir],
            "transcript_path": None,
            "cwd": event.work_dir,
            **fields,
            **own,
            "hook_event_name": hook.event_as_written,
        }


def of(spec: HostSpec) -> _Protocol:
    """The protocol of a host."""
    return _Protocol(spec=spec)
