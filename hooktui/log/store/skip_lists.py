"""Lists of skipped hooks in the database, each stored once. The digests of dispatches include that of their list's rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from hooktui.core import fast_json
from hooktui.log.store import hash_chain
from hooktui.runner.journal.skipped_runs import version_of

if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Collection, Mapping, Sequence

    from hooktui.runner.journal.skipped_runs import Rows

    Versions = Mapping[str, tuple[int, str]]  # the row and the digest in hexadecimal of a hook, by version

_VERSIONS = "SELECT version FROM skip_list WHERE version IN (SELECT value FROM json_each(?))"
_KNOWN = "SELECT id, hex(digest) FROM skip_list WHERE version = ?"
_ADD = "INSERT INTO skip_list (version, digest) VALUES (?, ?) RETURNING id"
_ADD_SKIP = "INSERT INTO skip (list, position, hook, skip, why)"
_BASE = """
SELECT position, hook.version, skip, why, hook.id, hex(hook.digest) FROM skip JOIN hook ON hook.id = skip.hook
WHERE list = (SELECT id FROM skip_list WHERE version = ?)"""
_DIGESTS = "SELECT id, digest FROM skip_list"
_ROWS = """
SELECT list, position, hex(hook.digest), skip, why FROM skip LEFT JOIN hook ON hook.id = skip.hook ORDER BY list, position"""
_UNUSED = """
SELECT id FROM skip_list WHERE NOT EXISTS (SELECT 1 FROM dispatch WHERE dispatch.skips = skip_list.id)
    AND id NOT IN (SELECT skips FROM part WHERE skips NOTNULL)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipList:
    """A stored list: its row, and its digest in hexadecimal."""

    row: int
    digest: str


def known(connection: sqlite3.Connection, versions: Collection[str]) -> set[str]:
    """The lists that the log has. Raises sqlite3.Error."""
    return {version for (version,) in connection.execute(_VERSIONS, (fast_json.dumps(list(versions)),))}


def store(connection: sqlite3.Connection, rows: Rows, base: str | None, versions: Versions) -> SkipList | None:
    """The list with some rows and with those of another list, the base; it is added if the log does not have it."""
    version = base if base and not rows else version_of([base, *rows] if base else rows)
    stored = connection.execute(_KNOWN, (version,)).fetchone()
    if stored:
        return SkipList(row=stored[0], digest=stored[1])
    inherited = {row[0]: tuple(row) for row in connection.execute(_BASE, (base,))} if base else {}
    own = {row[0]: (*row, *versions[row[1]]) for row in rows}
    whole = [row for _, row in sorted({**inherited, **own}.items())]
    return _add(connection, version, whole) if whole else None


def _add(connection: sqlite3.Connection, version: str, rows: Sequence[tuple[int, str, str, str, int, str]]) -> SkipList:
    digest = hash_chain.digest([(position, sealed, skip, why) for position, _, skip, why, _, sealed in rows])
    (number,) = connection.execute(_ADD, (version, digest)).fetchone()
    hash_chain.insert_rows(connection, _ADD_SKIP, [(number, place, hook, skip, why) for place, _, skip, why, hook, _ in rows])
    return SkipList(row=number, digest=digest.hex().upper())


def forged(connection: sqlite3.Connection) -> set[int]:
    """The lists that were changed after they were stored. Raises sqlite3.Error."""
    rows = groupby(connection.execute(_ROWS), lambda row: row[0])
    now = {number: hash_chain.digest([row[1:] for row in group]) for number, group in rows}
    return {number for number, digest in connection.execute(_DIGESTS) if now.get(number) != digest}


def remove_unused(connection: sqlite3.Connection) -> None:
    """Remove the lists that no dispatch refers to, in a transaction of the caller."""
    unused = fast_json.dumps([number for (number,) in connection.execute(_UNUSED)])
    for table, column in (("skip", "list"), ("skip_list", "id")):
        connection.execute(f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))", (unused,))
