"""A cache of fetched rows, by dispatch ID."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from textual.cache import LRUCache

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

T = TypeVar("T")
_ROWS_KEPT = 4096


class RowStore(Generic[T]):
    """Keeps the rows used last; None stands for a row that no longer exists."""

    def __init__(self) -> None:
        self._rows: LRUCache[int, T | None] = LRUCache(_ROWS_KEPT)
        self._stale: set[int] = set()

    def get(self, number: int) -> T | None:
        """A row, if it has been fetched."""
        return self._rows.get(number)

    def missing(self, numbers: Sequence[int]) -> list[int]:
        """The rows that must be fetched."""
        return [number for number in numbers if number not in self._rows or number in self._stale]

    def doubt(self, numbers: Sequence[int]) -> None:
        """Mark rows as stale: they are fetched again, and shown meanwhile."""
        self._stale.update(number for number in numbers if number in self._rows)

    def take(self, numbers: Sequence[int], rows: Mapping[int, T]) -> None:
        """Store fetched rows."""
        for number in numbers:
            self._rows[number] = rows.get(number)
        self._stale.difference_update(numbers)
