"""`would:` in the filter of the sessions: those with events on which today's hooks would decide so, and how many."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui.log.read import query
from hooktui.log.read.terms import NOT_OF_A_FLEET
from hooktui.screens.services.todays_hooks import TodaysHooks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.screen import Screen

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.query import Query

_TERM = re.compile(r"-?\bwould:\S*")


class WouldFilter:
    """The part of a filter that today's hooks answer. `words` is the rest, `error` what is wrong with it."""

    def __init__(self, screen: Screen[None], on_progress: Callable[[], object], on_end: Callable[[], object]) -> None:
        self.hooks = TodaysHooks(screen, on_progress, on_end)
        self.words = ""
        self.error = ""
        self._answered: Query | None = None

    async def ask(self, reader: DecisionLog, words: str) -> None:
        """Answer the terms of a filter. Raises LogError."""
        self.words, self.error, self._answered = " ".join(_TERM.sub(" ", words).split()), "", None
        try:
            wanted = query.parse(" ".join(_TERM.findall(words)))
        except query.QueryError as error:
            self.error = str(error)
            self._answered = query.parse("would:match")  # which finds nothing until it is answered
            return
        if wanted.would and reader.path is None:
            self.error, self._answered = NOT_OF_A_FLEET, wanted
            return
        answered = await self.hooks.answer(reader, wanted)
        self._answered = answered if wanted.would else None

    async def counts(self, reader: DecisionLog) -> Mapping[int, int] | None:
        """The number of such events of each session that has any, by its row; None without such a filter. Raises LogError."""
        return None if self._answered is None else await reader.session_counts(self._answered)
