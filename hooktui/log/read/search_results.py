"""The ids that match a query, in order; they grow backwards as the search proceeds and forwards as events arrive."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class SearchResults:
    """Ids of dispatches, oldest first; a row number is a position in them."""

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self.ids = array("q", numbers)
        self.complete = False

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, row: int) -> int:
        return self.ids[row]

    def __contains__(self, number: object) -> bool:
        row = bisect_left(self.ids, number) if isinstance(number, int) else len(self.ids)
        return row < len(self.ids) and self.ids[row] == number

    def between(self, first: int, last: int) -> Sequence[int]:
        """The ids of rows `first` to `last`, the last excluded; missing rows are left out."""
        return self.ids[max(first, 0) : max(last, 0)]

    def add_older(self, batch: Iterable[int]) -> None:
        """Add the next batch of a search, newest first."""
        older = array("q", batch)
        older.reverse()
        self.ids = older + self.ids

    def add(self, numbers: Iterable[int]) -> None:
        """Insert new ids in order; during a search, ids older than all results are left to it.

        An id is made when a dispatch begins and stored when it ends, so a new id may be older than known ones.
        """
        for number in numbers:
            row = self.row_of(number)
            if (self.complete or row) and number not in self:
                self.ids.insert(row, number)

    def drop_before(self, number: int) -> None:
        """Remove ids older than one, after the log was pruned."""
        del self.ids[: self.row_of(number)]

    def row_of(self, number: int) -> int:
        """The row of an id, or of the first id after it."""
        return bisect_left(self.ids, number)

    def toggle(self, number: int) -> None:
        """Add an id, or remove it if present."""
        row = self.row_of(number)
        if number in self:
            del self.ids[row]
        else:
            self.ids.insert(row, number)

    def next(self, number: int, direction: int, among: SearchResults) -> int | None:
        """The next id after (direction 1) or before (-1) a number that is also in `among`; None without one."""
        row = bisect_right(self.ids, number) if direction > 0 else self.row_of(number) - 1
        while 0 <= row < len(self.ids):
            if self.ids[row] in among:
                return self.ids[row]
            row += direction
        return None

    def after(self, number: int) -> int:
        """The number of ids after one."""
        return len(self.ids) - bisect_right(self.ids, number)
