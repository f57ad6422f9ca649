"""The gate in one session and agent: how often it has denied in a row, and why (formats.md §2, "gate").

A session or a person's prompt begins a new turn. A prompt without text, or with the reason of the gate's last denial, is the
host's own: some hosts send the reason back as a prompt.
"""

from __future__ import annotations

from hooktui.core import events
from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


class GateEvent(Record):
    """A logged event of the gate, or one that may begin a turn."""

    event: str
    decision: str
    reason: str | None
    payload: dict[str, Any]

    @property
    def denied(self) -> bool:
        return self.decision in ("deny", "stop")


def of_agent(history: Iterable[GateEvent], agent: str) -> Iterator[GateEvent]:
    """The events of one agent in a session."""
    return (event for event in history if events.agent_of(event.payload) == agent)


def denials(history: Iterable[GateEvent], gate: str) -> int:
    """Count the denials since the turn began or the gate last allowed. The history is that of one agent, newest first."""
    count, sent_back = 0, None  # a newer prompt that may be the reason of the next denial
    for event in history:
        if event.event != gate:
            prompt = events.prompt_of(event.payload) if event.event == events.PROMPT else None
            if prompt is None or (prompt and sent_back not in (None, prompt)):
                break
            sent_back = prompt or sent_back
        elif not event.denied or (sent_back is not None and not is_same(sent_back, event.reason)):
            break
        else:
            count, sent_back = count + 1, None
    return count


def last_reason(history: Iterable[GateEvent], gate: str) -> str | None:
    """The reason of the gate's last decision, None if that was no denial. The history is that of one agent, newest first."""
    last = next((event for event in history if event.event == gate), None)
    return last.reason if last and last.denied else None


def is_same(prompt: str, reason: str | None) -> bool:
    """Whether a prompt is the reason of a denial."""
    return prompt.strip() == (reason or "").strip()
