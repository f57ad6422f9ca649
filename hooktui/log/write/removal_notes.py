"""Notes of the log about its own changes. Only notes covered by the hash chain count: anybody can insert a row."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hooktui.log.write import hash_chain

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping
    from typing import Any

BEGUN, PRUNED = "begun", "pruned"


@dataclass(frozen=True, slots=True)
class Pruned:
    """A removal of `dispatches` events, those with ids less than `below`; `earlier` removals are counted apart.

    The chain may begin at position `first`; `at` is the id of the note.
    """

    at: int = 0
    below: int = 0
    first: int = 1
    dispatches: int = 0
    earlier: int = 0


@dataclass(frozen=True, slots=True)
class ChainNotes:
    """`older_until` is the newest id older than the chain; `pruned` is the last removal."""

    older_until: int = 0
    pruned: Pruned = field(default_factory=Pruned)


_CHAINED = """
SELECT note.id, note.kind, note.detail, own.seq, own.session, own.nth, own.kind, own.subject, own.digest, own.hash, before.hash
FROM link AS own JOIN note ON own.kind = 'note' AND note.id = own.subject LEFT JOIN link AS before ON before.seq = own.seq - 1
ORDER BY own.seq"""


def read(connection: sqlite3.Connection) -> ChainNotes:
    """Read the covered notes. Raises sqlite3.Error."""
    details = dict(_covered(connection))
    begun, pruned = details.get(BEGUN, {}), details.get(PRUNED, {})
    return ChainNotes(int(begun.get("newest") or 0), Pruned(**pruned) if pruned else Pruned())


def add_pruned(connection: sqlite3.Connection, below: int, first: int, dispatches: int, why: str) -> None:
    """Add the note of a removal that begins now."""
    last = read(connection).pruned
    earlier = last.earlier + last.dispatches
    detail = {"below": below, "first": first, "dispatches": dispatches, "earlier": earlier, "why": why}
    hash_chain.add_note(connection, PRUNED, detail)


def _covered(connection: sqlite3.Connection) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Kind and detail of each, oldest first. Without the previous link, a hash proves nothing."""
    for number, kind, detail, seq, session, nth, link_kind, subject, digest, own, before in connection.execute(_CHAINED):
        before = hash_chain.BEFORE_FIRST if seq == 1 else before
        place = (seq, session, nth, link_kind, subject)
        if (
            hash_chain.digest((number, kind, detail)) == digest
            and before
            and hash_chain.link_hash(before, *place, digest) == own
        ):
            fields = json.loads(detail)
            numbers = {name: fields[name] for name in _NUMBERS if name in fields}
            yield kind, {"at": number, **numbers} if kind == PRUNED else fields


_NUMBERS = ("below", "first", "dispatches", "earlier")
