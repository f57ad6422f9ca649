"""opencode (seen in 1.18.33): it has plugins in place of hooks, and `connect` writes one that calls hooktui."""

from __future__ import annotations

import os

from hooktui.core.events import GATE
from hooktui.hosts.base import Scheduling
from hooktui.hosts.shared.answers import HostAnswer, denied, printed
from hooktui.hosts.shared.json_host import JsonHost
from hooktui.hosts.shared.places import HookFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch, Scope

_DENIED = ("pre-tool-call", "post-tool-call", "pre-agent-turn", GATE)
_TAKES_CONTEXT = ("pre-session", "pre-agent-turn", "pre-tool-call", "post-tool-call")


class OpenCode(JsonHost):
    """opencode, with a plugin of ours."""

    name = "opencode"
    title = "opencode"
    proof = "run (1.18.33)"
    rank = 11
    format = "own_plugin"
    files = (
        HookFiles(scope="user", path="~/.config/opencode/plugins", kind="directory", own_file="hooktui.js"),
        HookFiles(scope="project", path=".opencode/plugins", kind="directory", below="above", own_file="hooktui.js"),
    )
    programs = ("opencode",)
    traces = ("~/.config/opencode", "~/.local/share/opencode", ".opencode")
    moved = {"~/.config": "XDG_CONFIG_HOME", "~/.local/share": "XDG_DATA_HOME"}
    transcripts = ("~/.local/share/opencode/opencode.db",)
    events = (
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"),
        *("Stop", "StopFailure", "PreCompact", "PostCompact"),
    )
    tools = {"shell": "bash", "read": "read", "write": "write", "edit": "edit", "fetch": "webfetch"}
    other_tools = ("glob", "grep", "skill", "task", "todowrite")
    edit_tools = ("write", "edit")
    inputs = {"path": "filePath", "content": "content", "old": "oldString", "new": "newString"}
    calls = {"bash": {"command": "ls", "description": "List the files"}}
    scheduling = Scheduling(once_per="handler")
    exit_2_denies = _DENIED
    notices = "systemMessage"
    notices_beside_denial = _DENIED
    connect_scopes = ("project", "user")

    def folder_off(self, scope: Scope, directory: str) -> str:
        """Why opencode does not load our plugin: two variables prevent that (run, 1.18.33)."""
        variables = ("OPENCODE_PURE", *(("OPENCODE_DISABLE_PROJECT_CONFIG",) if scope == "project" else ()))
        is_set = (name for name in variables if os.environ.get(name, "").lower() in ("1", "true"))
        return next((f"{name} is set, so opencode does not load this plugin" for name in is_set), "")

    def answer(self, dispatch: Dispatch) -> HostAnswer:
        """Write what our plugin (connect/plugins/opencode.js) reads: exit 2, or `input`, `context` and `systemMessage`.

        A plugin cannot ask the user: `ask` is a denial. A stop is one too, except where the agent is about to stop.
        """
        name = dispatch.event.name
        before_tool = name == "pre-tool-call"
        stops = dispatch.decision == "stop" and name != GATE
        value: dict[str, Any] = {}
        if dispatch.system_messages:
            value["systemMessage"] = "\n".join(dispatch.system_messages)
        if name in _DENIED and (stops or dispatch.decision == "deny" or (before_tool and dispatch.decision == "ask")):
            return denied(dispatch.reason or "A hook asks the user to decide", printed(value).stdout)
        if before_tool and dispatch.modified_input is not None:
            value["input"] = dispatch.modified_input
        if dispatch.additional_context and name in _TAKES_CONTEXT:
            value["context"] = "\n".join(dispatch.additional_context)
        return printed(value)


HOST = OpenCode()
