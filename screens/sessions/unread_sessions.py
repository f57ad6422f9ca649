"""Sessions that a transcript has and the log does not have yet, as rows of the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core import ids
from hooktui.log.read.sessions import SORT_KEYS, SessionRow
from hooktui.screens.widgets.filter import has_words

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.transcripts.session_heads import SessionHead


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
        and (not words or has_words(words, head.title, head.host, head.project, head.id))
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
