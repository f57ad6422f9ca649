"""Cursor (read from its own bundle, `@cursor/sdk` 1.0.32; its loader and validator were run, the program was not)."""

from __future__ import annotations

import sys

from hooktui.core import fast_json, paths
from hooktui.hosts.base import Scheduling
from hooktui.hosts.shared import flat_answers
from hooktui.hosts.shared.answers import HostAnswer
from hooktui.hosts.shared.entry_spec import EntrySpec
from hooktui.hosts.shared.json_host import JsonHost
from hooktui.hosts.shared.matcher_spec import MatcherSpec
from hooktui.hosts.shared.places import HookFiles, Reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hooktui.core.model import Dispatch, Event, Hook
    from hooktui.hosts.shared.interpretation import Ended, RunResult

_TIMEOUT_S = 900
_VERSION = 1
_LONGEST = 10_000  # characters of context; Cursor drops more, and denies the tool for it where the entry fails closed
_PERMISSION_STEPS = (
    *("preToolUse", "subagentStart", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile"),
    "beforeTabFileRead",
)
_FILE_STEPS = ("beforeReadFile", "afterFileEdit", "beforeTabFileRead", "afterTabFileEdit")
# Without a guard's answer Cursor would go on and tell nobody.
_GUARDED = ("preToolUse", "subagentStart")
_TAKES_CONTEXT = ("pre-session", "pre-agent-turn", "pre-tool-call", "post-tool-call", "post-tool-call-failure")
_GATES = ("pre-agent-turn-stop", "post-subagent")
# The texts that Cursor takes out of a rewritten input, by tool; everything else in the input stays as it was.
_FILE = ("file_path",)
_REWRITES = {
    "Shell": ("command", "cwd"),
    **dict.fromkeys(("Read", "Write", "Delete", "ReadLints", "List"), _FILE),
    "Grep": ("pattern", *_FILE),
    "Fetch": ("url",),
    "ListMcpResources": ("server",),
    "FetchMcpResource": ("server", "uri", "download_path"),
}
_OF_COMMAND = ("cwd", "timeout")  # where and how long a command runs: a rewrite may leave it out
_ADMINISTRATOR = "it belongs to your organization"
_ENTERPRISE = "/Library/Application Support/Cursor" if sys.platform == "darwin" else "/etc/cursor"
_MESSAGE = "user_message"
_TOOL_KEYS = ("permission", _MESSAGE, "agent_message", "updated_input", "additional_context")
_FOLLOWS_UP = ("followup_message", "decision", "reason")


def _refusal(dispatch: Dispatch) -> str:
    """Why a tool or subagent must not run, "" if it may."""
    if dispatch.blocks:
        return dispatch.reason or "Blocked by a hook"
    if dispatch.decision == "ask":
        return dispatch.reason or "A hook asks the user to decide"
    kept = list(_kept(dispatch))
    if not kept:
        return ""
    wanted = fast_json.dumps(dispatch.modified_input, ascii_only=False)
    return f"A hook rewrites {', '.join(kept)} of this input, which Cursor cannot do. Call the tool with {wanted} instead."


def _kept(dispatch: Dispatch) -> Iterator[str]:
    """The keys of an input that a rewrite changes or removes, and Cursor keeps."""
    rewrite = dispatch.modified_input
    before = dispatch.event.payload.get("tool_input")
    if rewrite is None or not isinstance(before, dict):
        return
    taken = _REWRITES.get(dispatch.event.tool_name or "", ())
    for key, value in {**dict.fromkeys(before), **rewrite}.items():
        is_taken = value == before.get(key) or (key in taken and isinstance(value, str))
        if not is_taken and (key in rewrite or key not in _OF_COMMAND):
            yield key


_EVENTS_OF_CLAUDE = (
    *("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop", "SessionStart", "SessionEnd", "PreCompact"),
)
# What matchers are compared with on events without a tool.
_SUBJECTS = {
    **dict.fromkeys(("beforeShellExecution", "afterShellExecution"), "{command}"),
    **dict.fromkeys(("beforeMCPExecution", "afterMCPExecution"), "MCP:{tool_name}"),
    **dict.fromkeys(("subagentStart", "subagentStop"), "{subagent_type}"),
    "beforeReadFile": "Read",
    "afterFileEdit": "Write",
    "beforeTabFileRead": "TabRead",
    "afterTabFileEdit": "TabWrite",
    "beforeSubmitPrompt": "UserPromptSubmit",
    "stop": "Stop",
    "afterAgentResponse": "AgentResponse",
    "afterAgentThought": "AgentThought",
}
_EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "stop": {"status": "completed", "loop_count": 0},
    "postToolUse": {"tool_output": "{}"},
    "postToolUseFailure": {"error_message": "exit code 1", "failure_type": "error"},
    "subagentStart": {"subagent_id": "agent-1", "subagent_type": "explore", "task": "Find the tests"},
    **{step: {"command": "ls"} for step in ("beforeShellExecution", "afterShellExecution")},
    **{step: {"tool_name": "search", "tool_input": "{}"} for step in ("beforeMCPExecution", "afterMCPExecution")},
    **{step: {"file_path": "notes.txt"} for step in _FILE_STEPS},
}


class _ReadsClaude(Reads):
    def reads_event(self, event_as_written: str) -> bool:
        return event_as_written in _EVENTS_OF_CLAUDE

    def loses(self, event_as_written: str, matcher: str | None) -> bool:
        return matcher is None and event_as_written in ("PreToolUse", "PostToolUse")

    def needs_matcher(self) -> bool:
        return True


class _Matcher(MatcherSpec):
    rule = "regex"
    ignored_on = ("sessionStart", "sessionEnd", "preCompact", "workspaceOpen")
    field_help = "a regex for part of the tool's name, like Shell|Write; empty or *: every tool"
    draft_help = "a regex for part of the name, like Shell; empty: any tool"

    def subject(self, event_as_written: str) -> str | None:
        return _SUBJECTS.get(event_as_written)


class _Entry(EntrySpec):
    shape = "flat"
    fails_closed_by = ("failClosed", True)
    types = ("command", "prompt")
    keys = ("type", "command", "prompt", "model", "matcher", "timeout", "loop_limit", "failClosed")
    interpreter = ("/bin/bash", "-c")
    timeouts = {"command": 60, "prompt": 60}
    strict = True
    file_faults = ("syntax", "comment sign", "byte order mark", "event", "unknown event")
    version = _VERSION
    blank = '{\n  "version": 1\n}\n'
    project_variable = "CURSOR_PROJECT_DIR"
    switch = "ignored"

    def version_fault(self, given: Any) -> str:
        """The version is required, and may be higher."""
        if given is None:
            return "version is missing"
        is_number = type(given) in (int, float) and given >= _VERSION and given == int(given)
        return "" if is_number else super().version_fault(given)


class Cursor(JsonHost):
    """Cursor."""

    name = "cursor"
    title = "Cursor"
    proof = "read in its SDK (1.0.32), not run"
    rank = 8
    format = "json_hooks"
    files = (
        HookFiles(scope="user", path="~/.cursor/hooks.json"),
        HookFiles(scope="project", path=".cursor/hooks.json"),
        HookFiles(scope="managed", path=f"{_ENTERPRISE}/hooks.json", read_only=_ADMINISTRATOR),
    )
    plugin_files = (HookFiles(scope="project", path="hooks/hooks.json", manifest=".cursor-plugin/plugin.json"),)
    reads = (_ReadsClaude("claude"),)
    programs = ("cursor", "cursor-agent")
    traces = ("~/.cursor", ".cursor")
    style = "steps"
    events = (
        *("sessionStart", "sessionEnd", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure"),
        *("beforeShellExecution", "afterShellExecution", "beforeMCPExecution", "afterMCPExecution", "beforeReadFile"),
        *("afterFileEdit", "beforeTabFileRead", "afterTabFileEdit", "afterAgentResponse", "afterAgentThought"),
        *("subagentStart", "subagentStop", "preCompact", "stop", "workspaceOpen"),
    )
    tools = {"shell": "Shell", "read": "Read", "write": "Write", "edit": "Write", "fetch": "Fetch"}
    other_tools = (
        *("Grep", "List", "Delete", "Task", "WebSearch", "WebFetch", "ReadLints", "WriteShellStdin", "ComputerUse"),
        *("RecordScreen", "ListMcpResources", "FetchMcpResource"),
    )
    edit_tools = ("Write", "Delete")
    inputs = {"path": "file_path", "content": "content"}
    calls = {
        "Shell": {"command": "ls", "cwd": ""},
        "Write": {"file_path": "notes.txt", "content": "text\n"},
        "Read": {"file_path": "notes.txt"},
    }
    matcher = _Matcher()
    entry = _Entry()
    scheduling = Scheduling(order="together")
    variables = dict.fromkeys(("CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"), "{project}")
    exit_2_denies = ("pre-tool-call", "pre-subagent", "pre-agent-turn", "pre-session", *_PERMISSION_STEPS)
    answer_keys = {
        **dict.fromkeys(_PERMISSION_STEPS, ("permission", _MESSAGE)),
        "preToolUse": _TOOL_KEYS,
        "postToolUse": ("additional_context",),
        "postToolUseFailure": ("additional_context",),
        "beforeSubmitPrompt": ("continue", _MESSAGE, "additional_context"),
        "sessionStart": ("continue", _MESSAGE, "additional_context", "env"),
        "stop": _FOLLOWS_UP,
        "subagentStop": _FOLLOWS_UP,
        "preCompact": (_MESSAGE,),
    }
    sends_timestamp = False
    own_fields = ("agent_name",)
    no_decision_on = ("pre-tool-call",)
    own_gate_limit = 5
    connect_scopes = ("project", "user")
    signs = ((5, ("cursor_version",)),)
    copies = {"project": (".cursor/hooks.json",), "user": ("~/.cursor/hooks.json",)}
    scripts_dir = "hooks"
    directories_dir = "hooks"
    runs_new_hooks = "Cursor runs it as soon as it has read the file."

    def read_payload(self, payload: dict[str, Any], given: str | None, now: str) -> Event:
        """Read a payload. Its session is the conversation; without `cwd` the directory is the first workspace folder."""
        roots = payload.get("workspace_roots")
        root = next((root for root in roots if isinstance(root, str) and root), "") if isinstance(roots, list) else ""
        event = super().read_payload(payload, given, now)
        fields = dict(event.fields)
        if "error_message" in payload:
            fields["error"] = payload["error_message"]
        if event.name in _GATES and payload.get("status") not in (None, "completed"):
            fields["stop_reason"] = payload["status"]
        session = event.session_id or payload.get("conversation_id")
        return event.replace(
            session_id=session if isinstance(session, str) else "",
            work_dir=payload.get("cwd") or root or paths.working_directory(),
            fields=fields,
        )

    def hook_stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
        return flat_answers.stdin(self, hook, event)

    def hook_directory(self, hook: Hook, event: Event, project: str) -> str:
        """The user's hooks have a directory of their own."""
        return self.in_home("~/.cursor/") if hook.scope == "user" else super().hook_directory(hook, event, project)

    def example(self, event_as_written: str) -> Mapping[str, Any]:
        return {"cursor_version": "2.0", **_EXAMPLES.get(event_as_written, {})}

    def obeys_fail_mode(self, event_as_written: str) -> bool:
        return True

    def interpret(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
        """Where a hook gives a permission, an answer that cannot be read denies."""
        is_permission = hook.event_as_written in _PERMISSION_STEPS
        return flat_answers.interpret(self, hook, event, ended, is_permission=is_permission)

    def gone_answer(self, message: str) -> Mapping[str, str]:
        return {"permission": "deny", _MESSAGE: message, "agent_message": message}

    def connect_entry(self, command: str, event_as_written: str) -> dict[str, Any]:
        closed = {"failClosed": True} if event_as_written in _GUARDED else {}
        unlimited = (
            {"loop_limit": None} if event_as_written in ("stop", "subagentStop") else {}
        )  # hooktui has a limit of its own
        return {"type": "command", "command": command, "timeout": _TIMEOUT_S, **closed, **unlimited}

    def answer(self, dispatch: Dispatch) -> HostAnswer:
        """Print JSON at exit 0 for every event: with nothing on stdout, an entry that fails closed would deny.

        Before a tool `ask` is a denial, since Cursor runs the tool. So is a stop, which Cursor cannot do, and a rewrite of
        what Cursor does not take from the answer: the original must not run.
        """
        name, reason = dispatch.event.name, dispatch.reason or ""
        blocks = dispatch.blocks
        value: dict[str, Any] = {}
        if name in ("pre-tool-call", "pre-subagent"):
            reason = _refusal(dispatch)
            if reason:
                value = {"permission": "deny", _MESSAGE: reason, "agent_message": reason}
            elif dispatch.modified_input is not None and name == "pre-tool-call":
                value = {"updated_input": dispatch.modified_input}
        elif (name == "pre-agent-turn" and blocks) or (name == "pre-session" and dispatch.decision == "stop"):
            value = {"continue": False, _MESSAGE: reason}
        elif name in _GATES and dispatch.decision == "deny":
            value = {"followup_message": reason}
        if dispatch.additional_context and name in _TAKES_CONTEXT:
            value["additional_context"] = "\n".join(dispatch.additional_context)[:_LONGEST]
        return HostAnswer(exit_code=0, stdout=fast_json.dumps(value) + "\n")


HOST = Cursor()
