"""Values that the shell completes from the project and the log: hooks, events, sessions and query terms.

What cannot be read offers nothing: a message would land in the middle of the line that somebody types.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    import click

    from hooktui.log.read.decision_log import DecisionLog

T = TypeVar("T")

_MOST = 30


def hooks(context: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem]:
    """The labels of the project's and the user's hooks that begin with a text, with their events."""
    from hooktui.catalog import catalog
    from hooktui.core import paths

    directory = context.params.get("directory") or context.params.get("project") or paths.working_directory()
    with suppress(OSError):
        found = {hook.label: hook.event_as_written for hook in catalog.load(directory).own_hooks}
        return [CompletionItem(name, help=event or None) for name, event in found.items() if name.startswith(typed)]
    return []


def events(_context: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem]:
    """The IDs of the newest events, with what they were about."""
    from hooktui.core import ids
    from hooktui.log.read.query import Query

    async def newest(log: DecisionLog) -> list[CompletionItem]:
        rows = await log.rows(await log.newest(Query(), _MOST))
        named = ((ids.text(row.id), " ".join(filter(None, (row.spelling, row.tool, row.about)))) for row in reversed(rows))
        return [CompletionItem(name, help=_line(about)) for name, about in named if name.startswith(typed)]

    return _from_log(newest)


def query_terms(_context: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem]:
    """The fields of a query or, behind a field and its colon, values: for sessions the newest, with their titles."""
    from hooktui.log.read.query import FIELDS

    name, colon, value = typed.lstrip("-").partition(":")
    minus = "-" if typed.startswith("-") else ""
    if not colon:
        found = ((field, info.meaning) for field, info in FIELDS.items() if field.startswith(name))
        return [CompletionItem(f"{minus}{field}:", help=meaning) for field, meaning in found]
    if name not in FIELDS:
        return []
    offered = {fixed: "" for fixed in FIELDS[name].values if fixed.startswith(value)} or dict(_logged(name, value))
    return [CompletionItem(f"{minus}{name}:{text}", help=_line(title)) for text, title in offered.items()]


def _logged(field: str, typed: str) -> Iterable[tuple[str, str]]:
    """Values of a field in the log that begin with a text, with the titles of sessions."""

    async def values(log: DecisionLog) -> list[tuple[str, str]]:
        if field == "session":
            return [(row.name, row.label) for row in await log.sessions(_MOST, typed) if row.name.startswith(typed)]
        return [(value, "") for value in await log.values(field, typed, _MOST)]

    return _from_log(values)


def _from_log(read: Callable[[DecisionLog], Awaitable[list[T]]]) -> list[T]:
    from hooktui.log.read.connection import LogError
    from hooktui.log.read.reader import LogReader

    async def opened() -> list[T]:
        log = await LogReader.open()
        try:
            return await read(log)
        finally:
            await log.close()

    with suppress(LogError):
        return asyncio.run(opened())
    return []


def _line(text: str) -> str | None:
    """A remark for a list of choices, without control characters."""
    from hooktui.core.text_sanitizer import one_line

    return one_line(" ".join(text.split()))[:60] or None
