"""Claude Code (formats.md §3; seen in 2.1.197 and 2.1.330)."""

from __future__ import annotations

import os
import sys

from hooktui.core import events
from hooktui.core.events import GATES
from hooktui.hosts.base import Scheduling
from hooktui.hosts.shared import json_protocol
from hooktui.hosts.shared.answers import HostAnswer, denied
from hooktui.hosts.shared.blanks import JAVASCRIPT
from hooktui.hosts.shared.entry_spec import EntrySpec
from hooktui.hosts.shared.json_host import JsonHost
from hooktui.hosts.shared.matcher_spec import MatcherSpec
from hooktui.hosts.shared.places import OF_SESSIONS, SKILLS_DIR, HookFiles, PluginSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Literal

    from hooktui.core.model import Dispatch, Event, Hook, Scope
    from hooktui.hosts.shared.interpretation import Ended, RunResult
    from hooktui.hosts.shared.places import SettingsFile

_EVENTS = (
    *("SessionStart", "SessionEnd", "Setup", "InstructionsLoaded", "ConfigChange", "CwdChanged", "DirectoryAdded"),
    *("FileChanged", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PermissionRequest", "PermissionDenied"),
    *("PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "MessageDisplay", "SubagentStart"),
    *("SubagentStop", "TaskCreated", "TaskCompleted", "Stop", "StopFailure", "TeammateIdle", "WorktreeCreate"),
    *("WorktreeRemove", "PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch", "Elicitation"),
    *("ElicitationResult", "PreSkillShellCommand"),
)
# Events on which exit 2 denies; on the others it is at most a message to the person.
_DENIES_BY_EXIT_2 = (
    *("pre-tool-call", "post-tool-call", "post-tool-call-failure", "pre-agent-turn", "pre-agent-turn-stop"),
    *("post-subagent", "pre-context-compact", "UserPromptExpansion", "TeammateIdle", "TaskCreated", "TaskCompleted"),
    *("ConfigChange", "PostToolBatch", "Elicitation", "ElicitationResult", "WorktreeCreate", "WorktreeRemove"),
    "PreSkillShellCommand",
)
# Events on which `continue: false` ends the turn (run, 2.1.197 and 2.1.332; of tasks and teammates from the documentation).
_STOPS_ON = (
    *("pre-tool-call", "post-tool-call", "pre-agent-turn", "pre-agent-turn-stop", "post-subagent", "PostToolBatch"),
    *("UserPromptExpansion", "TeammateIdle", "TaskCreated", "TaskCompleted", "PreSkillShellCommand"),
)
_READ_ON_ALL = ("hookSpecificOutput", "systemMessage", "suppressOutput", "reason", "stopReason")
_IGNORES_MATCHER_ON = (
    *("UserPromptSubmit", "Stop", "PostToolBatch", "TeammateIdle", "TaskCreated", "TaskCompleted"),
    *("WorktreeCreate", "WorktreeRemove", "CwdChanged", "MessageDisplay"),
)
_COMPACTED_BY = ("manual", "auto")
# What matchers are compared with on events without a tool, from the program itself (2.1.197, 2.1.330).
_MATCHED_VALUES = {
    "SessionStart": ("startup", "resume", "clear", "compact", "fork"),
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
        *("quota_auto_resume_fired", "quota_auto_resume_stale", "quota_auto_resume_disabled", "model_refusal_fallback"),
        *("auth_storage_failure", "plugin_notification"),
    ),
}
_SETTINGS = ".claude/settings.json"
_REMOTE, _PREFERENCES = "remote-settings.json", "com.anthropic.claudecode.plist"
_OBEYS_MORE_SINCE = (2, 1, 300)  # not 2.1.197, but 2.1.330
_VERSION, _VERSION_PREFIX = "AI_AGENT", "claude-code_"  # claude-code_2-1-330_…
_LOSES_FILE_ON = ("PreToolUse", "PermissionRequest")  # by one entry that violates the schema
_IGNORES_FAIL_MODE_ON = ("Stop", "SubagentStop", "TaskCompleted", "TeammateIdle")
# For these texts (in lower case) an exit 2 without output is a missing script, which denies nothing on some events.
_EXCUSES = ("no such file", "can't open")
_EXCUSED_ON = ("pre-agent-turn-stop", "post-subagent", "TaskCompleted", "TeammateIdle")
_LOCAL_SETTINGS = ".claude/settings.local.json"
_MANAGED = "/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "/etc/claude-code"
_BY_ADMINISTRATOR = "managed settings belong to your organization"
_IN_FRONTMATTER = "hooktui does not edit Markdown files"
_PROMPT_TIMEOUT_S = 30  # before a turn, of hooks of any type


def _frontmatter(directory: str, noun: Literal["agent", "command", "skill"], scopes: tuple[Scope, ...]) -> Iterator[HookFiles]:
    """The user's and the project's Markdown files of a kind. Of two with the same name, that of the last scope counts."""
    for scope in scopes:
        yield HookFiles(
            scope=scope,
            path=f"{'~/' if scope == 'user' else ''}.claude/{directory}",
            below="above",
            kind=noun,
            read_only=_IN_FRONTMATTER,
            consequence=f"ignores the hooks of this {noun}",
        )


_NO_START = "does not start"  # when a managed file is not a JSON object (seen with 2.1.332)


def _managed(path: str) -> HookFiles:
    return HookFiles(scope="managed", path=path, settings=True, read_only=_BY_ADMINISTRATOR)


def _preferences() -> Iterator[HookFiles]:
    """The system's policy on macOS, of the machine and of the user (from the documentation, not run)."""
    folders = ("", f"{os.environ['USER']}/") if os.environ.get("USER") else ("",)
    for folder in folders if sys.platform == "darwin" else ():
        yield _managed(f"/Library/Managed Preferences/{folder}{_PREFERENCES}")


class _Matcher(MatcherSpec):
    ignored_on = _IGNORES_MATCHER_ON
    values = _MATCHED_VALUES
    field_help = "letters, digits, _ - and | are exact names; anything else is a regex; empty or *: every tool"
    draft_help = "names like Bash|Edit, or a regex; empty: any tool"

    def searched_aliases(self, aliases: Sequence[str]) -> Sequence[str]:
        return aliases


def _is_since(version: tuple[int, ...]) -> bool:
    """Whether the Claude Code that calls us is a version or a later one. An unknown version counts as the newest."""
    written = os.environ.get(_VERSION, "")
    numbers = written[len(_VERSION_PREFIX) :].partition("_")[0].split("-") if written.startswith(_VERSION_PREFIX) else []
    known = bool(numbers) and all(number.isdecimal() for number in numbers)
    return not known or tuple(map(int, numbers)) >= version


class _Entry(EntrySpec):
    shape = "groups"
    fails_closed_by = ("onFailure", "block")
    types = ("command", "http", "mcp_tool", "prompt", "agent")
    runs = ("command", "http", "prompt")
    keys = (
        *("type", "command", "args", "shell", "async", "asyncRewake", "if", "once", "statusMessage", "timeout"),
        *("url", "headers", "allowedEnvVars", "prompt", "model", "server", "tool", "input"),
        *("onFailure", "continueOnBlock", "rewakeMessage", "rewakeSummary", "holdsTools", "cloud"),
    )
    timeouts = {"command": 600, "http": 600, "mcp_tool": 600, "prompt": 30, "agent": 60}
    strict = True
    file_faults = ("syntax", "comment", "flat entry")
    needs_type = True
    program_key = "command"
    project_variable = "CLAUDE_PROJECT_DIR"
    switch = "all files"

    def default_timeout(self, kind: str, event_as_written: str) -> int:
        return _PROMPT_TIMEOUT_S if event_as_written == "UserPromptSubmit" else super().default_timeout(kind, event_as_written)

    def reads_utf16(self) -> bool:
        return True

    def setting_types(self) -> Mapping[str, type]:
        from hooktui.hosts.shared import claude_setting_types

        return claude_setting_types.TYPES

    def stray_hooks(self, values: Mapping[str, Any]) -> tuple[str, ...]:
        from hooktui.hosts.shared import claude_stray_hooks

        return claude_stray_hooks.path(values, _EVENTS) if _is_since(_OBEYS_MORE_SINCE) else ()

    def loses_entry_on(self, event_as_written: str) -> bool:
        return _is_since(_OBEYS_MORE_SINCE) and event_as_written not in _LOSES_FILE_ON


_PLUGINS = PluginSpec(
    installed="~/.claude/plugins/installed_plugins.json",
    marketplaces="~/.claude/plugins/known_marketplaces.json",
    switch="enabledPlugins",
    manifest=".claude-plugin/plugin.json",
    catalog=".claude-plugin/marketplace.json",
    hooks="hooks/hooks.json",
    skills="skills",
    variable="CLAUDE_PLUGIN_ROOT",
    folders={"user": "~/.claude/skills", "project": ".claude/skills"},
    of_folders=SKILLS_DIR,
    sessions="~/.claude/dev-mods",
    of_sessions=OF_SESSIONS,
    directories="CLAUDE_CODE_PLUGIN_DIRS",
    modules="modules",
    modules_since=(2, 1, 287),
    package="@anthropic-ai/claude-code",
    debug_logs="~/.claude/debug",
    options="user_config",
)


class Claude(JsonHost):
    """Claude Code."""

    name = "claude"
    title = "Claude Code"
    proof = "run (2.1.197 and 2.1.330)"
    rank = 1
    format = "json_hooks"
    files = (
        HookFiles(scope="user", path=f"~/{_SETTINGS}", settings=True),
        HookFiles(scope="project", path=_SETTINGS, settings=True),
        HookFiles(scope="local", path=_LOCAL_SETTINGS, settings=True),
        HookFiles(scope="local", path=_LOCAL_SETTINGS, settings=True, below="main"),
        _managed(f"{_MANAGED}/managed-settings.json").replace(consequence=_NO_START),
        _managed(f"{_MANAGED}/managed-settings.d").replace(kind="directory", own_file="hooktui.json", consequence=_NO_START),
        *_preferences(),
        _managed(f"~/.claude/{_REMOTE}"),
        *_frontmatter("agents", "agent", ("user", "project")),
        *_frontmatter("commands", "command", ("user", "project")),
        *_frontmatter("skills", "skill", ("project", "user")),
    )
    programs = ("claude",)
    traces = ("~/.claude.json",)
    moved = {"~/.claude": "CLAUDE_CONFIG_DIR"}
    transcripts = ("~/.claude/projects/*/*.jsonl",)
    transcripts_of_subagents = ("~/.claude/projects/*/*/subagents/*.jsonl",)
    events = _EVENTS
    tools = {"shell": "Bash", "read": "Read", "write": "Write", "edit": "Edit", "fetch": "WebFetch"}
    other_tools = (
        *("MultiEdit", "Glob", "Grep", "LS", "Task", "Agent", "WebSearch", "NotebookEdit", "NotebookRead", "TodoWrite"),
        *("BashOutput", "ExitPlanMode", "Skill", "AskUserQuestion"),
    )
    aliases = {"Agent": ("Task",)}
    edit_tools = ("Write", "Edit", "MultiEdit", "NotebookEdit")
    # What a regex for Shell or Task does not mean.
    unsearched_tools = (
        *("KillShell", "KillBash", "PowerShell", "SlashCommand", "TodoRead", "TaskCreate", "TaskGet", "TaskList"),
        *("TaskOutput", "TaskStop", "TaskUpdate", "EnterPlanMode", "EnterWorktree", "ExitWorktree", "ToolSearch", "LSP"),
        *("ListMcpResourcesTool", "ReadMcpResourceTool", "SendMessage", "StructuredOutput", "ReadMcpResourceDirTool"),
        *("CronCreate", "CronDelete", "CronList", "Monitor", "Workflow", "ReportFindings", "ScheduleWakeup", "ListAgents"),
        *("Artifact", "ClaudeDesign", "EndConversation", "OfferChromeSetup", "Projects", "propose_skills", "PushNotification"),
        *("ReadNotifications", "RemoteTrigger", "SendFeedback", "SendUserFile", "SendUserMessage", "SetGoal"),
        *("ShareOnboardingGuide", "ShowOnboardingRolePicker", "SubagentHandback", "WaitForMcpServers"),
    )
    inputs = {"path": "file_path", "content": "content", "old": "old_string", "new": "new_string"}
    calls = {
        "Bash": {"command": "ls"},
        "Write": {"file_path": "notes.txt", "content": "text\n"},
        "Edit": {"file_path": "notes.txt", "old_string": "text", "new_string": "words"},
        "Read": {"file_path": "notes.txt"},
        "WebFetch": {"url": "https://example.com/", "prompt": "What is it?"},
    }
    matcher = _Matcher()
    entry = _Entry()
    own_gate_limit = 8
    scheduling = Scheduling(order="together", once_per="handler")
    answers_at_any_exit = True
    text_becomes_context = True
    variables = {"CLAUDE_PROJECT_DIR": "{project}"}
    blanks = JAVASCRIPT
    exit_2_denies = _DENIES_BY_EXIT_2
    runs_in_session_dir = True
    block_at = ("top",)
    permission_at = ("nested",)
    permission_on = ("pre-tool-call",)
    decisions = ("block", "approve")
    silent_denial = "No stderr output"
    sends_timestamp = False
    session_source = "startup"
    other_callers = {"COPILOT_CLI": ("copilot", "timestamp"), "CURSOR_VERSION": ("cursor", "cursor_version")}
    notices = "systemMessage"
    notices_beside_denial = ("pre-tool-call", "post-tool-call", "pre-agent-turn-stop")  # not of a prompt: 2.1.197, 2.1.330
    connect_scopes = ("local", "project", "user", "managed")
    signs = ((20, ("hook_event_name", "permission_mode")), (70, ("hook_event_name",)))
    copies = {"project": (_SETTINGS,), "local": (_LOCAL_SETTINGS,), "user": (f"~/{_SETTINGS}",)}
    scripts_dir = "hooks"
    directories_dir = "hooks"
    runs_new_hooks = "Claude Code runs it no later than its next session."

    @property
    def plugins(self) -> PluginSpec:
        return _PLUGINS

    def passes_mods_by(self, settings: Sequence[SettingsFile]) -> tuple[str, ...]:
        """Any managed setting, or a login of an organization, seats a guard of Claude Code's own (run, 2.1.330)."""
        from hooktui.hosts.shared import claude_settings

        is_managed = any(file.scope == "managed" and file.values for file in settings)
        is_guarded = is_managed or claude_settings.is_of_organization(self)
        return ("classic.PreToolUse", "tool.check") if is_guarded else ()

    def folder_off(self, scope: Scope, directory: str) -> str:
        from hooktui.hosts.shared import claude_settings

        known = claude_settings.read(self, "~/.claude.json").get("projects")
        here = known.get(directory) if isinstance(known, dict) else None
        if scope != "project" or (isinstance(here, dict) and here.get("hasTrustDialogAccepted") is True):
            return ""
        return "Claude Code loads it once you have trusted this folder in its dialog"

    def runs_unlisted_hooks(self) -> bool:
        return True  # of `--settings` and `--plugin-dir`

    def unread_files(self) -> tuple[str, ...]:
        return (".claude/hooks.json", ".claude/hooks/hooks.json")

    def unread_settings(self, settings: Sequence[SettingsFile]) -> Mapping[str, str]:
        from hooktui.hosts.shared import claude_settings

        return claude_settings.unread(settings, self)

    def managed_effect(self) -> str:
        return "Claude Code then counts as managed: mods of users no longer hear the events of hooks (classic.*)"

    def managed_source(self, path: str) -> str:
        name = os.path.basename(path)
        return "remote" if name == _REMOTE else "plist" if name == _PREFERENCES else "file"

    def keeps_managed_hooks(self) -> bool:
        return True

    def silenced(self, hook: Hook, settings: Sequence[SettingsFile], *, is_managed: bool) -> str:
        from hooktui.hosts.shared import claude_settings

        why = "" if is_managed else claude_settings.kept_out(hook, settings)
        return why or (claude_settings.blocked_url(hook, settings) if hook.type == "http" else "")

    def lacks_tool(self, name: str) -> bool:
        """All of its tools are known: any other name is an MCP server's."""
        return name not in (*self.tools.values(), *self.other_tools, *self.unsearched_tools)

    def fires_as(self, event_as_written: str, agent: str) -> str:
        return "SubagentStop" if agent and event_as_written == "Stop" else event_as_written

    def variable_hints(self) -> Mapping[str, str]:
        from hooktui.hosts.shared.claude_variables import HINTS

        return HINTS

    def obeys_fail_mode(self, event_as_written: str) -> bool:
        return _is_since(_OBEYS_MORE_SINCE) and event_as_written not in _IGNORES_FAIL_MODE_ON

    def excuse(self, event: str, stderr: str) -> str:
        text = stderr.lower() if event in _EXCUSED_ON else ""
        return next((excuse for excuse in _EXCUSES if excuse in text), "")

    def obeys(self, event_as_written: str) -> tuple[str, ...]:
        event = events.canonical(event_as_written) or event_as_written
        blocks = ("decision",) if event in _DENIES_BY_EXIT_2 else ()
        return (*_READ_ON_ALL, *blocks, *(("continue",) if event in _STOPS_ON else ()))

    def heard(self, answer: dict[str, Any], event_as_written: str, problems: list[str]) -> dict[str, Any]:
        """A request for permission alone is answered with an object; a deferred call ends the session (run, 2.1.332)."""
        specific = answer.get("hookSpecificOutput")
        if not isinstance(specific, dict):
            return answer
        deaf = set[str]()
        if isinstance(specific.get("decision"), dict) and event_as_written != "PermissionRequest":
            deaf.add("decision")
            problems.append(f"{self.title} ignores the decision in hookSpecificOutput on {event_as_written}")
        if specific.get("permissionDecision") == "defer" and event_as_written == "PreToolUse":
            deaf.add("permissionDecision")
            problems.append("defer ends a session of claude -p before this call")
        return answer | {"hookSpecificOutput": {key: value for key, value in specific.items() if key not in deaf}}

    def interpret(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
        result = super().interpret(hook, event, ended)
        if event.name != "PostToolBatch" or result.outcome.decision != "deny":
            return result
        return result.replace(outcome=result.outcome.replace(decision="stop"))  # it ends the turn (run, 2.1.197 and 2.1.332)

    def answer_faults(self, answer: dict[str, Any], event: Event) -> tuple[str, ...]:
        from hooktui.hosts.shared import json_answers

        return json_answers.faults(self, answer, event)

    def own_rewrite(self, event: Event, answer: dict[str, Any], problems: list[str]) -> Mapping[str, Any] | None:
        if event.name != "post-tool-call":
            return None
        from hooktui.hosts.shared import claude_results

        return claude_results.rewrite(event, answer, problems)

    def stops(self, event: Event, answer: dict[str, Any], *, is_denied: bool) -> bool:
        """Older versions go on if they deny a tool as well."""
        goes_on = is_denied and event.name == "pre-tool-call" and not _is_since(_OBEYS_MORE_SINCE)
        return super().stops(event, answer, is_denied=is_denied) and not goes_on

    def ends_turn(self, hook: Hook, event: Event) -> bool:
        if hook.metadata.get("continueOnBlock") is True or event.name in GATES:
            return False
        return event.name != "pre-tool-call" or _is_since(_OBEYS_MORE_SINCE)

    def answer(self, dispatch: Dispatch) -> HostAnswer:
        """Deny with exit 2 where Claude obeys it.

        A stop before a tool denies it too: without the denial, Claude runs the tool first. Where a reason looks as if a script
        were missing, which Claude excuses, it is printed as well: then the denial holds.
        """
        if dispatch.decision == "stop" and dispatch.event.name not in _STOPS_ON:
            messages = (*dispatch.system_messages, *filter(None, [dispatch.reason]))
            return json_protocol.answer(dispatch.replace(decision="none", system_messages=messages), denies=False)
        denies = dispatch.decision == "deny" and json_protocol.denies_by_exit_2(dispatch, self)
        if denies and self.excuse(dispatch.event.name, dispatch.reason or ""):
            return denied(dispatch.reason, stdout=f"{dispatch.reason}\n")
        return json_protocol.answer(dispatch, denies=denies)


HOST = Claude()
