"""Prune the log: remove the oldest events, by age and size, as configured.

Pruning runs on request or in a process of its own, never while an agent waits. It works in small transactions with pauses, so
that no event waits for it. It begins with a chained note of what it removes, so that a later pass can continue an interrupted
one.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core import ids
from hooktui.core.model import FAILURES
from hooktui.log.store import database, hash_chain, shipped, skip_lists, wal, word_index
from hooktui.runner.journal import side_files, spool
from hooktui.runner.upkeep import DAY_S

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hooktui.core.settings import Settings

_BATCH = 200  # dispatches per transaction: some 10 ms
_LINKS = 5_000  # links of the chain per transaction
_PAGES = 500  # free pages returned per transaction
_PAUSE_S = 0.02  # between transactions, for other writers
_BUSY_MS = 10_000  # pruning can wait
_TARGET = 0.9  # of the allowed size, so that the next events need no pruning


class PruneRound(NamedTuple):
    """One removal: the number of events, all with ids less than `below`, and the rule that requires it."""

    below: int
    events: int
    reason: str


def prune(db: str, settings: Settings, now: float) -> list[PruneRound]:
    """Remove events by the settings, `now` in seconds since 1970, and return free pages to the disk.

    The freed size is only known afterwards, so there may be several rounds. Raises UnusableLogError, sqlite3.Error.
    """
    connection = database.connect(db)
    rounds: list[PruneRound] = []
    try:
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        _carry_out(connection, db)  # continues an interrupted pass
        hold = _hold(connection, db, now)
        while planned := _planned(connection, settings, now, hold):
            with database.Transaction(connection):
                first = _first_link(connection, planned.below)
                add_pruned(connection, planned.below, first, planned.events, planned.reason)
            _carry_out(connection, db)
            rounds.append(planned)
        with database.Transaction(connection):
            skip_lists.remove_unused(connection)
        if spool.is_empty(db):  # whose lines name files
            side_files.prune(db, now)
        _shrink(connection, db)
        return rounds
    finally:
        connection.close()


def _carry_out(connection: sqlite3.Connection, db: str) -> None:
    pruned = read_notes(connection).pruned
    while _remove_events(connection, pruned.below) or _remove_links(connection, pruned):
        _pause(connection, db)


class _Hold(NamedTuple):
    """Events that wait for shipping: those from an id on.

    They stay longer than others, but not those below the id `too_old`, nor beyond `more_mb` above the size limit of the log.
    """

    first: int
    too_old: int
    more_mb: int


def _hold(connection: sqlite3.Connection, db: str, now: float) -> _Hold | None:
    """What waits for shipping; None if nothing does, or nothing is shipped."""
    from hooktui import config  # reads TOML

    fleet = config.fleet_values()
    if fleet.fault or not fleet.values.get("endpoint"):
        return None
    (first,) = connection.execute(_FIRST_UNSHIPPED, (shipped.read(db).get("seq", 0),)).fetchone()
    days, more_mb = fleet.values.get("max_days", config.FLEET_DAYS), fleet.values.get("max_mb", config.FLEET_MB)
    return _Hold(first, ids.at_time(now - days * DAY_S) if days else 0, more_mb) if first else None


def _planned(connection: sqlite3.Connection, settings: Settings, now: float, hold: _Hold | None = None) -> PruneRound | None:
    by_age = ids.at_time(now - settings.keep_days * DAY_S) if settings.keep_days else 0
    by_size = _first_that_fits(connection, settings.keep_mb * 1_000_000) if settings.keep_mb else 0
    if hold:
        by_age = min(by_age, max(hold.first, hold.too_old))
    if hold and by_size > hold.first:
        limit = (settings.keep_mb + hold.more_mb) * 1_000_000
        by_size = max(hold.first, _first_that_fits(connection, limit)) if hold.more_mb else hold.first
    below = max(by_age, by_size)
    events = connection.execute(f"SELECT count(*) FROM dispatch WHERE {_OLD}", {"below": below}).fetchone()[0]
    reason = f"more than {settings.keep_mb} MB" if by_size > by_age else f"older than {settings.keep_days} days"
    return PruneRound(below, events, reason) if events else None


def _first_that_fits(connection: sqlite3.Connection, limit: int) -> int:
    """The id of the oldest dispatch to keep, assuming equal sizes; 0 to keep all."""
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    used = (pages - free) * size
    if used <= limit:
        return 0
    count = connection.execute("SELECT count(*) FROM dispatch").fetchone()[0]
    excess = max(round(count * (1 - limit * _TARGET / used)), 1)
    first = connection.execute("SELECT id FROM dispatch ORDER BY id LIMIT 1 OFFSET ?", (excess,)).fetchone()
    return int(first[0]) if first else ids.new()


_FIRST_UNSHIPPED = "SELECT min(subject) FROM link WHERE seq > ? AND kind = 'dispatch'"
# All removed ids, including those of runs, are below the bound: so verify.py can tell pruned records from deleted ones.
_OLD = """
id < :below AND NOT EXISTS (SELECT 1 FROM run WHERE run.dispatch = dispatch.id AND run.id >= :below)
    AND NOT EXISTS (SELECT 1 FROM part WHERE part.dispatch = dispatch.id AND part.id >= :below)"""
_OLDEST = f"SELECT id, session FROM dispatch WHERE {_OLD} ORDER BY id LIMIT {_BATCH}"
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
# The chain restarts at the link before the first kept event, whose hash verifies the next link.
_FIRST_KEPT = f"""
SELECT seq - 1 FROM link WHERE kind = 'dispatch'
    AND EXISTS (SELECT 1 FROM dispatch WHERE NOT ({_OLD})
        AND dispatch.id = ifnull((SELECT part.dispatch FROM part WHERE part.id = subject), subject))
ORDER BY seq LIMIT 1"""
_LAST = "SELECT max(seq) FROM link"
_DELETE_LINKS = f"DELETE FROM link WHERE seq < min(:first, (SELECT min(seq) FROM link) + {_LINKS})"
# The last note includes the counts of earlier ones.
_DELETE_NOTES = "DELETE FROM note WHERE kind = 'pruned' AND id < ? AND id NOT IN (SELECT subject FROM link WHERE kind = 'note')"


def _remove_events(connection: sqlite3.Connection, below: int) -> bool:
    """Remove one batch of the oldest events; returns whether there were any."""
    with database.Transaction(connection):
        oldest = connection.execute(_OLDEST, {"below": below}).fetchall()
        for number, _ in oldest:
            word_index.remove_dispatch(connection, number)
        for session in {row[1] for row in oldest}:
            connection.execute(_RECOUNT, (session,))
            connection.execute(_EMPTY, (session,))
    return bool(oldest)


def _first_link(connection: sqlite3.Connection, below: int) -> int:
    """The position where the chain may begin without the events below an id; always before the note of the removal."""
    first = connection.execute(_FIRST_KEPT, {"below": below}).fetchone() or connection.execute(_LAST).fetchone()
    return max(int(first[0] or 1), 1)


def _remove_links(connection: sqlite3.Connection, pruned: Pruned) -> bool:
    """Remove some links of removed events; returns whether there were any."""
    with database.Transaction(connection):
        count = connection.execute(_DELETE_LINKS, {"first": pruned.first}).rowcount
        connection.execute(_DELETE_NOTES, (pruned.at,))
    return count > 0


def _shrink(connection: sqlite3.Connection, db: str) -> None:
    """Return free pages to the disk in small steps, if the log was created with incremental vacuum."""
    while connection.execute("PRAGMA auto_vacuum").fetchone()[0] and connection.execute("PRAGMA freelist_count").fetchone()[0]:
        connection.executescript(f"PRAGMA incremental_vacuum({_PAGES})")  # `execute` would run one step: a single page
        _pause(connection, db)
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _pause(connection: sqlite3.Connection, db: str) -> None:
    """Let other processes write, and keep the WAL small."""
    wal.keep_small(connection, db)
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    time.sleep(_PAUSE_S)


class Pruned(NamedTuple):
    """A removal of `dispatches` events, those with ids less than `below`; `earlier` removals are counted apart.

    The chain may begin at position `first`; `at` is the id of the note.
    """

    at: int = 0
    below: int = 0
    first: int = 1
    dispatches: int = 0
    earlier: int = 0


class ChainNotes(NamedTuple):
    """`older_until` is the newest id older than the chain; `pruned` is the last removal.

    `changed_in_spool` are dispatches that were changed while they waited in the spool, or follow a line that was.
    """

    older_until: int = 0
    pruned: Pruned = Pruned()
    changed_in_spool: frozenset[int] = frozenset()


CHANGED_IN_SPOOL = "spool"  # kind of a note


_CHAINED = """
SELECT note.id, note.kind, note.detail, own.seq, own.session, own.nth, own.kind, own.subject, own.digest, own.hash, before.hash
FROM link AS own JOIN note ON own.kind = 'note' AND note.id = own.subject LEFT JOIN link AS before ON before.seq = own.seq - 1
ORDER BY own.seq"""


def read_notes(connection: sqlite3.Connection) -> ChainNotes:
    """Read the covered notes. Raises sqlite3.Error."""
    notes = ChainNotes()
    for number, kind, detail in _covered(connection):
        if kind == "begun":
            notes = notes._replace(older_until=int(detail.get("newest") or 0))
        elif kind == "pruned":
            counts = {name: detail[name] for name in ("below", "first", "dispatches", "earlier") if name in detail}
            notes = notes._replace(pruned=Pruned(number, **counts))
        elif kind == CHANGED_IN_SPOOL:
            notes = notes._replace(changed_in_spool=notes.changed_in_spool | {detail["dispatch"]})
    return notes


def add_pruned(connection: sqlite3.Connection, below: int, first: int, dispatches: int, why: str) -> None:
    """Add the note of a removal that begins now."""
    last = read_notes(connection).pruned
    earlier = last.earlier + last.dispatches
    detail = {"below": below, "first": first, "dispatches": dispatches, "earlier": earlier, "why": why}
    hash_chain.add_note(connection, "pruned", detail)


def _covered(connection: sqlite3.Connection) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """The id, kind and detail of each covered note, oldest first. Without the previous link, a hash proves nothing."""
    for number, kind, detail, seq, session, nth, link_kind, subject, digest, own, previous in connection.execute(_CHAINED):
        if seq == 1:
            previous = hash_chain.BEFORE_FIRST
        chained = previous and hash_chain.link_hash(previous, seq, session, nth, link_kind, subject, digest) == own
        if chained and hash_chain.digest((number, kind, detail)) == digest:
            yield number, kind, json.loads(detail)
