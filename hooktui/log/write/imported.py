"""Events that transcripts tell of (origin `transcript`): rows outside the hash chain, which recorded events replace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core import ids
from hooktui.core.model import FAILURES
from hooktui.log.write import unnumbered_calls, word_index
from hooktui.log.write.database import Transaction

if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Iterable, Sequence

    from hooktui.log.write.entry import DispatchEntry

# Between an event without a call as a transcript has it and as it was recorded, in seconds.
SAME_EVENT_S = 10.0
_BATCH = 500  # events that are removed in one transaction
_OF_CALL = "SELECT id, session, outcome FROM dispatch WHERE event_key = ? AND origin = 'transcript'"
_OF_TIME = """
SELECT dispatch.id, session, outcome FROM dispatch JOIN session ON session.id = session
WHERE name = ? AND host = ? AND event = ? AND origin = 'transcript' AND dispatch.id BETWEEN ? AND ?
ORDER BY abs(dispatch.id - ?) LIMIT 1"""
_OF_SAME_CALLS = """
SELECT dispatch.id, session, outcome, payload FROM dispatch JOIN session ON session.id = session
JOIN content ON content.id = dispatch.id
WHERE name = ? AND host = ? AND event = ? AND tool = ? AND origin = 'transcript' AND dispatch.id BETWEEN ? AND ?
ORDER BY abs(dispatch.id - ?)"""
# The first condition enables the partial index.
_ANY = "SELECT count(*) FROM (SELECT 1 FROM dispatch WHERE origin <> 'run' AND origin = 'transcript' LIMIT 1)"
_SOME = "SELECT id, session FROM dispatch WHERE origin <> 'run' AND origin = 'transcript' LIMIT ?"
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


def replace_by(connection: sqlite3.Connection, entries: Sequence[DispatchEntry]) -> list[tuple[str | None, int]]:
    """Remove what transcripts tell of events that were recorded, in a transaction of the caller: recorded facts count.

    The outcomes that only the transcripts know, each with the id of the event that it belongs to.
    """
    if not connection.execute(_ANY).fetchone()[0]:
        return []
    outcomes, sessions = [], set()
    for entry in entries:
        if entry.event_key is None:
            continue
        told = connection.execute(_OF_CALL, (entry.event_key,)).fetchone()
        told = told or _at_the_time(connection, entry)
        if told:
            number, session, outcome = told
            remove(connection, [number])
            sessions.add(session)
            outcomes.append((outcome, entry.id))
    recount(connection, sessions)
    return outcomes


def _at_the_time(connection: sqlite3.Connection, entry: DispatchEntry) -> tuple[int, int, str | None] | None:
    """The event of a transcript that was recorded at the same time, without a call or with the same call without an id."""
    call = unnumbered_calls.of_record(entry.payload) if entry.tool else ""
    if entry.tool and not call:
        return None
    at, name, host = ids.seconds(entry.id), entry.session.name, entry.session.host
    bounds = (ids.at_time(at - SAME_EVENT_S), ids.at_time(at + SAME_EVENT_S), entry.id)
    if not entry.tool:
        nearest: tuple[int, int, str | None] | None = connection.execute(
            _OF_TIME, (name, host, entry.event, *bounds)
        ).fetchone()
        return nearest
    rows = connection.execute(_OF_SAME_CALLS, (name, host, entry.event, entry.tool, *bounds))
    return next((tuple(found) for *found, payload in rows if unnumbered_calls.of_transcript(payload) == call), None)


def add_outcomes(connection: sqlite3.Connection, outcomes: Iterable[tuple[str | None, int]]) -> None:
    """Add the outcomes that transcripts tell to recorded events."""
    connection.executemany("UPDATE dispatch SET outcome = ? WHERE id = ?", outcomes)


def forget(connection: sqlite3.Connection) -> int:
    """Remove all that was imported, and how far the transcripts were read; the number of events. Raises sqlite3.Error."""
    count = 0
    while True:
        with Transaction(connection):
            told = dict(connection.execute(_SOME, (_BATCH,)))
            remove(connection, told)
            recount(connection, set(told.values()))
            if not told:
                connection.execute("DELETE FROM transcript")
                connection.execute(_UNUSED)
                return count
        count += len(told)
