"""The rows of a long list that are at hand, by the ids of their dispatches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from textual.cache import LRUCache

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

T = TypeVar("T")
_ROWS_KEPT = 4096


class RowStore(Generic[T]):
    """Remembers the rows that were looked at last; None stands for a row that is gone."""

    def __init__(self) -> None:
        self._rows: LRUCache[int, T | None] = LRUCache(_ROWS_KEPT)
        self._stale: set[int] = set()

    def get(self, number: int) -> T | None:
        """A row, if it is there already."""
        return self._rows.get(number)

    def missing(self, numbers: Sequence[int]) -> list[int]:
        """Those of them that have to be fetched."""
        return [number for number in numbers if number not in self._rows or number in self._stale]

    def doubt(self, numbers: Sequence[int]) -> None:
        """These may have changed: they are to be fetched again, and good enough meanwhile."""
        self._stale.update(number for number in numbers if number in self._rows)

    def take(self, numbers: Sequence[int], rows: Mapping[int, T]) -> None:
        """What fetching some of them gave."""
        for number in numbers:
            self._rows[number] = rows.get(number)
        self._stale.difference_update(numbers)
