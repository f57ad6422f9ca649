"""What has changed in the log since the Live screen looked last: what was recorded, and what transcripts added."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core import ids

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.query import Query

_RECENT_S = 600.0  # events that are no older when the log is read are followed one by one
_RENEW_S = 3600.0  # until recent begins later
_CHANGING = 200  # newest events, which may still get an outcome


class ImportedChanges(NamedTuple):
    """Ids of recent events: `touched` are new or may have changed, `gone` ones were recorded meanwhile.

    `has_older`: older events were added, so that the log must be read again.
    """

    touched: Sequence[int] = ()
    gone: Sequence[int] = ()
    has_older: bool = False


class ImportedEvents:
    """The imported events that the log had when it was looked at last; the hash chain, which the screen follows, lacks them."""

    def __init__(self) -> None:
        self._state: tuple[int, ...] = ()  # of the imports
        self._low = 0  # id from which events are recent
        self._older = 0  # how many are not
        self._recent: set[int] = set()

    async def begin(self, reader: DecisionLog) -> None:
        """Take the imported events as they are now, before the log is read."""
        self._low = ids.at_time(time.time() - _RECENT_S)
        asked = reader.imports(), reader.imported_since(self._low), reader.imported_before(self._low)
        self._state, recent, self._older = await asyncio.gather(*asked)
        self._recent = set(recent)

    async def changes(self, reader: DecisionLog, *, recorded: bool) -> ImportedChanges:
        """What has changed since the last look; `recorded`: events were recorded, which may be the same as imported ones."""
        state = await reader.imports()
        if state == self._state and not (recorded and any(state)):
            return ImportedChanges()
        recent = await reader.imported_since(self._low)
        new, gone = set(recent) - self._recent, self._recent.difference(recent)
        self._recent = set(recent)
        if state == self._state:
            return ImportedChanges(sorted(new), list(gone))
        self._state = state
        has_older = await reader.imported_before(self._low) != self._older
        if not has_older and time.time() - ids.seconds(self._low) > _RENEW_S:
            await self.begin(reader)
        return ImportedChanges(sorted(new.union(recent[-_CHANGING:])), list(gone), has_older)


class LogDelta(NamedTuple):
    """Ids of rows. `matching` are new or changed, and shown; `gone` are shown no longer.

    `added` is the number of new recorded rows, shown or not. `has_new`: events were committed, shown or not; `has_imported`:
    transcripts added or changed some; `has_older`: some of the past. `horizon` is the commit sequence up to which the log was
    read.
    """

    horizon: int
    matching: Sequence[int]
    changed: Sequence[int]
    gone: Collection[int]
    added: int
    has_new: bool
    has_imported: bool
    has_older: bool


async def read_delta(reader: DecisionLog, horizon: int, imported: ImportedEvents, shown: Query) -> LogDelta:
    """Read what was committed after a commit sequence or imported since the last call. Raises LogError."""
    fresh = await reader.committed(horizon)
    others = await imported.changes(reader, recorded=bool(fresh.new))
    heads = await reader.heads([*fresh.new, *fresh.changed, *others.touched])
    matching = await reader.matching(shown, heads)
    return LogDelta(
        horizon=fresh.last,
        matching=matching,
        changed=heads,
        gone={*heads, *others.gone}.difference(matching),
        added=len({*fresh.new}.intersection(heads)),
        has_new=bool(fresh.new),
        has_imported=bool(others.touched or others.gone),
        has_older=others.has_older,
    )
