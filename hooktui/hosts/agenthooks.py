"""A host that speaks AgentHooks on stdin and stdout (seeds 000 and 001; contract.md, "`hooktui run`")."""

from __future__ import annotations

import os

from hooktui import events, quick_json
from hooktui.hosts import Answer, UnreadableEvent
from hooktui.model import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.model import Dispatch

_BLOCKED = 2


def read(payload: dict[str, Any], event_name: str | None, now: str) -> Event:
    """The event in a payload. `event_name` is the one given beside it; `now` stands in for a missing timestamp.

    Raises UnreadableEvent when no event is named, or two different ones.
    """
    written = _event_name(payload, event_name)
    name = events.canonical(written)
    tool_name = payload.get("tool_name")
    return Event(
        name=name or written,
        as_written=written,
        known=name is not None,
        host="agenthooks",
        session_id=_text(payload.get("session_id")),
        work_dir=_text(payload.get("work_dir")) or _text(payload.get("cwd")) or os.getcwd(),
        timestamp=_text(payload.get("timestamp")) or now,
        tool_name=tool_name if isinstance(tool_name, str) else None,
        tool_input=payload.get("tool_input"),
        agent_name=payload.get("agent_name") if isinstance(payload.get("agent_name"), str) else None,
        fields={key: payload[key] for key in events.FIELDS.get(name or "", ()) if key in payload},
        payload=payload,
    )


def answer(dispatch: Dispatch) -> Answer:
    """Exit 2 and the reason on stderr for a denial; else exit 0 and, if any hook spoke, one JSON object."""
    if dispatch.blocks:
        return Answer(exit_code=_BLOCKED, stderr=f"{dispatch.reason}\n")
    said = {
        "decision": dispatch.decision if dispatch.decision != "none" else None,
        "reason": dispatch.reason,
        "modified_input": dispatch.modified_input,
        "additional_context": "\n".join(dispatch.additional_context) or None,
        "log": "\n".join(dispatch.logs) or None,
    }
    spoken = {key: value for key, value in said.items() if value is not None}
    return Answer(exit_code=0, stdout=quick_json.dumps(spoken) + "\n" if spoken else "")


def _event_name(payload: dict[str, Any], given: str | None) -> str:
    told = payload.get("event_type")
    if told is None:
        told = payload.get("hook_event_name")
    if told is not None and not isinstance(told, str):
        raise UnreadableEvent(f"event_type is no text: {quick_json.dumps(told)[:80]}")
    if told and given and (events.canonical(told) or told) != (events.canonical(given) or given):
        raise UnreadableEvent(f"the command line says {given}, the payload says {told}: give one of them")
    if not told and not given:
        raise UnreadableEvent("no event: name it on the command line or as event_type in the JSON on stdin")
    return told or given or ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
