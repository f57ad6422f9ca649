"""Tamper evidence: each record in the log carries a hash of itself and of the record before.

Digests are made of what stands in the tables, read back, by the same code when it is written and when it is verified
(verify.py): a value that SQLite stores otherwise than it was given can never look like an edit. An async run that has not
ended is in the digest of its dispatch only by its place; its end is a record of its own.
"""

from __future__ import annotations

from hooktui import ids, quick_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Collection, Iterable, Sequence
    from typing import Any, Literal

    Kind = Literal["dispatch", "end", "note"]

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


def add_dispatch(connection: sqlite3.Connection, number: int, session: int, unended: Collection[int]) -> None:
    """Chain a dispatch that was just stored; `unended` are the ids of its async runs."""
    (row,) = connection.execute(DISPATCHES.format(which="dispatch.id = ?"), (number,))
    runs = connection.execute(RUNS.format(which="run.dispatch = ?"), (number,))
    _add(connection, "dispatch", number, session, dispatch_digest(row, runs, unended))


def add_end(connection: sqlite3.Connection, number: int) -> None:
    """Chain the end of an async run that was just stored; one that came before its dispatch has no session."""
    (row,) = connection.execute(RUNS.format(which="run.id = ?"), (number,))
    found = connection.execute("SELECT session FROM dispatch WHERE id = ?", (row[0],)).fetchone()
    _add(connection, "end", number, found[0] if found else NO_SESSION, digest(row))


def add_note(connection: sqlite3.Connection, kind: str, detail: dict[str, Any]) -> None:
    """Store and chain a note: what the log did to itself."""
    row = (ids.new(), kind, quick_json.dumps(detail))
    connection.execute("INSERT INTO note (id, kind, detail) VALUES (?, ?, ?)", row)
    _add(connection, "note", row[0], NO_SESSION, digest(row))


def seal_hook(connection: sqlite3.Connection, number: int) -> None:
    """Give a version of a hook its digest, which those of its runs include."""
    (row,) = connection.execute(HOOKS.format(which="id = ?"), (number,))
    connection.execute("UPDATE hook SET digest = ? WHERE id = ?", (digest(row), number))


def begin(connection: sqlite3.Connection) -> None:
    """Begin the chain of a log that holds records already: they are noted, and not covered."""
    for (number,) in connection.execute("SELECT id FROM hook").fetchall():
        seal_hook(connection, number)
    count, newest = connection.execute("SELECT (SELECT sum(events) FROM session), (SELECT max(id) FROM dispatch)").fetchone()
    if count:
        add_note(connection, "begun", {"dispatches": count, "newest": newest})


def dispatch_digest(row: Sequence[Any], runs: Iterable[Sequence[Any]], unended: Collection[int]) -> bytes:
    """The digest of a row of DISPATCHES and its RUNS."""
    return digest((row, [run[:_PLACE] if run[1] in unended else run for run in runs]))


def digest(value: Sequence[Any]) -> bytes:
    """The digest of what a row holds."""
    try:
        return _hash(quick_json.dumps(value).encode())
    except TypeError:  # bytes, where we never store any
        return _hash(repr(value).encode())


def link_hash(before: bytes, seq: int, session: int, nth: int, kind: str, subject: int, content: bytes) -> bytes:
    """The hash that a link must have: of the hash before, all its columns, and the digest of its content."""
    return _hash(before + quick_json.dumps([seq, session, nth, kind, subject]).encode() + content)


def _add(connection: sqlite3.Connection, kind: Kind, subject: int, session: int, content: bytes) -> None:
    last = connection.execute("SELECT seq, hash FROM link ORDER BY seq DESC LIMIT 1").fetchone()
    seq, before = last or (0, BEFORE_FIRST)
    (nth,) = connection.execute("SELECT ifnull(max(nth), 0) + 1 FROM link WHERE session = ?", (session,)).fetchone()
    own = link_hash(before, seq + 1, session, nth, kind, subject, content)
    row = (seq + 1, session, nth, kind, subject, content, own)
    connection.execute("INSERT INTO link (seq, session, nth, kind, subject, digest, hash) VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def _hash(content: bytes) -> bytes:
    from _blake2 import blake2b  # the C module behind hashlib, which brings OpenSSL along

    return blake2b(content, digest_size=_SIZE).digest()
