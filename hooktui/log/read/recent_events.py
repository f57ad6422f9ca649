"""The newest events of a kind and one hook's outcome of each, for testing matchers and hooks on past events."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.core import ids
from hooktui.log.read import event_subject
from hooktui.log.read.connection import reading
from hooktui.security.redaction import is_cut

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hooktui.core.model import DecisionName, Origin

MAX_SEARCHED = 20_000  # events of the kind, searched for those of a project
MAX_RAN = 500


@dataclass(frozen=True, slots=True)
class LoggedOutcome:
    """The outcome of a hook version for an event: the fields of a run (contract.md) that can differ between versions."""

    state: str
    skip: str | None
    why: str
    decision: DecisionName
    reason: str | None = None
    modified_input: Mapping[str, Any] | None = None
    additional_context: str | None = None
    duration_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One event. `payload` is None if it was cut; `outcome` is None if the hook was not considered.

    `observed`: what the agent program's own hooks answered was recorded. `decision` is that of all hooks, `origin` says who
    tells of it.
    """

    id: int
    tool: str | None
    payload: Mapping[str, Any] | None
    outcome: LoggedOutcome | None
    observed: bool = False
    decision: DecisionName = "none"
    origin: Origin = "run"

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
) -> list[LoggedEvent]:
    """Read the newest events of a canonical name, newest first; `project` None means all projects.

    `chosen` reads the events with these ids instead. Otherwise synthetic events are left out. A missing log has none.
    Raises LogError.
    """
    values = {"event": event, "hook": hook_id, "limit": limit, "project": project, "most": MAX_SEARCHED}
    values["chosen"] = json.dumps(list(chosen))
    sql = _EVENTS.format(of_kind=_CHOSEN if chosen else _OF_KIND)
    async with reading(path) as connection:
        return [_event(row) for row in await connection.execute_fetchall(sql, values)] if connection else []


async def ran(path: str, hook_id: str, since: int, where: str, values: Mapping[str, Any]) -> list[int]:
    """The ids of the newest events, from one on, on which a hook ran; `where` is a condition on them. Raises LogError."""
    async with reading(path) as connection:
        given = {**values, "hook": hook_id, "since": since, "limit": MAX_RAN}
        rows = await connection.execute_fetchall(_RAN.format(where=where), given) if connection else ()
        return [number for (number,) in rows]


def _event(row: Sequence[Any]) -> LoggedEvent:
    number, tool, together, origin, payload, observed, state, skip, why, decision, reason, duration_ms, effects = row
    kept = None if is_cut(payload) else _object(payload)
    if state is None:
        return LoggedEvent(number, tool, kept, None, bool(observed), together, origin)
    changes = _object(effects) or {}
    rewritten, context = changes.get("modified_input"), changes.get("additional_context")
    outcome = LoggedOutcome(state, skip, why, decision, reason, rewritten, context, duration_ms)
    return LoggedEvent(number, tool, kept, outcome, bool(observed), together, origin)


def _object(text: str | None) -> dict[str, Any] | None:
    value = event_subject.parsed(text or "null")
    return value if isinstance(value, dict) else None


_OBSERVED = """EXISTS (
    SELECT 1 FROM run AS other JOIN hook AS of ON of.id = other.hook
    WHERE other.dispatch = event.id AND (other.origin = 'observed' OR of.key GLOB '*:observed:*'))"""
_ROWS = "SELECT id, tool, session, decision, origin, skips FROM dispatch WHERE event = :event"
_OF_KIND = f"{_ROWS} AND synthetic = 0 ORDER BY id DESC LIMIT :most"
_CHOSEN = f"{_ROWS} AND id IN (SELECT value FROM json_each(:chosen))"
_HOOKS = "(SELECT id FROM hook WHERE key = as_stored(:hook))"
_EVENTS = f"""
SELECT event.id, tool, event.decision, event.origin, payload, {_OBSERVED},
    ifnull(state, CASE WHEN list THEN 'skipped' END), ifnull(run.skip, skip.skip), ifnull(run.why, skip.why),
    ifnull(run.decision, 'none'), reason, ifnull(duration_ms, 0.0), run.effects
FROM (
    SELECT id, tool, decision, origin, skips FROM ({{of_kind}})
    WHERE :project IS NULL OR session IN (SELECT id FROM session WHERE project = as_stored(:project))
    ORDER BY id DESC LIMIT :limit
) AS event
JOIN content ON content.id = event.id
LEFT JOIN run ON run.dispatch = event.id AND run.hook IN {_HOOKS}
LEFT JOIN skip ON skip.list = event.skips AND skip.hook IN {_HOOKS}
ORDER BY event.id DESC"""
_RAN = """
SELECT DISTINCT dispatch FROM hook CROSS JOIN run ON run.hook = hook.id
WHERE key = as_stored(:hook) AND state <> 'skipped' AND dispatch >= :since
    AND EXISTS (SELECT 1 FROM dispatch WHERE id = run.dispatch AND synthetic = 0 AND {where})
ORDER BY dispatch DESC LIMIT :limit"""
