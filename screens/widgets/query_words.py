"""Completion of the query language: fields, their values, and the names that the log and the catalog know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.suggester import Suggester

from hooktui.log.query import FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class QueryWords(Suggester):
    """Completes the last term. `names` gives the values of fields that are no closed set, when they are asked for."""

    def __init__(self, names: Callable[[], Mapping[str, Iterable[str]]]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._names = names

    async def get_suggestion(self, value: str) -> str | None:
        """The whole line with its last term completed; None when there is nothing to add."""
        before, blank, term = value.rpartition(" ")
        minus = "-" if term.startswith("-") else ""
        completed = self._complete(term.removeprefix("-"))
        return None if completed is None else f"{before}{blank}{minus}{completed}"

    def _complete(self, term: str) -> str | None:
        field, colon, value = term.partition(":")
        if not colon:
            return next((f"{name}:" for name in FIELDS if field and name.startswith(field)), None)
        known = FIELDS[field].values or self._names().get(field, ()) if field in FIELDS else ()
        found = next((name for name in known if name.startswith(value) and name != value), None)
        return None if found is None else f"{field}:{found}"
