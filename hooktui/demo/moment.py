"""One event of the demo's story."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.core.model import DecisionName

# Seconds an agent takes before an event: it thinks before it calls a tool, and a person reads before they answer.
_PAUSE_S = {"pre-session": 0.8, "pre-agent-turn": 1.0, "pre-tool-call": 0.5, "pre-agent-turn-stop": 0.7}
_SHORT_PAUSE_S = 0.2


@dataclass(frozen=True, slots=True)
class Moment:
    """One event of the story.

    `event` is its canonical name, `fields` are what its host says of it, in that host's own words. `hooks` says of some hooks
    what becomes of them: their state, or why they are skipped. `writes` is the file of the project, and its text, that the
    agent's tool writes before this event.
    """

    session: str
    event: str
    fields: Mapping[str, Any]
    decision: DecisionName = "none"
    hooks: Mapping[str, str] = field(default_factory=dict)
    writes: tuple[str, str] | None = None
    host: str = "agenthooks"

    @property
    def pause_s(self) -> float:
        """Seconds that pass before it."""
        return _PAUSE_S.get(self.event, _SHORT_PAUSE_S)
