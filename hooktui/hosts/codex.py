"""Codex CLI (seen in 0.169.0): its hook files are listed, checked and edited; `connect` does not support it yet.

Codex itself trusts each hook by its position in the file and a hash of its command: see its `/hooks`.
"""

from __future__ import annotations

from hooktui.hosts.shared import json_protocol, spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooktui.core.model import Dispatch

# Exit 2 with a reason on stderr denies here; elsewhere Codex reports the hook as failed and continues.
_DENIES_BY_EXIT_2 = ("pre-tool-call", "post-tool-call", "pre-agent-turn", "pre-agent-turn-stop", "post-subagent")
_TAKES_CONTEXT = ("pre-session", "pre-agent-turn", "pre-tool-call", "post-tool-call")


def _answer(dispatch: Dispatch) -> spec.HostAnswer:
    """Write only what Codex obeys: for any other key, a bare allow or `ask`, it ignores the answer and runs the tool.

    `ask` and a stop before a tool are denials. So is a rewrite without a `command`: the original must not run.
    """
    name = dispatch.event.name
    before_tool = name == "pre-tool-call"
    rewrite = dispatch.modified_input if before_tool else None
    asks = before_tool and dispatch.decision == "ask"
    if asks or (dispatch.blocks and SPEC.denies_by_exit_2(name)):
        return spec.denied(dispatch.reason or "A hook asks the user to decide")
    if rewrite is not None and not isinstance(rewrite.get("command"), str):
        return spec.denied("A hook rewrites this input, which Codex CLI does not support")
    specific: dict[str, object] = {}
    if rewrite is not None:
        specific |= {"permissionDecision": "allow", "updatedInput": rewrite}
    if dispatch.additional_context and name in _TAKES_CONTEXT:
        specific["additionalContext"] = "\n".join(dispatch.additional_context)
    value: dict[str, object] = {}
    if dispatch.system_messages:
        value["systemMessage"] = "\n".join(dispatch.system_messages)
    if specific:
        value["hookSpecificOutput"] = {"hookEventName": SPEC.spelling(name) or name, **specific}
    return spec.printed(value)


SPEC: spec.HostSpec = spec.HostSpec(
    name="codex",
    title="Codex CLI",
    rank=5,
    format="json_hooks",
    files=(
        spec.HookFiles(scope="user", path="~/.codex/hooks.json"),
        spec.HookFiles(scope="project", path=".codex/hooks.json", below="upward"),
    ),
    programs=("codex",),
    traces=("~/.codex/config.toml", "~/.codex/auth.json"),
    moved={"~/.codex": "CODEX_HOME"},
    events=(
        *("SessionStart", "UserPromptSubmit", "PreModelRequest", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop"),
        *("SubagentStart", "SubagentStop", "SessionEnd", "PreCompact", "PostCompact", "Interrupt"),
    ),
    tools={"shell": "Bash"},
    other_tools=("apply_patch", "view_image", "update_plan", "web_search"),
    edit_tools=("apply_patch",),
    calls={"Bash": {"command": "ls"}},
    matcher=spec.MatcherSpec(
        characters="_|",
        separators="|",
        ignored_on=("Stop", "UserPromptSubmit"),
        look_around=False,
        field_help="letters, digits, _ and | are exact names; anything else is a regex; empty or *: every tool",
        draft_help="names like Bash, or a regex; empty: any tool",
    ),
    entry=spec.EntrySpec(
        types=("command", "mcp_tool"),
        skipped_types=("prompt", "agent"),
        keys=("type", "command", "timeout", "async", "statusMessage", "server", "tool", "input"),
        interpreter=("/bin/bash", "-c"),
        timeouts={"command": 600, "mcp_tool": 600},
        strict=True,
        strict_json=True,
        needs_type=True,
        nested=True,
        top_keys=("description", "hooks"),
        rejects_bom=True,
        flat_loses_file=False,
        whole_seconds=True,
    ),
    speech=spec.SpeechSpec(
        manner=spec.Manner(at_once=True),
        strict=True,
        text_becomes_context=True,
        denies_by_exit_2=_DENIES_BY_EXIT_2,
        runs_in_session_dir=True,
        block_at=("top",),
        needs_event_name=True,
        rejects_ask=True,
        sends_timestamp=False,
        session_source="startup",
    ),
    signs=((15, ("hook_event_name", "turn_id")),),
    read=json_protocol.read,
    answer=_answer,
    copies={"project": (".codex/hooks.json",), "user": ("~/.codex/hooks.json",)},
    scripts_dir="hooks",
    directories_dir="hooks",
    runs_new_hooks="Codex CLI runs it after you trust it with /hooks.",
)
