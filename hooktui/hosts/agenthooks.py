"""A host that speaks AgentHooks on stdin and stdout (seeds 000 and 001; contract.md, "`hooktui run`")."""

from __future__ import annotations

from hooktui.core import events, fast_json, paths
from hooktui.core.model import Event
from hooktui.hosts import BLOCKED, Answer, event_name, refuses, text, tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch


def read(payload: dict[str, Any], given: str | None, now: str) -> Event:
    """The event in a payload. `given` is the event named beside it; `now` stands in for a missing timestamp.

    Raises UnreadableEvent.
    """
    written = event_name(payload, given, "event_type", "hook_event_name")
    name = events.canonical(written)
    return Event(
        name=name or written,
        as_written=written,
        known=name is not None,
        host="agenthooks",
        session_id=text(payload.get("session_id")),
        work_dir=text(payload.get("work_dir")) or text(payload.get("cwd")) or paths.here(),
        timestamp=text(payload.get("timestamp")) or now,
        tool_name=tool(payload.get("tool_name")),
        tool_input=payload.get("tool_input"),
        agent_name=text(payload.get("agent_name")) or None,
        fields={key: payload[key] for key in events.FIELDS.get(name or "", ()) if key in payload},
        payload=payload,
    )


def answer(dispatch: Dispatch) -> Answer:
    """Exit 2 and the reason on stderr for a denial; else exit 0 and, if any hook spoke, one JSON object."""
    if refuses(dispatch):
        return Answer(exit_code=BLOCKED, stderr=f"{dispatch.reason}\n")
    said = {
        "decision": dispatch.decision if dispatch.decision in ("allow", "ask") else None,
        "reason": dispatch.reason,
        "modified_input": dispatch.modified_input,
        "additional_context": "\n".join(dispatch.additional_context) or None,
        "log": "\n".join(dispatch.logs) or None,
    }
    spoken = {key: value for key, value in said.items() if value is not None}
    return Answer(exit_code=0, stdout=fast_json.dumps(spoken) + "\n" if spoken else "")
