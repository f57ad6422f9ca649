"""Many rows into a table at once.

SQLite is quicker so, and Python lets other threads go on at each statement: beside one that computes, getting the turn back
takes 5 ms, which a thousand statements would make five seconds. Reading a statement takes SQLite as long as running it, so
their lengths are few: those of before are found prepared.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Iterator, Sequence
    from typing import Any

_MOST = 512  # rows a statement; SQLite takes 32,766 values


def fill(connection: sqlite3.Connection, into: str, rows: Sequence[Sequence[Any]], on_conflict: str = "") -> int:
    """Insert rows, all with the columns that `into` ("INSERT INTO … (…)") names; how many that made or changed."""
    count = 0
    for some in _in_powers_of_two(rows):
        row = f"({', '.join('?' * len(some[0]))})"
        values = [value for one in some for value in one]
        count += connection.execute(f"{into} VALUES {', '.join([row] * len(some))} {on_conflict}", values).rowcount
    return count


def _in_powers_of_two(rows: Sequence[Sequence[Any]]) -> Iterator[Sequence[Sequence[Any]]]:
    first = 0
    while left := len(rows) - first:
        size = min(1 << left.bit_length() - 1, _MOST)
        yield rows[first : first + size]
        first += size
