"""Answers in Claude Code's JSON protocol, for the hosts that follow it (formats.md §3, "stdout")."""

from __future__ import annotations

from hooktui.core import events, fast_json
from hooktui.hosts.shared.spec import BLOCKED, HostAnswer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch

PERMISSION_REQUESTS = ("PermissionRequest", "permissionRequest")
# Events whose answer may carry context for the model.
_TAKES_CONTEXT = ("pre-tool-call", "post-tool-call", "post-tool-call-failure", "pre-agent-turn", "pre-session", "pre-subagent")


def answer(dispatch: Dispatch, *, denies: bool) -> HostAnswer:
    """Exit 2 with the reason where it denies, else Claude's JSON at exit 0."""
    return denied(dispatch) if denies else printed(claude_json(dispatch))


def denied(dispatch: Dispatch, stdout: str = "") -> HostAnswer:
    """A denial by exit 2, its reason on stderr."""
    return HostAnswer(exit_code=BLOCKED, stdout=stdout, stderr=f"{dispatch.reason}\n")


def printed(value: dict[str, Any]) -> HostAnswer:
    """A JSON object on stdout at exit 0; nothing for an empty one."""
    return HostAnswer(exit_code=0, stdout=fast_json.dumps(value) + "\n" if value else "")


def claude_json(dispatch: Dispatch) -> dict[str, Any]:
    """The output that Claude Code and VS Code read."""
    name = dispatch.event.name
    said: dict[str, Any] = {}
    messages = list(dispatch.system_messages)
    specific: dict[str, Any] = {}
    if dispatch.decision == "stop":
        said = {"continue": False, "stopReason": dispatch.reason}
    elif name in PERMISSION_REQUESTS:
        specific |= _permission(dispatch)
    elif dispatch.decision == "deny":
        messages.append(dispatch.reason or "")
    if name == "pre-tool-call" and dispatch.decision != "deny":
        specific |= tool_decision(dispatch)  # beside a stop, which older versions of VS Code do not read there
    if dispatch.modified_input is not None and name == "pre-tool-call":
        specific["updatedInput"] = dispatch.modified_input
    if dispatch.additional_context and name in _TAKES_CONTEXT:
        specific["additionalContext"] = "\n".join(dispatch.additional_context)
    else:
        messages += dispatch.additional_context
    if messages:
        said["systemMessage"] = "\n".join(messages)
    if specific:
        said["hookSpecificOutput"] = {"hookEventName": events.spelling(name, "pascal") or name, **specific}
    return said


def tool_decision(dispatch: Dispatch) -> dict[str, Any]:
    """What is decided about a tool call, and why."""
    if dispatch.decision == "none":
        return {}
    decided = "deny" if dispatch.blocks else dispatch.decision
    reason = {"permissionDecisionReason": dispatch.reason} if dispatch.reason else {}
    return {"permissionDecision": decided, **reason}


def _permission(dispatch: Dispatch) -> dict[str, Any]:
    """Claude's answer to a permission request; `ask` is what happens without one."""
    return {"decision": granted} if (granted := behavior(dispatch)) else {}


def behavior(dispatch: Dispatch) -> dict[str, Any]:
    """The answer to a permission request; empty where the host asks the person as usual."""
    if dispatch.blocks:
        return {"behavior": "deny", "message": dispatch.reason}
    return {"behavior": "allow"} if dispatch.decision == "allow" else {}
