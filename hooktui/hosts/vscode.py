"""VS Code's agent (formats.md §3)."""

from __future__ import annotations

from hooktui.hosts.shared import json_protocol, places, spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooktui.core.model import Dispatch

_TIMEOUT_S = 900


def _answer(dispatch: Dispatch) -> spec.HostAnswer:
    """Deny with exit 2, except on permission requests; send a `stop` as JSON."""
    denies = dispatch.decision == "deny" and dispatch.event.name not in spec.PERMISSION_REQUESTS
    return json_protocol.answer(dispatch, denies=denies)


SPEC: spec.HostSpec = spec.HostSpec(
    name="vscode",
    title="VS Code",
    proof="from its documentation, not run",
    rank=2,
    format="json_hooks",
    files=(
        places.HookFiles(scope="user", path="~/.copilot/hooks", is_directory=True),
        places.HookFiles(scope="project", path=".github/hooks", below="root", is_directory=True),
    ),
    reads=(places.Reads(host="claude", setting="chat.useClaudeHooks"), places.Reads(host="copilot")),
    programs=("code", "code-insiders"),
    traces=("~/.vscode", ".vscode"),
    settings=(
        "~/.config/Code/User/settings.json",
        "~/Library/Application Support/Code/User/settings.json",
        ".vscode/settings.json",
    ),
    keeps_last_spelling=True,
    runs_repeated_handlers=True,
    events=(
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"),
        *("PreCompact", "SubagentStart", "SubagentStop", "Stop"),
    ),
    deaf_events=("SessionEnd", "PostToolUseFailure", "PostCompact", "StopFailure"),
    tools={
        "shell": "run_in_terminal",
        "read": "read_file",
        "write": "create_file",
        "edit": "replace_string_in_file",
        "fetch": "fetch_webpage",
    },
    other_tools=("runTerminalCommand", "editFiles", "createFile"),  # seed 003 has the names of the first release
    edit_tools=(
        *("create_file", "replace_string_in_file", "multi_replace_string_in_file", "insert_edit_into_file", "apply_patch"),
        *("edit_notebook_file", "editFiles", "createFile"),
    ),
    inputs={"path": "filePath", "content": "content", "old": "oldString", "new": "newString"},
    calls={
        "run_in_terminal": {"command": "ls", "explanation": "List the files", "isBackground": False},
        "create_file": {"filePath": "notes.txt", "content": "text\n"},
        "replace_string_in_file": {"filePath": "notes.txt", "oldString": "text", "newString": "words"},
        "read_file": {"filePath": "notes.txt", "startLine": 1, "endLine": 9},
    },
    matcher=spec.MatcherSpec(
        rule="ignored",
        everything=(),
        field_help="VS Code ignores it: the hook runs for every tool",
        draft_help="regex on the tool's name; empty: any. The script checks it",
    ),
    entry=spec.EntrySpec(
        keys=(
            *("type", "command", "windows", "linux", "osx", "bash", "powershell"),
            *("cwd", "env", "timeout", "timeoutSec", "matcher"),
        ),
        timeouts={"command": 30},
        timeout_keys=("timeout", "timeoutSec"),
        per_system=True,
        switch="ignored",
    ),
    speech=spec.SpeechSpec(
        manner=spec.Manner(ends_at=("stop",)),
        block_at=("nested",),
        stop_reason_stops=True,
        other_callers={"COPILOT_CLI": ("copilot", "timestamp")},
        notices="systemMessage",
    ),
    connect=spec.ConnectSpec(
        entry=lambda command, _event: {"type": "command", "command": command, "timeout": _TIMEOUT_S},
        file_name="hooktui.json",
    ),
    signs=(
        (30, ("hookEventName",)),
        (40, ("hook_event_name", "session_id", "timestamp")),  # Claude and Azure send no timestamp
        (60, ("hook_event_name", "timestamp")),
    ),
    read=json_protocol.read,
    answer=_answer,
    copies={
        "project": (".github/hooks/hooks.json", ".github/hooks/vscode.json"),
        "user": ("~/.copilot/hooks/hooks.json", "~/.copilot/hooks/vscode.json"),
    },
    runs_new_hooks="VS Code runs it no later than its next session.",
)
