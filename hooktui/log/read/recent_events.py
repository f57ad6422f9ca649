"""The newest events of a kind and one hook's outcome of each, for testing matchers and hooks on past events.

A hook's outcome is that of the hook with its id or, for an earlier version with another matcher or command, of the one with its
label in the same file.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core import ids
from hooktui.log.read import event_subject
from hooktui.log.read.connection import reading
from hooktui.runner.redaction import is_cut

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hooktui.core.model import DecisionName, Hook

MAX_SEARCHED = 20_000  # events of the kind, searched for those of a project
MAX_RAN = 500


class LoggedOutcome(NamedTuple):
    """The outcome of a hook version for an event: the fields of a run (contract.md) that can differ between versions."""

    state: str
    skip: str | None
    why: str
    decision: DecisionName
    reason: str | None = None
    modified_input: Mapping[str, Any] | None = None
    additional_context: str | None = None
    duration_ms: float = 0.0


class LoggedEvent(NamedTuple):
    """One event. `payload` is None if it was cut; `outcome` is None if the hook was not considered.

    `recorded`: the log has what the agent program's own hooks answered, so that one without an outcome decided nothing.
    `decision` is that of all hooks, `denied_by` has the labels of the other hooks that denied it.
    """

    id: int
    tool: str | None
    payload: Mapping[str, Any] | None
    outcome: LoggedOutcome | None
    recorded: bool = False
    decision: DecisionName = "none"
    denied_by: tuple[str, ...] = ()

    @property
    def at(self) -> float:
        """When it was handled, in seconds since 1970."""
        return ids.seconds(self.id)


async def read(
    path: str,
    event: str,
    hook_id: str,
    limit: int,
    project: str | None = None,
    chosen: Sequence[int] = (),
    *,
    label: str = "",
    file: str = "",
) -> list[LoggedEvent]:
    """Read the newest events of a canonical name, newest first; `project` None means all projects.

    `chosen` reads the events with these ids instead. Otherwise synthetic events are left out. `label` and `file` find earlier
    versions of the hook. A missing log has no events. Raises LogError.
    """
    values = {"event": event, "hook": hook_id, "limit": limit, "project": project, "most": MAX_SEARCHED}
    values |= {"chosen": json.dumps(list(chosen)), "label": label, "file": file}
    sql = _EVENTS.format(of_kind=_CHOSEN if chosen else _OF_KIND)
    async with reading(path) as connection:
        return [_event(row) for row in await connection.execute_fetchall(sql, values)] if connection else []


async def ran(path: str, hook: Hook, since: int, where: str, values: Mapping[str, Any]) -> list[int]:
    """The ids of the newest events, from one on, on which a hook ran; `where` is a condition on them. Raises LogError."""
    async with reading(path) as connection:
        own = {"event": hook.event, "hook": hook.identity, "label": hook.label, "file": hook.file}
        given = {**values, **own, "since": since, "limit": MAX_RAN}
        rows = await connection.execute_fetchall(_RAN.format(where=where), given) if connection else ()
        return [number for (number,) in rows]


def _event(row: Sequence[Any]) -> LoggedEvent:
    number, tool, together, payload, recorded, denied_by, state, skip, why, decision, reason, duration_ms, effects = row
    kept = None if is_cut(payload) else _object(payload)
    changes = _object(effects) or {}
    rewritten, context = changes.get("modified_input"), changes.get("additional_context")
    outcome = LoggedOutcome(state, skip, why, decision, reason, rewritten, context, duration_ms) if state else None
    return LoggedEvent(number, tool, kept, outcome, bool(recorded), together, tuple(json.loads(denied_by)))


def _object(text: str | None) -> dict[str, Any] | None:
    value = event_subject.parsed(text or "null")
    return value if isinstance(value, dict) else None


# The hook's versions, and those with its label in its file, of which a transcript may not know.
_VERSIONS = "(SELECT id FROM hook WHERE key = as_stored(:hook))"
_OWN = """(SELECT id FROM hook WHERE key = as_stored(:hook)
    OR label = as_stored(:label) AND hook.event = :event AND file IN ('', as_stored(:file)))"""
# `hooks_recorded` is that of a transcript: it tells of every hook that decided, but may not name the one that denied.
_RECORDED = """(
    EXISTS (SELECT 1 FROM run AS other JOIN hook AS of ON of.id = other.hook
        WHERE other.dispatch = event.id AND (other.origin = 'observed' OR of.key GLOB '*:observed:*'))
    OR hooks_recorded IN ('some', 'all') AND (event.decision NOT IN ('deny', 'stop') OR EXISTS (
        SELECT 1 FROM run AS other WHERE other.dispatch = event.id AND other.decision = event.decision)))"""
_DENIED_BY = f"""(
    SELECT json_group_array(DISTINCT ifnull(label, name)) FROM run AS other JOIN hook AS of ON of.id = other.hook
    WHERE other.dispatch = event.id AND other.decision IN ('deny', 'stop') AND other.hook NOT IN {_OWN})"""
_RUN = f"""(
    SELECT own.id FROM run AS own WHERE own.dispatch = event.id AND own.hook IN {_OWN}
    ORDER BY own.hook IN {_VERSIONS} DESC, own.state = 'skipped' LIMIT 1)"""
_ROWS = "SELECT id, tool, session, decision, hooks_recorded, skips FROM dispatch WHERE event = :event"
_OF_KIND = f"{_ROWS} AND synthetic = 0 ORDER BY id DESC LIMIT :most"
_CHOSEN = f"{_ROWS} AND id IN (SELECT value FROM json_each(:chosen))"
_EVENTS = f"""
SELECT event.id, tool, event.decision, payload, {_RECORDED}, {_DENIED_BY},
    ifnull(state, CASE WHEN list THEN 'skipped' END), ifnull(run.skip, skip.skip), ifnull(run.why, skip.why),
    ifnull(run.decision, 'none'), reason, ifnull(duration_ms, 0.0), run.effects
FROM (
    SELECT id, tool, decision, hooks_recorded, skips FROM ({{of_kind}})
    WHERE :project IS NULL OR session IN (SELECT id FROM session WHERE project = as_stored(:project))
    ORDER BY id DESC LIMIT :limit
) AS event
JOIN content ON content.id = event.id
LEFT JOIN run ON run.id = {_RUN}
LEFT JOIN skip ON skip.list = event.skips AND skip.hook IN {_VERSIONS}
ORDER BY event.id DESC"""
_RAN = f"""
SELECT DISTINCT dispatch FROM run
WHERE run.hook IN {_OWN} AND state <> 'skipped' AND dispatch >= :since
    AND EXISTS (SELECT 1 FROM dispatch WHERE id = run.dispatch AND synthetic = 0 AND {{where}})
ORDER BY dispatch DESC LIMIT :limit"""
