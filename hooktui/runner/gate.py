"""How often a gate has denied in a row within a turn, and why (formats.md §2, "gate").

A session or a person's prompt begins a turn. A prompt without text, or with the reason of the gate's last denial, is the host's
own: some hosts send the reason back as a prompt. A gate that lets the agent stop ends the row.
"""

from __future__ import annotations

import os

from hooktui.core import events, fast_json, paths
from hooktui.runner import session_files
from hooktui.runner.redaction import stored_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hooktui.core.model import Dispatch, Event


class Gate:
    """The gate of the agent that an event is from. A session is known by its ID, one without by its project."""

    def __init__(self, event: Event, project: str, secrets: Sequence[str] = ()) -> None:
        self._about = [event.session_id, "" if event.session_id else project, events.agent_of(event.payload)]
        self._secrets = secrets
        self._read: dict[str, Any] | None = None

    @property
    def denials(self) -> int:
        """The number of denials since the turn began or the agent was allowed to stop."""
        return int(self._state().get("denials", 0))

    def made_up(self, event: Event) -> bool:
        """Whether an event is a prompt that the host made up. No rule is put to it, and it begins no turn."""
        prompt = events.prompt_of(event.payload) if event.name == events.PROMPT else None
        if not prompt:
            return prompt == ""
        return stored_text(prompt, self._secrets).strip() == self._state().get("reason")

    def follow(self, dispatch: Dispatch) -> None:
        """Count a decision of the gate, or begin a turn. Failures are ignored: the count then stays."""
        event = dispatch.event
        if event.name == events.GATE and dispatch.blocks:
            reason = stored_text(dispatch.reason or "", self._secrets).strip()
            self._keep({"denials": self.denials + 1, "reason": reason})
        elif event.name == events.GATE or (event.name in events.TURN_STARTS and not self.made_up(event)):
            self._keep({})

    @property
    def _path(self) -> str:
        """The file of the count; most events need none."""
        return session_files.path("gates", fast_json.dumps(self._about))

    def _state(self) -> dict[str, Any]:
        if self._read is None:
            self._read = fast_json.read_object(self._path)
        return self._read

    def _keep(self, state: dict[str, Any]) -> None:
        path = self._path
        try:
            if state:
                paths.write_private(path, fast_json.dumps(state).encode())
                session_files.forget_old(os.path.dirname(path))
            elif os.path.exists(path):
                os.unlink(path)
        except OSError:
            return
        self._read = state
