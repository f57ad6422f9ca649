"""VS Code's agent (formats.md §3)."""

from __future__ import annotations

from hooktui.hosts.base import Scheduling
from hooktui.hosts.shared import json_protocol
from hooktui.hosts.shared.answers import PERMISSION_REQUESTS, HostAnswer
from hooktui.hosts.shared.entry_spec import EntrySpec
from hooktui.hosts.shared.json_host import JsonHost
from hooktui.hosts.shared.matcher_spec import MatcherSpec
from hooktui.hosts.shared.payloads import text
from hooktui.hosts.shared.places import HookFiles, Reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch, Event

_NEVER_FIRE = ("SessionEnd", "PostToolUseFailure", "PostCompact", "StopFailure")


class _ReadsClaude(Reads):
    def setting(self) -> str:
        return "chat.useClaudeHooks"


class _Matcher(MatcherSpec):
    rule = "ignored"
    everything = (None,)
    field_help = "VS Code ignores it: the hook runs for every tool"
    draft_help = "regex on the tool's name; empty: any. The script checks it"


class _Entry(EntrySpec):
    keys = (
        *("type", "command", "windows", "linux", "osx", "bash", "powershell"),
        *("cwd", "env", "timeout", "timeoutSec", "matcher"),
    )
    timeouts = {"command": 30}
    timeout_keys = ("timeout", "timeoutSec")
    per_system = True
    switch = "ignored"


class VsCode(JsonHost):
    """VS Code's agent."""

    name = "vscode"
    title = "VS Code"
    proof = "from its documentation, not run"
    rank = 2
    format = "json_hooks"
    files = (
        HookFiles(scope="user", path="~/.copilot/hooks", kind="directory", own_file="hooktui.json"),
        HookFiles(scope="project", path=".github/hooks", below="root", kind="directory", own_file="hooktui.json"),
    )
    reads = (_ReadsClaude("claude"), Reads("copilot"))
    programs = ("code", "code-insiders")
    traces = ("~/.vscode", ".vscode")
    runs_repeated_handlers = True
    events = (
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"),
        *("PreCompact", "SubagentStart", "SubagentStop", "Stop"),
    )
    tools = {
        "shell": "run_in_terminal",
        "read": "read_file",
        "write": "create_file",
        "edit": "replace_string_in_file",
        "fetch": "fetch_webpage",
    }
    other_tools = ("runTerminalCommand", "editFiles", "createFile")
    edit_tools = (
        *("create_file", "replace_string_in_file", "multi_replace_string_in_file", "insert_edit_into_file", "apply_patch"),
        *("edit_notebook_file", "editFiles", "createFile"),
    )
    inputs = {"path": "filePath", "content": "content", "old": "oldString", "new": "newString"}
    calls = {
        "run_in_terminal": {"command": "ls", "explanation": "List the files", "isBackground": False},
        "create_file": {"filePath": "notes.txt", "content": "text\n"},
        "replace_string_in_file": {"filePath": "notes.txt", "oldString": "text", "newString": "words"},
        "read_file": {"filePath": "notes.txt", "startLine": 1, "endLine": 9},
    }
    matcher = _Matcher()
    entry = _Entry()
    scheduling = Scheduling(ends_at=("stop",))
    block_at = ("nested",)
    other_callers = {"COPILOT_CLI": ("copilot", "timestamp")}
    notices = "systemMessage"
    connect_scopes = ("project", "user")
    own_fields = ("agent_name",)
    signs = (
        (30, ("hookEventName",)),
        (40, ("hook_event_name", "session_id", "timestamp")),  # Claude and Azure send no timestamp
        (60, ("hook_event_name", "timestamp")),
    )
    copies = {
        "project": (".github/hooks/hooks.json", ".github/hooks/vscode.json"),
        "user": ("~/.copilot/hooks/hooks.json", "~/.copilot/hooks/vscode.json"),
    }
    runs_new_hooks = "VS Code runs it no later than its next session."

    def settings_files(self) -> tuple[str, ...]:
        in_home = (f"~/{place}/Code/User/settings.json" for place in (".config", "Library/Application Support"))
        return (*in_home, ".vscode/settings.json")

    def ignores_event(self, event_as_written: str) -> bool:
        return event_as_written in _NEVER_FIRE

    def keeps_last_spelling(self) -> bool:
        return True

    def stops(self, event: Event, answer: dict[str, Any], *, is_denied: bool) -> bool:
        """A `stopReason` stops without `continue: false`, too."""
        reason = answer.get("stopReason")
        return answer.get("continue") is not True and (answer.get("continue") is False or bool(text(reason)))

    def answer(self, dispatch: Dispatch) -> HostAnswer:
        """Deny with exit 2, except on permission requests; send a `stop` as JSON."""
        denies = dispatch.decision == "deny" and dispatch.event.name not in PERMISSION_REQUESTS
        return json_protocol.answer(dispatch, denies=denies)


HOST = VsCode()
