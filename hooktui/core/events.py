"""The canonical events and every format's spelling of them: the table of formats.md §1 as data."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

# canonical (kebab), snake, Pascal, camel, in-process, what it means in one line
_TABLE: Final = (
    ("pre-session", "session_start", "SessionStart", "sessionStart", "ExecutionStart", "a session begins"),
    ("post-session", "session_end", "SessionEnd", "sessionEnd", "ExecutionEnd", "a session has ended"),
    ("pre-agent-turn", "before_agent", "UserPromptSubmit", "userPromptSubmitted", "", "the agent is about to read input"),
    ("post-agent-turn", "after_agent", "", "", "", "the agent has finished a turn"),
    ("pre-agent-turn-stop", "before_stop", "Stop", "agentStop", "Stop", "the agent wants to stop (gate)"),
    ("post-agent-turn-stop", "", "", "", "", "the agent has stopped"),
    ("pre-tool-call", "before_tool", "PreToolUse", "preToolUse", "PreToolUse", "a tool is about to run"),
    ("post-tool-call", "after_tool", "PostToolUse", "postToolUse", "PostToolUse", "a tool has succeeded"),
    ("post-tool-call-failure", "after_tool_failure", "PostToolUseFailure", "postToolUseFailure", "", "a tool has failed"),
    ("pre-subagent", "subagent_start", "SubagentStart", "subagentStart", "", "a subagent begins"),
    ("post-subagent", "subagent_stop", "SubagentStop", "subagentStop", "SubagentStop", "a subagent has finished"),
    ("pre-context-compact", "pre_compact", "PreCompact", "preCompact", "", "the context is about to be compacted"),
    ("post-context-compact", "", "PostCompact", "", "", "the context has been compacted"),
    ("pre-step", "", "", "", "BeforeStep", "an agent's step begins (in-process)"),
    ("post-step", "", "", "", "AfterStep", "an agent's step has ended (in-process)"),
    ("agent-failure", "", "StopFailure", "errorOccurred", "AgentFailed", "the agent failed"),
)
_COLUMN: Final = {"kebab": 0, "snake": 1, "pascal": 2, "camel": 3, "in-process": 4}
# Styles of hosts that name few events as others do: before and after each part of the agent loop.
_OWN_STYLES: Final[Mapping[str, Mapping[str, str]]] = {
    "agent-loop": {
        "pre-session": "SessionStart",
        "post-session": "SessionEnd",
        "pre-agent-turn": "BeforeAgent",
        "pre-agent-turn-stop": "AfterAgent",
        "pre-tool-call": "BeforeTool",
        "post-tool-call": "AfterTool",
        "pre-context-compact": "PreCompress",
    },
    "steps": {
        "pre-session": "sessionStart",
        "post-session": "sessionEnd",
        "pre-agent-turn": "beforeSubmitPrompt",
        "pre-agent-turn-stop": "stop",
        "pre-tool-call": "preToolUse",
        "post-tool-call": "postToolUse",
        "post-tool-call-failure": "postToolUseFailure",
        "pre-subagent": "subagentStart",
        "post-subagent": "subagentStop",
        "pre-context-compact": "preCompact",
    },
}
_IN_PROCESS_ONLY: Final = ("pre-step", "post-step", "agent-failure")

CANONICAL: Final = tuple(row[0] for row in _TABLE)
# In the words of every format that has it.
NAMES: Final = {
    row[0]: tuple(filter(None, (*row[:5], *(names.get(row[0]) for names in _OWN_STYLES.values())))) for row in _TABLE
}
MEANING: Final = {row[0]: row[5] for row in _TABLE}
GATE: Final = "pre-agent-turn-stop"
PROMPT: Final = "pre-agent-turn"
TURN_STARTS: Final = ("pre-session", PROMPT)
GATES: Final = (GATE, "post-subagent")  # a denial makes the agent go on; without one it stops
UNDENIABLE: Final = ("post-session",)  # whatever the host accepts there
TOOL_EVENTS: Final = ("pre-tool-call", "post-tool-call", "post-tool-call-failure")
# What a HOOK.md `trigger` may be: 13 kebab-case names (seed 000) and 11 snake_case ones (seed 001).
TRIGGERS: Final = tuple(name for name in CANONICAL if name not in _IN_PROCESS_ONLY) + tuple(row[1] for row in _TABLE if row[1])
# Fields an event adds to an AgentHooks stdin, besides those that every event has (formats.md §1, §2).
_TOOL_FIELDS: Final = ("tool_name", "tool_input", "tool_use_id")
_SUBAGENT_FIELDS: Final = ("subagent_name", "subagent_type", "task_description")
FIELDS: Final = {
    "pre-session": ("model", "args"),
    "post-session": ("duration_seconds", "total_steps", "exit_reason"),
    "pre-agent-turn": ("prompt",),
    "pre-agent-turn-stop": ("stop_reason", "step_count", "final_message"),
    "pre-tool-call": _TOOL_FIELDS,
    "post-tool-call": (*_TOOL_FIELDS, "tool_output"),
    "post-tool-call-failure": (*_TOOL_FIELDS, "error"),
    "pre-subagent": _SUBAGENT_FIELDS,
    "post-subagent": (*_SUBAGENT_FIELDS, "final_message"),
    "pre-context-compact": ("trigger",),
    "agent-failure": ("error",),
}

# Events without a canonical twin: they keep their own name and load, list, try and log like any other (§1).
WITHOUT_TWIN: Final = (
    "Setup", "UserPromptExpansion", "PermissionRequest", "PermissionDenied", "PostToolBatch", "Notification", "MessageDisplay",
    "TaskCreated", "TaskCompleted", "TeammateIdle", "InstructionsLoaded", "ConfigChange", "CwdChanged", "DirectoryAdded",
    "FileChanged", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult", "BeforeModel", "AfterModel",
    "BeforeToolSelection", "TodoCreated", "TodoCompleted", "SessionDelete", "PreSkillShellCommand",
)  # fmt: skip

_BY_SPELLING: Final = {spelling: row[0] for row in _TABLE for spelling in row[:5] if spelling}
for _names in _OWN_STYLES.values():
    _BY_SPELLING.update({spelling: event for event, spelling in _names.items()})
SPELLINGS: Final = tuple(_BY_SPELLING)


_AGENT_FIELDS: Final = ("agent_id", "agentId", "agent_name")


def agent_of(payload: Mapping[str, Any]) -> str:
    """The agent that an event belongs to within its session; empty for the session's own."""
    return next((value for name in _AGENT_FIELDS if isinstance(value := payload.get(name), str)), "")


def prompt_of(payload: Mapping[str, Any]) -> str | None:
    """The stripped text of a prompt; None for a payload without one."""
    prompt = payload.get("prompt")
    return prompt.strip() if isinstance(prompt, str) else None


def canonical(name: str) -> str | None:
    """The canonical name of an event in any format's spelling; None for an unknown event."""
    return _BY_SPELLING.get(name)


def spelling(event: str, style: str) -> str | None:
    """A canonical event in a style, such as `kebab` or `in-process`; None when it has no such name."""
    if style in _OWN_STYLES:
        return _OWN_STYLES[style].get(event)
    column = _COLUMN[style]
    return next((row[column] for row in _TABLE if row[0] == event and row[column]), None)


def in_style(style: str) -> tuple[str, ...]:
    """All names of a style."""
    column = _COLUMN[style]
    return tuple(row[column] for row in _TABLE if row[column])
