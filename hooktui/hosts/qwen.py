"""Qwen Code (seen in 0.24.4; 0.15.10 has no aliases of tools, counts timeouts in milliseconds, and keeps a denied result).

It reads the text on stdout, or on stderr if stdout is empty, as JSON at any exit code. At exit 2 it reads stderr only, and any
other text there denies.
"""

from __future__ import annotations

import os
import sys

from hooktui.core import fast_json
from hooktui.hosts.base import Scheduling
from hooktui.hosts.shared import json_protocol
from hooktui.hosts.shared.answers import HostAnswer, denied, printed
from hooktui.hosts.shared.blanks import JAVASCRIPT
from hooktui.hosts.shared.entry_spec import EntrySpec
from hooktui.hosts.shared.json_host import JsonHost
from hooktui.hosts.shared.matcher_spec import MatcherSpec
from hooktui.hosts.shared.places import HookFiles, beside_moved, system_files, system_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hooktui.core.model import Dispatch, Event, Hook
    from hooktui.hosts.shared.interpretation import Ended, RunResult

_SETTINGS = ".qwen/settings.json"
_SYSTEM = "/Library/Application Support/QwenCode" if sys.platform == "darwin" else "/etc/qwen-code"
_SESSIONS = "~/.qwen/projects"
_SMALLEST_MS = 1000
_TIMEOUT_MS = 900_000  # hooktui holds each hook to its own limit
_DENIABLE = ("pre-tool-call", "pre-agent-turn", "pre-agent-turn-stop")
_TAKES_CONTEXT = ("pre-session", "pre-agent-turn", "post-tool-call", "post-tool-call-failure")
_DECISION_KEYS = ("decision", "reason", "continue", "stopReason")
_SPECIFIC = ("hookSpecificOutput",)
_OBEYS = {
    **dict.fromkeys(("PreToolUse", "UserPromptSubmit"), (*_DECISION_KEYS, *_SPECIFIC)),
    "Stop": _DECISION_KEYS,
    "PostToolUse": ("continue", "stopReason", *_SPECIFIC),
    **dict.fromkeys(("SessionStart", "PostToolUseFailure"), _SPECIFIC),
}


def _denied(reason: str) -> HostAnswer:
    """A denial by exit 2. A reason that Qwen Code would read as an answer is one."""
    if json_protocol.is_json(reason):
        return printed({"decision": "deny", "reason": reason})
    return denied(reason)


_EXTENSION = HookFiles(
    scope="plugin",
    path="",
    read_only="it belongs to an installed extension",
    plugin_variable="CLAUDE_PLUGIN_ROOT",
    plugin_list="~/.qwen/extensions/extension-enablement.json",
)


class _Matcher(MatcherSpec):
    rule = "regex"
    trims = True
    everything = (None, "", "*", ".*")
    ignored_on = (
        *("UserPromptSubmit", "Stop", "MessageDisplay", "PostToolBatch", "SessionDelete", "TodoCreated", "TodoCompleted"),
    )
    values = {"PreCompact": ("manual", "auto"), "PostCompact": ("manual", "auto")}
    field_help = "a JavaScript regex, found anywhere in the tool's name; empty or *: every tool"
    draft_help = "a regex like run_shell_command|write_file; empty: any tool"


class _Entry(EntrySpec):
    shape = "groups"
    types = ("command", "http", "prompt")
    keys = (
        *("type", "command", "timeout", "env", "async", "shell", "statusMessage"),
        *("url", "headers", "allowedEnvVars", "once", "prompt", "model"),
    )
    interpreter = ("bash", "-c")
    timeouts = {"command": 60_000, "http": 600_000, "prompt": 30_000}
    timeout_unit = "ms"
    file_faults = ("syntax",)
    start_faults = ("object",)
    entry_faults = {"timeout": "uses its default", "command": "cannot run the hook"}
    matcher_loses_event = True
    timer_overflows = True
    nullable = ("timeout", "matcher")
    needs_type = True
    group_keys = ("sequential",)
    project_variable = "QWEN_PROJECT_DIR"
    switch = "all files"
    moved_keys = {"enabled": "disableAllHooks", "disabled": "disableAllHooks"}

    def timeout_ms(self, timeout: float) -> float:
        """A small number is seconds; older versions count those in milliseconds, too."""
        return timeout * 1000 if timeout < _SMALLEST_MS else timeout


class Qwen(JsonHost):
    """Qwen Code."""

    name = "qwen"
    title = "Qwen Code"
    proof = "run (0.24.4, and 0.15.10 where that differs)"
    rank = 7
    format = "json_hooks"
    files = (  # in the order in which it runs their hooks
        HookFiles(scope="project", path=_SETTINGS, settings=True),
        HookFiles(scope="user", path=f"~/{_SETTINGS}", settings=True),
        system_settings(f"{_SYSTEM}/system-defaults.json").replace(is_default=True),
        system_settings(f"{_SYSTEM}/settings.json"),
        _EXTENSION.replace(path="~/.qwen/extensions/*/qwen-extension.json", settings=True),
        _EXTENSION.replace(path="~/.qwen/extensions/*/hooks/hooks.json"),
    )
    programs = ("qwen",)
    traces = ("~/.qwen", _SETTINGS)
    moved = {"~/.qwen": "QWEN_HOME", **system_files(_SYSTEM, "QWEN_CODE")}
    transcripts = (f"{_SESSIONS}/*/chats/*.jsonl",)
    events = (
        *("SessionStart", "InstructionsLoaded", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PermissionRequest"),
        *("PermissionDenied", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "MessageDisplay"),
        *("SubagentStart", "SubagentStop", "TodoCreated", "TodoCompleted", "PreCompact", "PostCompact", "Stop"),
        *("StopFailure", "SessionEnd", "SessionDelete"),
    )
    tools = {
        "shell": "run_shell_command",
        "read": "read_file",
        "write": "write_file",
        "edit": "edit",
        "fetch": "web_fetch",
    }
    other_tools = (
        *("glob", "grep_search", "list_directory", "todo_write", "save_memory", "agent", "skill", "web_search"),
        *("ask_user_question", "enter_plan_mode", "exit_plan_mode", "notebook_edit"),
    )
    unsearched_tools = (
        *("exec", "zoom_image", "image_gen", "lsp", "cron_create", "cron_list", "cron_delete", "list_agents", "monitor"),
        *("task_stop", "task_create", "task_update", "task_list", "send_message", "structured_output", "tool_call"),
        *("tool_search", "read_mcp_resource", "enter_worktree", "exit_worktree", "workflow", "artifact"),
    )
    edit_tools = ("write_file", "edit", "notebook_edit")
    aliases = {
        "run_shell_command": ("Shell", "ShellTool", "Bash"),
        "read_file": ("Read", "ReadFile", "ReadFileTool"),
        "write_file": ("Write", "WriteFile", "WriteFileTool"),
        "edit": ("Edit", "EditTool", "replace"),
        "web_fetch": ("WebFetch", "WebFetchTool"),
        "grep_search": ("Grep", "GrepTool", "search_file_content", "SearchFiles"),
        "glob": ("Glob", "GlobTool", "FindFiles"),
        "list_directory": ("ListFiles", "ListFilesTool", "ReadFolder"),
        "todo_write": ("TodoList", "TodoWrite", "TodoWriteTool"),
        "agent": ("Agent", "AgentTool", "task", "Task", "TaskTool"),
        "web_search": ("WebSearch", "WebSearchTool"),
        "notebook_edit": ("NotebookEdit", "NotebookEditTool"),
    }
    inputs = {"path": "file_path", "content": "content", "old": "old_string", "new": "new_string"}
    calls = {
        "run_shell_command": {"command": "ls", "description": "List the files", "is_background": False},
        "write_file": {"file_path": "notes.txt", "content": "text\n"},
        "edit": {"file_path": "notes.txt", "old_string": "text", "new_string": "words"},
        "read_file": {"file_path": "notes.txt"},
        "web_fetch": {"url": "https://example.com/", "prompt": "What is it?"},
    }
    matcher = _Matcher()
    entry = _Entry()
    scheduling = Scheduling(order="together", once_per="handler and name")
    variables = dict.fromkeys(("QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"), "{project}")
    text_becomes_context = True
    blanks = JAVASCRIPT
    exit_2_denies = _DENIABLE
    answer_keys = _OBEYS
    decisions = ("block", "deny", "approve", "allow")
    block_at = ("top",)
    permission_at = ("nested",)
    permission_on = ("pre-tool-call",)
    rewrite_key = ""
    context_on = _TAKES_CONTEXT
    own_gate_limit = 8
    session_source = "startup"
    connect_scopes = ("project", "user")
    signs = ((18, ("hook_event_name", "permission_mode", "timestamp")),)
    copies = {"project": (_SETTINGS,), "user": (f"~/{_SETTINGS}",)}
    scripts_dir = "hooks"
    directories_dir = "hooks"
    runs_new_hooks = "Qwen Code runs it no later than its next session, in a trusted folder."

    def in_home(self, path: str) -> str:
        """Sessions are in a directory of their own, if a variable names one, and defaults beside settings that are moved."""
        instead = os.environ.get("QWEN_RUNTIME_DIR", "")
        if os.path.isabs(instead) and path.startswith(_SESSIONS):
            return os.path.join(instead, path.removeprefix("~/.qwen/"))
        return beside_moved(path, self.moved) or super().in_home(path)

    def connect_entry(self, command: str, event_as_written: str) -> dict[str, Any]:
        # In milliseconds, which every version reads alike.
        entry = {"type": "command", "name": "hooktui", "command": command, "timeout": _TIMEOUT_MS}
        return {"matcher": "*", "hooks": [entry]}

    def unread_files(self) -> tuple[str, ...]:
        return (".qwen/hooks.json", ".qwen/hooks/hooks.json")

    def plugin_off(self, name: str, listed: Mapping[str, Any], directory: str) -> str:
        from hooktui.hosts.shared import extensions

        return extensions.why_off(name, listed, directory)

    def interpret(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
        """`continue: false` only denies."""
        if hook.type != "command":
            result = super().interpret(hook, event, ended)
        else:
            from hooktui.hosts.shared import json_interpretation

            result = json_interpretation.either_stream(self, hook, event, ended)
        stops = result.outcome.decision == "stop"
        return result.replace(outcome=result.outcome.replace(decision="deny")) if stops else result

    def answer(self, dispatch: Dispatch) -> HostAnswer:
        """Write only what Qwen Code obeys.

        Before a tool, `ask`, a stop and a rewrite are denials: the original must not run. After a tool, `continue: false`
        replaces its result. A stop lets an agent stop that is about to.
        """
        name, stops, context = dispatch.event.name, dispatch.decision == "stop", dispatch.additional_context
        before_tool = name == "pre-tool-call"
        if before_tool and dispatch.decision == "ask":
            return _denied(dispatch.reason or "A hook asks the user to decide")
        if dispatch.blocks and name in _DENIABLE and not (stops and name == "pre-agent-turn-stop"):
            return _denied(dispatch.reason or "Blocked by a hook")
        if before_tool and dispatch.modified_input is not None:
            wanted = fast_json.dumps(dispatch.modified_input, ascii_only=False)
            return _denied(f"A hook changes this input, which Qwen Code cannot do itself. Call the tool with {wanted} instead.")
        value: dict[str, Any] = {}
        if dispatch.blocks and name == "post-tool-call":
            value = {"continue": False, "stopReason": dispatch.reason or "Blocked by a hook"}
        if context and name in _TAKES_CONTEXT:
            specific = {"hookEventName": self.spelling(name) or name, "additionalContext": "\n".join(context)}
            value["hookSpecificOutput"] = specific
        return printed(value)


HOST = Qwen()
