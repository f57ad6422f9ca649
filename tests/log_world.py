"""A log with known contents, written by the real writer: fixed ids, fixed times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui import ids
from hooktui.log.writer import Recorder
from hooktui.model import Dispatch, Event, Hook, Outcome, Run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hooktui.model import DecisionName, State

NOON = 1_768_996_800.0  # 2026-01-21T12:00:00Z


class LogWorld:
    """Writes dispatches a second apart, from noon on."""

    def __init__(self, db: str) -> None:
        self.db = db
        self.recorder = Recorder(db)
        self.count = 0

    def add(
        self,
        event: str = "pre-tool-call",
        *,
        tool: str | None = None,
        decision: DecisionName = "none",
        reason: str | None = None,
        runs: Sequence[Run] = (),
        payload: dict[str, Any] | None = None,
        session: str = "s1",
        host: str = "agenthooks",
        project: str = "/work/app",
        duration_ms: float = 12.5,
        at: float | None = None,
        **more: Any,
    ) -> int:
        """Record one dispatch; its id."""
        number = ids.at_time(NOON + self.count if at is None else at) + 1
        self.count += 1
        happened = Event(
            name=event,
            as_written=event,
            known=True,
            host=host,
            session_id=session,
            work_dir=project,
            timestamp="",
            tool_name=tool,
            payload=payload or {"event_type": event, **({"tool_name": tool} if tool else {})},
        )
        one = Dispatch(
            id=number,
            event=happened,
            project=project,
            runs=tuple(run.replace(id=number + 1 + place) for place, run in enumerate(runs)),
            decision=decision,
            reason=reason,
            duration_ms=duration_ms,
            **more,
        )
        warning = self.recorder.record(one)
        assert warning is None, warning
        return number


def run(name: str, state: State = "ok", **values: Any) -> Run:
    """A run of a hook of that name; `decision` and other fields of an outcome may be given too."""
    said = {key: values.pop(key) for key in tuple(values) if key in Outcome.__annotations__}
    hook = Hook(
        id=f"agenthooks:user:{name}",
        name=name,
        event="pre-tool-call",
        event_as_written="pre-tool-call",
        format="agenthooks",
        scope="user",
        file=f"/home/me/.config/agents/hooks/{name}/HOOK.md",
        line=4,
        version=name,
    )
    return Run(id=0, hook=hook, state=state, outcome=Outcome(**said), **values)
