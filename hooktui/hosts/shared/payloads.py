"""Read payloads of any host: the event's name, texts, and warnings about invalid values."""

from __future__ import annotations

from hooktui.core import events, fast_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch, Event


class UnreadableEventError(ValueError):
    """Stdin is not an event of the host; the message says why."""


def refuses(dispatch: Dispatch) -> bool:
    """Whether to deny with exit 2. At the gate exit 2 makes the agent continue, so a `stop` there must not use it."""
    return dispatch.decision == "deny" or (dispatch.decision == "stop" and dispatch.event.name != events.GATE)


def event_name(payload: dict[str, Any], given: str | None, *keys: str) -> str:
    """The event's name as written: in the payload under one of `keys`, or on the command line (`given`).

    Raises UnreadableEventError if no event is named, or two different ones.
    """
    sent = next((payload[key] for key in keys if payload.get(key) is not None), None)
    if sent is not None and not isinstance(sent, str):
        raise UnreadableEventError(f"the event's name must be a string: {fast_json.dumps(sent)[:80]}")
    if sent and given and (events.canonical(sent) or sent) != (events.canonical(given) or given):
        raise UnreadableEventError(f"the command line names the event {given}, but the payload names {sent}")
    if not sent and not given:
        raise UnreadableEventError(f"no event: name it on the command line or as {keys[0]} in the JSON on stdin")
    return sent or given or ""


def text(value: Any) -> str:
    """A text; empty for any other value."""
    return value if isinstance(value, str) else ""


def tool(value: Any) -> str | None:
    """A tool's name. A name of a wrong type becomes JSON text, so that guards can still match it."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value or None if isinstance(value, str | None) else fast_json.dumps(value, ascii_only=False)


def doubts(event: Event) -> tuple[str, ...]:
    """One sentence for each invalid value of an event, with the value used instead."""
    payload = event.payload
    odd = [(name, payload[name]) for name in (*_TEXTS, *_TOOLS) if not isinstance(payload.get(name), str | None)]
    sentences = [f"{name} must be text, not {_start(value)}: {_instead(name, event)}" for name, value in odd]
    arguments = payload.get("toolArgs")
    if isinstance(arguments, str) and event.tool_input == arguments:
        sentences.append("toolArgs is not valid JSON: patterns match it as plain text")
    return tuple(sentences)


_TEXTS = ("session_id", "sessionId", "work_dir", "cwd", "agent_name")
_TOOLS = ("tool_name", "toolName")
_SHOWN = 60


def _instead(name: str, event: Event) -> str:
    return f"matchers see {_start(event.tool_name)}" if name in _TOOLS else "the value is ignored"


def _start(value: Any) -> str:
    return fast_json.dumps(value)[:_SHOWN]
