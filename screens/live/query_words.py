"""Completion of the query language: fields, and their values in the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.suggester import Suggester

from hooktui.log.read.query import FIELDS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    Values = Callable[[str, str], Awaitable[Sequence[str]]]

_MOST = 12
# Suggestions for fields with open-ended values.
_USUAL: Mapping[str, tuple[str, ...]] = {
    "since": ("10m", "1h", "1d", "7d"),
    "until": ("1h", "1d", "7d"),
    "slower": ("100ms", "1s", "10s"),
}


class QueryWords(Suggester):
    """Completes the last term. `values` returns a field's values in the log that start with a text."""

    def __init__(self, values: Values) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._values = values

    async def get_suggestion(self, value: str) -> str | None:
        """The whole line with its last term completed; None if there is nothing to add."""
        before, blank, term = value.rpartition(" ")
        choices = await self.choices(value)
        completed = next((choice for choice in choices if choice != term and choice.startswith(term)), None)
        return f"{before}{blank}{completed}" if completed and term else None

    async def choices(self, value: str) -> Sequence[str]:
        """Completions of a line's last term, as whole terms; every field if no term has begun."""
        term = value.rpartition(" ")[2]
        minus = "-" if term.startswith("-") else ""
        field, colon, begun = term.removeprefix("-").partition(":")
        if not colon:
            return [f"{minus}{name}:" for name in FIELDS if name.startswith(field)]
        if field not in FIELDS:
            return ()
        known = [*await self._values(field, begun), *_beginning(begun, (*FIELDS[field].values, *_USUAL.get(field, ())))]
        plain = [name for name in dict.fromkeys(known) if not set(name) & set(' "*')]
        return [f"{minus}{field}:{name}" for name in plain][:_MOST]


def _beginning(text: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(text)]
