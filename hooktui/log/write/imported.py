"""Events that only transcripts tell of (origin `transcript`): rows outside the hash chain, until the event is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core import ids
from hooktui.core.model import FAILURES
from hooktui.log.write import same_event, told, word_index
from hooktui.log.write.database import Transaction

if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Iterable, Sequence

    from hooktui.log.write.entry import DispatchEntry
    from hooktui.log.write.merge_sources import Told

_BATCH = 500  # events that are removed in one transaction
_OF_CALL = "SELECT id, session, event_key FROM dispatch WHERE event_key = ? AND origin = 'transcript'"
_NEAREST = """
SELECT dispatch.id, session, event_key, payload FROM dispatch JOIN session ON session.id = session
JOIN content ON content.id = dispatch.id
WHERE name = :name AND host = :host AND event = :event AND tool IS :tool AND origin = 'transcript'
    AND dispatch.id BETWEEN :from AND :to
ORDER BY abs(dispatch.id - :id) LIMIT 50"""
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


def take(connection: sqlite3.Connection, entries: Sequence[DispatchEntry]) -> list[tuple[int, int, Told]]:
    """Remove the rows of events that were recorded, too, in a transaction of the caller.

    What they tell, each behind the id of the entry that it belongs to and its own key (`told`).
    """
    if not connection.execute(_ANY).fetchone()[0]:
        return []
    taken, sessions = [], set()
    for entry in entries:
        found = _found(connection, entry) if entry.event_key is not None else None
        if found:
            number, session, key = found
            taken.append((entry.id, key, told.imported(connection, number)))
            remove(connection, [number])
            sessions.add(session)
    recount(connection, sessions)
    return taken


def _found(connection: sqlite3.Connection, entry: DispatchEntry) -> tuple[int, int, int] | None:
    """The id, the session and the key of the imported event that an entry records."""
    of_call: tuple[int, int, int] | None = connection.execute(_OF_CALL, (entry.event_key,)).fetchone()
    return of_call or _at_the_time(connection, entry)


def _at_the_time(connection: sqlite3.Connection, entry: DispatchEntry) -> tuple[int, int, int] | None:
    """The nearest event of the same turn, or with the same call where hooks get no id of it."""
    if entry.tool and not same_event.call_without_id(entry.payload):
        return None
    about = {"name": entry.session.name, "host": entry.session.host, "event": entry.event, "tool": entry.tool, "id": entry.id}
    at = ids.seconds(entry.id)
    bounds = {"from": ids.at_time(at - same_event.LONGEST_TURN_S), "to": ids.at_time(at + same_event.LONGEST_TURN_S)}
    for number, session, key, payload in connection.execute(_NEAREST, {**about, **bounds}):
        if same_event.is_same(entry.payload, payload, abs(ids.seconds(number) - at), of_call=bool(entry.tool)):
            return number, session, key
    return None


def forget(connection: sqlite3.Connection) -> int:
    """Remove all that was imported, and how far the transcripts were read; the number of events. Raises sqlite3.Error."""
    count = 0
    while True:
        with Transaction(connection):
            events = dict(connection.execute(_SOME, (_BATCH,)))
            remove(connection, events)
            recount(connection, set(events.values()))
            completed = [event for (event,) in connection.execute(_COMPLETED, (_BATCH,))]
            told.forget(connection, completed)
            if not events and not completed:
                connection.execute("DELETE FROM transcript")
                connection.execute(_UNUSED)
                return count
        count += len(events)
