"""The sessions to list: those of the log and of unread transcripts, and `would:` in the filter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui.core import ids
from hooktui.log.read import query
from hooktui.log.read.rows import day
from hooktui.log.read.sessions import SORT_KEYS, SessionRow
from hooktui.log.read.terms import NOT_OF_A_FLEET
from hooktui.screens.services.todays_hooks import TodaysHooks
from hooktui.screens.widgets.filter import has_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from textual.screen import Screen

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.query import Query
    from hooktui.transcripts.session_index import SessionHead


async def read_sessions(
    reader: DecisionLog,
    heads: Sequence[SessionHead],
    words: str,
    order: str,
    limit: int,
    *,
    project: str | None,
    only_trouble: bool,
    among: Collection[int] | None,
) -> Sequence[SessionRow]:
    """The sessions of the log and, from `heads`, those that are not in it yet, with `words`; of one project if it is given.

    `among`: only those with these ids.
    """
    rows = await reader.sessions(limit, words, order, project=project, trouble=only_trouble, among=among)
    if not heads or only_trouble or among is not None:  # what happened in an unread session is not known
        return rows
    logged = await reader.session_keys()
    unread = [
        _row(-place, head)
        for place, head in enumerate(heads, 1)
        if (head.host, head.id) not in logged
        and project in (None, head.project)
        and (not words or has_words(words, head.title, head.host, head.project, head.id, day(head.end)))
    ]
    key = SORT_KEYS[order]
    return sorted((*rows, *unread), key=lambda row: (key(row), row.last), reverse=True)[:limit]


def _row(number: int, head: SessionHead) -> SessionRow:
    return SessionRow(
        id=number,
        name=head.id,
        host=head.host,
        project=head.project,
        first=ids.at_time(head.start or head.end),
        last=ids.at_time(head.end),
        events=0,
        denials=0,
        failures=0,
        hook_ms=0.0,
        title=head.title,
        transcript=head.path,
    )


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
