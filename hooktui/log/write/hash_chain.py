"""Tamper evidence: each record in the log carries a hash of itself and of the record before.

The digest of a record is that of its rows as the tables hold them: who stores it has those values in hand (storing.py), who
verifies it reads them back (verify.py). An async run that has not ended is in the digest of its dispatch only by its place; its
end is a record of its own.
"""

from __future__ import annotations

from hooktui.core import fast_json, ids
from hooktui.log.write import bulk_insert

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Collection, Iterable, Sequence
    from typing import Any, Literal

    Kind = Literal["dispatch", "end", "note"]
    Record = tuple[Kind, int, int, bytes]  # with its id, the row of its session, its digest

NO_SESSION = 0
_SIZE = 32  # bytes of a hash
BEFORE_FIRST = bytes(_SIZE)  # the hash before the first

DISPATCHES = """
SELECT dispatch.id, name, host, project, event, tool, decision, state, ran, reason, duration_ms, synthetic, payload, effects
FROM dispatch JOIN session ON session.id = dispatch.session JOIN content ON content.id = dispatch.id
WHERE {which} ORDER BY dispatch.id"""
_PLACE = 4  # so many of its columns stand for a run that has not ended
RUNS = """
SELECT run.dispatch, run.id, hex(hook.digest), position, run.state, skip, why, run.decision, via, run.reason, exit_code, signal,
    started_ms, run.duration_ms, stdout, stderr, truncated, run.effects
FROM run LEFT JOIN hook ON hook.id = run.hook WHERE {which} ORDER BY run.dispatch, position, run.id"""
HOOKS = "SELECT id, version, key, name, format, scope, file, line, event, text FROM hook WHERE {which}"
NOTES = "SELECT id, kind, detail FROM note WHERE {which}"
_PLACES = "SELECT ifnull(max(nth), 0) FROM link WHERE session = ?"  # how many a session has
_LINK = "INSERT INTO link (seq, session, nth, kind, subject, digest, hash)"


def add(connection: sqlite3.Connection, records: Sequence[Record]) -> None:
    """Chain records that were just stored, in their order."""
    last = connection.execute("SELECT seq, hash FROM link ORDER BY seq DESC LIMIT 1").fetchone()
    seq, before = last or (0, BEFORE_FIRST)
    places = {session: connection.execute(_PLACES, (session,)).fetchone()[0] for session in {record[2] for record in records}}
    links = []
    for kind, subject, session, content in records:
        seq += 1
        places[session] += 1
        before = link_hash(before, seq, session, places[session], kind, subject, content)
        links.append((seq, session, places[session], kind, subject, content, before))
    bulk_insert.insert(connection, _LINK, links)


def end_of(connection: sqlite3.Connection, number: int) -> Record:
    """The end of an async run that was just stored; one that came before its dispatch has no session."""
    (row,) = connection.execute(RUNS.format(which="run.id = ?"), (number,))
    found = connection.execute("SELECT session FROM dispatch WHERE id = ?", (row[0],)).fetchone()
    return "end", number, found[0] if found else NO_SESSION, digest(row)


def add_note(connection: sqlite3.Connection, kind: str, detail: dict[str, Any]) -> None:
    """Store and chain a note: what the log did to itself."""
    row = (ids.new(), kind, fast_json.dumps(detail))
    connection.execute("INSERT INTO note (id, kind, detail) VALUES (?, ?, ?)", row)
    add(connection, [("note", row[0], NO_SESSION, digest(row))])


def seal_hook(connection: sqlite3.Connection, number: int) -> bytes:
    """Give a version of a hook its digest, which those of its runs include."""
    (row,) = connection.execute(HOOKS.format(which="id = ?"), (number,))
    sealed = digest(row)
    connection.execute("UPDATE hook SET digest = ? WHERE id = ?", (sealed, number))
    return sealed


def begin(connection: sqlite3.Connection) -> None:
    """Begin the chain of a log that holds records already: they are noted, and not covered."""
    for (number,) in connection.execute("SELECT id FROM hook").fetchall():
        seal_hook(connection, number)
    count, newest = connection.execute("SELECT (SELECT sum(events) FROM session), (SELECT max(id) FROM dispatch)").fetchone()
    if count:
        add_note(connection, "begun", {"dispatches": count, "newest": newest})


def dispatch_digest(row: Sequence[Any], runs: Iterable[Sequence[Any]], unended: Collection[int]) -> bytes:
    """The digest of a row of DISPATCHES and its RUNS."""
    return digest((row, [run[:_PLACE] if run[1] in unended else run for run in runs] if unended else list(runs)))


def digest(value: Sequence[Any]) -> bytes:
    """The digest of what a row holds."""
    try:
        return _hash(fast_json.dumps(value).encode())
    except TypeError:  # bytes, where we never store any
        return _hash(repr(value).encode())


def link_hash(before: bytes, seq: int, session: int, nth: int, kind: str, subject: int, content: bytes) -> bytes:
    """The hash that a link must have: of the hash before, all its columns, and the digest of its content."""
    return _hash(before + fast_json.dumps([seq, session, nth, kind, subject]).encode() + content)


def _hash(content: bytes) -> bytes:
    from _blake2 import blake2b  # the C module behind hashlib, which brings OpenSSL along

    return blake2b(content, digest_size=_SIZE).digest()
