"""What a query has found so far: ids in order, growing backwards while the search goes on and forwards while events come."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class SearchResults:
    """Ids of dispatches, oldest first; the number of a row is its place here."""

    def __init__(self) -> None:
        self.ids = array("q")
        self.complete = False

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, row: int) -> int:
        return self.ids[row]

    def between(self, first: int, last: int) -> Sequence[int]:
        """The ids of some rows, the last one not included; rows that do not exist are left out."""
        return self.ids[max(first, 0) : max(last, 0)]

    def add_older(self, batch: Iterable[int]) -> None:
        """Take in the next batch of a search, newest first."""
        older = array("q", batch)
        older.reverse()
        self.ids = older + self.ids

    def replace_newest(self, above: int, fresh: array[int]) -> bool:
        """Let these ids, in order, be all there are above one; whether that changed anything.

        Ids are made when a dispatch begins and stored when it ends, so a new one may belong before one that is there.
        """
        place = bisect_right(self.ids, above)
        changed = self.ids[place:] != fresh
        if changed:
            self.ids[place:] = fresh
        return changed

    def add(self, numbers: Iterable[int]) -> None:
        """Take in what has come, each in its place; while the search goes on, it will come to what is older by itself.

        Ids are made when a dispatch begins and stored when it ends, so a new one may belong before one that is there.
        """
        for number in numbers:
            row = self.row_of(number)
            if (self.complete or row) and number not in self:
                self.ids.insert(row, number)

    def drop_before(self, number: int) -> None:
        """Let go of what is older than an id: the log has."""
        del self.ids[: self.row_of(number)]

    def row_of(self, number: int) -> int:
        """The row of an id, or of the first one after it."""
        return bisect_left(self.ids, number)

    def __contains__(self, number: object) -> bool:
        row = bisect_left(self.ids, number) if isinstance(number, int) else len(self.ids)
        return row < len(self.ids) and self.ids[row] == number

    def toggle(self, number: int) -> None:
        """Take an id in, or out if it is there."""
        row = self.row_of(number)
        if number in self:
            del self.ids[row]
        else:
            self.ids.insert(row, number)

    def next(self, number: int, direction: int, among: SearchResults) -> int | None:
        """The first id after another one (direction 1) or before it (-1) that is also among others; None without one."""
        row = bisect_right(self.ids, number) if direction > 0 else self.row_of(number) - 1
        while 0 <= row < len(self.ids):
            if self.ids[row] in among:
                return self.ids[row]
            row += direction
        return None

    def after(self, number: int) -> int:
        """How many came after an id."""
        return len(self.ids) - bisect_right(self.ids, number)
