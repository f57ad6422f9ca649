"""Cursor (read from its own bundle, `@cursor/sdk` 1.0.32; its loader and validator were run, the program was not)."""

from __future__ import annotations

import sys

from hooktui.core import fast_json, paths
from hooktui.hosts.shared import flat_interpretation, json_protocol, places, spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hooktui.core.model import Dispatch, Event

_TIMEOUT_S = 900
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


def _read(host: spec.HostSpec, payload: dict[str, Any], given: str | None, now: str) -> Event:
    """Read a payload. Its session is the conversation; without `cwd` the directory is the first workspace folder."""
    roots = payload.get("workspace_roots")
    root = next((root for root in roots if isinstance(root, str) and root), "") if isinstance(roots, list) else ""
    event = json_protocol.read(host, payload, given, now)
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


def _answer(dispatch: Dispatch) -> spec.HostAnswer:
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
    return spec.HostAnswer(exit_code=0, stdout=fast_json.dumps(value) + "\n")


def _refusal(dispatch: Dispatch) -> str:
    """Why a tool or subagent must not run, "" if it may."""
    if dispatch.blocks:
        return dispatch.reason or "Blocked by a hook"
    if dispatch.decision == "ask":
        return dispatch.reason or "A hook asks the user to decide"
    kept = list(_kept(dispatch))
    return f"A hook rewrites {', '.join(kept)} of this input, which Cursor does not support" if kept else ""


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


def _entry(command: str, event: str) -> dict[str, Any]:
    closed = {"failClosed": True} if event in _GUARDED else {}
    unlimited = {"loop_limit": None} if event in ("stop", "subagentStop") else {}  # hooktui has a limit of its own
    return {"type": "command", "command": command, "timeout": _TIMEOUT_S, **closed, **unlimited}


SPEC: spec.HostSpec = spec.HostSpec(
    name="cursor",
    title="Cursor",
    proof="read in its SDK (1.0.32), not run",
    rank=8,
    format="json_hooks",
    files=(
        places.HookFiles(scope="user", path="~/.cursor/hooks.json"),
        places.HookFiles(scope="project", path=".cursor/hooks.json"),
        places.HookFiles(scope="managed", path=f"{_ENTERPRISE}/hooks.json", read_only=_ADMINISTRATOR),
    ),
    reads=(
        places.Reads(
            host="claude",
            lost_without_matcher_on=("PreToolUse", "PostToolUse"),
            needs_matcher=True,
            events=(
                *("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop", "SessionStart", "SessionEnd"),
                "PreCompact",
            ),
        ),
    ),
    programs=("cursor", "cursor-agent"),
    traces=("~/.cursor", ".cursor"),
    style="steps",
    events=(
        *("sessionStart", "sessionEnd", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure"),
        *("beforeShellExecution", "afterShellExecution", "beforeMCPExecution", "afterMCPExecution", "beforeReadFile"),
        *("afterFileEdit", "beforeTabFileRead", "afterTabFileEdit", "afterAgentResponse", "afterAgentThought"),
        *("subagentStart", "subagentStop", "preCompact", "stop", "workspaceOpen"),
    ),
    tools={"shell": "Shell", "read": "Read", "write": "Write", "edit": "Write", "fetch": "Fetch"},
    other_tools=(
        *("Grep", "List", "Delete", "Task", "WebSearch", "WebFetch", "ReadLints", "WriteShellStdin", "ComputerUse"),
        *("RecordScreen", "ListMcpResources", "FetchMcpResource"),
    ),
    edit_tools=("Write", "Delete"),
    inputs={"path": "file_path", "content": "content"},
    calls={
        "Shell": {"command": "ls", "cwd": ""},
        "Write": {"file_path": "notes.txt", "content": "text\n"},
        "Read": {"file_path": "notes.txt"},
    },
    matcher=spec.MatcherSpec(
        rule="regex",
        ignored_on=("sessionStart", "sessionEnd", "preCompact", "workspaceOpen"),
        subjects={
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
        },
        field_help="a regex for part of the tool's name, like Shell|Write; empty or *: every tool",
        draft_help="a regex for part of the name, like Shell; empty: any tool",
    ),
    entry=spec.EntrySpec(
        fails_closed_by=("failClosed", True),
        types=("command", "prompt"),
        keys=("type", "command", "prompt", "model", "matcher", "timeout", "loop_limit", "failClosed"),
        interpreter=("/bin/bash", "-c"),
        timeouts={"command": 60, "prompt": 60},
        strict=True,
        file_faults=("syntax", "comment sign", "byte order mark", "event", "unknown event"),
        flat_only=True,
        version=1,
        counts_versions=True,
        blank='{\n  "version": 1\n}\n',
        project_variable="CURSOR_PROJECT_DIR",
        switch="ignored",
    ),
    speech=spec.SpeechSpec(
        protocol="flat_answers",
        manner=spec.Manner(at_once=True),
        variables=dict.fromkeys(("CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"), "{project}"),
        denies_by_exit_2=("pre-tool-call", "pre-subagent", "pre-agent-turn", "pre-session", *_PERMISSION_STEPS),
        fail_mode_since=(),
        obeys={
            **dict.fromkeys(_PERMISSION_STEPS, ("permission", _MESSAGE)),
            "preToolUse": _TOOL_KEYS,
            "postToolUse": ("additional_context",),
            "postToolUseFailure": ("additional_context",),
            "beforeSubmitPrompt": ("continue", _MESSAGE, "additional_context"),
            "sessionStart": ("continue", _MESSAGE, "additional_context", "env"),
            "stop": _FOLLOWS_UP,
            "subagentStop": _FOLLOWS_UP,
            "preCompact": (_MESSAGE,),
        },
        permission_steps=_PERMISSION_STEPS,
        silence="{}\n",
        examples={
            "": {"cursor_version": "2.0"},
            "stop": {"status": "completed", "loop_count": 0},
            "postToolUse": {"tool_output": "{}"},
            "postToolUseFailure": {"error_message": "exit code 1", "failure_type": "error"},
            "subagentStart": {"subagent_id": "agent-1", "subagent_type": "explore", "task": "Find the tests"},
            **{step: {"command": "ls"} for step in ("beforeShellExecution", "afterShellExecution")},
            **{step: {"tool_name": "search", "tool_input": "{}"} for step in ("beforeMCPExecution", "afterMCPExecution")},
            **{step: {"file_path": "notes.txt"} for step in _FILE_STEPS},
        },
        user_directory="~/.cursor/",
        sends_timestamp=False,
        no_decision_on=("pre-tool-call",),
        own_gate_limit=5,
    ),
    connect=spec.ConnectSpec(entry=_entry, gone_answer={"permission": "deny", _MESSAGE: "{}", "agent_message": "{}"}),
    signs=((5, ("cursor_version",)),),
    read=_read,
    interpret=flat_interpretation.interpret,
    answer=_answer,
    copies={"project": (".cursor/hooks.json",), "user": ("~/.cursor/hooks.json",)},
    scripts_dir="hooks",
    directories_dir="hooks",
    runs_new_hooks="Cursor runs it as soon as it has read the file.",
)
