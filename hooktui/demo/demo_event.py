"""One event of the demo's script."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.core.model import DecisionName

# Seconds before an event: an agent thinks before it calls a tool, a person reads before they answer.
_PAUSE_S = {"pre-session": 0.8, "pre-agent-turn": 1.0, "pre-tool-call": 0.5, "pre-agent-turn-stop": 0.7}
_SHORT_PAUSE_S = 0.2


@dataclass(frozen=True, slots=True)
class DemoEvent:
    """One event and its expected result.

    `event` is the canonical name; `fields` is the payload in the host's spelling. `hooks` maps names to the expected state or
    skip reason. `writes` is the path and text of a project file that the agent's tool writes before the event.
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
        """Seconds to wait before the event."""
        return _PAUSE_S.get(self.event, _SHORT_PAUSE_S)
