"""What processes have committed since one looked last: the chain (schema-2.sql) has it in the order in which it came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from hooktui.log.read.query import Query

# A log that nobody has written since chains began has none, and nothing is committed to it.
CHAINED = "SELECT count(*) FROM sqlite_master WHERE name = 'link'"
LAST = "SELECT ifnull(max(seq), 0) FROM link"
SINCE = """
SELECT seq, kind, CASE kind WHEN 'end' THEN (SELECT dispatch FROM run WHERE run.id = subject) ELSE subject END
FROM link WHERE seq > ? AND kind <> 'note' ORDER BY seq"""


@dataclass(frozen=True, slots=True)
class Committed:
    """Ids of the dispatches that were stored, and of those of which an async hook ended; `last` is where to go on from."""

    last: int
    new: Sequence[int] = ()
    changed: Sequence[int] = ()


def committed(after: int, rows: Iterable[Sequence[Any]]) -> Committed:
    """What the rows of SINCE say."""
    found = list(rows)
    new = [number for _, kind, number in found if kind == "dispatch"]
    return Committed(found[-1][0] if found else after, new, [number for _, kind, number in found if kind == "end"])


def matching(query: Query, numbers: Sequence[int]) -> str:
    """The SQL for those of some dispatches that a query means, oldest first; `:low` and `:high` are to be bound around them."""
    among = ", ".join(str(int(number)) for number in numbers)
    key = query.key
    return f"SELECT {key} {query.found} AND {key} >= :low AND {key} <= :high AND +{key} IN ({among}) ORDER BY {key}"
