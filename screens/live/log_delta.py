"""What has changed in the log since the Live screen looked at it last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.query import Query
    from hooktui.screens.live.imported_events import ImportedEvents


@dataclass(frozen=True, slots=True)
class LogDelta:
    """Ids of rows. `matching` are new or changed, and shown; `gone` are shown no longer; `found` match the search.

    `added` is the number of new rows, shown or not. `has_new`: events were committed, shown or not; `has_older`: transcripts
    added some to the past. `horizon` is the commit sequence up to which the log was read.
    """

    horizon: int
    matching: Sequence[int]
    changed: Sequence[int]
    gone: Collection[int]
    found: Sequence[int]
    added: int
    has_new: bool
    has_older: bool


async def read_delta(
    reader: DecisionLog, horizon: int, imported: ImportedEvents, shown: Query, search: Query | None
) -> LogDelta:
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
        found=await reader.matching(search, matching) if search is not None else (),
        added=len({*fresh.new}.intersection(heads)),
        has_new=bool(fresh.new),
        has_older=others.has_older,
    )
