"""Join the records of one event: `run` reports it once, `exec` once for each observed hook, in any order and within seconds.

Each record stays as it was recorded, in the table `part`, and the hash chain covers it. The row of `dispatch` is merged from
them; verify.py merges them again and compares.
"""

from __future__ import annotations

from hooktui.core import fast_json, ids
from hooktui.core.model import DECISIONS, effect_of
from hooktui.core.records import Record
from hooktui.log.write.entry import STATES, stored_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    from hooktui.core.model import DecisionName, Effect, Origin
    from hooktui.log.write.entry import DispatchEntry

# Between two records of one event. Some hosts start a hook when the one before has ended; a loaded machine starts it late.
_GAP_MS = 10_000.0
_LISTS = ("additional_context", "system_messages", "log", "warnings")  # effects that are collected


class EventRecord(Record):
    """An event as one process reported it: a row of `part`, or of `dispatch` while it has no parts.

    `payload` is None if it is that of the event; `skips` is the row of its list of skipped hooks.
    """

    id: int
    tool: str | None
    decision: DecisionName
    state: str
    ran: str
    reason: str | None
    duration_ms: float
    synthetic: int
    payload: str | None
    effects: str | None
    origin: Origin
    skips: int | None

    @property
    def begin_ms(self) -> float:
        return ids.seconds(self.id) * 1000

    @property
    def end_ms(self) -> float:
        return self.begin_ms + self.duration_ms


COLUMNS = EventRecord._fields
# The columns of `dispatch` and `content` that are merged.
MERGED = ("tool", "decision", "state", "ran", "reason", "duration_ms", "origin", "skips")
ADD_PART = f"INSERT INTO part (dispatch, {', '.join(COLUMNS)})"
MERGE = f"UPDATE dispatch SET {', '.join(f'{name} = ?' for name in MERGED)}, effect = ? WHERE id = ?"
PARTS = f"SELECT {', '.join(COLUMNS)} FROM part WHERE dispatch = ? ORDER BY id"
ALONE = f"""
SELECT {", ".join("NULL" if name == "payload" else name for name in COLUMNS)}
FROM dispatch JOIN content USING (id) WHERE dispatch.id = ?"""
_CANDIDATES = """
SELECT dispatch.id FROM dispatch JOIN session ON session.id = session
WHERE event_key = :key AND name = :name AND host = :host AND project = :project AND (:observed OR origin = 'observed')
ORDER BY abs(dispatch.id - :id) LIMIT 20"""
_RAN = "SELECT hook.key FROM run JOIN hook ON hook.id = run.hook WHERE run.dispatch = ? AND run.state <> 'skipped'"


def event_of(connection: sqlite3.Connection, entry: DispatchEntry, hooks: AbstractSet[str]) -> int | None:
    """The id of the event in the log that an entry reports too; None for a new event. `hooks` are the keys of those that ran.

    Only one record is of `run`, and none of another record's hooks ran again: that is the next event.
    """
    about = {"key": entry.event_key, "id": entry.id, "observed": entry.origin == "observed", **entry.session.as_dict()}
    candidates = connection.execute(_CANDIDATES, about).fetchall()
    new = record_of(entry)
    for (number,) in candidates:
        known = records(connection, number)
        gap = max(new.begin_ms - max(record.end_ms for record in known), min(record.begin_ms for record in known) - new.end_ms)
        twice = entry.origin == "run" and any(record.origin == "run" for record in known)
        if gap <= _GAP_MS and not twice and hooks.isdisjoint(key for (key,) in connection.execute(_RAN, (number,))):
            return int(number)
    return None


def records(connection: sqlite3.Connection, number: int) -> list[EventRecord]:
    """The records of an event, by the time they began. Raises sqlite3.Error."""
    rows = connection.execute(PARTS, (number,)).fetchall() or connection.execute(ALONE, (number,)).fetchall()
    return [EventRecord(**dict(zip(COLUMNS, row, strict=True))) for row in rows]


def record_of(entry: DispatchEntry, skips: int | None = None) -> EventRecord:
    """The record that an entry holds; `skips` is the row of its list of skipped hooks."""
    return EventRecord(**{name: getattr(entry, name) for name in COLUMNS if name != "skips"}, skips=skips)


def merged(parts: Sequence[EventRecord]) -> EventRecord:
    """The whole event: the decision that the host obeyed, and the time that it waited."""
    parts = sorted(parts, key=lambda part: part.id)
    decision = max((part.decision for part in parts), key=DECISIONS.index)
    reasons = [part.reason for part in parts if part.decision == decision and part.reason]
    waited = [part for part in parts if part.duration_ms]
    began, ended = min((p.begin_ms for p in waited), default=0.0), max((p.end_ms for p in waited), default=0.0)
    return parts[0].replace(
        tool=next(filter(None, (part.tool for part in parts)), None),
        decision=decision,
        state=max((part.state for part in parts), key=STATES.index),
        ran="\n".join(part.ran for part in sorted(parts, key=lambda part: part.decision != decision) if part.ran),
        reason="\n".join(dict.fromkeys(reasons)) or None,
        duration_ms=ended - began,
        effects=_merged_effects(parts, decision),
        origin=_origin(parts),
        skips=next(filter(None, (part.skips for part in parts)), None),
    )


def effect(decision: DecisionName, effects: str | None) -> Effect:
    """What a dispatch did, by its decision and its effects as stored."""
    values = _parsed(effects)
    return effect_of(decision, values.get("modified_input"), values.get("additional_context"))


def _origin(parts: Iterable[EventRecord]) -> Origin:
    """`run` if hooktui ran a hook, else `observed`."""
    return "run" if any(part.origin == "run" and part.ran for part in parts) else "observed"


def _merged_effects(parts: Sequence[EventRecord], decision: DecisionName) -> str | None:
    values: dict[str, Any] = {}
    for part in sorted(parts, key=lambda part: part.end_ms):  # the last rewrite counts
        effects = _parsed(part.effects)
        values |= {"modified_input": effects["modified_input"]} if effects.get("modified_input") is not None else {}
    if decision in ("deny", "stop"):
        values = {}
    for name in _LISTS:
        texts = [text for part in parts for text in _parsed(part.effects).get(name) or ()]
        values |= {name: texts} if texts else {}
    return stored_json(values, ())


def _parsed(effects: str | None) -> dict[str, Any]:
    try:
        values = fast_json.loads(effects) if effects else {}
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}
