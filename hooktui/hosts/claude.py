"""Claude Code (formats.md §3; seen in 2.1.197 and 2.1.330)."""

from __future__ import annotations

import sys

from hooktui.hosts.shared import json_protocol, places, spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.core.model import Dispatch, Scope
    from hooktui.hosts.shared.places import Noun

_EVENTS = (
    *("SessionStart", "SessionEnd", "Setup", "InstructionsLoaded", "ConfigChange", "CwdChanged", "DirectoryAdded"),
    *("FileChanged", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PermissionRequest", "PermissionDenied"),
    *("PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "MessageDisplay", "SubagentStart"),
    *("SubagentStop", "TaskCreated", "TaskCompleted", "Stop", "StopFailure", "TeammateIdle", "WorktreeCreate"),
    *("WorktreeRemove", "PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch", "Elicitation"),
    "ElicitationResult",
)
# Events on which exit 2 denies; on the others it is at most a message to the person.
_DENIES_BY_EXIT_2 = (
    *("pre-tool-call", "post-tool-call", "post-tool-call-failure", "pre-agent-turn", "pre-agent-turn-stop"),
    *("post-subagent", "pre-context-compact", "UserPromptExpansion", "TeammateIdle", "TaskCreated", "TaskCompleted"),
    *("ConfigChange", "PostToolBatch", "Elicitation", "ElicitationResult", "WorktreeCreate", "WorktreeRemove"),
)
_IGNORES_MATCHER_ON = (
    *("UserPromptSubmit", "Stop", "PostToolBatch", "TeammateIdle", "TaskCreated", "TaskCompleted"),
    *("WorktreeCreate", "WorktreeRemove", "CwdChanged", "MessageDisplay"),
)
_COMPACTED_BY = ("manual", "auto")
# What matchers are compared with on events without a tool, from the program itself (2.1.197, 2.1.330).
_MATCHED_VALUES = {
    "SessionStart": ("startup", "resume", "clear", "compact"),
    "SessionEnd": ("clear", "resume", "logout", "prompt_input_exit", "other", "bypass_permissions_disabled"),
    "Setup": ("init", "maintenance"),
    "PreCompact": _COMPACTED_BY,
    "PostCompact": _COMPACTED_BY,
    "ConfigChange": ("user_settings", "project_settings", "local_settings", "policy_settings", "skills"),
    "InstructionsLoaded": ("session_start", "nested_traversal", "path_glob_match", "include", "compact"),
    "Notification": (
        *("permission_prompt", "idle_prompt", "auth_success", "elicitation_dialog", "elicitation_complete"),
        *("elicitation_response", "agent_needs_input", "agent_completed", "elicitation_url_dialog"),
        *("worker_permission_prompt", "push_notification", "computer_use_enter", "computer_use_exit"),
    ),
}
_PUBLISHED_VARIABLES = (
    *("CLAUDE_PROJECT_DIR", "CLAUDE_COMMAND", "CLAUDE_EVENT", "CLAUDE_FILE", "CLAUDE_FILES", "CLAUDE_FILE_PATH"),
    *("CLAUDE_FILE_PATHS", "CLAUDE_HOOK_EVENT", "CLAUDE_HOOK_INPUT", "CLAUDE_MESSAGE", "CLAUDE_NOTIFICATION"),
    *("CLAUDE_PROMPT", "CLAUDE_TOOL", "CLAUDE_TOOL_ARGS", "CLAUDE_TOOL_INPUT", "CLAUDE_TOOL_INPUT_FILE_PATH"),
    *("CLAUDE_TOOL_NAME", "CLAUDE_TOOL_OUTPUT", "CLAUDE_TOOL_RESULT", "CLAUDE_USER_PROMPT", "CLAUDE_BASH_COMMAND"),
    *("CLAUDE_TOOL_USE_ID", "CLAUDE_TRANSCRIPT_PATH", "CLAUDE_CWD", "CLAUDE_WORKING_DIR", "CLAUDE_HOOK_NAME"),
    *("FILE_PATH", "HOOK_EVENT", "HOOK_EVENT_NAME", "HOOK_INPUT", "TOOL_ARGS", "TOOL_COMMAND", "TOOL_FILE_PATH"),
    *("TOOL_INPUT", "TOOL_INPUT_COMMAND", "TOOL_INPUT_FILE_PATH", "TOOL_NAME", "TOOL_OUTPUT", "TOOL_RESULT", "USER_PROMPT"),
)
_EDITOR_VARIABLES = ("file", "filePath", "file_path", "workspaceFolder", "workspaceRoot")
# Names like those that Claude Code does set.
_SIMILAR_VARIABLES = {
    **dict.fromkeys(("CLAUDE_PROJECT_ROOT", "CLAUDE_PROJECT_PATH", "CLAUDE_WORKSPACE"), "Claude Code sets CLAUDE_PROJECT_DIR"),
    **dict.fromkeys(("CLAUDE_PLUGIN_DIR", "CLAUDE_PLUGIN_PATH", "PLUGIN_ROOT"), "Claude Code sets CLAUDE_PLUGIN_ROOT"),
    "CLAUDE_SESSION_ID": "Claude Code sets CLAUDE_CODE_SESSION_ID",
}
_SETTINGS = ".claude/settings.json"
_OBEYS_MORE_SINCE = (2, 1, 300)  # not 2.1.197, but 2.1.330
_LOCAL_SETTINGS = ".claude/settings.local.json"
_MANAGED = "/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "/etc/claude-code"
_BY_ADMINISTRATOR = "managed settings belong to your organization"
_IN_FRONTMATTER = "hooktui does not edit Markdown files"
_OF_SUBAGENT = {"Stop": "SubagentStop"}
_TIMEOUT_S = 900  # hooktui holds each hook to its own limit; from 1000 it would look like milliseconds


def _frontmatter(
    directory: str, noun: Noun, scopes: tuple[Scope, ...], renamed: Mapping[str, str] | None = None
) -> Iterator[places.HookFiles]:
    """The user's and the project's Markdown files of a kind. Of two with the same name, that of the last scope counts."""
    for scope in scopes:
        yield places.HookFiles(
            scope=scope,
            path=f"{'~/' if scope == 'user' else ''}.claude/{directory}",
            below="upward",
            beyond=True,
            is_directory=True,
            markdown=noun,
            renamed=renamed or {},
            read_only=_IN_FRONTMATTER,
        )


def _answer(dispatch: Dispatch) -> spec.HostAnswer:
    """Deny with exit 2 where Claude obeys it.

    A stop before a tool denies it too: without the denial, Claude runs the tool first. Where a reason looks as if a script
    were missing, which Claude excuses, it is printed as well: then the denial holds.
    """
    denies = dispatch.decision == "deny" and json_protocol.denies_by_exit_2(dispatch, SPEC)
    if denies and SPEC.excuse(dispatch.event.name, dispatch.reason or ""):
        return spec.denied(dispatch.reason, stdout=f"{dispatch.reason}\n")
    return json_protocol.answer(dispatch, denies=denies)


SPEC: spec.HostSpec = spec.HostSpec(
    name="claude",
    title="Claude Code",
    proof="run (2.1.197 and 2.1.330)",
    rank=1,
    format="json_hooks",
    files=(
        places.HookFiles(scope="user", path=f"~/{_SETTINGS}", settings=True),
        places.HookFiles(scope="project", path=_SETTINGS, settings=True),
        places.HookFiles(scope="local", path=_LOCAL_SETTINGS, settings=True),
        places.HookFiles(scope="local", path=_LOCAL_SETTINGS, settings=True, below="main"),
        places.HookFiles(scope="managed", path=f"{_MANAGED}/managed-settings.json", settings=True, read_only=_BY_ADMINISTRATOR),
        places.HookFiles(
            scope="managed",
            path=f"{_MANAGED}/managed-settings.d",
            settings=True,
            is_directory=True,
            read_only=_BY_ADMINISTRATOR,
        ),
        *_frontmatter("agents", "agent", ("user", "project"), _OF_SUBAGENT),
        *_frontmatter("commands", "command", ("user", "project")),
        *_frontmatter("skills", "skill", ("project", "user")),
    ),
    programs=("claude",),
    traces=("~/.claude.json",),
    plugins=places.PluginSpec(
        installed="~/.claude/plugins/installed_plugins.json",
        marketplaces="~/.claude/plugins/known_marketplaces.json",
        switch="enabledPlugins",
        manifest=".claude-plugin/plugin.json",
        catalog=".claude-plugin/marketplace.json",
        hooks="hooks/hooks.json",
        skills="skills",
        variable="CLAUDE_PLUGIN_ROOT",
    ),
    moved={"~/.claude": "CLAUDE_CONFIG_DIR"},
    managed_only="allowManagedHooksOnly",
    events=_EVENTS,
    tools={"shell": "Bash", "read": "Read", "write": "Write", "edit": "Edit", "fetch": "WebFetch"},
    other_tools=(
        *("MultiEdit", "Glob", "Grep", "LS", "Task", "Agent", "WebSearch", "NotebookEdit", "NotebookRead", "TodoWrite"),
        *("BashOutput", "ExitPlanMode", "Skill", "AskUserQuestion"),
    ),
    aliases={"Agent": ("Task",)},
    edit_tools=("Write", "Edit", "MultiEdit", "NotebookEdit"),
    # What a regex for Shell or Task does not mean.
    unsearched_tools=(
        *("KillShell", "KillBash", "PowerShell", "SlashCommand", "TodoRead", "TaskCreate", "TaskGet", "TaskList"),
        *("TaskOutput", "TaskStop", "TaskUpdate", "EnterPlanMode", "EnterWorktree", "ExitWorktree", "ToolSearch", "LSP"),
        *("ListMcpResourcesTool", "ReadMcpResourceTool", "SendMessage", "StructuredOutput"),
    ),
    own_tools_only=True,
    inputs={"path": "file_path", "content": "content", "old": "old_string", "new": "new_string"},
    calls={
        "Bash": {"command": "ls"},
        "Write": {"file_path": "notes.txt", "content": "text\n"},
        "Edit": {"file_path": "notes.txt", "old_string": "text", "new_string": "words"},
        "Read": {"file_path": "notes.txt"},
        "WebFetch": {"url": "https://example.com/", "prompt": "What is it?"},
    },
    matcher=spec.MatcherSpec(
        alias_regex=True,
        ignored_on=_IGNORES_MATCHER_ON,
        values=_MATCHED_VALUES,
        field_help="letters, digits, _ - and | are exact names; anything else is a regex; empty or *: every tool",
        draft_help="names like Bash|Edit, or a regex; empty: any tool",
    ),
    entry=spec.EntrySpec(
        fails_closed_by=("onFailure", "block"),
        types=("command", "http", "mcp_tool", "prompt", "agent"),
        runs=("command", "http", "prompt"),
        keys=(
            *("type", "command", "args", "shell", "async", "asyncRewake", "if", "once", "statusMessage", "timeout"),
            *("url", "headers", "allowedEnvVars", "prompt", "model", "server", "tool", "input"),
            *("onFailure", "continueOnBlock", "rewakeMessage", "rewakeSummary", "holdsTools", "cloud"),
        ),
        timeouts={"command": 600, "http": 600, "mcp_tool": 600, "prompt": 30, "agent": 60},
        prompt_timeout=30,
        strict=True,
        reads_utf16=True,
        file_faults=("syntax", "comment", "flat entry"),
        needs_type=True,
        nested=True,
        placeholder="${CLAUDE_PROJECT_DIR}",
        program_key="command",
        project_variable="CLAUDE_PROJECT_DIR",
        switch="all files",
    ),
    speech=spec.SpeechSpec(
        own_gate_limit=8,
        manner=spec.Manner(at_once=True, once_per_handler=True),
        strict=True,
        answers_at_any_exit=True,
        text_becomes_context=True,
        variables={"CLAUDE_PROJECT_DIR": "{project}"},
        published_variables={
            **dict.fromkeys(_PUBLISHED_VARIABLES, "read the event from stdin instead"),
            **_SIMILAR_VARIABLES,
            **dict.fromkeys(_EDITOR_VARIABLES, "only an editor knows it: read the event from stdin instead"),
            "CLAUDE_PLUGIN_ROOT": "only plugin hooks have it",
        },
        denies_by_exit_2=_DENIES_BY_EXIT_2,
        excuses=("no such file", "can't open"),
        excused_on=("pre-agent-turn-stop", "post-subagent", "TaskCompleted", "TeammateIdle"),
        runs_in_session_dir=True,
        block_at=("top",),
        permission_at=("nested",),
        decisions=("block", "approve"),
        version_variable="AI_AGENT",  # claude-code_2-1-330_…
        version_prefix="claude-code_",
        stops_denied_since=_OBEYS_MORE_SINCE,
        fail_mode_since=_OBEYS_MORE_SINCE,
        ignores_fail_mode_on=("Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"),
        prompt_denial_stops=True,
        silent_denial="No stderr output",
        sends_timestamp=False,
        session_source="startup",
        other_callers={"COPILOT_CLI": ("copilot", "timestamp"), "CURSOR_VERSION": ("cursor", "cursor_version")},
        notices="systemMessage",
        notices_beside_denial=("pre-tool-call", "post-tool-call", "pre-agent-turn-stop"),  # not of a prompt: 2.1.197, 2.1.330
    ),
    connect=spec.ConnectSpec(
        entry=lambda command, _event: {
            "matcher": "*",  # for "" Copilot CLI drops the whole file
            "hooks": [{"type": "command", "command": command, "timeout": _TIMEOUT_S}],
        },
        scopes=("local", "project", "user"),
    ),
    signs=((20, ("hook_event_name", "permission_mode")), (70, ("hook_event_name",))),
    read=json_protocol.read,
    answer=_answer,
    copies={"project": (_SETTINGS,), "local": (_LOCAL_SETTINGS,), "user": (f"~/{_SETTINGS}",)},
    scripts_dir="hooks",
    directories_dir="hooks",
    runs_new_hooks="Claude Code runs it no later than its next session.",
)
