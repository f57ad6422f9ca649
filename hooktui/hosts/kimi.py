"""Kimi Code CLI (seen in 2.1.0).

Its hooks are in the user's `config.toml` only. For one entry that violates the schema Kimi runs no hook at all;
only `kimi doctor` says so.
"""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.hosts.shared import json_protocol, places, spec
from hooktui.hosts.shared.payloads import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch, Event

_TIMEOUT_S = 600
_DENIES = ("pre-tool-call", "pre-agent-turn", "pre-agent-turn-stop")  # it waits for no other event's hooks
_NESTED = ("hookSpecificOutput",)


def _read(host: spec.HostSpec, payload: dict[str, Any], given: str | None, now: str) -> Event:
    """Read a payload. A prompt is a list of parts, an error an object: their texts count."""
    prompt, error = payload.get("prompt"), payload.get("error")
    if isinstance(prompt, list):
        parts = (text(part.get("text")) for part in prompt if isinstance(part, dict))
        payload = {**payload, "prompt": " ".join(filter(None, parts))}
    if isinstance(error, dict):
        payload = {**payload, "error": text(error.get("message"))}
    return json_protocol.read(host, payload, given, now)


def _answer(dispatch: Dispatch) -> spec.HostAnswer:
    """Write only what Kimi obeys: exit 2, and context for a prompt. It lets every other answer pass, and the tool runs.

    So `ask`, a stop and a rewrite before a tool are denials: the original must not run. A stop lets an agent stop that is
    about to.
    """
    name = dispatch.event.name
    before_tool = name == "pre-tool-call"
    stops_anyway = dispatch.decision == "stop" and name == "pre-agent-turn-stop"
    if (before_tool and dispatch.decision == "ask") or (dispatch.blocks and name in _DENIES and not stops_anyway):
        return spec.denied(dispatch.reason or "A hook asks the user to decide")
    if before_tool and dispatch.modified_input is not None:
        wanted = fast_json.dumps(dispatch.modified_input, ascii_only=False)
        return spec.denied(f"A hook changes this input, which {SPEC.title} does not support, to {wanted}")
    context = "\n".join(dispatch.additional_context) if name == "pre-agent-turn" else ""
    return spec.printed({"message": context} if context else {})


_ENTRY = spec.EntrySpec(
    keys=("event", "matcher", "command", "timeout"),
    timeouts={"command": 30},
    longest_timeout=600,
    strict=True,
    only_keys=True,
    whole_seconds=True,
    event_key="event",
    blank="",
    switch="ignored",
)
_PLUGIN = places.HookFiles(
    scope="plugin",
    path="",
    settings=True,
    read_only="it belongs to an installed plugin",
    plugin_variable="KIMI_PLUGIN_ROOT",
    installed="~/.kimi-code/plugins/installed.json",
    entry=_ENTRY.replace(strict=False, drops_entries=True, file_faults=("syntax",)),
)

SPEC: spec.HostSpec = spec.HostSpec(
    name="kimi",
    title="Kimi Code",
    proof="run (2.1.0)",
    rank=10,
    format="json_hooks",
    files=(
        places.HookFiles(scope="user", path="~/.kimi-code/config.toml", settings=True, consequence="runs no hook at all"),
        _PLUGIN.replace(path="~/.kimi-code/plugins/managed/*/kimi.plugin.json"),
        _PLUGIN.replace(path="~/.kimi-code/plugins/managed/*/.kimi-plugin/plugin.json"),
    ),
    programs=("kimi",),
    traces=("~/.kimi-code/config.toml",),
    moved={"~/.kimi-code": "KIMI_CODE_HOME"},
    unread_files=(".kimi-code/config.toml",),
    events=(
        *("SessionStart", "SessionEnd", "SessionHeartbeat", "UserPromptSubmit", "UserPromptQueued", "TurnStarted"),
        *("PreToolUse", "PermissionRequest", "PermissionResult", "PostToolUse", "PostToolUseFailure", "Stop"),
        *("StopFailure", "Interrupt", "SubagentStart", "SubagentStop", "TaskStarted", "PreCompact", "PostCompact"),
        "Notification",
    ),
    tools={"shell": "Bash", "read": "Read", "write": "Write", "edit": "Edit", "fetch": "FetchURL"},
    other_tools=(
        *("Glob", "Grep", "Agent", "AgentSwarm", "AskUserQuestion", "TodoList", "Skill", "EnterPlanMode", "ExitPlanMode"),
        *("ReadMediaFile", "CronCreate", "CronDelete", "CronList", "CreateGoal", "GetGoal", "UpdateGoal"),
        *("SetGoalBudget", "WaitFor"),
    ),
    unsearched_tools=("TaskList", "TaskOutput", "TaskStop"),
    edit_tools=("Write", "Edit"),
    inputs={"path": "path", "content": "content", "old": "old_string", "new": "new_string"},
    calls={
        "Bash": {"command": "ls"},
        "Write": {"path": "notes.txt", "content": "text\n"},
        "Edit": {"path": "notes.txt", "old_string": "text", "new_string": "words"},
        "Read": {"path": "notes.txt"},
        "FetchURL": {"url": "https://example.com/"},
    },
    matcher=spec.MatcherSpec(
        rule="regex",
        everything=("",),
        ignored_on=("Stop", "Interrupt", "SessionHeartbeat"),
        field_help="a JavaScript regex, found anywhere in the tool's name; empty: every tool",
        draft_help="regex, such as ^Bash$; empty: any tool",
    ),
    entry=_ENTRY,
    speech=spec.SpeechSpec(
        manner=spec.Manner(at_once=True, once_per_handler=True),
        text_becomes_context=True,
        denies_by_exit_2=_DENIES,
        obeys={"PreToolUse": _NESTED, "UserPromptSubmit": (*_NESTED, "message"), "Stop": _NESTED},
        nested_keys=("permissionDecision", "permissionDecisionReason"),
        permissions=("deny",),
        decisions=(),
        block_at=(),
        permission_at=("nested",),
        own_gate_limit=1,
        runs_in_session_dir=True,
        sends_timestamp=False,
        session_source="startup",
        prompt_parts=True,
    ),
    connect=spec.ConnectSpec(
        entry=lambda command, event: {"event": event, "command": command, "timeout": _TIMEOUT_S}, scopes=("user",)
    ),
    signs=((12, ("hook_event_name", "client_type")),),
    read=_read,
    answer=_answer,
    copies={"user": ("~/.kimi-code/config.toml",)},
    scripts_dir="hooks",
    directories_dir="hooks",
    runs_new_hooks="Kimi Code runs it from its next session on.",
)
