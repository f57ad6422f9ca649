"""Gemini CLI (seen in 0.61.0).

It reads the text on stdout, or on stderr if stdout is empty, as JSON at any exit code. Any other text denies at an exit code
other than 0 and 1.
"""

from __future__ import annotations

import sys

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
    from hooktui.hosts.shared.matcher_spec import MatcherRule

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


def _left_in(original: Any, rewritten: Any) -> list[str]:
    return [name for name in original if name not in rewritten] if isinstance(original, dict) else []


class _Matcher(MatcherSpec):
    rule = "regex"
    trims = True
    ignored_on = (*("BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection", "Notification"),)
    values = {
        "SessionStart": ("startup", "resume", "clear"),
        "SessionEnd": ("exit", "clear", "logout", "prompt_input_exit", "other"),
        "PreCompress": ("manual", "auto"),
    }
    field_help = "a JavaScript regex, found anywhere in the tool's name; empty or *: every tool"
    draft_help = "a regex like run_shell_command|write_file; empty: any tool"

    def rule_for(self, event_as_written: str) -> MatcherRule:
        return "exact" if event_as_written in ("SessionStart", "SessionEnd", "PreCompress") else self.rule


class _Entry(EntrySpec):
    shape = "groups"
    types = ("command",)
    keys = ("type", "command", "timeout", "env")
    interpreter = ("bash", "-c")
    timeouts = {"command": 60_000}
    timeout_unit = "ms"
    file_faults = ("syntax", "byte order mark")
    entry_faults = {"timeout": "ends the hook at once, and goes on", "command": "cannot run the hook"}
    matcher_loses_event = True
    timer_overflows = True
    nullable = ("timeout", "matcher")
    start_faults = ("syntax", "byte order mark", "object")
    needs_type = True
    group_keys = ("sequential",)
    project_variable = "GEMINI_PROJECT_DIR"
    switch = "all files"
    switch_key = "hooksConfig.enabled"
    moved_keys = {"enabled": "hooksConfig.enabled", "disabled": "hooksConfig.disabled"}


class Gemini(JsonHost):
    """Gemini CLI."""

    name = "gemini"
    title = "Gemini CLI"
    proof = "run (0.61.0)"
    rank = 6
    format = "json_hooks"
    files = (  # in the order in which it runs their hooks
        HookFiles(scope="project", path=_SETTINGS, settings=True),
        HookFiles(scope="user", path=f"~/{_SETTINGS}", settings=True),
        system_settings(f"{_MANAGED}/system-defaults.json").replace(is_default=True),
        system_settings(f"{_MANAGED}/settings.json"),
        HookFiles(
            scope="plugin",
            path="~/.gemini/extensions/*/hooks/hooks.json",
            read_only="it belongs to an installed extension",
            plugin_variable="extensionPath",
            plugin_list="~/.gemini/extensions/extension-enablement.json",
        ),
    )
    programs = ("gemini",)
    traces = ("~/.gemini", _SETTINGS)
    moved = {"~": "GEMINI_CLI_HOME", **system_files(_MANAGED, "GEMINI_CLI")}
    transcripts = ("~/.gemini/tmp/*/chats/session-*.jsonl", "~/.gemini/tmp/*/chats/session-*.json")
    transcripts_of_subagents = ("~/.gemini/tmp/*/chats/*/*.jsonl",)
    style = "agent-loop"
    events = (
        *("SessionStart", "BeforeAgent", "BeforeModel", "BeforeToolSelection", "AfterModel", "BeforeTool", "AfterTool"),
        *("AfterAgent", "PreCompress", "Notification", "SessionEnd"),
    )
    tools = {
        "shell": "run_shell_command",
        "read": "read_file",
        "write": "write_file",
        "edit": "replace",
        "fetch": "web_fetch",
    }
    other_tools = (
        *("glob", "grep_search", "list_directory", "read_many_files", "google_web_search", "write_todos", "save_memory"),
        *("activate_skill", "ask_user", "invoke_agent", "enter_plan_mode", "exit_plan_mode"),
    )
    unsearched_tools = (
        *("get_internal_docs", "update_topic", "complete_task", "list_mcp_resources", "read_mcp_resource"),
        *("tracker_create_task", "tracker_update_task", "tracker_get_task", "tracker_list_tasks"),
    )
    edit_tools = ("write_file", "replace")
    inputs = {"path": "file_path", "content": "content", "old": "old_string", "new": "new_string"}
    calls = {
        "run_shell_command": {"command": "ls", "description": "List the files"},
        "write_file": {"file_path": "notes.txt", "content": "text\n"},
        "replace": {"file_path": "notes.txt", "old_string": "text", "new_string": "words"},
        "read_file": {"file_path": "notes.txt"},
        "web_fetch": {"prompt": "What is https://example.com/?"},
    }
    matcher = _Matcher()
    entry = _Entry()
    scheduling = Scheduling(order="together", once_per="handler and name")
    variables = dict.fromkeys(("GEMINI_PROJECT_DIR", "GEMINI_CWD", "CLAUDE_PROJECT_DIR"), "{project}")
    blanks = JAVASCRIPT
    exit_2_denies = _DENIABLE
    answer_keys = _OBEYS
    decisions = ("block", "deny", "approve", "allow", "ask")
    block_at = ("top",)
    permission_at = ()
    rewrite_key = "tool_input"
    merges_rewrites = True
    context_on = _TAKES_CONTEXT
    ask_unattended = "waits forever"
    own_gate_limit = 0
    session_source = "startup"
    notices = "systemMessage"
    notices_beside_denial = ("pre-tool-call", "post-tool-call", "pre-agent-turn", "pre-agent-turn-stop")
    connect_scopes = ("project", "user")
    copies = {"project": (_SETTINGS,), "user": (f"~/{_SETTINGS}",)}
    scripts_dir = "hooks"
    directories_dir = "hooks"
    runs_new_hooks = "Gemini CLI runs it no later than its next session."

    def in_home(self, path: str) -> str:
        return beside_moved(path, self.moved) or super().in_home(path)

    def connect_entry(self, command: str, event_as_written: str) -> dict[str, Any]:
        entry = {"type": "command", "name": "hooktui", "command": command, "timeout": _TIMEOUT_MS}
        return {"matcher": "*", "hooks": [entry]}

    def disabled_hooks(self, settings: Mapping[str, Any]) -> Mapping[str, str]:
        config = settings.get("hooksConfig")
        listed = config.get("disabled") if isinstance(config, dict) else None
        names = (name for name in (listed if isinstance(listed, list) else ()) if isinstance(name, str))
        return dict.fromkeys(names, "hooksConfig.disabled")

    def filled_in(self, command: str, project: str) -> str:
        """Gemini writes its variables, quoted, in place of `$NAME`, not of `${NAME}`."""
        if "$" not in command:
            return command
        import shlex

        for name in self.variables:
            command = command.replace(f"${name}", shlex.quote(project))
        return command

    def unread_files(self) -> tuple[str, ...]:
        return (".gemini/hooks.json", ".gemini/hooks/hooks.json")

    def failure_event(self) -> str:
        return "post-tool-call"  # with an `error` in its `tool_response`

    def plugin_off(self, name: str, listed: Mapping[str, Any], directory: str) -> str:
        from hooktui.hosts.shared import extensions

        return extensions.why_off(name, listed, directory)

    def interpret(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
        if hook.type != "command":
            return super().interpret(hook, event, ended)
        from hooktui.hosts.shared import json_interpretation

        return json_interpretation.either_stream(self, hook, event, ended, failure_denies=True, stdout_at_exit_2=True)

    def answer(self, dispatch: Dispatch) -> HostAnswer:
        """Write only what Gemini CLI obeys.

        `ask` before a tool is a denial: without a person, Gemini waits forever. So is a rewrite that leaves out a field: Gemini
        merges it into the original input. A denial that is no plain text, or comes with a message, is JSON.
        """
        name, context = dispatch.event.name, dispatch.additional_context
        before_tool = name == "pre-tool-call"
        rewrite = dispatch.modified_input if before_tool else None
        value: dict[str, Any] = {"systemMessage": "\n".join(dispatch.system_messages)} if dispatch.system_messages else {}
        if dispatch.decision == "stop" and name in _STOPPABLE:
            return printed({"continue": False, "stopReason": dispatch.reason or "Stopped by a hook", **value})
        reason = dispatch.reason or "Blocked by a hook"
        if before_tool and dispatch.decision == "ask":
            reason = dispatch.reason or "A hook asks the user to decide"
        elif rewrite is not None and (lost := _left_in(dispatch.event.payload.get("tool_input"), rewrite)):
            reason = f"A hook removes {', '.join(lost)} from this input, which Gemini CLI does not support"
        elif not (dispatch.blocks and name in _DENIABLE):
            specific: dict[str, Any] = {"tool_input": rewrite} if rewrite is not None else {}
            specific |= {"additionalContext": "\n".join(context)} if context and name in _TAKES_CONTEXT else {}
            if specific:
                value["hookSpecificOutput"] = {"hookEventName": self.spelling(name) or name, **specific}
            return printed(value)
        if value or json_protocol.is_json(reason):
            return printed({"decision": "deny", "reason": reason, **value})
        return denied(reason)


HOST = Gemini()
