"""Codex CLI (seen in 0.169.0).

Codex runs a hook only after the user has trusted it, by its position in the file and a hash of the entry (`/hooks`).
"""

from __future__ import annotations

import os

from hooktui.core import fast_json, paths
from hooktui.core.model import Outcome
from hooktui.hosts.base import HostTrust, Scheduling
from hooktui.hosts.shared import json_answers, json_protocol
from hooktui.hosts.shared.answers import PERMISSION_REQUESTS, HostAnswer, denied, printed
from hooktui.hosts.shared.entry_spec import EntrySpec, TimeoutFault
from hooktui.hosts.shared.interpretation import RunResult
from hooktui.hosts.shared.json_host import JsonHost
from hooktui.hosts.shared.matcher_spec import MatcherSpec
from hooktui.hosts.shared.places import HookFiles, system_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from hooktui.core.model import Dispatch, EntryPath, Event, Hook
    from hooktui.hosts.shared.interpretation import Ended
    from hooktui.hosts.shared.places import SettingsFile

_MANIFEST = ".codex-plugin/plugin.json"
_SESSIONS = ("sessions/*/*/*", "archived_sessions")
_TIMEOUT_S = 900
_LONGEST_S = {"SessionEnd": 3, "Interrupt": 3}  # any longer timeout is shortened, with a warning
_WITHOUT_MATCHER = ("Stop", "UserPromptSubmit", "PreModelRequest", "Interrupt")
_HOW = "start `codex` and review its hooks, or type /hooks there"
# Exit 2 with a reason on stderr denies here; elsewhere Codex reports the hook as failed and continues.
_DENIES_BY_EXIT_2 = (
    *("pre-tool-call", "post-tool-call", "pre-agent-turn", "pre-agent-turn-stop", "post-subagent"),
    "PermissionRequest",
)
_NO_START = "does not start with this file"
_SYSTEM, _REQUIREMENTS, _MANAGED_ONLY = "/etc/codex", "requirements.toml", "allow_managed_hooks_only"
_ENDS = ("pre-agent-turn-stop", "post-subagent")
_TAKES_CONTEXT = ("pre-session", "pre-agent-turn", "pre-tool-call", "post-tool-call")
# The keys of an answer and those of its hookSpecificOutput, by event, from the schemas in Codex. Any other makes it void.
_EVERYWHERE = ("continue", "stopReason", "suppressOutput", "systemMessage")
_BLOCKING = (*_EVERYWHERE, "decision", "reason")
_NESTED = "hookSpecificOutput"
_CONTEXT = ("hookEventName", "additionalContext")
_KEYS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "PreToolUse": ((*_BLOCKING, _NESTED), (*_CONTEXT, "permissionDecision", "permissionDecisionReason", "updatedInput")),
    "PostToolUse": ((*_BLOCKING, _NESTED), (*_CONTEXT, "updatedMCPToolOutput")),
    "UserPromptSubmit": ((*_BLOCKING, _NESTED), _CONTEXT),
    "Stop": (_BLOCKING, ()),
    "SubagentStop": (_BLOCKING, ()),
    "SessionStart": ((*_EVERYWHERE, _NESTED), _CONTEXT),
    "SubagentStart": ((*_EVERYWHERE, _NESTED), _CONTEXT),
    "PermissionRequest": ((*_EVERYWHERE, _NESTED), ("hookEventName", "decision")),
    "PreCompact": (_EVERYWHERE, ()),
    "PostCompact": (_EVERYWHERE, ()),
    "Interrupt": (("systemMessage",), ()),
}
_NEEDS_REASON = "a block needs a reason"
_NO_COMMAND = "hook returned updatedInput without string field `command`"  # Codex's words: the call fails


def _toml(text: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(text)


def _config() -> dict[str, Any]:
    """The user's config.toml; a missing one trusts nothing. Raises OSError, ValueError."""
    try:
        with open(HOST.in_home("~/.codex/config.toml"), encoding="utf-8") as file:
            return _toml(file.read())
    except FileNotFoundError:
        return {}


def _table(value: Any, key: str) -> Any:
    inside = value.get(key) if isinstance(value, dict) else None
    return inside if isinstance(inside, dict) else {}


def _obstacle(path: str, config: Mapping[str, Any]) -> HostTrust | None:
    """Why Codex runs nothing in a file, None if it depends on each entry."""
    directory = os.path.dirname(path)
    if directory == os.path.dirname(HOST.in_home("~/.codex/hooks.json")):
        return None
    projects, place = _table(config, "projects"), os.path.dirname(directory)
    levels = (_table(projects, top).get("trust_level") for top in _upward(place))
    if next((level for level in levels if level), "untrusted") == "trusted":
        return None
    return HostTrust(state="untrusted", why=f"Codex does not trust {paths.short(place)} yet: start `codex` there and trust it")


def _upward(place: str) -> Iterator[str]:
    """A directory and those above it, up to the root of the repository."""
    yield place
    while not os.path.lexists(os.path.join(place, ".git")) and place != os.path.dirname(place):
        place = os.path.dirname(place)
        yield place


def _entries_to_trust(value: Any) -> Iterator[tuple[EntryPath, str, dict[str, Any]]]:
    """The path of each command, its place in Codex's words, and what Codex hashes."""
    for event, groups in _table(value, "hooks").items():
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event)[1:]
        for group, items in enumerate(groups if isinstance(groups, list) else ()):
            handlers = items.get("hooks") if isinstance(items, dict) else None
            for number, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                if isinstance(handler, dict) and handler.get("type") == "command":
                    hashed: dict[str, Any] = {"event_name": name, "hooks": [_hashed(event, handler)]}
                    if event not in _WITHOUT_MATCHER and isinstance(items.get("matcher"), str):
                        hashed["matcher"] = items["matcher"]
                    yield ("hooks", event, group, "hooks", number), f"{name}:{group}:{number}", hashed


def _hashed(event: str, handler: Mapping[str, Any]) -> dict[str, Any]:
    """A command as Codex hashes it: with its defaults."""
    longest = _LONGEST_S.get(event)
    timeout_s = handler.get("timeout", 1 if longest else HOST.entry.timeouts["command"])
    if isinstance(timeout_s, int):
        timeout_s = min(max(timeout_s, 1), longest or timeout_s or 1)
    entry: dict[str, Any] = {
        "async": handler.get("async", False),
        "command": handler.get("command"),
        "timeout": timeout_s,
        "type": "command",
    }
    limit = handler.get("additionalContextLimit")
    if limit is not None and "additionalContext" in _KEYS.get(event, ((), ()))[1]:  # elsewhere it is dropped
        entry["additionalContextLimit"] = limit
    return entry | ({"statusMessage": handler["statusMessage"]} if handler.get("statusMessage") else {})


def _reviewed(known: Mapping[str, Any], entry: Mapping[str, Any]) -> HostTrust:
    """What the user has decided about an entry, by what Codex knows of its place."""
    import hashlib
    import json

    if known.get("enabled") is False:
        return HostTrust(state="disabled", why="it is turned off in Codex (/hooks)")
    if not known.get("trusted_hash"):
        return HostTrust(state="untrusted", why=f"you have not trusted it in Codex yet: {_HOW}")
    text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    if known["trusted_hash"] == f"sha256:{hashlib.sha256(text.encode()).hexdigest()}":
        return HostTrust(state="trusted")
    return HostTrust(state="modified", why=f"it has changed since you trusted it in Codex: {_HOW}")


def _fault(event: Event, ended: Ended) -> str:
    """Why Codex reports a hook as failed that has exited with 0 or 2, "" if it does not."""
    if ended.exit_code == 2 and HOST.denies_by_exit_2(event.name):
        return "" if ended.stderr.strip() else "exit 2 without a reason on stderr"
    text = ended.stdout.decode(errors="replace").strip()
    if ended.exit_code != 0 or not text:
        return ""
    if text.startswith("[") or (event.name in _ENDS and not text.startswith("{")):
        return "stdout must be a JSON object"
    answer = fast_json.parse_object(text) if text.startswith("{") else {}
    given = {key: value for key, value in answer.items() if value is not None}
    return next(_answer_faults(event, given), "") if given else ""


def _answer_faults(event: Event, answer: dict[str, Any]) -> Iterator[str]:
    written = HOST.spelling(event.name) or event.as_written
    known, nested = _KEYS.get(written, (tuple(answer), ()))
    yield from (f"unknown key {key}" for key in answer if key not in known)
    yield from json_answers.wrong_types(answer)
    specific = answer.get("hookSpecificOutput", {})
    if isinstance(specific, dict) and specific:
        yield from (f"unknown key {key} in hookSpecificOutput" for key in specific if key not in nested)
        if specific.get("hookEventName") not in HOST.events:
            yield "hookSpecificOutput has no hookEventName"
    yield from _tool_faults(answer, specific) if event.name == "pre-tool-call" else _block_faults(event, answer, specific)


def _tool_faults(answer: dict[str, Any], specific: dict[str, Any]) -> Iterator[str]:
    """What Codex does not support before a tool."""
    permission, decision = specific.get("permissionDecision"), answer.get("decision")
    unsupported = (
        ("continue: false", answer.get("continue") is False),
        ("stopReason", "stopReason" in answer),
        ("suppressOutput", answer.get("suppressOutput") is True),
        ("permissionDecision ask", permission == "ask"),
        ("a bare allow", permission == "allow" and "updatedInput" not in specific),
        ("updatedInput without allow", permission != "allow" and "updatedInput" in specific),
        ("decision approve", permission is None and decision == "approve"),
        ("a reason without a decision", permission is None and decision is None and "reason" in answer),
        (f"permissionDecision {permission}", permission not in (None, "allow", "ask", "deny")),
        (f"decision {decision}", decision not in (None, "approve", "block")),
    )
    yield from (f"{name} is not supported before a tool" for name, is_there in unsupported if is_there)
    if permission == "deny" and not str(specific.get("permissionDecisionReason") or "").strip():
        yield "a denial needs a reason"
    if permission is None and decision == "block" and not answer.get("reason", "").strip():
        yield _NEEDS_REASON


def _block_faults(event: Event, answer: dict[str, Any], specific: dict[str, Any]) -> Iterator[str]:
    """What Codex does not support on other events."""
    if answer.get("decision") not in (None, "block"):
        yield f"decision {answer['decision']} is not supported here"
    if answer.get("decision") == "block" and answer.get("continue") is not False and not answer.get("reason", "").strip():
        yield _NEEDS_REASON
    if event.name == "post-tool-call" and answer.get("suppressOutput") is True:
        yield "suppressOutput is not supported here"
    if "updatedMCPToolOutput" in specific:
        yield "updatedMCPToolOutput is not supported"


class _Matcher(MatcherSpec):
    characters = "_|"
    separators = "|"
    ignored_on = ("Stop", "UserPromptSubmit")
    dialect = "rust"
    field_help = "letters, digits, _ and | are exact names; anything else is a regex; empty or *: every tool"
    draft_help = "names like Bash, or a regex; empty: any tool"

    def searched_aliases(self, aliases: Sequence[str]) -> Sequence[str]:
        return aliases


class _Entry(EntrySpec):
    shape = "groups"
    types = ("command", "mcp_tool")
    keys = (
        *("type", "command", "commandWindows", "command_windows", "timeout", "async", "statusMessage"),
        *("additionalContextLimit", "server", "tool", "input"),
    )
    interpreter = ("/bin/bash", "-c")
    timeouts = {"command": 600, "mcp_tool": 600}
    strict = True
    file_faults = ("syntax", "comment", "encoding", "byte order mark", "surrogate", "duplicate key", "event")
    needs_type = True
    whole_seconds = True
    nullable = ("timeout", "statusMessage", "matcher", "commandWindows", "command_windows", "additionalContextLimit")
    other_keys = ("state",)

    def skips_type(self, kind: str) -> bool:
        return kind in ("prompt", "agent")

    def refuses_top_key(self, key: str) -> bool:
        return key not in ("description", "hooks")

    def timeout_taken(self, given: float, default: float) -> float:
        return 1 if given == 0 else super().timeout_taken(given, default)

    def timeout_fault(self, given: float, default: float) -> TimeoutFault | None:
        """0 counts as 1, and a number with a point or an exponent violates the schema."""
        if given == 0:
            return TimeoutFault(instead=1)
        return self.no_whole_number(given) if given > 0 and isinstance(given, float) else super().timeout_fault(given, default)


class Codex(JsonHost):
    """Codex CLI."""

    name = "codex"
    title = "Codex CLI"
    proof = "run (0.169.0)"
    rank = 5
    format = "json_hooks"
    files = (
        HookFiles(scope="user", path="~/.codex/hooks.json"),
        HookFiles(scope="user", path="~/.codex/config.toml", settings=True, consequence=_NO_START),
        HookFiles(scope="project", path=".codex/hooks.json", below="upward"),
        HookFiles(scope="project", path=".codex/config.toml", below="upward", settings=True, consequence=_NO_START),
        system_settings(f"{_SYSTEM}/config.toml").replace(is_default=True, consequence=_NO_START),
        system_settings(f"{_SYSTEM}/managed_config.toml").replace(consequence=_NO_START),
        system_settings(f"{_SYSTEM}/{_REQUIREMENTS}").replace(consequence=_NO_START),
    )
    plugin_files = (HookFiles(scope="project", path="hooks/hooks.json", manifest=_MANIFEST, plugin_variable="PLUGIN_ROOT"),)
    programs = ("codex",)
    traces = ("~/.codex/config.toml", "~/.codex/auth.json")
    moved = {"~/.codex": "CODEX_HOME"}
    transcripts = tuple(f"~/.codex/{place}/rollout-*.jsonl{end}" for place in _SESSIONS for end in ("", ".zst"))
    events = (
        *("SessionStart", "UserPromptSubmit", "PreModelRequest", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop"),
        *("SubagentStart", "SubagentStop", "SessionEnd", "PreCompact", "PostCompact", "Interrupt"),
    )
    tools = {"shell": "Bash"}
    other_tools = ("apply_patch", "view_image", "update_plan", "web_search")
    edit_tools = ("apply_patch",)
    aliases = {"apply_patch": ("Write", "Edit")}  # from its source, not seen in a run
    calls = {"Bash": {"command": "ls"}}
    matcher = _Matcher()
    entry = _Entry()
    scheduling = Scheduling(order="together")
    text_becomes_context = True
    exit_2_denies = _DENIES_BY_EXIT_2
    decisions = ("block",)
    permission_at = ("nested",)
    runs_in_session_dir = True
    block_at = ("top",)
    own_gate_limit = 0
    sends_timestamp = False
    session_source = "startup"
    connect_scopes = ("project", "user")
    signs = ((15, ("hook_event_name", "turn_id")),)
    copies = {"project": (".codex/hooks.json",), "user": ("~/.codex/hooks.json",)}
    scripts_dir = directories_dir = "hooks"
    runs_new_hooks = "Codex CLI runs it after you trust it with /hooks."

    def variable_hints(self) -> Mapping[str, str]:
        return {"CODEX_PLUGIN_ROOT": "Codex CLI sets PLUGIN_ROOT, and only for hooks of plugins"}

    def model_tool(self, name: str) -> str:
        return "shell" if name in ("exec_command", "shell", "local_shell", "unified_exec", "shell_command") else ""

    def lacks_tool(self, name: str) -> bool:
        """Its own tools have lowercase names, but for the shell."""
        return name[:1].isupper() and name not in (*self.tools.values(), *self.aliases["apply_patch"])

    def answer(self, dispatch: Dispatch) -> HostAnswer:
        """Write only what Codex obeys: for any other key, a bare allow or `ask`, it ignores the answer and runs the tool.

        `ask` and a stop before a tool are denials. So is a rewrite without a `command`: the original must not run. A stop lets
        an agent stop that is about to.
        """
        name = dispatch.event.name
        before_tool, stops = name == "pre-tool-call", dispatch.decision == "stop"
        rewrite = dispatch.modified_input if before_tool else None
        asks = before_tool and dispatch.decision == "ask"
        if asks or (dispatch.blocks and self.denies_by_exit_2(name) and not (stops and name in _ENDS)):
            return denied(dispatch.reason or "A hook asks the user to decide")
        if rewrite is not None and not isinstance(rewrite.get("command"), str):
            return denied("A hook rewrites this input, which Codex CLI does not support")
        specific: dict[str, object] = {}
        if rewrite is not None:
            specific |= {"permissionDecision": "allow", "updatedInput": rewrite}
        if dispatch.additional_context and name in _TAKES_CONTEXT:
            specific["additionalContext"] = "\n".join(dispatch.additional_context)
        if name in PERMISSION_REQUESTS and (granted := json_protocol.behavior(dispatch)):
            specific["decision"] = granted
        value: dict[str, object] = {"continue": False} if stops and name in ("pre-session", *_ENDS) else {}
        if dispatch.system_messages:
            value["systemMessage"] = "\n".join(dispatch.system_messages)
        if specific:
            value["hookSpecificOutput"] = {"hookEventName": self.spelling(name) or name, **specific}
        return printed(value)

    def silenced(self, hook: Hook, settings: Sequence[SettingsFile], *, is_managed: bool) -> str:
        """The last file that says whether there are hooks decides; a project's counts once Codex trusts the project."""
        user = next((file.values for file in settings if file.scope == "user"), {})
        off = ""
        for file in settings:
            if not is_managed and file.values.get(_MANAGED_ONLY) is True and file.path.endswith(_REQUIREMENTS):
                return f"{_MANAGED_ONLY} in {file.shown} leaves only managed hooks"
            features = file.table("features")
            on = features.get("hooks", features.get("codex_hooks"))
            if isinstance(on, bool) and not (file.scope == "project" and _obstacle(file.path, user)):
                off = "" if on else f"[features] in {file.shown} turns hooks off"
        return off

    def unread_files(self) -> tuple[str, ...]:
        return (".codex/hooks/hooks.json", ".codex/settings.json")

    def connect_entry(self, command: str, event_as_written: str) -> dict[str, Any]:
        timeout_s = _LONGEST_S.get(event_as_written, _TIMEOUT_S)
        return {"matcher": "*", "hooks": [{"type": "command", "command": command, "timeout": timeout_s}]}

    def own_trust(self, path: str, text: str) -> dict[EntryPath, HostTrust]:
        """Codex's trust state for each command in a hook file, computed from the user's config.toml as Codex does.

        Empty if the file or config.toml cannot be read. Entries of types other than commands are left out.
        """
        if os.path.dirname(path) == _SYSTEM:  # needs no approval
            return {}
        try:
            config = _config()
            value = _toml(text) if path.endswith(".toml") else fast_json.loads(text)
        except (OSError, ValueError, RecursionError):
            return {}
        reviewed = _table(_table(config, "hooks"), "state")
        whole = _obstacle(path, config)
        return {
            place: whole or _reviewed(_table(reviewed, f"{path}:{key}"), entry)
            for place, key, entry in _entries_to_trust(value)
        }

    def interpret(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
        """Codex reports a hook as failed for anything in its answer that it does not support, and goes on without it."""
        if fault := _fault(event, ended):
            outcome = Outcome(problems=(f"{self.title} ignores this answer: {fault}",))
            return RunResult(state="failed" if ended.exit_code else "invalid-output", outcome=outcome)
        result = super().interpret(hook, event, ended)
        outcome, rewrite = result.outcome, result.outcome.modified_input
        if outcome.decision == "stop" and event.name == "post-tool-call":  # replaces the result; the agent goes on
            return result.replace(outcome=outcome.replace(decision="deny"))
        if rewrite is not None and not isinstance(rewrite.get("command"), str):
            return result.replace(outcome=outcome.replace(decision="deny", reason=_NO_COMMAND, modified_input=None))
        return result


HOST = Codex()
