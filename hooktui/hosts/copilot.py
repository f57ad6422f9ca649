"""GitHub Copilot CLI (formats.md §3; seen in 1.0.102)."""

from __future__ import annotations

from hooktui.hosts.shared import json_protocol, spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch

_TIMEOUT_S = 900
_CAN_GO_ON = ("pre-agent-turn-stop", "post-subagent")


def _answer(dispatch: Dispatch) -> spec.HostAnswer:
    """Deny a tool with exit 2 and JSON, since newer versions take the reason from stdout; elsewhere JSON at exit 0."""
    value = _json(dispatch)
    if json_protocol.denies_by_exit_2(dispatch, SPEC):
        return spec.denied(dispatch.reason, spec.printed(value).stdout)
    return spec.printed(value)


def _json(dispatch: Dispatch) -> dict[str, Any]:
    """The answer at the top level; before a tool, PascalCase events repeat it under Claude's `hookSpecificOutput`.

    Copilot cannot stop an agent or undo a tool call, so the model gets such a denial as context.
    """
    name = dispatch.event.name
    context = list(dispatch.additional_context)
    value: dict[str, Any] = {}
    if name == "pre-tool-call":
        value = json_protocol.tool_decision(dispatch)
        if dispatch.modified_input is not None:
            value["modifiedArgs"] = dispatch.modified_input
    elif name in json_protocol.PERMISSION_REQUESTS:
        value = json_protocol.behavior(dispatch)
    elif name in _CAN_GO_ON and dispatch.decision == "deny":
        value = {"decision": "block", "reason": dispatch.reason}
    elif dispatch.blocks and name not in _CAN_GO_ON:
        context.append(dispatch.reason or "")
    if context:
        value["additionalContext"] = "\n".join(context)
    if name == "pre-tool-call" and value and not dispatch.event.as_written[:1].islower():
        renamed = {"updatedInput" if key == "modifiedArgs" else key: item for key, item in value.items()}
        value["hookSpecificOutput"] = {"hookEventName": "PreToolUse", **renamed}
    return value


SPEC: spec.HostSpec = spec.HostSpec(
    name="copilot",
    title="Copilot CLI",
    rank=3,
    format="json_hooks",
    files=(
        spec.HookFiles(scope="user", path="~/.copilot/hooks", is_directory=True),
        spec.HookFiles(scope="project", path=".github/hooks", is_directory=True),
    ),
    reads=(spec.Reads(host="vscode"), spec.Reads(host="claude", scopes=("project", "local"))),
    claims_version=True,
    style="camel",
    events=(
        *("sessionStart", "sessionEnd", "userPromptSubmitted", "userPromptTransformed", "preToolUse", "permissionRequest"),
        *("postToolUse", "postToolUseFailure", "notification", "subagentStart", "subagentStop", "agentStop"),
        *("preCompact", "errorOccurred"),
        *("SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse"),
        *("PostToolUseFailure", "Notification", "SubagentStart", "SubagentStop", "Stop", "PreCompact", "ErrorOccurred"),
    ),
    tools={"shell": "bash", "read": "view", "write": "create", "edit": "edit", "fetch": "web_fetch"},
    inputs={"path": "path", "content": "file_text", "old": "old_str", "new": "new_str"},
    calls={"bash": {"command": "ls"}, "edit": {"path": "notes.txt"}, "view": {"path": "notes.txt"}},
    matcher=spec.MatcherSpec(
        camel_rule="whole",
        everything=("", "*"),
        ignored_on=(
            *("userPromptSubmitted", "userPromptTransformed", "agentStop", "errorOccurred"),
            *("UserPromptSubmit", "Stop", "ErrorOccurred"),
        ),
        field_help="a regex for the whole name on camelCase events, else names as in Claude Code",
        draft_help="regex for the whole name, like bash; empty: any tool",
    ),
    entry=spec.EntrySpec(
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
        program_key="exec",
        version=1,
        blank='{\n  "version": 1\n}\n',
        prompts_on=("pre-session",),
        tls_only=True,
    ),
    speech=spec.SpeechSpec(
        manner=spec.Manner(ends_at=("stop",)),
        fails_closed=True,
        progress=True,
        expands=True,
        variables={"COPILOT_CLI": "1"},
        denies_by_exit_2=("pre-tool-call", *json_protocol.PERMISSION_REQUESTS),
        camel_payloads=True,
        result_object=True,
    ),
    connect=spec.ConnectSpec(
        project=".github/hooks/hooktui-copilot.json",
        user=".copilot/hooks/hooktui-copilot.json",
        entry=lambda command: {"type": "command", "bash": command, "timeoutSec": _TIMEOUT_S},
        names_event=True,  # the camelCase payloads do not
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
