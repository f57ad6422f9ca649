"""Factory droid (seen in 0.215)."""

from __future__ import annotations

from hooktui.hosts.shared import json_protocol, places, spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hooktui.core.model import Dispatch, Scope

_TIMEOUT_S = 900
_TAKES_CONTEXT = ("pre-session", "pre-agent-turn", "post-tool-call")
_STOPS = ("pre-tool-call", "post-tool-call", "pre-agent-turn", "pre-agent-turn-stop")
# How a command runs, which droid itself demands or decides: a rewritten input may leave these out.
_OF_EXECUTE = ("riskLevel", "riskLevelReason", "summary", "timeout", "fireAndForget")
_STOP_KEYS = ("continue", "stopReason")
_SPECIFIC = "hookSpecificOutput"


def _files(scope: Scope, directory: str) -> Iterator[places.HookFiles]:
    """The files of a scope. For each event droid reads one of them; the second only without the first."""
    usual, older = f"{directory}/hooks.json", f"{directory}/hooks/hooks.json"
    yield places.HookFiles(scope=scope, path=usual, below="upward", bare=True)
    yield places.HookFiles(scope=scope, path=older, below="upward", bare=True, unless=usual)
    yield places.HookFiles(scope=scope, path=f"{directory}/settings.json", below="upward", settings=True, after=(usual, older))


def _answer(dispatch: Dispatch) -> spec.HostAnswer:
    """Deny with exit 2, which no other hook's answer overrules.

    `ask` is a denial: droid would run the tool. So is a rewrite that leaves a key out, since droid merges it into the input.
    """
    name, rewrite = dispatch.event.name, dispatch.modified_input
    before_tool = name == "pre-tool-call"
    if (before_tool and dispatch.decision == "ask") or (dispatch.decision == "deny" and SPEC.denies_by_exit_2(name)):
        return spec.denied(dispatch.reason or "A hook asks the user to decide")
    if dispatch.decision == "stop":
        return spec.printed({"continue": False, "stopReason": dispatch.reason} if name in _STOPS else {})
    specific: dict[str, Any] = {}
    if rewrite is not None and before_tool:
        if kept := _kept(dispatch.event.payload.get("tool_input"), rewrite):
            return spec.denied(f"A hook removes {', '.join(kept)} from this input, which Factory droid does not support")
        specific["updatedInput"] = rewrite
    if dispatch.additional_context and name in _TAKES_CONTEXT:
        specific["additionalContext"] = "\n".join(dispatch.additional_context)
    return spec.printed({_SPECIFIC: {"hookEventName": SPEC.spelling(name), **specific}} if specific else {})


def _kept(tool_input: Any, rewrite: Mapping[str, Any]) -> list[str]:
    """The keys that a rewrite leaves out, and droid would keep."""
    before = tool_input if isinstance(tool_input, dict) else {}
    return [key for key in before if key not in rewrite and key not in _OF_EXECUTE]


def _entry(command: str, _event: str) -> dict[str, Any]:
    return {"matcher": "*", "hooks": [{"type": "command", "command": command, "timeout": _TIMEOUT_S}]}


SPEC: spec.HostSpec = spec.HostSpec(
    name="droid",
    title="Factory droid",
    proof="run (0.215)",
    rank=9,
    format="json_hooks",
    files=(*_files("user", "~/.factory"), *_files("project", ".factory")),
    programs=("droid",),
    traces=("~/.factory", ".factory"),
    events=(
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Notification", "Stop", "SubagentStop"),
        *("PreCompact", "SessionEnd"),
    ),
    tools={"shell": "Execute", "read": "Read", "write": "Create", "edit": "Edit", "fetch": "FetchUrl"},
    other_tools=(
        *("ApplyPatch", "LS", "Grep", "Glob", "WebSearch", "TodoWrite", "Task", "TaskOutput", "TaskStop", "Skill"),
        *("ToolSearch", "GenerateImage", "ExitSpecMode", "AskUser"),
    ),
    edit_tools=("Create", "Edit", "ApplyPatch"),
    inputs={"path": "file_path", "content": "content", "old": "old_str", "new": "new_str"},
    calls={
        "Execute": {"command": "ls", "riskLevel": "low", "riskLevelReason": "It lists files."},
        "Create": {"file_path": "notes.txt", "content": "text\n"},
        "Edit": {"file_path": "notes.txt", "old_str": "text", "new_str": "words"},
        "Read": {"file_path": "notes.txt"},
    },
    matcher=spec.MatcherSpec(
        rule="regex",
        ignored_on=("UserPromptSubmit", "Notification", "Stop", "SubagentStop", "PreCompact", "SessionEnd"),
        values={"SessionStart": ("startup", "resume", "clear", "compact")},
        command_key="commandRegex",
        field_help="a regex for part of the name, like Execute|Edit; empty or *: every tool",
        draft_help="a regex for part of the name, like Execute; empty: any tool",
    ),
    entry=spec.EntrySpec(
        keys=("type", "command", "timeout"),
        interpreter=("sh", "-c"),
        timeouts={"command": 60},
        zero_is_default=True,
        strict=True,
        entry_faults={"timeout": "ends the hook at once, and goes on"},
        timer_overflows=True,
        file_faults=("syntax", "byte order mark", "event", "flat entry"),
        needs_type=True,
        nested=True,
        project_variable="FACTORY_PROJECT_DIR",
        switch="all files",
        switch_key="hooksDisabled",
        other_keys=("hooksDisabled", "showHookOutput"),
    ),
    speech=spec.SpeechSpec(
        manner=spec.Manner(at_once=True),
        answers_at_any_exit=True,
        text_becomes_context=True,
        variables=dict.fromkeys(("FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "CLAUDE_PROJECT_DIR"), "{project}"),
        denies_by_exit_2=("pre-tool-call", "post-tool-call", "pre-agent-turn", "pre-agent-turn-stop", "pre-context-compact"),
        obeys={
            "PreToolUse": (*_STOP_KEYS, _SPECIFIC),
            "PostToolUse": (*_STOP_KEYS, "systemMessage", _SPECIFIC),
            "UserPromptSubmit": (*_STOP_KEYS, _SPECIFIC),
            "Stop": (*_STOP_KEYS, "systemMessage", "decision", "reason"),
            "SessionStart": (_SPECIFIC,),
        },
        decisions=("block",),
        needs_reason=True,
        runs_in_session_dir=True,
        block_at=("top",),
        permission_at=("nested",),
        stop_exit=3,
        merges_rewrites=True,
        silent_denial="Tool execution blocked by hook",
        sends_timestamp=False,
        session_source="startup",
        ask_unattended="runs the tool",
        no_decision_on=("pre-tool-call",),
        own_gate_limit=0,
    ),
    connect=spec.ConnectSpec(entry=_entry),
    signs=((12, ("hook_event_name", "tool_execution_count")),),
    read=json_protocol.read,
    answer=_answer,
    copies={"project": (".factory/hooks.json",), "user": ("~/.factory/hooks.json",)},
    scripts_dir="hooks",
    directories_dir="hooks",
    runs_new_hooks="Factory droid runs it no later than its next session.",
)
