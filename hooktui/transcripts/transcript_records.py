"""What a transcript tells: sessions, events and the hook runs that the agent itself reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import DecisionName, State
    from hooktui.core.report import HooksRecorded

# Of a tool call: ran to invalid; of what followed it: ok, failed. A stop that a hook held is denied, one that it held in
# vain ran.
Outcome = Literal[
    "ran", "denied-by-hook", "denied-by-permission", "interrupted", "not-started", "no-result", "invalid",
    "ok", "failed", "denied",
]  # fmt: skip


@dataclass(slots=True, kw_only=True)
class ReportedRun:
    """A hook run as the agent reports it. None or "" stands for what the transcript does not tell.

    `event` is the agent's own name. `dispatch` joins the effects of a run with the run. Of a mod, `command` is its name.
    """

    event: str
    state: State = "ok"
    decision: DecisionName = "none"
    command: str | None = None
    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    duration_ms: float | None = None
    timeout_ms: float | None = None
    reason: str | None = None
    context: str | None = None
    system_message: str | None = None
    modified_input: dict[str, Any] | None = None
    dispatch: str = ""
    is_mod: bool = False


@dataclass(slots=True, kw_only=True)
class TranscriptEvent:
    """An event of a session. `key` identifies it there, however often the transcript is read.

    `tool` and `input` are those that a hook would have seen, `written_tool` is the transcript's word if it differs. `at` is in
    seconds since 1970. `uid` is the agent's own id of the record, the same in a copy of it. `details` are fields of the payload
    that only this event has. `stored`: an earlier portion of the transcript had it.
    """

    key: str
    event: str
    at: float
    tool: str | None = None
    input: Any = None
    call: str | None = None
    written_tool: str | None = None
    outcome: Outcome | None = None
    reason: str | None = None
    hooks: list[ReportedRun] = field(default_factory=list)
    hooks_recorded: HooksRecorded = "some"
    agent: str = ""
    parent_call: str | None = None
    cwd: str = ""
    uid: str = ""
    duration_ms: float | None = None
    details: dict[str, Any] = field(default_factory=dict)
    stored: bool = False


@dataclass(slots=True, kw_only=True)
class TranscriptSession:
    """A session: `title` is the agent's own, else the first line of the first prompt. Times are in seconds since 1970."""

    id: str = ""
    title: str = ""
    prompt: str = ""
    cwd: str = ""
    project: str = ""
    model: str = ""
    version: str = ""
    start: float = 0.0
    end: float = 0.0

    @property
    def name(self) -> str:
        return self.title or self.prompt
