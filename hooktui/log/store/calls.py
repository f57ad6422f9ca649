"""Events of one tool call: each refers to the first of them, its head (schema-9.sql), so that a list can show one row a call.

Hosts give a call an id; where they do not, an event belongs to the latest open call of the same tool and input in its session.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hooktui.core import fast_json
from hooktui.runner.journal.entry import key_near, key_of_json

_BEGIN, _ENDS = "pre-tool-call", ("post-tool-call", "post-tool-call-failure")
NUMBERED = (_BEGIN, *_ENDS)  # events of a call that share its id
EVENTS = (*NUMBERED, "PermissionRequest", "PermissionDenied")
_ID, _INPUTS = "tool_use_id", ("tool_input", "toolArgs")
_SAME_ID = "SELECT id, event, head, session, event_key FROM dispatch WHERE event_key IN (SELECT value FROM json_each(?))"
_SAME_TOOL = f"""
SELECT dispatch.id, event, head, payload FROM dispatch JOIN content USING (id)
WHERE session = :session AND event IN ({", ".join(f"'{name}'" for name in EVENTS)}) AND +tool = :tool AND NOT synthetic
ORDER BY abs(dispatch.id - :id) LIMIT 40"""
_LINK = "UPDATE dispatch SET head = ? WHERE id = ?"
_NEXT = "SELECT min(id) FROM dispatch WHERE head = ?"
_MOVE = "UPDATE dispatch SET head = nullif(?, id) WHERE head = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEvent:
    """A stored event of a tool call, by its id and the row of its session.

    `keys` are the event keys that the events of the call have, () if the call has no id.
    """

    id: int
    session: int
    tool: str
    payload: str
    keys: Sequence[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    id: int
    event: str
    head: int | None


def keys_of(session: str, event: str, key: int | None, payload: str) -> list[int]:
    """The event keys (entry.event_key) of a call, given one event of it; [] if its payload has no id of the call."""
    call = fast_json.parse_object(payload).get(_ID)
    if key is None or not call:
        return []
    near = key_of_json(session)
    keys = {name: key_near(near, fast_json.dumps([session, name, [call]], ascii_only=False)) for name in (*NUMBERED, event)}
    return list(keys.values()) if keys[event] == key else []


def link(connection: sqlite3.Connection, events: Sequence[CallEvent]) -> None:
    """Refer each event, and those that belong to its call, to the first of them, in a transaction of the caller."""
    alone = _link_by_id(connection, [event for event in events if event.keys])
    for event in events:
        if not event.keys or event.id in alone:
            connection.executemany(_LINK, list(_by_tool(connection, event)))


def unlink(connection: sqlite3.Connection, number: int) -> None:
    """Make the second event of a call its head before the first is removed."""
    (following,) = connection.execute(_NEXT, (number,)).fetchone()
    if following is not None:
        connection.execute(_MOVE, (following, number))


def _link_by_id(connection: sqlite3.Connection, events: Sequence[CallEvent]) -> set[int]:
    """Link the events of calls that have an id; the ids of those that end a call whose other events are not known by it."""
    calls = {key: event.keys[0] for event in events for key in event.keys}
    if not calls:
        return set()
    members: dict[tuple[int, int], list[_Member]] = {}
    for number, name, head, session, key in connection.execute(_SAME_ID, (fast_json.dumps(list(calls)),)):
        members.setdefault((session, calls[key]), []).append(_Member(id=number, event=name, head=head))
    links = [link for of_call in members.values() if len(of_call) > 1 for link in _heads(of_call)]
    connection.executemany(_LINK, links)
    return {of_call[0].id for of_call in members.values() if len(of_call) == 1 and of_call[0].event != _BEGIN}


def _by_tool(connection: sqlite3.Connection, event: CallEvent) -> Iterator[tuple[int | None, int]]:
    """The links of an event and of those with the same tool and input: of an event with an id, those without one."""
    near = connection.execute(_SAME_TOOL, {"session": event.session, "tool": event.tool, "id": event.id})
    wanted = fast_json.parse_object(event.payload)
    members = []
    for number, name, head, payload in near:
        value = fast_json.parse_object(payload)
        if number == event.id or (_input(value) == _input(wanted) and not (event.keys and value.get(_ID))):
            members.append(_Member(id=number, event=name, head=head))
    return _heads(members)


def _input(value: dict[str, Any]) -> Any:
    return next((value[name] for name in _INPUTS if name in value), None)


def _heads(members: Iterable[_Member]) -> Iterator[tuple[int | None, int]]:
    calls: list[list[_Member]] = []
    for member in sorted(members, key=lambda member: member.id):
        fitting = () if member.event == _BEGIN else (call for call in reversed(calls) if _may_take(call, member))
        call = next(iter(fitting), None)
        if call is None:
            calls.append(call := [])
        call.append(member)
        head = None if call[0] is member else call[0].id
        if head != member.head:
            yield head, member.id


def _may_take(call: Iterable[_Member], member: _Member) -> bool:
    return all(known.event not in (*_ENDS, member.event) for known in call)
