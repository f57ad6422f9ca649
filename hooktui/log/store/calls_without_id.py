"""Whether a record and a transcript tell of the same event, where no id of a tool call says so.

Hooks of some hosts get no id of their call: the tool and its input identify it. The tool is that of the event, since a host may
write two names of one into payloads. Prompts, stops and the like are those of the same turn. The time only decides between
several that are equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hooktui import hosts
from hooktui.core import fast_json

Rewrite = tuple[str, str]  # the payload of a call before its tool, and the input that a hook gave to it, as JSON

LONGEST_TURN_S = 3600.0  # between two reports of an event that share the id of their turn
NEAR_S = 10.0  # the same without an id
_TOOL, _INPUT = ("tool_name", "toolName"), ("tool_input", "toolArgs")
_BEFORE, _CALL = "pre-tool-call", "tool_use_id"
_AFTER, _FAILURE = "post-tool-call", "post-tool-call-failure"
_LAST_WORDS, _SURE = "last_assistant_message", 60  # characters at its beginning that are never cut
_TURNS = ("prompt_id", "turn_id")
# Fields that differ between two events of a kind, where both reports have them.
_DISTINCT = (*_TURNS, "prompt", "agent_id", "trigger", "notification_type", "message")


def lacks_id(payload: str) -> bool:
    """Whether the stored payload of a tool call has no id of it; False if it cannot be read."""
    value = fast_json.parse_object(payload)
    return not value.get(_CALL) and bool(_value(value, _TOOL))


def recorded_as(event: str, host: str) -> str:
    """The event on which a host calls its hooks, of one that a transcript tells of."""
    return hosts.spec(host).failure_event() if event == _FAILURE and host in hosts.names() else event


def reported_as(event: str, host: str, payload: str) -> str:
    """The event that a transcript tells of, of a recorded one: some hosts call the same hooks after a tool that failed."""
    if event != _AFTER or recorded_as(_FAILURE, host) != event:
        return event
    response = fast_json.parse_object(payload).get("tool_response")
    return _FAILURE if isinstance(response, dict) and response.get("error") else event


def is_same(recorded: str, told: str, gap_s: float, *, of_call: bool) -> bool:
    """Whether two stored payloads of one session, kind and tool, some seconds apart, are those of one event."""
    own, other = fast_json.parse_object(recorded), fast_json.parse_object(told)
    if of_call:
        return gap_s < NEAR_S and _input(own) == _input(other)
    shared = [name for name in _DISTINCT if own.get(name) and other.get(name)]
    if not all(_agree(name, own[name], other[name]) for name in shared) or _ends_otherwise(own, other):
        return False
    return gap_s < (LONGEST_TURN_S if any(name in _TURNS for name in shared) else NEAR_S)


def is_rewritten(event: str, recorded: str, told: str, gap_s: float, rewrites: Iterable[Rewrite]) -> bool:
    """Whether two stored payloads of one tool, some seconds apart, are those of one call that a hook gave another input.

    A record has the old input before the call and the new one behind it, a transcript one of them; some leave fields of it out.
    """
    own, other = fast_json.parse_object(recorded), fast_json.parse_object(told)
    old, new = (own, other) if event == _BEFORE else (other, own)
    given = _input(new)
    if gap_s > NEAR_S or not isinstance(given, dict):
        return False
    inputs = [fast_json.parse_object(value) for call, value in rewrites if _input(fast_json.parse_object(call)) == _input(old)]
    return any(all(wanted.get(name) == field for name, field in given.items()) for wanted in inputs)


def _ends_otherwise(own: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether the model ended with other words: a stop that was held is followed by another of the same turn.

    A report may have only the last part of a message, and long ones are cut.
    """
    words, others = (str(value.get(_LAST_WORDS) or "").strip() for value in (own, other))
    return bool(words and others) and not (_has_part(words, others) or _has_part(others, words))


def _has_part(whole: str, part: str) -> bool:
    return f"\n{part[:_SURE]}" in f"\n{whole}"


def _agree(name: str, recorded: object, told: object) -> bool:
    """Whether two reports have the same value. opencode keeps a prompt with the context that hooks added behind it."""
    if not isinstance(recorded, str) or not isinstance(told, str):
        return recorded == told
    recorded, told = recorded.strip(), told.strip()
    return recorded == told or (name == "prompt" and told.startswith(f"{recorded}\n\n"))


def _input(payload: dict[str, Any]) -> Any:
    """The input of a tool; None for an empty one, which a host may leave out."""
    return _value(payload, _INPUT) or None


def _value(payload: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((payload[key] for key in keys if key in payload), None)
