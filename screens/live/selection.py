"""What the user chose to see on the Live screen, and what to search for in it, as queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.log.read import query

if TYPE_CHECKING:
    import re

    from hooktui.log.read.query import Query
    from hooktui.screens.widgets.scope import ProjectScope


@dataclass
class Selection:
    """`words` and `search` are the filter and the search as typed, both valid queries."""

    scope: ProjectScope
    words: str = ""
    search: str = ""
    only_trouble: bool = False

    @property
    def shown(self) -> Query:
        """The decisions to show."""
        return self._query(self.words)

    @property
    def searched(self) -> Query | None:
        """The decisions to find; None without a search.

        A search goes only to rows that the filter shows, so one for `would:` need not be answered again for it.
        """
        words = "" if "would:" in self.words else self.words
        return self._query(words, self.search) if self.search.strip() else None

    @property
    def highlight(self) -> re.Pattern[str] | None:
        """What to highlight in the rows."""
        return query.parse(query.joined(self.words, self.search)).highlight

    @property
    def name(self) -> str:
        """The filter in words; "" if everything is shown."""
        return self.words.strip() or ("denied or failed" if self.only_trouble else "")

    def _query(self, *words: str) -> Query:
        """The query for typed words within what is shown."""
        here = f"project:{query.quoted(self.scope.shown)}" if self.scope.shown else ""
        wanted = query.parse(query.joined(here, *words))
        return query.of_trouble(wanted) if self.only_trouble else wanted
