"""Events that only transcripts tell of (origin `transcript`): rows outside the hash chain, until the event is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core import fast_json, ids
from hooktui.core.model import FAILURES
from hooktui.log.store import calls_without_id, reported, word_index
from hooktui.log.store.database import Transaction

if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from hooktui.log.store.merge_sources import ReportedEvent
    from hooktui.runner.journal.entry import DispatchEntry

    _Imported = tuple[int, int, int, str]  # the id, the session, the key and the payload of an imported event
    Taken = tuple[DispatchEntry, int, ReportedEvent]  # a record, with the key of the event that it took and what that told

_BATCH = 500  # events that are removed in one transaction
_OF_CALL = "SELECT id, session, event_key FROM dispatch WHERE event_key = ? AND origin = 'transcript'"
_NEAREST = """
SELECT dispatch.id, session, event_key, payload FROM dispatch JOIN session ON session.id = session
JOIN content ON content.id = dispatch.id
WHERE name = :name AND host = :host AND event = :told AND tool IS :tool AND origin = 'transcript'
    AND dispatch.id BETWEEN :from AND :to
ORDER BY abs(dispatch.id - :id) LIMIT 50"""
_TOLD = """
SELECT json_extract(row, '$.at'), payload FROM told JOIN dispatch ON dispatch.id = told.dispatch
JOIN session ON session.id = session JOIN content ON content.id = dispatch.id
WHERE name = :name AND host = :host AND event = :event AND tool IS :tool AND dispatch.id BETWEEN :from AND :to"""
_REWRITES = """
SELECT payload, iif(json_valid(effects), json_extract(effects, '$.modified_input'), NULL) AS rewritten
FROM dispatch JOIN session ON session.id = session JOIN content ON content.id = dispatch.id
WHERE name = :name AND host = :host AND event = 'pre-tool-call' AND dispatch.id BETWEEN :from AND :to
    AND +effect IN ('ask', 'rewrite') AND origin <> 'transcript' AND rewritten IS NOT NULL"""
# The first condition enables the partial index.
_ANY = "SELECT count(*) FROM (SELECT 1 FROM dispatch WHERE origin <> 'run' AND origin = 'transcript' LIMIT 1)"
_SOME = "SELECT id, session FROM dispatch WHERE origin <> 'run' AND origin = 'transcript' LIMIT ?"
_COMPLETED = "SELECT DISTINCT dispatch FROM told LIMIT ?"
_RECOUNT = f"""
UPDATE session SET (events, denials, hook_ms, first, last) = (
        SELECT count(*), total(decision IN ('deny', 'stop')), total(duration_ms),
            ifnull(min(dispatch.id), session.first), ifnull(max(dispatch.id), session.last)
        FROM dispatch WHERE session = session.id),
    failures = (SELECT count(*) FROM dispatch JOIN run ON run.dispatch = dispatch.id
        WHERE session = session.id AND run.state IN ({", ".join(f"'{state}'" for state in FAILURES)}))
WHERE id = ?"""
_FAILED_THOUGH_DENIED = """
SELECT failed.id, failed.origin, failed.session, call.id, payload
FROM dispatch AS failed JOIN dispatch AS call ON call.id = failed.head JOIN content ON content.id = failed.id
WHERE failed.id IN (
        SELECT value FROM json_each(:events) UNION SELECT dispatch.id FROM dispatch, json_each(:events) WHERE head = value)
    AND failed.event = 'post-tool-call-failure' AND (call.overruled OR call.decision = 'deny')"""
_REASONS = """
SELECT reason FROM dispatch WHERE id = :call UNION
SELECT reason FROM run WHERE dispatch = :call AND decision = 'deny'"""
_EMPTY = "DELETE FROM session WHERE id = ? AND events = 0"
_UNUSED = "DELETE FROM hook WHERE key GLOB '*:transcript:*' AND id NOT IN (SELECT hook FROM run)"


def remove(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Remove events of transcripts, in a transaction of the caller. The counts of their sessions stay."""
    for number in numbers:
        word_index.remove_dispatch(connection, number)


def recount(connection: sqlite3.Connection, sessions: Iterable[int]) -> None:
    """Count the events of sessions again; those without any are removed."""
    for session in sessions:
        connection.execute(_RECOUNT, (session,))
        connection.execute(_EMPTY, (session,))


def take(connection: sqlite3.Connection, entries: Sequence[DispatchEntry]) -> list[tuple[int, int, ReportedEvent]]:
    """Remove the rows of events that were recorded, too, in a transaction of the caller.

    What they tell, each behind the id of the entry that it belongs to and its own key (`told`).
    """
    if not connection.execute(_ANY).fetchone()[0]:
        return []
    taken: list[Taken] = []
    sessions = set()
    for entry in entries:
        found = _found(connection, entry, taken, entries) if entry.event_key is not None else None
        if found:
            number, session, key = found
            taken.append((entry, key, reported.imported(connection, number)))
            remove(connection, [number])
            sessions.add(session)
    recount(connection, sessions)
    return [(entry.id, key, report) for entry, key, report in taken]


def _found(
    connection: sqlite3.Connection, entry: DispatchEntry, taken: Sequence[Taken], entries: Sequence[DispatchEntry]
) -> tuple[int, int, int] | None:
    """The id, the session and the key of the imported event that an entry, one of several, records."""
    of_call: tuple[int, int, int] | None = connection.execute(_OF_CALL, (entry.event_key,)).fetchone()
    if of_call or (entry.tool and not calls_without_id.lacks_id(entry.payload)):
        return of_call
    near = connection.execute(_NEAREST, _about(entry)).fetchall()
    return _at_the_time(connection, entry, taken, near) or _rewritten(connection, entry, entries, near)


def _about(entry: DispatchEntry) -> dict[str, Any]:
    session, event = entry.session, entry.event
    about = {"name": session.name, "host": session.host, "event": event, "tool": entry.tool, "id": entry.id}
    about["told"] = calls_without_id.reported_as(event, session.host, entry.payload)
    at, most = ids.seconds(entry.id), calls_without_id.LONGEST_TURN_S
    return {**about, "from": ids.at_time(at - most), "to": ids.at_time(at + most)}


def _at_the_time(
    connection: sqlite3.Connection, entry: DispatchEntry, taken: Sequence[Taken], near: Sequence[_Imported]
) -> tuple[int, int, int] | None:
    """The nearest event of the same turn, or with the same call where hooks get no id of it.

    None if another record took a nearer one: that is the same event, and the next event is not its own.
    """
    at = ids.seconds(entry.id)
    for number, session, key, payload in near:
        gap = abs(ids.seconds(number) - at)
        if calls_without_id.is_same(entry.payload, payload, gap, of_call=bool(entry.tool)):
            others = [
                *connection.execute(_TOLD, _about(entry)),
                *(_reported_at(other) for other in taken if _is_alike(entry, other[0])),
            ]
            nearer = [payload for other, payload in others if abs(other - at) < gap]
            is_taken = any(
                calls_without_id.is_same(entry.payload, payload, gap, of_call=bool(entry.tool)) for payload in nearer
            )
            return None if is_taken else (number, session, key)
    return None


def _rewritten(
    connection: sqlite3.Connection, entry: DispatchEntry, entries: Sequence[DispatchEntry], near: Sequence[_Imported]
) -> tuple[int, int, int] | None:
    """The nearest event of the same call, if a hook gave that another input. `entries` are not stored yet."""
    if not entry.tool or not near:
        return None
    known = rewrites(connection, _about(entry))
    known += [
        (other.payload, fast_json.dumps(new))
        for other in entries
        if other.session.key == entry.session.key and other.effects
        if (new := fast_json.parse_object(other.effects).get("modified_input"))
    ]
    at = ids.seconds(entry.id)
    for number, session, key, payload in near:
        gap = abs(ids.seconds(number) - at)
        if calls_without_id.is_rewritten(entry.event, entry.payload, payload, gap, known):
            return number, session, key
    return None


def rewrites(connection: sqlite3.Connection, about: Mapping[str, object]) -> list[calls_without_id.Rewrite]:
    """The recorded calls of a session (`name`, `host`) to which hooks gave another input, between two ids (`from`, `to`)."""
    return connection.execute(_REWRITES, about).fetchall()


def _reported_at(taken: Taken) -> tuple[float, str]:
    return taken[2].at, taken[2].payload


def _is_alike(entry: DispatchEntry, other: DispatchEntry) -> bool:
    return (entry.session.key, entry.event, entry.tool) == (other.session.key, other.event, other.tool)


def take_back_denials(connection: sqlite3.Connection, events: Sequence[int]) -> None:
    """Remove what a transcript tells as failures of calls, if it is a recorded denial in its words: no tool ran.

    Some agents do not tell the two apart. `events` are new or have been completed. In a transaction of the caller.
    """
    about = {"events": fast_json.dumps(list(events))}
    for failure, origin, session, call, payload in connection.execute(_FAILED_THOUGH_DENIED, about).fetchall():
        error = str(fast_json.parse_object(payload).get("error")).strip()
        if error in {(reason or "").strip() for (reason,) in connection.execute(_REASONS, {"call": call})}:
            if origin == "transcript":  # else the agent reported the failure to its hooks
                remove(connection, [failure])
            reported.refuse(connection, call)
            recount(connection, [session])


def forget(connection: sqlite3.Connection) -> int:
    """Remove all that was imported, and how far the transcripts were read; the number of events. Raises sqlite3.Error."""
    count = 0
    while True:
        with Transaction(connection):
            events = dict(connection.execute(_SOME, (_BATCH,)))
            remove(connection, events)
            recount(connection, set(events.values()))
            completed = [event for (event,) in connection.execute(_COMPLETED, (_BATCH,))]
            reported.forget(connection, completed)
            if not events and not completed:
                connection.execute("DELETE FROM transcript")
                connection.execute(_UNUSED)
                return count
        count += len(events)
