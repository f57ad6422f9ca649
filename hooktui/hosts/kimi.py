"""Kimi Code CLI (seen in 2.1.0).

Its hooks are in the user's `config.toml` only. For one entry that violates the schema Kimi runs no hook at all;
only `kimi doctor` says so.
"""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.hosts.base import Scheduling
from hooktui.hosts.shared.answers import HostAnswer, denied, printed
from hooktui.hosts.shared.blanks import JAVASCRIPT
from hooktui.hosts.shared.entry_spec import EntrySpec, TimeoutFault
from hooktui.hosts.shared.json_host import JsonHost
from hooktui.hosts.shared.matcher_spec import MatcherSpec
from hooktui.hosts.shared.payloads import text
from hooktui.hosts.shared.places import HookFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hooktui.core.model import Dispatch, Event, Hook

_TIMEOUT_S = 600
_DENIES = ("pre-tool-call", "pre-agent-turn", "pre-agent-turn-stop")  # it waits for no other event's hooks
_SPECIFIC = "hookSpecificOutput"
_NESTED = ("permissionDecision", "permissionDecisionReason")  # what it reads there
_LONGEST_S = 600


class _Entry(EntrySpec):
    shape = "list"
    keys = ("event", "matcher", "command", "timeout")
    timeouts = {"command": 30}
    strict = True
    whole_seconds = True
    blank = ""
    switch = "ignored"

    def refuses(self, key: str, value: Any) -> bool:
        """Any other key and an empty command violate the schema."""
        return key not in self.keys or (key == "command" and value == "")

    def timeout_fault(self, given: float, default: float) -> TimeoutFault | None:
        if given > _LONGEST_S:
            return TimeoutFault(problem=f"must be at most {_LONGEST_S} {self.unit}", instead=_LONGEST_S)
        return super().timeout_fault(given, default)

    def allowed_timeout(self, timeout: float) -> float:
        return min(timeout, _LONGEST_S)


class _PluginEntry(_Entry):
    strict = False
    drops_entries = True
    file_faults = ("syntax",)


_PLUGIN = HookFiles(
    scope="plugin",
    path="",
    settings=True,
    read_only="it belongs to an installed plugin",
    plugin_variable="KIMI_PLUGIN_ROOT",
    plugin_list="~/.kimi-code/plugins/installed.json",
    entry=_PluginEntry(),
)


# Events on which it compares matchers with an empty text.
_NO_SUBJECT = ("Stop", "Interrupt", "SessionHeartbeat")


class _Matcher(MatcherSpec):
    rule = "regex"
    everything = (None, "")
    values = dict.fromkeys(_NO_SUBJECT, ("",))
    field_help = "a JavaScript regex, found anywhere in the tool's name; empty: every tool"
    draft_help = "regex, such as ^Bash$; empty: any tool"

    def subject(self, event_as_written: str) -> str | None:
        if event_as_written == "UserPromptSubmit":
            return "{prompt}"  # its text (run, 2.1.0)
        return "" if event_as_written in _NO_SUBJECT else None


class Kimi(JsonHost):
    """Kimi Code CLI."""

    name = "kimi"
    title = "Kimi Code"
    proof = "run (2.1.0)"
    rank = 10
    format = "json_hooks"
    files = (
        HookFiles(scope="user", path="~/.kimi-code/config.toml", settings=True, consequence="runs no hook at all"),
        _PLUGIN.replace(path="~/.kimi-code/plugins/managed/*/kimi.plugin.json"),
        _PLUGIN.replace(path="~/.kimi-code/plugins/managed/*/.kimi-plugin/plugin.json"),
    )
    programs = ("kimi",)
    traces = ("~/.kimi-code/config.toml",)
    moved = {"~/.kimi-code": "KIMI_CODE_HOME"}
    transcripts = ("~/.kimi-code/sessions/*/session_*/agents/main/wire.jsonl",)
    transcripts_of_subagents = ("~/.kimi-code/sessions/*/session_*/agents/*/wire.jsonl",)
    events = (
        *("SessionStart", "SessionEnd", "SessionHeartbeat", "UserPromptSubmit", "UserPromptQueued", "TurnStarted"),
        *("PreToolUse", "PermissionRequest", "PermissionResult", "PostToolUse", "PostToolUseFailure", "Stop"),
        *("StopFailure", "Interrupt", "SubagentStart", "SubagentStop", "TaskStarted", "PreCompact", "PostCompact"),
        "Notification",
    )
    tools = {"shell": "Bash", "read": "Read", "write": "Write", "edit": "Edit", "fetch": "FetchURL"}
    other_tools = (
        *("Glob", "Grep", "Agent", "AgentSwarm", "AskUserQuestion", "TodoList", "Skill", "EnterPlanMode", "ExitPlanMode"),
        *("ReadMediaFile", "CronCreate", "CronDelete", "CronList", "CreateGoal", "GetGoal", "UpdateGoal"),
        *("SetGoalBudget", "WaitFor"),
    )
    unsearched_tools = ("TaskList", "TaskOutput", "TaskStop")
    edit_tools = ("Write", "Edit")
    inputs = {"path": "path", "content": "content", "old": "old_string", "new": "new_string"}
    calls = {
        "Bash": {"command": "ls"},
        "Write": {"path": "notes.txt", "content": "text\n"},
        "Edit": {"path": "notes.txt", "old_string": "text", "new_string": "words"},
        "Read": {"path": "notes.txt"},
        "FetchURL": {"url": "https://example.com/"},
    }
    matcher = _Matcher()
    entry = _Entry()
    scheduling = Scheduling(order="together", once_per="handler")
    text_becomes_context = True
    blanks = JAVASCRIPT
    exit_2_denies = _DENIES
    answer_keys = {
        **dict.fromkeys(("PreToolUse", "Stop"), (_SPECIFIC,)),
        "UserPromptSubmit": (_SPECIFIC, "message"),
    }
    decisions = ()
    block_at = ()
    permission_at = ("nested",)
    own_gate_limit = 1
    runs_in_session_dir = True
    sends_timestamp = False
    own_fields = ("agent_name",)
    session_source = "startup"
    connect_scopes = ("user",)
    signs = ((12, ("hook_event_name", "client_type")),)
    copies = {"user": ("~/.kimi-code/config.toml",)}
    scripts_dir = "hooks"
    directories_dir = "hooks"
    runs_new_hooks = "Kimi Code runs it from its next session on."

    def failure_shows_run(self) -> bool:
        """A call that a hook denied, or with a tool or an input that is wrong, is a failure, too."""
        return False

    def read_payload(self, payload: dict[str, Any], given: str | None, now: str) -> Event:
        """Read a payload. A prompt is a list of parts, an error an object: their texts count."""
        prompt, error = payload.get("prompt"), payload.get("error")
        if isinstance(prompt, list):
            parts = (text(part.get("text")) for part in prompt if isinstance(part, dict))
            payload = {**payload, "prompt": " ".join(filter(None, parts))}
        if isinstance(error, dict):
            payload = {**payload, "error": text(error.get("message"))}
        return super().read_payload(payload, given, now)

    def hook_stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
        stdin, prompt = super().hook_stdin(hook, event), event.fields.get("prompt")
        return {**stdin, "prompt": [{"type": "text", "text": prompt}]} if isinstance(prompt, str) else stdin

    def heard(self, answer: dict[str, Any], event_as_written: str, problems: list[str]) -> dict[str, Any]:
        """Kimi reads only a denial in `hookSpecificOutput`."""
        specific = answer.get(_SPECIFIC)
        if not isinstance(specific, dict):
            return answer
        from hooktui.hosts.shared.json_answers import CHANGES_SOMETHING

        decides = ("updatedInput", *CHANGES_SOMETHING)
        problems += (f"{self.title} ignores {key}" for key in decides if key in specific and key not in _NESTED)
        kept = {key: value for key, value in specific.items() if key in _NESTED}
        if kept.get("permissionDecision") in ("allow", "ask"):
            problems.append(f"{self.title} ignores permissionDecision {kept.pop('permissionDecision')}")
        return {**answer, _SPECIFIC: kept}

    def plugin_off(self, name: str, listed: Mapping[str, Any], directory: str) -> str:
        plugins = listed.get("plugins")
        known = [plugin for plugin in (plugins if isinstance(plugins, list) else ()) if isinstance(plugin, dict)]
        is_on = any(plugin.get("id") == name and plugin.get("enabled") is True for plugin in known)
        return "" if is_on else "the plugin is not enabled"

    def starts_in_plugin(self) -> bool:
        return True

    def unread_files(self) -> tuple[str, ...]:
        return (".kimi-code/config.toml",)

    def connect_entry(self, command: str, event_as_written: str) -> dict[str, Any]:
        return {"event": event_as_written, "command": command, "timeout": _TIMEOUT_S}

    def answer(self, dispatch: Dispatch) -> HostAnswer:
        """Write only what Kimi obeys: exit 2, and context for a prompt. It lets every other answer pass, and the tool runs.

        So `ask`, a stop and a rewrite before a tool are denials: the original must not run. A stop lets an agent stop that is
        about to.
        """
        name = dispatch.event.name
        before_tool = name == "pre-tool-call"
        stops_anyway = dispatch.decision == "stop" and name == "pre-agent-turn-stop"
        if (before_tool and dispatch.decision == "ask") or (dispatch.blocks and name in _DENIES and not stops_anyway):
            return denied(dispatch.reason or "A hook asks the user to decide")
        if before_tool and dispatch.modified_input is not None:
            wanted = fast_json.dumps(dispatch.modified_input, ascii_only=False)
            return denied(f"A hook changes this input, which {self.title} does not support, to {wanted}")
        context = "\n".join(dispatch.additional_context) if name == "pre-agent-turn" else ""
        return printed({"message": context} if context else {})


HOST = Kimi()
