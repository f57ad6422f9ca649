"""What the log says about a gate: the spool's events and those that are stored, in the order in which they were written.

The order is that of the hash chain, not of the clock, which may be set back.
"""

from __future__ import annotations

import os

from hooktui.core import fast_json
from hooktui.log.write import entry, gate_history, spool
from hooktui.log.write.gate_history import GateEvent
from hooktui.security.redaction import stored_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Iterator, Sequence

    from hooktui.log.write.entry import DispatchEntry

_PATIENCE_S = 0.1
_SESSIONS = "SELECT id FROM session WHERE name = ? AND (name <> '' OR project = ?)"
# In the order of the chain. Within one session that is an index, of which only the newest part is read.
_STORED = """
SELECT dispatch.id, event, decision, reason, payload
FROM link JOIN dispatch ON dispatch.id = link.subject JOIN content ON content.id = dispatch.id
WHERE link.session IN ({sessions}) AND kind = 'dispatch' AND synthetic = 0 AND event IN ({events}) ORDER BY link.{order} DESC"""


class GateLog:
    """Answers questions about the gate of one agent in a session, which is known by its ID, without one by its project."""

    def __init__(self, db: str, secrets: Sequence[str]) -> None:
        self._db = db
        self._secrets = secrets

    def denials_in_a_row(self, session_id: str, project: str, agent: str, turn_starts: Sequence[str], gate: str) -> int:
        """Count the denials of an agent's gate since its turn began or the gate last allowed; `turn_starts` begin a turn."""
        history = self._history(session_id, project, (*turn_starts, gate))
        return gate_history.denials(gate_history.of_agent(history, agent), gate)

    def is_gate_reason(self, session_id: str, project: str, agent: str, gate: str, prompt: str) -> bool:
        """Whether a prompt is the reason for which the agent's gate has just denied."""
        history = self._history(session_id, project, (gate,))
        reason = gate_history.last_reason(gate_history.of_agent(history, agent), gate)
        return bool(reason) and gate_history.is_same(stored_text(prompt, self._secrets), reason)

    def _history(self, session_id: str, project: str, events: Sequence[str]) -> Iterator[GateEvent]:
        """The events of a session with these names, newest first. Stored ones are loaded when they are needed."""
        name, project = entry.session_name(session_id, self._secrets), entry.stored_name(project, self._secrets)
        known = set()
        for event in _waiting(self._db, events):  # before the log: the intake may store them meanwhile
            is_own = event.session.name == name and (name or event.session.project == project)
            if is_own and not event.synthetic and event.id not in known:
                known.add(event.id)
                yield _gate_event(event.event, event.decision, event.reason, event.payload)
        for number, event_name, decision, reason, payload in _stored(self._db, name, project, events):
            if number not in known:
                yield _gate_event(event_name, decision, reason, payload)


def _waiting(db: str, events: Sequence[str]) -> Iterator[DispatchEntry]:
    """The events with these names in the spool, newest first; the intake may move some while they are read."""
    names = [f'"{event}"'.encode() for event in events]
    for path in (spool.path_of(db), spool.taken_path(db)):
        for line in spool.lines_backward(path):
            event = spool.entry_of(line) if any(name in line for name in names) else None
            if isinstance(event, entry.DispatchEntry) and event.event in events:
                yield event


def _gate_event(event: str, decision: str, reason: str | None, payload: str) -> GateEvent:
    return GateEvent(event=event, decision=decision, reason=reason, payload=fast_json.parse_object(payload))


def _stored(db: str, name: str, project: str, events: Sequence[str]) -> Iterator[tuple[int, str, str, str | None, str]]:
    """The rows of _STORED; none of a log that cannot be read."""
    if not os.path.exists(db):
        return
    import _sqlite3 as sqlite3

    try:
        connection = _open(db)
        try:
            sessions = [row[0] for row in connection.execute(_SESSIONS, (name, project))]
            order = "nth" if len(sessions) == 1 else "seq"
            query = _STORED.format(sessions=_marks(sessions), events=_marks(events), order=order)
            yield from connection.execute(query, (*sessions, *events))
        finally:
            connection.close()
    except sqlite3.Error:
        return


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _open(db: str) -> sqlite3.Connection:
    import _sqlite3 as sqlite3

    return sqlite3.connect(f"file:{_quoted(os.path.abspath(db))}?mode=ro", uri=True, timeout=_PATIENCE_S)


def _quoted(path: str) -> str:
    """A path in a URI, without `urllib`."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
