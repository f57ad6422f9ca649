"""Gemini CLI (seen in 0.61.0).

It reads the text on stdout, or on stderr if stdout is empty, as JSON at any exit code. Any other text denies at an exit code
other than 0 and 1.
"""

from __future__ import annotations

import sys

from hooktui.hosts.shared import json_protocol, places, spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch

_SETTINGS = ".gemini/settings.json"
_MANAGED = "/Library/Application Support/GeminiCli" if sys.platform == "darwin" else "/etc/gemini-cli"
_TIMEOUT_MS = 900_000  # hooktui holds each hook to its own limit
_DENIABLE = ("pre-tool-call", "post-tool-call", "pre-agent-turn", "pre-agent-turn-stop", "BeforeModel")
_STOPPABLE = ("pre-tool-call", "post-tool-call", "pre-agent-turn", "pre-agent-turn-stop")
_TAKES_CONTEXT = ("pre-session", "pre-agent-turn", "post-tool-call")
_TOP_KEYS = ("decision", "reason", "continue", "stopReason", "systemMessage")
_OBEYS = {
    **dict.fromkeys(("BeforeTool", "AfterTool", "BeforeAgent", "BeforeModel"), (*_TOP_KEYS, "hookSpecificOutput")),
    "AfterAgent": _TOP_KEYS,
    "AfterModel": (*_TOP_KEYS, "hookSpecificOutput"),
    "BeforeToolSelection": ("systemMessage", "hookSpecificOutput"),
    "SessionStart": ("systemMessage", "hookSpecificOutput"),
    **dict.fromkeys(("SessionEnd", "PreCompress", "Notification"), ("systemMessage",)),
}


def _answer(dispatch: Dispatch) -> spec.HostAnswer:
    """Write only what Gemini CLI obeys.

    `ask` before a tool is a denial: without a person, Gemini waits forever. So is a rewrite that leaves out a field: Gemini
    merges it into the original input. A denial that is no plain text, or comes with a message, is JSON.
    """
    name, context = dispatch.event.name, dispatch.additional_context
    before_tool = name == "pre-tool-call"
    rewrite = dispatch.modified_input if before_tool else None
    value: dict[str, Any] = {"systemMessage": "\n".join(dispatch.system_messages)} if dispatch.system_messages else {}
    if dispatch.decision == "stop" and name in _STOPPABLE:
        return spec.printed({"continue": False, "stopReason": dispatch.reason or "Stopped by a hook", **value})
    reason = dispatch.reason or "Blocked by a hook"
    if before_tool and dispatch.decision == "ask":
        reason = dispatch.reason or "A hook asks the user to decide"
    elif rewrite is not None and (lost := _left_in(dispatch.event.payload.get("tool_input"), rewrite)):
        reason = f"A hook removes {', '.join(lost)} from this input, which Gemini CLI does not support"
    elif not (dispatch.blocks and name in _DENIABLE):
        specific: dict[str, Any] = {"tool_input": rewrite} if rewrite is not None else {}
        specific |= {"additionalContext": "\n".join(context)} if context and name in _TAKES_CONTEXT else {}
        if specific:
            value["hookSpecificOutput"] = {"hookEventName": SPEC.spelling(name) or name, **specific}
        return spec.printed(value)
    if value or json_protocol.is_json(reason):
        return spec.printed({"decision": "deny", "reason": reason, **value})
    return spec.denied(reason)


def _left_in(original: Any, rewritten: Any) -> list[str]:
    """The fields of an input that a rewrite leaves out."""
    return [name for name in original if name not in rewritten] if isinstance(original, dict) else []


SPEC: spec.HostSpec = spec.HostSpec(
    name="gemini",
    title="Gemini CLI",
    proof="run (0.61.0)",
    rank=6,
    format="json_hooks",
    files=(  # in the order in which it runs their hooks
        places.HookFiles(scope="project", path=_SETTINGS, settings=True),
        places.HookFiles(scope="user", path=f"~/{_SETTINGS}", settings=True),
        places.HookFiles(
            scope="managed",
            path=f"{_MANAGED}/settings.json",
            settings=True,
            read_only="system settings belong to your administrator",
        ),
        places.HookFiles(
            scope="plugin",
            path="~/.gemini/extensions/*/hooks/hooks.json",
            read_only="it belongs to an installed extension",
            plugin_variable="extensionPath",
            disabling="~/.gemini/extensions/extension-enablement.json",
        ),
    ),
    programs=("gemini",),
    traces=("~/.gemini", _SETTINGS),
    moved={"~": "GEMINI_CLI_HOME"},
    style="agent-loop",
    events=(
        *("SessionStart", "BeforeAgent", "BeforeModel", "BeforeToolSelection", "AfterModel", "BeforeTool", "AfterTool"),
        *("AfterAgent", "PreCompress", "Notification", "SessionEnd"),
    ),
    tools={
        "shell": "run_shell_command",
        "read": "read_file",
        "write": "write_file",
        "edit": "replace",
        "fetch": "web_fetch",
    },
    other_tools=(
        *("glob", "grep_search", "list_directory", "read_many_files", "google_web_search", "write_todos", "save_memory"),
        *("activate_skill", "ask_user", "invoke_agent", "enter_plan_mode", "exit_plan_mode"),
    ),
    unsearched_tools=(
        *("get_internal_docs", "update_topic", "complete_task", "list_mcp_resources", "read_mcp_resource"),
        *("tracker_create_task", "tracker_update_task", "tracker_get_task", "tracker_list_tasks"),
    ),
    edit_tools=("write_file", "replace"),
    inputs={"path": "file_path", "content": "content", "old": "old_string", "new": "new_string"},
    calls={
        "run_shell_command": {"command": "ls", "description": "List the files"},
        "write_file": {"file_path": "notes.txt", "content": "text\n"},
        "replace": {"file_path": "notes.txt", "old_string": "text", "new_string": "words"},
        "read_file": {"file_path": "notes.txt"},
        "web_fetch": {"prompt": "What is https://example.com/?"},
    },
    matcher=spec.MatcherSpec(
        rule="regex",
        trims=True,
        exact_on=("SessionStart", "SessionEnd", "PreCompress"),
        ignored_on=(*("BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection", "Notification"),),
        values={
            "SessionStart": ("startup", "resume", "clear"),
            "SessionEnd": ("exit", "clear", "logout", "prompt_input_exit", "other"),
            "PreCompress": ("manual", "auto"),
        },
        field_help="a JavaScript regex, found anywhere in the tool's name; empty or *: every tool",
        draft_help="a regex like run_shell_command|write_file; empty: any tool",
    ),
    entry=spec.EntrySpec(
        types=("command",),
        keys=("type", "command", "timeout", "env"),
        interpreter=("bash", "-c"),
        timeouts={"command": 60_000},
        timeout_unit="ms",
        file_faults=("syntax", "byte order mark"),
        entry_faults={"timeout": "ends the hook at once, and goes on", "command": "cannot run the hook"},
        matcher_loses_event=True,
        timer_overflows=True,
        nullable=("timeout", "matcher"),
        start_faults=("syntax", "byte order mark", "object"),
        needs_type=True,
        nested=True,
        group_keys=("sequential",),
        project_variable="GEMINI_PROJECT_DIR",
        substitutes_variables=True,
        switch="all files",
        switch_key="hooksConfig.enabled",
        switched_off=False,
        disabled_key="hooksConfig.disabled",
        moved_keys={"enabled": "hooksConfig.enabled", "disabled": "hooksConfig.disabled"},
    ),
    speech=spec.SpeechSpec(
        manner=spec.Manner(at_once=True, once_per_handler=True, once_per_name=True),
        variables=dict.fromkeys(("GEMINI_PROJECT_DIR", "GEMINI_CWD", "CLAUDE_PROJECT_DIR"), "{project}"),
        reads_stderr=True,
        failure_denies=True,
        stderr_alone_at_exit_2=False,
        runs_in_session_dir=True,
        denies_by_exit_2=_DENIABLE,
        obeys=_OBEYS,
        decisions=("block", "deny", "approve", "allow", "ask"),
        block_at=("top",),
        permission_at=(),
        rewrite_key="tool_input",
        merges_rewrites=True,
        context_on=_TAKES_CONTEXT,
        ask_unattended="waits forever",
        own_gate_limit=0,
        session_source="startup",
        notices="systemMessage",
        notices_beside_denial=("pre-tool-call", "post-tool-call", "pre-agent-turn", "pre-agent-turn-stop"),
    ),
    connect=spec.ConnectSpec(
        entry=lambda command, _event: {
            "matcher": "*",
            "hooks": [{"type": "command", "name": "hooktui", "command": command, "timeout": _TIMEOUT_MS}],
        },
    ),
    read=json_protocol.read,
    answer=_answer,
    copies={"project": (_SETTINGS,), "user": (f"~/{_SETTINGS}",)},
    scripts_dir="hooks",
    directories_dir="hooks",
    runs_new_hooks="Gemini CLI runs it no later than its next session.",
)
