"""The functions that Python agents have registered as hooks, as the log knows them: no file lists them (formats.md §5)."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from hooktui import events
from hooktui.log.opening import explained, open_readonly
from hooktui.model import Hook

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

FORMAT = "python"
_STATES = ("ok", "failed", "interrupted", "skipped")

# The newest version of each, by the project of the newest dispatch that considered it: one seek in the index of runs a state.
NEWEST = f"SELECT ifnull(max(id), 0) FROM hook WHERE format = '{FORMAT}'"
_KNOWN = f"""
SELECT known.key, known.name, known.event, known.file, known.line, known.text, known.version FROM (
    SELECT *, (SELECT max((SELECT max(dispatch) FROM run WHERE run.hook = hook.id AND state = value)) FROM json_each(:states))
        AS last FROM hook WHERE id IN (SELECT max(id) FROM hook WHERE format = '{FORMAT}' GROUP BY key))
    AS known JOIN dispatch ON dispatch.id = known.last JOIN session ON session.id = dispatch.session
WHERE session.project = :project ORDER BY known.file, known.line"""


async def read(path: str, project: str) -> tuple[Hook, ...]:
    """Those of a project whose file is still there, by file and line. Raises LogError; a missing log knows none."""
    connection = await open_readonly(path)
    if connection is None:
        return ()
    async with explained(path):
        try:
            rows = await connection.execute_fetchall(_KNOWN, {"states": json.dumps(_STATES), "project": project})
        finally:
            await connection.close()
    return tuple(_hook(row) for row in rows if os.path.isfile(row[3]))


def _hook(row: Sequence[Any]) -> Hook:
    key, name, event, file, line, text, version = row
    return Hook(
        id=key,
        name=name,
        event=event,
        event_as_written=events.spelling(event, FORMAT) or event,
        format=FORMAT,
        scope="project",
        file=file,
        line=line,
        type="callback",
        text=text,
        version=version,
    )
