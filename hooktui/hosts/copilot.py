"""GitHub Copilot CLI (formats.md §3; seen in 1.0.102)."""

from __future__ import annotations

from hooktui.hosts.shared import json_protocol, places, spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch

_TIMEOUT_S = 900
_TOOL_KEYS = ("permissionDecision", "permissionDecisionReason", "modifiedArgs", "additionalContext")
_BLOCK_KEYS = ("decision", "reason")
_CONTEXT_KEYS = ("additionalContext",)
_CONTEXT_ONLY = ("sessionStart", "SessionStart", "postToolUseFailure", "PostToolUseFailure", "subagentStart", "SubagentStart")
_GATES = ("agentStop", "Stop", "subagentStop", "SubagentStop")
# All that Copilot obeys, at the top level unless named otherwise. At exit 2 a `hookSpecificOutput` loses the reason.
_OBEYS = {
    "preToolUse": _TOOL_KEYS,
    "PreToolUse": (*_TOOL_KEYS, "hookSpecificOutput"),
    **dict.fromkeys(spec.PERMISSION_REQUESTS, ("behavior", "message")),
    **dict.fromkeys(("userPromptSubmitted", "UserPromptSubmit"), (*_BLOCK_KEYS, "modifiedPrompt", *_CONTEXT_KEYS)),
    "userPromptTransformed": ("modifiedTransformedPrompt",),
    **dict.fromkeys(("postToolUse", "PostToolUse"), (*_BLOCK_KEYS, "modifiedResult", *_CONTEXT_KEYS)),
    **dict.fromkeys(_CONTEXT_ONLY, _CONTEXT_KEYS),
    **dict.fromkeys(_GATES, _BLOCK_KEYS),
}
_REWRITES = {
    "pre-agent-turn": ("modifiedPrompt", "prompt", ""),
    "userPromptTransformed": ("modifiedTransformedPrompt", "transformedPrompt", ""),
    "post-tool-call": ("modifiedResult", "toolResult", "textResultForLlm"),
}
# On PreToolUse, Copilot reads these only in `hookSpecificOutput`, under Claude Code's names.
_NESTED = {"modifiedArgs": "updatedInput", "additionalContext": "additionalContext"}


def _answer(dispatch: Dispatch) -> spec.HostAnswer:
    """Deny a tool with exit 2 and JSON, from which Copilot takes the reason; elsewhere print JSON at exit 0."""
    value = _json(dispatch)
    if json_protocol.denies_by_exit_2(dispatch, SPEC):
        return spec.denied(dispatch.reason, spec.printed(value).stdout)
    return spec.printed(value)


def _json(dispatch: Dispatch) -> dict[str, Any]:
    """The answer, at the top level except what Copilot reads only in `hookSpecificOutput` on PreToolUse.

    Copilot cannot stop an agent: a stop is a denial, except at a gate, where it lets the agent stop. Where nothing can be
    denied, the model gets the denial as context.
    """
    event, rewrite = dispatch.event, dispatch.modified_input
    obeyed = SPEC.obeys(SPEC.spelling(event.name) or event.name) or ()
    key, field, _ = _REWRITES.get(event.name, ("modifiedArgs", "", ""))
    context = list(dispatch.additional_context)
    value: dict[str, Any] = {}
    if event.name == "pre-tool-call":
        value = json_protocol.tool_decision(dispatch)
    elif event.name in spec.PERMISSION_REQUESTS:
        value = json_protocol.behavior(dispatch)
    elif "decision" not in obeyed:
        context += [dispatch.reason or ""] if dispatch.blocks else []
    elif dispatch.decision == "deny" or (dispatch.decision == "stop" and "additionalContext" in obeyed):
        value = {"decision": "block", "reason": dispatch.reason}
    if rewrite is not None:
        value[key] = rewrite.get(field) if field else rewrite
    if context:
        value["additionalContext"] = "\n".join(context)
    if event.as_written == "PreToolUse":
        nested = {_NESTED[name]: value.pop(name) for name in _NESTED if name in value}
        return {**value, "hookSpecificOutput": {"hookEventName": event.as_written, **nested}} if nested else value
    return {name: item for name, item in value.items() if name in obeyed}


_ENTRY = spec.EntrySpec(
    # Copilot types a prompt entry into the session instead of asking a model, so hooktui cannot run it.
    types=("command", "http", "prompt"),
    runs=("command", "http"),
    keys=(
        *("type", "command", "windows", "linux", "osx", "bash", "powershell"),
        *("cwd", "env", "timeout", "timeoutSec", "matcher"),
        *("exec", "args", "url", "headers", "allowedEnvVars", "prompt"),
    ),
    interpreter=("bash", "-c"),
    timeouts={"command": 30, "http": 30, "prompt": 30},
    timeout_keys=("timeoutSec", "timeout"),
    per_system=True,
    drops_entries=True,
    file_faults=("syntax", "comment", "byte order mark", "surrogate", "event"),
    program_key="exec",
    version=1,
    blank='{\n  "version": 1\n}\n',
    prompts_on=("pre-session",),
    tls_only=True,
)
_SETTINGS = places.HookFiles(
    scope="user",
    path="",
    settings=True,
    entry=_ENTRY.replace(strict=True, drops_entries=False, version=None),  # one wrong entry loses the file
)

SPEC: spec.HostSpec = spec.HostSpec(
    name="copilot",
    title="Copilot CLI",
    proof="run (1.0.102)",
    rank=3,
    format="json_hooks",
    files=(
        places.HookFiles(scope="user", path="~/.copilot/hooks", is_directory=True),
        _SETTINGS.replace(scope="user", path="~/.copilot/settings.json"),
        places.HookFiles(scope="project", path=".github/hooks", below="root", is_directory=True),
        _SETTINGS.replace(scope="project", path=".github/copilot/settings.json", below="root"),
        _SETTINGS.replace(scope="local", path=".github/copilot/settings.local.json", below="root"),
    ),
    reads=(
        places.Reads(host="vscode"),
        places.Reads(
            host="claude",
            scopes=("project", "local"),
            lost_by=("",),
            lost_types={"mcp_tool": (), "agent": (), "prompt": ("pre-session",)},
        ),
    ),
    programs=("copilot",),
    traces=("~/.copilot/config.json", "~/.copilot/settings.json", "~/.copilot/logs", ".github/copilot"),
    claims_version=True,
    runs_repeated_handlers=True,
    style="camel",
    events=(
        *("sessionStart", "sessionEnd", "userPromptSubmitted", "userPromptTransformed", "preToolUse", "permissionRequest"),
        *("postToolUse", "postToolUseFailure", "notification", "subagentStart", "subagentStop", "agentStop"),
        *("preCompact", "errorOccurred"),
        *("SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse"),
        *("PostToolUseFailure", "Notification", "SubagentStart", "SubagentStop", "Stop", "PreCompact", "ErrorOccurred"),
    ),
    aliases={"Bash": ("bash",), "Read": ("view",), "Write": ("create",), "Edit": ("edit",), "Agent": ("task", "Task")},
    tools={"shell": "bash", "read": "view", "write": "create", "edit": "edit", "fetch": "web_fetch"},
    edit_tools=("create", "edit"),
    inputs={"path": "path", "content": "file_text", "old": "old_str", "new": "new_str"},
    calls={"bash": {"command": "ls"}, "edit": {"path": "notes.txt"}, "view": {"path": "notes.txt"}},
    matcher=spec.MatcherSpec(
        camel_rule="whole",
        characters="_-|",
        separators="|",
        anchored=True,
        everything=("*",),
        ignored_on=(
            *("userPromptSubmitted", "userPromptTransformed", "agentStop", "errorOccurred"),
            *("UserPromptSubmit", "Stop", "ErrorOccurred"),
        ),
        field_help="a regex for the whole name; on PascalCase events also names of Claude Code's tools, or *",
        draft_help="regex for the whole name, like bash; empty: any tool",
    ),
    entry=_ENTRY,
    speech=spec.SpeechSpec(
        own_gate_limit=8,
        manner=spec.Manner(ends_at=("deny",)),
        fails_closed=("pre-tool-call", *spec.PERMISSION_REQUESTS),
        progress=True,
        one_timestamp=True,
        expands=True,
        variables={"COPILOT_CLI": "1", "COPILOT_PROJECT_DIR": "{project}", "CLAUDE_PROJECT_DIR": "{project}"},
        denies_by_exit_2=("pre-tool-call", *spec.PERMISSION_REQUESTS),
        json_at_exit_2=True,
        obeys=_OBEYS,
        decisions=("block",),
        needs_reason=True,
        rewrites=_REWRITES,
        camel_payloads=True,
        camel_answers_at_top=True,
        result_object=True,
        shown_at_exit_2=("sessionStart", "userPromptSubmitted"),
    ),
    connect=spec.ConnectSpec(
        entry=lambda command, _event: {"type": "command", "bash": command, "timeoutSec": _TIMEOUT_S},
        names_event=True,  # the camelCase payloads do not
        file_name="hooktui-copilot.json",
    ),
    signs=((80, ("sessionId",)), (81, ("toolName",))),
    read=json_protocol.read,
    answer=_answer,
    copies={
        "project": (".github/hooks/copilot.json", ".github/hooks/copilot-cli.json"),
        "user": ("~/.copilot/hooks/copilot.json", "~/.copilot/hooks/copilot-cli.json"),
    },
    runs_new_hooks="Copilot CLI runs it no later than its next session.",
)
