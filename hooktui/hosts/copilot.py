"""GitHub Copilot CLI (formats.md §3; seen in 1.0.102)."""

from __future__ import annotations

import os

from hooktui.core import events, fast_json
from hooktui.hosts.base import Scheduling
from hooktui.hosts.shared import json_protocol
from hooktui.hosts.shared.answers import PERMISSION_REQUESTS, HostAnswer, denied, printed
from hooktui.hosts.shared.blanks import JAVASCRIPT
from hooktui.hosts.shared.entry_spec import EntrySpec
from hooktui.hosts.shared.json_host import JsonHost
from hooktui.hosts.shared.matcher_spec import MatcherSpec
from hooktui.hosts.shared.places import HookFiles, Reads, left_out, system_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hooktui.core.model import Dispatch, Event, Hook, Scope
    from hooktui.hosts.shared.interpretation import Ended, RunResult
    from hooktui.hosts.shared.matcher_spec import MatcherRule
    from hooktui.hosts.shared.places import SettingsFile

_HOME_VARIABLE = "COPILOT_HOME"
_TIMEOUT_S = 900
_LOOPBACK = ("localhost", "::1")
_DENIES = ("pre-tool-call", *PERMISSION_REQUESTS)  # by exit 2, and by failing
_TOOL_KEYS = ("permissionDecision", "permissionDecisionReason", "modifiedArgs", "additionalContext")
_BLOCK_KEYS = ("decision", "reason")
_CONTEXT_KEYS = ("additionalContext",)
_CONTEXT_ONLY = ("sessionStart", "SessionStart", "postToolUseFailure", "PostToolUseFailure", "subagentStart", "SubagentStart")
_GATES = ("agentStop", "Stop", "subagentStop", "SubagentStop")
# All that Copilot obeys, at the top level unless named otherwise. At exit 2 a `hookSpecificOutput` loses the reason.
_OBEYS = {
    "preToolUse": _TOOL_KEYS,
    "PreToolUse": (*_TOOL_KEYS, "hookSpecificOutput"),
    **dict.fromkeys(PERMISSION_REQUESTS, ("behavior", "message")),
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
# What it calls its tools on PascalCase events; others have one name.
_CLAUDES = {
    "bash": "Bash", "view": "Read", "create": "Write", "edit": "Edit", "apply_patch": "Edit", "str_replace_editor": "Edit",
    "grep": "Grep", "rg": "Grep", "glob": "Glob", "task": "Agent", "web_fetch": "WebFetch", "web_search": "WebSearch",
}  # fmt: skip
_OWN = {claudes: own for own, claudes in reversed(_CLAUDES.items())}
# On PreToolUse, Copilot reads these only in `hookSpecificOutput`, under Claude Code's names.
_NESTED = {"modifiedArgs": "updatedInput", "additionalContext": "additionalContext"}


def _json(dispatch: Dispatch) -> dict[str, Any]:
    """The answer, at the top level except what Copilot reads only in `hookSpecificOutput` on PreToolUse.

    Copilot cannot stop an agent: a stop is a denial, except at a gate, where it lets the agent stop. Where nothing can be
    denied, the model gets the denial as context.
    """
    event, rewrite = dispatch.event, dispatch.modified_input
    obeyed = HOST.obeys(HOST.spelling(event.name) or event.name) or ()
    key, field, _ = _REWRITES.get(event.name, ("modifiedArgs", "", ""))
    context = list(dispatch.additional_context)
    value: dict[str, Any] = {}
    if event.name == "pre-tool-call":
        value = json_protocol.tool_decision(dispatch)
    elif event.name in PERMISSION_REQUESTS:
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


class _Entry(EntrySpec):
    types = ("command", "http", "prompt")
    runs = ("command", "http")
    keys = (
        *("type", "command", "windows", "linux", "osx", "bash", "powershell"),
        *("cwd", "env", "timeout", "timeoutSec", "matcher"),
        *("exec", "args", "url", "headers", "allowedEnvVars", "prompt"),
    )
    interpreter = ("bash", "-c")
    timeouts = {"command": 30, "http": 30, "prompt": 30}
    timeout_keys = ("timeoutSec", "timeout")
    per_system = True
    drops_entries = True
    file_faults = ("syntax", "comment", "byte order mark", "surrogate", "event", "switch")
    program_key = "exec"
    version: int | None = 1
    blank = '{\n  "version": 1\n}\n'

    def directory(self, written: str) -> str:
        return written  # `~` is a directory of that name

    def loses_file(self, event_as_written: str) -> bool:
        """A PascalCase event whose value is no list loses only itself."""
        return super().loses_file(event_as_written) and event_as_written[:1].islower()

    def never_fires(self, entry: Mapping[str, Any], kind: str, event: str, event_as_written: str) -> tuple[str, str]:
        """Prompts run on few events, and http URLs must be https but for this machine's.

        Source: Copilot's hooks reference, "HTTP hooks" and "Prompt hooks".
        """
        if kind == "prompt" and event != "pre-session":
            return "type", f"runs prompt hooks only on {HOST.spelling('pre-session')}, not on {event_as_written}"
        why = _without_tls(entry, event, event_as_written) if kind == "http" else ""
        return ("url", f"does not call http:// URLs {why}: use https") if why else ("", "")


class _SettingsEntry(_Entry):
    strict = True  # one wrong entry loses the file
    drops_entries = False
    version = None


class _ProjectSettingsEntry(_SettingsEntry):
    switch = "all files"


def _without_tls(entry: Mapping[str, Any], event: str, event_as_written: str) -> str:
    """Why Copilot does not call an http:// URL; empty if it does, or if TLS is used."""
    from urllib.parse import urlsplit  # not while an agent waits

    try:
        parts = urlsplit(entry.get("url") or "")
    except ValueError:
        return ""
    if parts.scheme != "http":
        return ""
    if event in ("pre-tool-call", *PERMISSION_REQUESTS):
        return f"on {event_as_written}, where an answer can grant a permission"
    if entry.get("allowedEnvVars"):
        return "with allowedEnvVars"
    host = parts.hostname or ""
    return "" if host in _LOOPBACK or host.startswith("127.") else "except on this machine"


def _is_progress(line: str) -> bool:
    """Whether a line is `{"type": "progress", …}`."""
    return '"progress"' in line and fast_json.parse_object(line).get("type") == "progress"


def _session_of(transcript: object) -> str:
    """The session of a transcript's path, `session-state/SESSION/events.jsonl`; "" for another value."""
    parts = transcript.replace("\\", "/").split("/")[-3:] if isinstance(transcript, str) else []
    return parts[1] if len(parts) == 3 and (parts[0], parts[2]) == ("session-state", "events.jsonl") else ""


def _in_own_words(event: Event) -> Event:
    """An event with Copilot's own name of its tool, and the empty input of a tool, which PascalCase payloads leave out."""
    if event.name not in events.TOOL_EVENTS:
        return event
    name, value = event.tool_name, {} if event.tool_input is None else event.tool_input
    own = "apply_patch" if name == "Edit" and isinstance(value, str) else _OWN.get(name or "", name)
    return event.replace(tool_name=own, tool_input=value)


def _expanded(value: str, known: Mapping[str, str]) -> str:
    """A value with $NAME and ${NAME} replaced; an unset variable is empty."""
    if "$" not in value:
        return value
    import re  # 5 ms, and few entries refer to another variable

    return re.sub(r"\$(?:(\w+)|\{(\w+)\})", lambda match: known.get(match[1] or match[2], ""), value)


_SYSTEM = "/etc/github-copilot"
_MANAGED = f"{_SYSTEM}/managed-settings.json"
_SETTINGS = HookFiles(
    scope="user",
    path="",
    settings=True,
    entry=_SettingsEntry(),
)
_IN_PROJECT = _SETTINGS.replace(scope="project", below="root", entry=_ProjectSettingsEntry())


_IGNORES_MATCHER_ON = (
    *("sessionStart", "sessionEnd", "userPromptSubmitted", "userPromptTransformed", "postToolUseFailure", "agentStop"),
    *("subagentStop", "errorOccurred"),
    *("SessionStart", "SessionEnd", "UserPromptSubmit", "PostToolUseFailure", "Stop", "SubagentStop", "ErrorOccurred"),
)


class _ReadsClaude(Reads):
    switch_files = tuple(_IN_PROJECT.replace(path=f".claude/{name}") for name in ("settings.json", "settings.local.json"))

    def reads_scope(self, scope: Scope) -> bool:
        return scope in ("project", "local")

    def loses_type(self, kind: str, event: str) -> bool:
        return kind in ("mcp_tool", "agent") or (kind == "prompt" and event != "pre-session")

    def loses(self, event_as_written: str, matcher: str | None) -> bool:
        return matcher == "" and event_as_written not in _IGNORES_MATCHER_ON


class _ReadsVsCode(Reads):
    def reads_scope(self, scope: Scope) -> bool:
        """Both share the user's directory, unless a variable moves Copilot's."""
        is_moved = os.path.isabs(os.environ.get(_HOME_VARIABLE, ""))
        return super().reads_scope(scope) and not (scope == "user" and is_moved)


_KNOWS_NAMES_ON = ("PreToolUse", "PostToolUse", "PermissionRequest")  # other matchers are a regex for the whole name


class _Matcher(MatcherSpec):
    rule = "whole names"
    characters = "_-|"
    separators = "|"
    everything = (None, "*")
    trims = True
    ignored_on = _IGNORES_MATCHER_ON
    field_help = "a regex for the whole name; on PascalCase events also names of Claude Code's tools, or *"
    draft_help = "regex for the whole name, like bash; empty: any tool"

    def rule_for(self, event_as_written: str) -> MatcherRule:
        """On the events that ignore a matcher, Copilot does not read it at all: not even its type counts."""
        if event_as_written in self.ignored_on:
            return "ignored"
        return self.rule if event_as_written in _KNOWS_NAMES_ON else "whole"

    def names_of(self, tool: str, event_as_written: str, aliases: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """On PascalCase events, Claude Code's name of a tool, then its own."""
        if event_as_written[:1].islower():
            return (tool,)
        names = super().names_of(_CLAUDES.get(tool, tool), event_as_written, aliases)
        return names if tool in names else (names[0], tool)


class Copilot(JsonHost):
    """GitHub Copilot CLI."""

    name = "copilot"
    title = "Copilot CLI"
    proof = "run (1.0.102)"
    rank = 3
    format = "json_hooks"
    files = (
        HookFiles(
            scope="managed", path=f"{_SYSTEM}/policy.d", kind="directory", read_only="policies belong to your administrator"
        ),
        system_settings(_MANAGED),
        HookFiles(scope="user", path="~/.copilot/hooks", kind="directory", own_file="hooktui-copilot.json"),
        _SETTINGS.replace(scope="user", path="~/.copilot/settings.json"),
        HookFiles(scope="project", path=".github/hooks", below="root", kind="directory", own_file="hooktui-copilot.json"),
        _IN_PROJECT.replace(path=".github/copilot/settings.json"),
        _IN_PROJECT.replace(scope="local", path=".github/copilot/settings.local.json"),
    )
    reads = (
        _ReadsVsCode("vscode"),
        _ReadsClaude("claude"),
    )
    moved = {"~/.copilot": _HOME_VARIABLE}
    transcripts = ("~/.copilot/session-state/*/events.jsonl",)
    programs = ("copilot",)
    traces = ("~/.copilot/config.json", "~/.copilot/settings.json", "~/.copilot/logs", ".github/copilot")
    runs_repeated_handlers = True
    style = "camel"
    events = (
        *("sessionStart", "sessionEnd", "userPromptSubmitted", "userPromptTransformed", "preToolUse", "permissionRequest"),
        *("postToolUse", "postToolUseFailure", "notification", "subagentStart", "subagentStop", "agentStop"),
        *("preCompact", "errorOccurred"),
        *("SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse"),
        *("PostToolUseFailure", "Notification", "SubagentStart", "SubagentStop", "Stop", "PreCompact", "ErrorOccurred"),
    )
    aliases = {**{claudes: (own,) for claudes, own in _OWN.items()}, "Agent": ("task", "Task")}
    tools = {"shell": "bash", "read": "view", "write": "create", "edit": "edit", "fetch": "web_fetch"}
    edit_tools = ("create", "edit")
    inputs = {"path": "path", "content": "file_text", "old": "old_str", "new": "new_str"}
    calls = {"bash": {"command": "ls"}, "edit": {"path": "notes.txt"}, "view": {"path": "notes.txt"}}
    matcher = _Matcher()
    entry = _Entry()
    own_gate_limit = 8
    scheduling = Scheduling(ends_at=("deny",))
    variables = {"COPILOT_CLI": "1", "COPILOT_PROJECT_DIR": "{project}", "CLAUDE_PROJECT_DIR": "{project}"}
    blanks = JAVASCRIPT
    exit_2_denies = _DENIES
    answer_keys = _OBEYS
    decisions = ("block",)
    needs_reason = True
    connect_scopes = ("project", "user")
    own_fields = ("agent_name",)
    signs = ((80, ("sessionId",)), (81, ("toolName",)))
    copies = {
        "project": (".github/hooks/copilot.json", ".github/hooks/copilot-cli.json"),
        "user": ("~/.copilot/hooks/copilot.json", "~/.copilot/hooks/copilot-cli.json"),
    }
    runs_new_hooks = "Copilot CLI runs it no later than its next session."

    def connect_entry(self, command: str, event_as_written: str) -> dict[str, Any]:
        """The command names its event, since the camelCase payloads do not."""
        return {"type": "command", "bash": f"{command} {event_as_written}", "timeoutSec": _TIMEOUT_S}

    def silenced(self, hook: Hook, settings: Sequence[SettingsFile], *, is_managed: bool) -> str:
        if hook.file == _MANAGED:
            return "Copilot CLI reads no hooks in this file"
        return "" if is_managed else left_out(hook, settings)

    def keeps_managed_hooks(self) -> bool:
        return True

    def unread_files(self) -> tuple[str, ...]:
        in_home = (f".copilot/{name}" for name in ("hooks.json", "hooks/hooks.json", "settings.json"))
        return (*in_home, ".github/hooks.json", ".github/copilot/hooks.json")

    def repeats_timestamp(self) -> bool:
        return True

    def shows_exit_2(self, event_as_written: str) -> bool:
        return event_as_written in ("sessionStart", "userPromptSubmitted")

    def fails_closed(self, event: str) -> bool:
        return event in _DENIES

    def hook_environment(self, hook: Hook, given: Mapping[str, str], project: str) -> dict[str, str]:
        """Values of an entry's `env` may name other variables."""
        known = super().hook_environment(hook.replace(env={}), given, project)
        return {**known, **{name: _expanded(value, known) for name, value in hook.env.items()}}

    def read_payload(self, payload: dict[str, Any], given: str | None, now: str) -> Event:
        """Read a payload. Copilot gives a subagent a session of its own; its events belong to the one of its transcript.

        Where the payload names no transcript, that is the session, or the subagent, that started it.
        """
        event, agent = _in_own_words(super().read_payload(payload, given, now)), events.agent_of(payload)
        if not agent:
            return event
        parent = payload.get("parentAgentId", payload.get("parent_agent_id")) if event.session_id == agent else None
        session = _session_of(payload.get("transcriptPath", payload.get("transcript_path"))) or parent
        return event.replace(session_id=session) if session and isinstance(session, str) else event

    def hook_stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
        """Events in camelCase have payloads of their own; in the others a result is an object, too."""
        from hooktui.hosts.shared import json_stdin

        written = event.payload.get("sessionId", event.payload.get("session_id"))
        if event.host == self.name and isinstance(written, str):
            event = event.replace(session_id=written)
        if self.is_camel_case(hook.event_as_written):
            stdin = json_stdin.camel_case(self, event)
            return {**stdin, "toolName": event.tool_name} if event.tool_name else stdin
        stdin = json_stdin.snake_case(self, hook, event)
        if event.tool_name:
            stdin["tool_name"] = self.matcher.names_of(event.tool_name, hook.event_as_written, self.aliases)[0]
        if "tool_output" not in event.fields:
            return stdin
        text = json_stdin.as_text(event.fields["tool_output"])
        return {**stdin, "tool_result": {"result_type": "success", "text_result_for_llm": text}}

    def answer_text(self, stdout: str) -> str:
        """Copilot shows lines that report progress, and removes them from the answer."""
        return "".join(line for line in stdout.splitlines(keepends=True) if not _is_progress(line))

    def own_rewrite(self, event: Event, answer: dict[str, Any], problems: list[str]) -> Mapping[str, Any] | None:
        key, field, text = _REWRITES.get(event.name, ("", "", ""))
        if key not in answer:
            return None
        value = answer[key]
        written = value.get(text) if text and isinstance(value, dict) else None if text else value
        if written and isinstance(written, str):
            return {field: value}
        problems.append(f"{key} must be {f'an object with the text {text}' if text else 'text'}: ignored")
        return {}

    def interpret(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
        """The reason of an exit 2 may be in JSON on stdout."""
        result = super().interpret(hook, event, ended)
        is_denied = result.outcome.via == "exit-2" and result.outcome.decision == "deny"
        reason = fast_json.parse_object(ended.stdout).get("permissionDecisionReason") if is_denied else None
        is_text = reason and isinstance(reason, str)
        return result.replace(outcome=result.outcome.replace(reason=reason)) if is_text else result

    def answer(self, dispatch: Dispatch) -> HostAnswer:
        """Deny a tool with exit 2 and JSON, from which Copilot takes the reason; elsewhere print JSON at exit 0."""
        value = _json(dispatch)
        if json_protocol.denies_by_exit_2(dispatch, self):
            return denied(dispatch.reason, printed(value).stdout)
        return printed(value)


HOST = Copilot()
