"""Many rows into a table at once.

SQLite is quicker so, and Python lets other threads go on at each statement: beside one that computes, getting the turn back
takes 5 ms, which a thousand statements would make five seconds.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Sequence
    from typing import Any

_MOST = 1_000  # rows a statement; SQLite takes 32,766 values


def fill(connection: sqlite3.Connection, into: str, rows: Sequence[Sequence[Any]], on_conflict: str = "") -> int:
    """Insert rows, all with the columns that `into` ("INSERT INTO … (…)") names; how many that made or changed."""
    count = 0
    for first in range(0, len(rows), _MOST):
        some = rows[first : first + _MOST]
        row = f"({', '.join('?' * len(some[0]))})"
        values = [value for one in some for value in one]
        count += connection.execute(f"{into} VALUES {', '.join([row] * len(some))} {on_conflict}", values).rowcount
    return count
