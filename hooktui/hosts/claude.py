"""Claude Code (formats.md §3; seen in 2.1.197 and 2.1.330)."""

from __future__ import annotations

from hooktui.hosts.shared import json_protocol
from hooktui.hosts.shared.json_protocol import reader
from hooktui.hosts.shared.spec import (
    ConnectSpec,
    EntrySpec,
    HookFiles,
    HostAnswer,
    HostSpec,
    Manner,
    MatcherSpec,
    SpeechSpec,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch

_EVENTS = (
    *("SessionStart", "SessionEnd", "Setup", "InstructionsLoaded", "ConfigChange", "CwdChanged", "DirectoryAdded"),
    *("FileChanged", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PermissionRequest", "PermissionDenied"),
    *("PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "MessageDisplay", "SubagentStart"),
    *("SubagentStop", "TaskCreated", "TaskCompleted", "Stop", "StopFailure", "TeammateIdle", "WorktreeCreate"),
    *("WorktreeRemove", "PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch", "Elicitation"),
    "ElicitationResult",
)
# Events on which exit 2 denies; on the others it is at most a message to the person.
_DENIES_BY_EXIT_2 = (
    *("pre-tool-call", "post-tool-call", "post-tool-call-failure", "pre-agent-turn", "pre-agent-turn-stop"),
    *("post-subagent", "pre-context-compact", "UserPromptExpansion", "TeammateIdle", "TaskCreated", "TaskCompleted"),
    *("ConfigChange", "PostToolBatch", "Elicitation", "ElicitationResult", "WorktreeCreate", "WorktreeRemove"),
)
_IGNORES_MATCHER_ON = (
    *("UserPromptSubmit", "Stop", "PostToolBatch", "TeammateIdle", "TaskCreated", "TaskCompleted"),
    *("WorktreeCreate", "WorktreeRemove", "CwdChanged", "MessageDisplay"),
)
_SETTINGS = ".claude/settings.json"
_TIMEOUT_S = 900  # hooktui holds each hook to its own limit; from 1000 it would look like milliseconds


def _answer(dispatch: Dispatch) -> HostAnswer:
    """Exit 2 for a denial wherever Claude takes it as one. It runs a tool in spite of a `stop`, so that is denied too."""
    name = dispatch.event.name
    stops_tool = dispatch.decision == "stop" and name == "pre-tool-call"
    denies = stops_tool or (dispatch.decision == "deny" and SPEC.denies_by_exit_2(name))
    return json_protocol.answer(dispatch, denies=denies and name not in json_protocol.PERMISSION_REQUESTS)


def _entry(command: str) -> dict[str, Any]:
    return {"matcher": "", "hooks": [{"type": "command", "command": command, "timeout": _TIMEOUT_S}]}


SPEC: HostSpec = HostSpec(
    name="claude",
    title="Claude Code",
    rank=1,
    format="json_hooks",
    files=(
        HookFiles(scope="user", path=f"~/{_SETTINGS}"),
        HookFiles(scope="project", path=_SETTINGS),
        HookFiles(scope="local", path=".claude/settings.local.json"),
    ),
    events=_EVENTS,
    tools={"shell": "Bash", "read": "Read", "write": "Write", "edit": "Edit", "fetch": "WebFetch"},
    other_tools=(
        *("MultiEdit", "Glob", "Grep", "LS", "Task", "Agent", "WebSearch", "NotebookEdit", "NotebookRead", "TodoWrite"),
        *("BashOutput", "ExitPlanMode", "Skill", "AskUserQuestion"),
    ),
    unsearched_tools=("KillShell",),  # a regex that looks for Shell means the shell
    own_tools_only=True,
    inputs={"path": "file_path", "content": "content", "old": "old_string", "new": "new_string"},
    calls={
        "Bash": {"command": "ls"},
        "Write": {"file_path": "notes.txt", "content": "text\n"},
        "Edit": {"file_path": "notes.txt", "old_string": "text", "new_string": "words"},
        "Read": {"file_path": "notes.txt"},
        "WebFetch": {"url": "https://example.com/", "prompt": "What is it?"},
    },
    matcher=MatcherSpec(
        ignored_on=_IGNORES_MATCHER_ON,
        field_help="letters, digits, _ - and | are exact names; anything else is a regex; empty or *: every tool",
        draft_help="names like Bash|Edit, or a regex; empty: any tool",
    ),
    entry=EntrySpec(
        types=("command", "http", "mcp_tool", "prompt", "agent"),
        runs=("command", "http", "prompt"),
        keys=(
            *("type", "command", "args", "shell", "async", "asyncRewake", "if", "once", "statusMessage", "timeout"),
            *("url", "headers", "allowedEnvVars", "prompt", "model", "server", "tool", "input"),
        ),
        timeouts={"command": 600, "http": 600, "mcp_tool": 600, "prompt": 30, "agent": 60},
        prompt_timeout=30,
        strict=True,
        nested=True,
        placeholder="${CLAUDE_PROJECT_DIR}",
        program_key="command",
        project_variable="CLAUDE_PROJECT_DIR",
        switch="all files",
    ),
    speech=SpeechSpec(
        manner=Manner(at_once=True, once_per_handler=True),
        strict=True,
        answers_at_any_exit=True,
        text_becomes_context=True,
        variables={"CLAUDE_PROJECT_DIR": "{project}"},
        denies_by_exit_2=_DENIES_BY_EXIT_2,
        runs_in_session_dir=True,
        block_at=("top",),
        goes_on_when_denied=True,
        needs_event_name=True,
        sends_timestamp=False,
        session_source="startup",
    ),
    connect=ConnectSpec(
        project=_SETTINGS,
        user=_SETTINGS,
        entry=_entry,
        named=False,
        siblings=("settings.json", "settings.local.json"),
    ),
    signs=((20, ("hook_event_name", "permission_mode")), (70, ("hook_event_name",))),
    read=reader(lambda: SPEC),
    answer=_answer,
    copies={
        "project": (_SETTINGS,),
        "local": (".claude/settings.local.json",),
        "user": (f"~/{_SETTINGS}",),
    },
    scripts_dir="hooks",
    directories_dir="hooks",
    runs_new_hooks="Claude Code runs it from its next session at the latest.",
)
