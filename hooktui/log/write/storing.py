"""Entries into the tables: a group of them in one transaction, each with its place in the chain.

The digest of an event is made of the very values that are stored: entry.py gives them the types of their columns. Only the
end of an async run is read back, since it goes over a row that is there.
"""

from __future__ import annotations

from _operator import itemgetter  # the C module alone: `operator` is one more file to read

from hooktui.core import fast_json
from hooktui.log.write import entry, hash_chain, tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    Versions = Mapping[str, tuple[int, str]]  # a version's row and its digest in hexadecimal

SPOKEN = ("stdout", "stderr", "reason")  # columns of a run that a search looks into


def insert(connection: sqlite3.Connection, entries: Sequence[dict[str, Any]]) -> None:
    """Store entries in one transaction; those that are there already are left alone. Raises sqlite3.Error."""
    try:
        _insert(connection, entries)
    except UnicodeEncodeError:
        _insert(connection, [_without_surrogates(one) for one in entries])


def known_versions(connection: sqlite3.Connection, versions: Collection[str]) -> dict[str, tuple[int, str]]:
    """Those versions of hooks whose texts are in the log, with their rows and digests. Raises sqlite3.Error."""
    found = connection.execute(_KNOWN, (fast_json.dumps(list(versions)),))
    return {version: (row, sealed) for version, row, sealed in found}


def words_of(payload: str, spoken: Iterable[str | None]) -> str:
    """What the index of words has of a dispatch: its payload, its reason, and what its runs said (SPOKEN).

    In the JSON text `x\\nmkdir` the word is mkdir.
    """
    for escape in ("\\\\", "\\n", "\\r", "\\t"):
        payload = payload.replace(escape, " ")
    return "\n".join([payload, *filter(None, spoken)])


_SESSION = """
INSERT INTO session (name, host, project, first, last, events, denials, failures, hook_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (name, project, host) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last),
    events = events + excluded.events, denials = denials + excluded.denials, failures = failures + excluded.failures,
    hook_ms = hook_ms + excluded.hook_ms
RETURNING id"""
_HOOK = """
INSERT INTO hook (version, key, name, format, scope, file, line, event, text)
VALUES (:version, :key, :name, :format, :scope, :file, :line, :event, :text) RETURNING id"""
_KNOWN = "SELECT version, id, hex(digest) FROM hook WHERE version IN (SELECT value FROM json_each(?))"
_STORED = "SELECT id FROM dispatch WHERE id IN (SELECT value FROM json_each(?))"
_CONTENT = "INSERT INTO content (id, payload, effects)"
_ABOUT = ("event", "tool", "decision", "state", "ran", "reason", "duration_ms", "synthetic")
_DISPATCH = f"INSERT INTO dispatch (id, session, {', '.join(_ABOUT)})"
_CAME_OF = (
    "state", "skip", "why", "decision", "via", "reason", "exit_code", "signal", "started_ms", "duration_ms", "stdout", "stderr",
    "truncated", "effects",
)  # fmt: skip
_RUN = f"INSERT INTO run (dispatch, id, hook, position, {', '.join(_CAME_OF)})"
_KEEP = "ON CONFLICT (id) DO NOTHING"
_REPLACE_STARTED = (
    f"ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _CAME_OF)} WHERE state = 'started'"
)
_about, _came_of = itemgetter(*_ABOUT), itemgetter(*_CAME_OF)
_WORDS = "INSERT INTO words (rowid, body)"


def _insert(connection: sqlite3.Connection, entries: Sequence[dict[str, Any]]) -> None:
    dispatches = {one["dispatch"]["id"]: one for one in entries if one["kind"] == "dispatch"}
    ends = [one["run"] for one in entries if one["kind"] == "end"]
    connection.execute("BEGIN IMMEDIATE")
    try:
        versions = _versions(connection, [*(run for one in dispatches.values() for run in one["runs"]), *ends])
        _store_dispatches(connection, _without_stored(connection, dispatches), versions)
        for run in ends:
            _store_end(connection, run, versions)
    except BaseException:
        if connection.in_transaction:  # a full disk has rolled back by itself
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _without_stored(connection: sqlite3.Connection, dispatches: dict[int, dict[str, Any]]) -> list[dict[str, Any]]:
    known = {number for (number,) in connection.execute(_STORED, (fast_json.dumps(list(dispatches)),))}
    return [one for number, one in dispatches.items() if number not in known]


def _store_dispatches(connection: sqlite3.Connection, entries: Sequence[dict[str, Any]], versions: Versions) -> None:
    """Store dispatches with their runs, and chain them."""
    sessions = _count_in_sessions(connection, entries)
    rows = [(one["dispatch"], one["payload"], one["effects"], sessions[_session_of(one)]) for one in entries]
    tables.fill(connection, _DISPATCH, [(row["id"], session, *_about(row)) for row, _, _, session in rows])
    tables.fill(connection, _CONTENT, [(row["id"], payload, effects) for row, payload, effects, _ in rows])
    tables.fill(connection, _WORDS, [(one["dispatch"]["id"], words_of(one["payload"], _spoken(one))) for one in entries])
    _store_runs(connection, [run for one in entries for run in one["runs"]], versions, _KEEP)
    hash_chain.add(connection, [_record(one, sessions[_session_of(one)], versions) for one in entries])


def _store_end(connection: sqlite3.Connection, run: dict[str, Any], versions: Versions) -> None:
    """Store the end of an async run, and chain it, unless it has ended before."""
    if _store_runs(connection, [run], versions, _REPLACE_STARTED):
        tables.fill(connection, _WORDS, [(run["dispatch"], words_of("", (run[name] for name in SPOKEN)))])
        hash_chain.add(connection, [hash_chain.end_of(connection, run["id"])])


def _store_runs(connection: sqlite3.Connection, runs: Sequence[dict[str, Any]], versions: Versions, on_conflict: str) -> int:
    """Store runs; how many rows that made or changed."""
    rows = [(run["dispatch"], run["id"], versions[run["hook"]["version"]][0], run["position"], *_came_of(run)) for run in runs]
    return tables.fill(connection, _RUN, rows, on_conflict)


def _spoken(one: dict[str, Any]) -> list[str | None]:
    return [one["dispatch"]["reason"], *(run[name] for run in one["runs"] for name in SPOKEN)]


def _record(one: dict[str, Any], session: int, versions: Versions) -> hash_chain.Record:
    """What the chain is to hold of a dispatch."""
    row = one["dispatch"]
    content = (row["id"], *_session_of(one), *_about(row), one["payload"], one["effects"])
    runs = [
        (run["dispatch"], run["id"], versions[run["hook"]["version"]][1], run["position"], *_came_of(run))
        for run in one["runs"]
    ]
    unended = {run["id"] for run in one["runs"] if run["state"] == "started"}
    return "dispatch", row["id"], session, hash_chain.dispatch_digest(content, runs, unended)


def _session_of(one: dict[str, Any]) -> tuple[str, str, str]:
    session = one["session"]
    return session["name"], session["host"], session["project"]


def _count_in_sessions(connection: sqlite3.Connection, entries: Sequence[dict[str, Any]]) -> dict[tuple[str, str, str], int]:
    """Add dispatches to what their sessions count; the row of each session."""
    by_session: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for one in entries:
        by_session.setdefault(_session_of(one), []).append(one)
    return {key: connection.execute(_SESSION, (*key, *_counted(own))).fetchone()[0] for key, own in by_session.items()}


def _counted(entries: Sequence[dict[str, Any]]) -> tuple[float, ...]:
    """The columns of a session from `first` on, as these dispatches of it make them."""
    rows = [one["dispatch"] for one in entries]
    numbers = [row["id"] for row in rows]
    denials = sum(row["decision"] in ("deny", "stop") for row in rows)
    failures = sum(run["state"] in entry.FAILURES for one in entries for run in one["runs"])
    return min(numbers), max(numbers), len(rows), denials, failures, sum(row["duration_ms"] for row in rows)


def _versions(connection: sqlite3.Connection, runs: Sequence[dict[str, Any]]) -> Versions:
    """The row and digest of every version of a hook that ran; new ones are added."""
    hooks = {run["hook"]["version"]: run["hook"] for run in runs}
    versions = known_versions(connection, hooks)
    for version in hooks.keys() - versions.keys():
        number = connection.execute(_HOOK, hooks[version]).fetchone()[0]
        versions[version] = (number, hash_chain.seal_hook(connection, number).hex().upper())
    return versions


def _without_surrogates(one: dict[str, Any]) -> dict[str, Any]:
    """JSON allows lone surrogates and UTF-8 does not: they become question marks."""
    clean: dict[str, Any] = fast_json.loads(fast_json.dumps(one, ascii_only=False).encode(errors="replace"))
    return clean
