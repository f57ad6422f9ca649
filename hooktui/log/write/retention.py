"""What the log lets go of: the oldest events, by age and by size, as the user's configuration says.

Never while an agent waits: a person asks for it, or a process of its own does it. It works in small transactions with pauses,
so that no event waits for it, and it begins with a chained note of what goes: an interruption leaves a log that says so, and
the next pass goes on.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.core import ids
from hooktui.core.model import FAILURES
from hooktui.log.write import database, removal_notes, storing, writer
from hooktui.log.write.upkeep import DAY_S

if TYPE_CHECKING:
    import sqlite3

    from hooktui.core.settings import Settings
    from hooktui.log.write.removal_notes import Pruned

_PLACES = 5_000  # of the chain, likewise
_BATCH = 200  # dispatches in one transaction: some ten milliseconds
_PAGES = 500  # given back in one transaction
_PAUSE_S = 0.02  # between two transactions: whoever waits gets in
_BUSY_MS = 10_000  # a person can wait, and so can we
_SPARE = 0.9  # of the size allowed is left, so that there is not something to do at once


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to go: the events with ids below one, how many that are, and the rule that wants it."""

    below: int
    events: int
    why: str


def prune(db: str, settings: Settings, now: float) -> list[Plan]:
    """Remove what the settings want to go, `now` in seconds since 1970, note it and give back its room; what was done.

    How much room events leave is only known afterwards, so there may be several rounds. Raises LogUnusable, sqlite3.Error.
    """
    connection = database.connect(db)
    done: list[Plan] = []
    try:
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        _carry_out(connection, db)  # what a pass before began
        while found := _planned(connection, settings, now):
            with _Transaction(connection):
                removal_notes.add_pruned(
                    connection, found.below, _first_place(connection, found.below), found.events, found.why
                )
            _carry_out(connection, db)
            done.append(found)
        _shrink(connection, db)
        return done
    finally:
        connection.close()


def _carry_out(connection: sqlite3.Connection, db: str) -> None:
    """Remove what the last note says."""
    pruned = removal_notes.read(connection).pruned
    while _remove_some(connection, pruned.below) or _remove_places(connection, pruned):
        _give_way(connection, db)


class _Transaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK" if kind else "COMMIT")


def _planned(connection: sqlite3.Connection, settings: Settings, now: float) -> Plan | None:
    by_age = ids.at_time(now - settings.keep_days * DAY_S) if settings.keep_days else 0
    by_size = _first_that_fits(connection, settings.keep_mb * 1_000_000) if settings.keep_mb else 0
    below = max(by_age, by_size)
    events = connection.execute(f"SELECT count(*) FROM dispatch WHERE {_GOES}", {"below": below}).fetchone()[0]
    why = f"more than {settings.keep_mb} MB" if by_size > by_age else f"older than {settings.keep_days} days"
    return Plan(below, events, why) if events else None


def _first_that_fits(connection: sqlite3.Connection, limit: int) -> int:
    """The id of the oldest dispatch that may stay, if all were of the same size; 0 when all may."""
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    used = (pages - free) * size
    if used <= limit:
        return 0
    count = connection.execute("SELECT count(*) FROM dispatch").fetchone()[0]
    goes = max(round(count * (1 - limit * _SPARE / used)), 1)
    first = connection.execute("SELECT id FROM dispatch ORDER BY id LIMIT 1 OFFSET ?", (goes,)).fetchone()
    return int(first[0]) if first else ids.new()


# Every id of what goes is below the bound, those of its runs too: so verify.py can tell it from what somebody deleted.
_GOES = """
id < :below AND NOT EXISTS (SELECT 1 FROM run WHERE run.dispatch = dispatch.id AND run.id >= :below)"""
_OLDEST = f"SELECT id, session, payload, reason FROM dispatch JOIN content USING (id) WHERE {_GOES} ORDER BY id LIMIT {_BATCH}"
_RUNS = f"SELECT {', '.join(storing.SEARCHED)} FROM run WHERE dispatch = ?"
_FORGET = "INSERT INTO words (words, rowid, body) VALUES ('delete', ?, ?)"
_RECOUNT = f"""
UPDATE session SET
    events = (SELECT count(*) FROM dispatch WHERE session = session.id),
    denials = (SELECT count(*) FROM dispatch WHERE session = session.id AND decision IN ('deny', 'stop')),
    failures = (SELECT count(*) FROM dispatch JOIN run ON run.dispatch = dispatch.id
        WHERE session = session.id AND run.state IN ({", ".join(f"'{state}'" for state in FAILURES)})),
    hook_ms = (SELECT total(duration_ms) FROM dispatch WHERE session = session.id),
    first = ifnull((SELECT min(id) FROM dispatch WHERE session = session.id), first)
WHERE id = ?"""
_EMPTY = "DELETE FROM session WHERE id = ? AND events = 0"
# The chain begins anew at the place before the first event that stays: with its hash the next can be checked.
_STAYS = f"""
SELECT seq - 1 FROM link WHERE kind = 'dispatch'
    AND EXISTS (SELECT 1 FROM dispatch WHERE dispatch.id = subject AND NOT ({_GOES})) ORDER BY seq LIMIT 1"""
_LAST = "SELECT max(seq) FROM link"
_FORGET_PLACES = f"DELETE FROM link WHERE seq < min(:first, (SELECT min(seq) FROM link) + {_PLACES})"
# The last note counts what those before it did.
_FORGET_NOTES = "DELETE FROM note WHERE kind = 'pruned' AND id < ? AND id NOT IN (SELECT subject FROM link WHERE kind = 'note')"


def _remove_some(connection: sqlite3.Connection, below: int) -> bool:
    """Remove the oldest that are to go; whether there were any."""
    with _Transaction(connection):
        oldest = connection.execute(_OLDEST, {"below": below}).fetchall()
        for number, _, payload, reason in oldest:
            spoken = itertools.chain.from_iterable(connection.execute(_RUNS, (number,)))
            # The index wants to be told what it is to forget.
            connection.execute(_FORGET, (number, storing.words_of(payload, [reason, *spoken])))
            connection.execute("DELETE FROM run WHERE dispatch = ?", (number,))
            connection.execute("DELETE FROM content WHERE id = ?", (number,))
            connection.execute("DELETE FROM dispatch WHERE id = ?", (number,))
        for session in {row[1] for row in oldest}:
            connection.execute(_RECOUNT, (session,))
            connection.execute(_EMPTY, (session,))
    return bool(oldest)


def _first_place(connection: sqlite3.Connection, below: int) -> int:
    """Where the chain may begin when the events below an id have gone; before the note that will say so, in any case."""
    found = connection.execute(_STAYS, {"below": below}).fetchone() or connection.execute(_LAST).fetchone()
    return max(int(found[0] or 1), 1)


def _remove_places(connection: sqlite3.Connection, pruned: Pruned) -> bool:
    """Remove some places of the chain whose events have gone; whether there were any."""
    with _Transaction(connection):
        gone = connection.execute(_FORGET_PLACES, {"first": pruned.first}).rowcount
        connection.execute(_FORGET_NOTES, (pruned.at,))
    return gone > 0


def _shrink(connection: sqlite3.Connection, db: str) -> None:
    """Give free pages back, where the log was made so that this can be done in pieces."""
    while connection.execute("PRAGMA auto_vacuum").fetchone()[0] and connection.execute("PRAGMA freelist_count").fetchone()[0]:
        connection.executescript(f"PRAGMA incremental_vacuum({_PAGES})")  # `execute` takes one step of it: a single page
        _give_way(connection, db)
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _give_way(connection: sqlite3.Connection, db: str) -> None:
    """Let others write, and keep the WAL small meanwhile."""
    writer.keep_wal_small(connection, db)
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    time.sleep(_PAUSE_S)
