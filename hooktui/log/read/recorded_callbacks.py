"""The functions that Python agents have registered as hooks: only the log lists them (formats.md §5)."""

from __future__ import annotations

import json
import linecache
import os
from collections.abc import Sequence
from typing import Any

from hooktui import hosts
from hooktui.core.model import Callback, Hook
from hooktui.log.read.connection import reading

FORMAT = hosts.IN_PROCESS.name
_LAMBDA = "<lambda>"
_STATES = ("ok", "failed", "interrupted", "skipped")

NEWEST = f"SELECT ifnull(max(id), 0) FROM hook WHERE format = '{FORMAT}'"
# The version of each function that ran last, by the project of that run: one index seek for each state.
_KNOWN = f"""
WITH version AS (
    SELECT *, max(
        (SELECT ifnull(max((SELECT max(dispatch) FROM run WHERE run.hook = hook.id AND state = value)), 0)
            FROM json_each(:states)),
        (SELECT ifnull(max((SELECT max(id) FROM dispatch WHERE dispatch.skips = skip.list)), 0) FROM skip WHERE hook = hook.id)
    ) AS last FROM hook WHERE format = '{FORMAT}'),
known AS (SELECT *, max(last) FROM version GROUP BY file, key)
SELECT known.key, known.name, known.event, replace(known.file, as_stored(:project), :project), known.line, known.text,
    known.version
FROM known JOIN dispatch ON dispatch.id = known.last JOIN session ON session.id = dispatch.session
WHERE session.project = as_stored(:project) ORDER BY known.file, known.line"""


async def read(path: str, project: str) -> tuple[Hook, ...]:
    """Read a project's functions that still exist, by file and line. A missing log has none. Raises LogError."""
    linecache.checkcache()
    async with reading(path) as connection:
        values = {"states": json.dumps(_STATES), "project": project}
        rows = await connection.execute_fetchall(_KNOWN, values) if connection else ()
    return tuple(hook for hook in map(_hook, rows) if _exists(hook))


def _exists(hook: Hook) -> bool:
    """Whether the function's file exists; a lambda, identified only by its line, must still be there."""
    if _LAMBDA not in hook.name:
        return os.path.isfile(hook.file)
    first, _, _ = hook.text.partition("\n")
    return linecache.getline(hook.file, hook.line).rstrip("\n") == first


def _hook(row: Sequence[Any]) -> Hook:
    key, name, event, file, line, text, version = row
    return Hook(
        id=key,
        name=name,
        event=event,
        event_as_written=hosts.IN_PROCESS.spelling(event) or event,
        format=FORMAT,
        scope="project",
        file=file,
        line=line,
        source=Callback(),
        type="callback",
        text=text,
        version=version,
    )
