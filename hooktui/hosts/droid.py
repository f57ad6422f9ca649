"""Factory droid (seen in 0.215)."""

from __future__ import annotations

import os
import sys

from hooktui.hosts.base import Scheduling
from hooktui.hosts.shared.answers import HostAnswer, denied, printed
from hooktui.hosts.shared.blanks import JSON
from hooktui.hosts.shared.entry_spec import EntrySpec, TimeoutFault
from hooktui.hosts.shared.interpretation import RunResult, blocked_by_exit_2
from hooktui.hosts.shared.json_host import JsonHost
from hooktui.hosts.shared.matcher_spec import MatcherSpec
from hooktui.hosts.shared.places import HookFiles, system_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hooktui.core.model import Dispatch, Event, Hook, Scope
    from hooktui.hosts.shared.interpretation import Ended

_SYSTEM = "/Library/Application Support/Factory" if sys.platform == "darwin" else "/etc/factory"
_NAMES = ("hooks.json", "hooks/hooks.json")
_TAKES_CONTEXT = ("pre-session", "pre-agent-turn", "post-tool-call")
_STOPS = ("pre-tool-call", "post-tool-call", "pre-agent-turn", "pre-agent-turn-stop")
# How a command runs, which droid itself demands or decides: a rewritten input may leave these out.
_OF_EXECUTE = ("riskLevel", "riskLevelReason", "summary", "timeout", "fireAndForget")
_STOP_EXIT = 3  # ends the run where exit 2 denies
_STOP_KEYS = ("continue", "stopReason")
_SPECIFIC = "hookSpecificOutput"


def _files(scope: Scope, directory: str) -> Iterator[HookFiles]:
    """The files of a scope. For each event droid reads one of them; the second only without the first."""
    usual, older = (f"{directory}/{name}" for name in _NAMES)
    yield HookFiles(scope=scope, path=usual, below="upward")
    yield HookFiles(scope=scope, path=older, below="upward")
    yield HookFiles(scope=scope, path=f"{directory}/settings.json", below="upward", settings=True)


def _kept(tool_input: Any, rewrite: Mapping[str, Any]) -> list[str]:
    """The keys that a rewrite leaves out, and droid would keep."""
    before = tool_input if isinstance(tool_input, dict) else {}
    return [key for key in before if key not in rewrite and key not in _OF_EXECUTE]


class _Matcher(MatcherSpec):
    rule = "regex"
    ignored_on = ("UserPromptSubmit", "Notification", "Stop", "SubagentStop", "PreCompact", "SessionEnd")
    values = {"SessionStart": ("startup", "resume", "clear", "compact")}
    field_help = "a regex for part of the name, like Execute|Edit; empty or *: every tool"
    draft_help = "a regex for part of the name, like Execute; empty: any tool"


class _Entry(EntrySpec):
    shape = "groups"
    keys = ("type", "command", "timeout")
    interpreter = ("sh", "-c")
    timeouts = {"command": 60}
    strict = True
    entry_faults = {"timeout": "ends the hook at once, and goes on"}
    timer_overflows = True
    file_faults = ("syntax", "byte order mark", "event", "flat entry")
    needs_type = True
    project_variable = "FACTORY_PROJECT_DIR"
    switch = "all files"
    switch_key = "hooksDisabled"
    group_keys = ("commandRegex",)
    other_keys = ("hooksDisabled", "showHookOutput")

    def timeout_fault(self, given: float, default: float) -> TimeoutFault | None:
        """0 and less violate no schema."""
        if given == 0:
            return TimeoutFault(instead=default)
        fault = super().timeout_fault(given, default)
        return fault.replace(effect=self.entry_faults["timeout"]) if fault and given < 0 else fault


class Droid(JsonHost):
    """Factory droid."""

    name = "droid"
    title = "Factory droid"
    proof = "run (0.215)"
    rank = 9
    format = "json_hooks"
    files = (
        *_files("user", "~/.factory"),
        *_files("project", ".factory"),
        system_settings(f"{_SYSTEM}/settings.json"),
    )
    plugin_files = (
        HookFiles(
            scope="project",
            path="hooks/hooks.json",
            manifest=".factory-plugin/plugin.json",
            plugin_variable="DROID_PLUGIN_ROOT",
        ),
    )
    blanks = JSON
    moved = {"~": "FACTORY_HOME_OVERRIDE"}
    transcripts = ("~/.factory/sessions/*/*.jsonl",)
    programs = ("droid",)
    traces = ("~/.factory", ".factory")
    events = (
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Notification", "Stop", "SubagentStop"),
        *("PreCompact", "SessionEnd"),
    )
    tools = {"shell": "Execute", "read": "Read", "write": "Create", "edit": "Edit", "fetch": "FetchUrl"}
    other_tools = (
        *("ApplyPatch", "LS", "Grep", "Glob", "WebSearch", "TodoWrite", "Task", "TaskOutput", "TaskStop", "Skill"),
        *("ToolSearch", "GenerateImage", "ExitSpecMode", "AskUser"),
    )
    edit_tools = ("Create", "Edit", "ApplyPatch")
    inputs = {"path": "file_path", "content": "content", "old": "old_str", "new": "new_str"}
    calls = {
        "Execute": {"command": "ls", "riskLevel": "low", "riskLevelReason": "It lists files."},
        "Create": {"file_path": "notes.txt", "content": "text\n"},
        "Edit": {"file_path": "notes.txt", "old_str": "text", "new_str": "words"},
        "Read": {"file_path": "notes.txt"},
    }
    matcher = _Matcher()
    entry = _Entry()
    scheduling = Scheduling(order="together")
    answers_at_any_exit = True
    text_becomes_context = True
    variables = dict.fromkeys(("FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "CLAUDE_PROJECT_DIR"), "{project}")
    exit_2_denies = ("pre-tool-call", "post-tool-call", "pre-agent-turn", "pre-agent-turn-stop", "pre-context-compact")
    answer_keys = {
        "PreToolUse": (*_STOP_KEYS, _SPECIFIC),
        "PostToolUse": (*_STOP_KEYS, "systemMessage", _SPECIFIC),
        "UserPromptSubmit": (*_STOP_KEYS, _SPECIFIC),
        "Stop": (*_STOP_KEYS, "systemMessage", "decision", "reason"),
        "SessionStart": (_SPECIFIC,),
    }
    decisions = ("block",)
    needs_reason = True
    block_at = ("top",)
    permission_at = ("nested",)
    permission_on = ("pre-tool-call",)
    context_on = _TAKES_CONTEXT
    merges_rewrites = True
    silent_denial = "Tool execution blocked by hook"
    sends_timestamp = False
    session_source = "startup"
    ask_unattended = "runs the tool"
    no_decision_on = ("pre-tool-call",)
    own_gate_limit = 0
    connect_scopes = ("project", "user")
    signs = ((12, ("hook_event_name", "tool_execution_count")),)
    copies = {"project": (".factory/hooks.json",), "user": ("~/.factory/hooks.json",)}
    scripts_dir = "hooks"
    directories_dir = "hooks"
    runs_new_hooks = "Factory droid runs it no later than its next session."

    def events_in(self, file: str) -> tuple[str, ...]:
        """In its own files, events are the keys of the file itself."""
        return () if any(files.fits(file) for files in self.files if not files.settings) else ("hooks",)

    def unread_files(self) -> tuple[str, ...]:
        return (".factory/settings.local.json",)

    def read_unless(self, files: HookFiles) -> str:
        usual, older = _NAMES
        return files.path.removesuffix(older) + usual if files.path.endswith(older) else ""

    def read_after(self, files: HookFiles) -> tuple[str, ...]:
        directory = os.path.dirname(files.path)
        return tuple(f"{directory}/{name}" for name in _NAMES) if files.settings else ()

    def interpret(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
        if ended.exit_code == _STOP_EXIT and self.denies_by_exit_2(event.name):
            result = blocked_by_exit_2(hook, ended)
            return result.replace(outcome=result.outcome.replace(decision="stop", via=None))
        return super().interpret(hook, event, ended)

    def answer(self, dispatch: Dispatch) -> HostAnswer:
        """Deny with exit 2, which no other hook's answer overrules.

        `ask` is a denial: droid would run the tool. So is a rewrite that leaves a key out: droid merges it into the input.
        """
        name, rewrite = dispatch.event.name, dispatch.modified_input
        before_tool = name == "pre-tool-call"
        if (before_tool and dispatch.decision == "ask") or (dispatch.decision == "deny" and self.denies_by_exit_2(name)):
            return denied(dispatch.reason or "A hook asks the user to decide")
        if dispatch.decision == "stop":
            return printed({"continue": False, "stopReason": dispatch.reason} if name in _STOPS else {})
        specific: dict[str, Any] = {}
        if rewrite is not None and before_tool:
            if kept := _kept(dispatch.event.payload.get("tool_input"), rewrite):
                return denied(f"A hook removes {', '.join(kept)} from this input, which Factory droid does not support")
            specific["updatedInput"] = rewrite
        if dispatch.additional_context and name in _TAKES_CONTEXT:
            specific["additionalContext"] = "\n".join(dispatch.additional_context)
        return printed({_SPECIFIC: {"hookEventName": self.spelling(name), **specific}} if specific else {})


HOST = Droid()
