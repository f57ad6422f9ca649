"""Tamper evidence: each record of the log has a hash of itself and of the previous record.

The digest of a record covers its rows as the tables store them: storing.py has those values at hand, verify.py reads them back.
The digest of a dispatch covers only the position of an async run that has not ended; its end is a record of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core import fast_json, ids

if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any, Literal

    Kind = Literal["dispatch", "end", "note"]
    Record = tuple[Kind, int, int, bytes]  # kind, id, row of its session, digest

NO_SESSION = 0
_SIZE = 32  # bytes of a hash
BEFORE_FIRST = bytes(_SIZE)  # the hash before the first record

DISPATCHES = """
SELECT dispatch.id, name, host, project, event, tool, decision, state, ran, reason, duration_ms, synthetic, payload, effects,
    hex(skip_list.digest)
FROM dispatch JOIN session ON session.id = dispatch.session JOIN content ON content.id = dispatch.id
    LEFT JOIN skip_list ON skip_list.id = dispatch.skips
WHERE {which} ORDER BY dispatch.id"""
# The records of joined events: the columns of DISPATCHES.
PARTS = """
SELECT part.id, name, host, project, event, part.tool, part.decision, part.state, part.ran, part.reason, part.duration_ms,
    part.synthetic, ifnull(part.payload, content.payload), part.effects, hex(skip_list.digest)
FROM part JOIN dispatch ON dispatch.id = part.dispatch JOIN session ON session.id = dispatch.session
    JOIN content ON content.id = dispatch.id LEFT JOIN skip_list ON skip_list.id = part.skips
WHERE {which} ORDER BY part.id"""
_UNENDED_COLUMNS = 4  # of RUNS: all that the digest covers of a run that has not ended
RUNS = """
SELECT ifnull(run.part, run.dispatch), run.id, hex(hook.digest), position, run.state, skip, why, run.decision, via, run.reason,
    exit_code, signal, started_ms, run.duration_ms, stdout, stderr, truncated, run.effects, run.origin
FROM run LEFT JOIN hook ON hook.id = run.hook
WHERE {which} AND ifnull(run.origin, '') <> 'transcript' ORDER BY 1, position, run.id"""
HOOKS = "SELECT id, version, key, name, format, scope, file, line, event, text, label FROM hook WHERE {which}"
NOTES = "SELECT id, kind, detail FROM note WHERE {which}"
_SESSION_OF_RUN = "SELECT session FROM run JOIN dispatch ON dispatch.id = run.dispatch WHERE run.id = ?"
_COUNT = "SELECT ifnull(max(nth), 0) FROM link WHERE session = ?"
_LINK = "INSERT INTO link (seq, session, nth, kind, subject, digest, hash)"


def add(connection: sqlite3.Connection, records: Sequence[Record]) -> None:
    """Chain records that were just stored, in order."""
    last = connection.execute("SELECT seq, hash FROM link ORDER BY seq DESC LIMIT 1").fetchone()
    seq, previous = last or (0, BEFORE_FIRST)
    counts = {session: connection.execute(_COUNT, (session,)).fetchone()[0] for session in {record[2] for record in records}}
    links = []
    for kind, subject, session, content in records:
        seq += 1
        counts[session] += 1
        previous = link_hash(previous, seq, session, counts[session], kind, subject, content)
        links.append((seq, session, counts[session], kind, subject, content, previous))
    insert_rows(connection, _LINK, links)


def end_of(connection: sqlite3.Connection, number: int) -> Record:
    """The record of the end of an async run; it has no session if it was stored before its dispatch."""
    (row,) = connection.execute(RUNS.format(which="run.id = ?"), (number,))
    session = connection.execute(_SESSION_OF_RUN, (number,)).fetchone()
    return "end", number, session[0] if session else NO_SESSION, row_digest(row)


def add_note(connection: sqlite3.Connection, kind: str, detail: dict[str, Any]) -> None:
    """Store and chain a note about a change of the log by itself."""
    row = (ids.new(), kind, fast_json.dumps(detail))
    connection.execute("INSERT INTO note (id, kind, detail) VALUES (?, ?, ?)", row)
    add(connection, [("note", row[0], NO_SESSION, digest(row))])


def seal_hook(connection: sqlite3.Connection, number: int) -> bytes:
    """Store the digest of a hook version, which the digests of its runs include."""
    (row,) = connection.execute(HOOKS.format(which="id = ?"), (number,))
    sealed = row_digest(row)
    connection.execute("UPDATE hook SET digest = ? WHERE id = ?", (sealed, number))
    return sealed


def begin(connection: sqlite3.Connection) -> None:
    """Begin the chain of an older log: its records are noted, not covered."""
    for (number,) in connection.execute("SELECT id FROM hook").fetchall():
        seal_hook(connection, number)
    count, newest = connection.execute("SELECT (SELECT sum(events) FROM session), (SELECT max(id) FROM dispatch)").fetchone()
    if count:
        add_note(connection, "begun", {"dispatches": count, "newest": newest})


def dispatch_digest(row: Sequence[Any], runs: Iterable[Sequence[Any]], unended: Collection[int]) -> bytes:
    """The digest of a row of DISPATCHES with its RUNS, and of its skipped hooks if they are in a list."""
    *own, skips = row
    rows = [run[:_UNENDED_COLUMNS] if run[1] in unended else _covered(run) for run in runs]
    return digest((own, rows, skips) if skips else (own, rows))


def row_digest(row: Sequence[Any]) -> bytes:
    """The digest of a row of RUNS or HOOKS."""
    return digest(_covered(row))


def _covered(row: Sequence[Any]) -> Sequence[Any]:
    """A row without its last column if that is NULL: older rows were written before the column existed."""
    return row if row[-1] is not None else row[:-1]


def digest(value: Sequence[Any]) -> bytes:
    """The digest of a row."""
    try:
        return _hash(fast_json.dumps(value).encode())
    except TypeError:  # bytes, which we never store
        return _hash(repr(value).encode())


def link_hash(previous: bytes, seq: int, session: int, nth: int, kind: str, subject: int, content: bytes) -> bytes:
    """The hash of a link: of the previous hash, its columns and the digest of its record."""
    return _hash(previous + fast_json.dumps([seq, session, nth, kind, subject]).encode() + content)


def _hash(content: bytes) -> bytes:
    from _blake2 import blake2b  # the C module behind hashlib, which would import OpenSSL

    return blake2b(content, digest_size=_SIZE).digest()


_MAX_ROWS = 512  # per statement; SQLite takes 32,766 values


def insert_rows(connection: sqlite3.Connection, into: str, rows: Sequence[Sequence[Any]], on_conflict: str = "") -> int:
    """Insert rows that have the columns of `into` ("INSERT INTO … (…)"); the number of inserted or changed rows."""
    count = 0
    for batch in _in_powers_of_two(rows):
        row = f"({', '.join('?' * len(batch[0]))})"
        values = [value for row_values in batch for value in row_values]
        count += connection.execute(f"{into} VALUES {', '.join([row] * len(batch))} {on_conflict}", values).rowcount
    return count


def _in_powers_of_two(rows: Sequence[Sequence[Any]]) -> Iterator[Sequence[Sequence[Any]]]:
    first = 0
    while left := len(rows) - first:
        size = min(1 << left.bit_length() - 1, _MAX_ROWS)
        yield rows[first : first + size]
        first += size
