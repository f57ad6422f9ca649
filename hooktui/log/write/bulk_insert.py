"""Insert many rows into a table at once.

One statement for many rows is faster in SQLite. It also keeps the GIL: each statement releases it, and getting it back from a
thread that computes takes 5 ms, or five seconds for a thousand statements. Preparing a statement takes SQLite as long as
running it, so statements have few different lengths and SQLite reuses prepared ones.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Iterator, Sequence
    from typing import Any

_MAX_ROWS = 512  # per statement; SQLite takes 32,766 values


def insert(connection: sqlite3.Connection, into: str, rows: Sequence[Sequence[Any]], on_conflict: str = "") -> int:
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
