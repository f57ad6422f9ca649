"""The shape of a HostSpec: everything that differs between agent programs, as data.

Formats, matching, the engine, diagnostics, the form, `connect`, conversion and the documentation read it; no other module
names a host. The fast path loads these records, so they are made of `core.records.Record`.
"""

from __future__ import annotations

import os

from hooktui.core import events, fast_json, paths
from hooktui.core.records import Record
from hooktui.hosts.shared.entry_spec import EntrySpec as EntrySpec
from hooktui.hosts.shared.matcher_spec import MatcherSpec as MatcherSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal

    from hooktui.core.model import DecisionName, Dispatch, EntryPath, Event, Hook, Scope
    from hooktui.hosts.shared.interpretation import Ended, RunResult
    from hooktui.hosts.shared.places import HookFiles, PluginSpec, Reads

    # A host, a payload, the event named on the command line, the timestamp for a payload without one.
    Reader = Callable[["HostSpec", dict[str, Any], str | None, str], Event]
    Interpreter = Callable[["HostSpec", Hook, Event, Ended], RunResult]

BLOCKED = 2
CONTEXT_ON = ("pre-tool-call", "post-tool-call", "post-tool-call-failure", "pre-agent-turn", "pre-session", "pre-subagent")
PERMISSION_REQUESTS = ("PermissionRequest", "permissionRequest")


class HostAnswer(Record):
    """What `hooktui run` returns to a host."""

    exit_code: int
    stdout: str = ""
    stderr: str = ""


def denied(reason: str | None, stdout: str = "") -> HostAnswer:
    """A denial by exit 2, with the reason on stderr."""
    return HostAnswer(exit_code=BLOCKED, stdout=stdout, stderr=f"{reason}\n")


def printed(value: dict[str, Any]) -> HostAnswer:
    """A JSON object on stdout at exit 0; nothing for an empty one."""
    return HostAnswer(exit_code=0, stdout=fast_json.dumps(value) + "\n" if value else "")


class UnreadableEvent(ValueError):
    """Stdin is not an event of the host; the message says why."""


class Manner(Record):
    """How a host runs the hooks of one event.

    `at_once`: in parallel. `hands_on`: a rewritten input is what later hooks match and read. `ends_at`: decisions that
    prevent later hooks. `heeds_setting`: the user's `on_hook_failure` decides what a failure means. `once_per_handler`:
    the same handler in two files runs once, with `once_per_name` only under the same name."""

    at_once: bool = False
    once_per_handler: bool = False
    once_per_name: bool = False
    hands_on: bool = False
    heeds_setting: bool = False
    ends_at: tuple[DecisionName, ...] = ()


class SpeechSpec(Record):
    """How a host starts hooks and reads their answers.

    `protocol` is the module in `engine/protocols`. `strict`: an answer that violates the schema decides nothing.
    `answers_at_any_exit`: a JSON answer counts at exit codes other than 0 and 2. `fails_closed`: events that a command denies
    by failing. `progress`: lines that report progress are not part of the answer. `expands`: values of an entry's `env` may
    name other variables. `variables` are set for every hook; `{project}` is the project's directory. `published_variables` are
    those that published hooks read, with a hint for hosts that do not set them. `denies_by_exit_2`: events on which exit 2
    denies, None for all. `json_at_exit_2`: the reason is in JSON on stdout. `obeys`: by event (as written), the closed list of
    keys of an answer that the host obeys, None for all that hooktui knows. `decisions`: the values of `decision` that it knows.
    `needs_reason`: a block without a reason blocks nothing. `rewrites`: by event, the key that replaces something other than a
    tool's input, the field of the payload that it replaces, and the text that must be in it. `runs_in_session_dir`: hooks run
    in the session's directory, else in the entry's `cwd` or the project. `block_at`: where a gate's `decision: block` is read,
    `permission_at` a `permissionDecision`. `stop_reason_stops`: a `stopReason` alone stops. `version_variable` and
    `version_prefix` tell the version of the program that calls us. Since version `stops_denied_since`, `continue: false` with a
    denied tool stops, too. Since version `fail_mode_since`, None for no version, an entry may ask that its failures deny,
    except on `ignores_fail_mode_on`. `prompt_denial_stops`: a prompt hook's denial ends the turn, except at a gate or with
    `continueOnBlock`. `silent_denial` is the text that the model gets for an exit 2 without stderr. `camel_payloads`: events in
    camelCase have payloads of their own, with `camel_answers_at_top` answers without nesting. `result_object`: tool results are
    objects too. `session_source` is what a new session reports. `gate_limit`: what limits consecutive denials at the gate: the
    user's setting, what prompt hooks allow, or nothing. `last_context_only`: of several contexts the last counts.
    `one_timestamp`: one event has the same timestamp, to the millisecond, at every connection that it is delivered to.
    `other_callers`: hosts that call this one's connections, by a variable that they set, each with a field of its payloads.
    `notices`: where the user, not the model, sees messages of hooktui; `notices_beside_denial`: the events on which they are
    seen with a denial, too. `excuses`:
    texts (lower case) that make an exit 2 without output a missing script, which denies nothing on `excused_on`.
    `shown_at_exit_2`: events of the host at which exit 2 shows stderr to the user and the agent goes on. `nested_keys` are
    those of `hookSpecificOutput` that it obeys, None for all that hooktui knows, `permissions` the values of
    `permissionDecision`. `prompt_parts`: a prompt is a list of parts.
    `stop_exit` is an exit code that ends the run where exit 2 denies, with the reason on stderr.
    On `permission_steps` (as written) an answer that cannot be read denies. `examples` are fields
    of example payloads by event (as written), under "" those of every event. `silence` is what hooktui prints where it has
    nothing to say, `user_directory` the working directory of the user's hooks if they have one of their own.
    `reads_stderr`: where stdout is empty, stderr is the answer; JSON counts at any exit code, and exit 2 without a text denies
    nothing. With `failure_denies`, text denies at every exit code but 0 and 1. `stderr_alone_at_exit_2`: at exit 2, stdout is
    not read. `stop_is_denial`: `continue: false` only denies. `context_on`: the events (canonical) whose answer may carry
    context for the model. `rewrite_key` in `hookSpecificOutput` rewrites a tool's input; with `merges_rewrites`, what it leaves
    out stays.

    Only diagnostics read the rest. `ask_unattended`: what the host does when a hook asks and there is no user, "" if it denies.
    `no_decision_on`: events (canonical) on which `decision` is not read. `own_gate_limit`: how often in a row a gate may block,
    0 for no limit, None if that is unknown.
    """

    protocol: str = "json_hosts"
    manner: Manner = Manner()
    strict: bool = False
    answers_at_any_exit: bool = False
    text_becomes_context: bool = False
    fails_closed: tuple[str, ...] = ()
    progress: bool = False
    expands: bool = False
    variables: Mapping[str, str] = {}
    published_variables: Mapping[str, str] = {}
    denies_by_exit_2: tuple[str, ...] | None = None
    json_at_exit_2: bool = False
    obeys: Mapping[str, tuple[str, ...]] | None = None
    decisions: tuple[str, ...] = ("block", "deny", "approve", "allow")
    needs_reason: bool = False
    rewrites: Mapping[str, tuple[str, str, str]] = {}
    runs_in_session_dir: bool = False
    block_at: tuple[Literal["top", "nested"], ...] = ("top", "nested")
    permission_at: tuple[Literal["top", "nested"], ...] = ("top", "nested")
    stop_reason_stops: bool = False
    version_variable: str = ""
    version_prefix: str = ""
    stops_denied_since: tuple[int, ...] = ()
    fail_mode_since: tuple[int, ...] | None = None
    ignores_fail_mode_on: tuple[str, ...] = ()
    prompt_denial_stops: bool = False
    silent_denial: str = ""
    camel_payloads: bool = False
    camel_answers_at_top: bool = False
    result_object: bool = False
    sends_timestamp: bool = True
    one_timestamp: bool = False
    other_callers: Mapping[str, tuple[str, str]] = {}
    session_source: str = "new"
    last_context_only: bool = False
    notices: Literal["systemMessage", "stderr", "log"] = "log"
    notices_beside_denial: tuple[str, ...] = ()
    excuses: tuple[str, ...] = ()
    excused_on: tuple[str, ...] = ()
    shown_at_exit_2: tuple[str, ...] = ()
    nested_keys: tuple[str, ...] | None = None
    permissions: tuple[str, ...] = ("allow", "deny", "ask")
    prompt_parts: bool = False
    stop_exit: int = 0
    permission_steps: tuple[str, ...] = ()
    silence: str = ""
    examples: Mapping[str, Mapping[str, Any]] = {}
    user_directory: str = ""
    reads_stderr: bool = False
    failure_denies: bool = False
    stderr_alone_at_exit_2: bool = True
    stop_is_denial: bool = False
    context_on: tuple[str, ...] = CONTEXT_ON
    rewrite_key: str = "updatedInput"
    merges_rewrites: bool = False
    gate_limit: Literal["setting", "prompts", "none"] = "none"
    ask_unattended: str = ""
    no_decision_on: tuple[str, ...] = ()
    own_gate_limit: int | None = None


class HostTrust(Record):
    """The host's own approval of an entry. `why` is empty for `trusted`, else why the host does not run the entry."""

    state: Literal["trusted", "modified", "untrusted", "disabled"]
    why: str = ""


class ConnectSpec(Record):
    """How `hooktui connect` connects a host, in the first of its `files` that has the scope.

    `file_name` is hooktui's own file if that is a directory. `scopes` begin with the default. `entry` makes an entry of an
    event for our command; `names_event`: the command names its event, since the payloads do not. A host without hook files
    gets a `plugin` instead, one of `connect/plugins`. `gone_answer` is what the launcher prints at every event if hooktui is
    gone, for a host that can tell the user in no other way; its values may be `{}` for the message."""

    entry: Callable[[str, str], dict[str, Any]] | None = None
    plugin: str = ""
    names_event: bool = False
    file_name: str = ""
    gone_answer: Mapping[str, str] = {}
    scopes: tuple[Scope, ...] = ("project", "user")


class HostSpec(Record):
    """One agent program.

    `name` is for `--host` and `--format`, `title` for people; `rank` orders the hosts. `format` is the package in
    `formats` that reads its files, empty if there is none. `files` are in the order of their precedence, the last decides.
    `moved` names the environment variables that replace a directory of the user. `managed_only` is the key of managed
    settings that leaves only managed hooks. `programs` on PATH and `traces`, paths in the project or the home (`~/`), show
    that it is in use; `settings` are its own files, JSON with comments, least specific first. `style` is the column of
    `core.events` with its spelling; `events` fire, `deaf_events` are read and never fire. `tools` are its names of canonical
    tools, `other_tools` its other tools, `unsearched_tools` those that no regex means, `edit_tools` all that change files; with
    `own_tools_only` any other name is an MCP server's.
    `inputs` are its names of the input fields path, content, old and new; `edit_object` is the field that contains the last
    two. `calls` are tool inputs for trying a hook. `signs` identify its payloads: the sign with the lowest number, of all
    hosts, whose fields are all present. `claims_version`: in a shared directory, files with `version` or camelCase events are
    its own; `keeps_last_spelling`: of two spellings of an event in a file only the last counts; `runs_repeated_handlers`: a
    command in two files runs twice. `copies` are the files for copied hooks by scope, with alternatives if another host uses
    the first; their scripts are in `scripts_dir` next to them. `runs_new_hooks` tells the user when the program runs a new
    hook. `unread_files` of a project look as if it read them. `proof` says how these facts are
    known: run, read or from documentation. `aliases` are further names, by tool, that matchers may use.
    `interpret` is what it makes of a hook that has ended, None for a host of JSON hook files (json_interpretation.py).
    `own_trust` tells, by the path and text of a hook file, which of its entries the host trusts; a host without it runs all.
    """

    name: str
    title: str
    rank: int
    format: str = ""
    files: tuple[HookFiles, ...] = ()
    plugins: PluginSpec | None = None
    moved: Mapping[str, str] = {}
    managed_only: str = ""
    reads: tuple[Reads, ...] = ()
    programs: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    claims_version: bool = False
    keeps_last_spelling: bool = False
    runs_repeated_handlers: bool = False
    style: str = "pascal"
    events: tuple[str, ...] = ()
    deaf_events: tuple[str, ...] = ()
    tools: Mapping[str, str] = {}
    other_tools: tuple[str, ...] = ()
    unsearched_tools: tuple[str, ...] = ()
    edit_tools: tuple[str, ...] = ()
    own_tools_only: bool = False
    aliases: Mapping[str, tuple[str, ...]] = {}
    inputs: Mapping[str, str] = {}
    edit_object: str = ""
    calls: Mapping[str, Mapping[str, Any]] = {}
    matcher: MatcherSpec = MatcherSpec()
    entry: EntrySpec = EntrySpec()
    speech: SpeechSpec = SpeechSpec()
    connect: ConnectSpec | None = None
    own_trust: Callable[[str, str], Mapping[EntryPath, HostTrust]] | None = None
    signs: tuple[tuple[int, tuple[str, ...]], ...] = ()
    read: Reader | None = None
    interpret: Interpreter | None = None
    answer: Callable[[Dispatch], HostAnswer] | None = None
    copies: Mapping[Scope, tuple[str, ...]] = {}
    scripts_dir: str = "scripts"
    directories_dir: str = ""
    runs_new_hooks: str = ""
    proof: str = ""
    unread_files: tuple[str, ...] = ()

    def in_home(self, path: str) -> str:
        """The absolute path of a file that is given below the home directory with `~/`."""
        for directory, variable in self.moved.items():
            instead = os.environ.get(variable, "")
            if os.path.isabs(instead) and path.startswith(f"{directory}/"):  # a relative one would name files of a project
                return os.path.abspath(os.path.join(instead, path[len(directory) + 1 :]))
        return os.path.join(paths.home(), path.removeprefix("~/"))

    def events_in(self, file: str) -> tuple[str, ...]:
        """The path to the events in a hook file."""
        return () if any(files.bare and files.fits(file) for files in self.files) else ("hooks",)

    @property
    def plugin_variable(self) -> str:
        """The variable for the directory of the plugin that brings a hook."""
        variables = (files.plugin_variable for files in self.files if files.plugin_variable)
        return self.plugins.variable if self.plugins else next(variables, "")

    def spelling(self, event: str) -> str | None:
        """How the host spells a canonical event; None when it has no such event."""
        name = events.spelling(event, self.style)
        return name if name in self.events or name in self.deaf_events else None

    def fails_closed(self, event: str) -> bool:
        """Whether a command that fails denies an event (canonical, or the host's own)."""
        return event in self.speech.fails_closed

    def denies_by_exit_2(self, event: str) -> bool:
        """Whether exit 2 denies an event (canonical, or the host's own)."""
        listed = self.speech.denies_by_exit_2
        return listed is None or event in listed

    def can_deny(self, event: str) -> bool:
        """Whether an event (canonical, or the host's own) can be denied, by exit 2 or in an answer."""
        if event in events.UNDENIABLE:
            return False
        written = self.spelling(event) or event
        return self.denies_by_exit_2(event) or event in PERMISSION_REQUESTS or "decision" in (self.obeys(written) or ())

    def obeys(self, event_as_written: str) -> tuple[str, ...] | None:
        """The keys of an answer that the host obeys on an event, None for all that hooktui knows."""
        return None if self.speech.obeys is None else self.speech.obeys.get(event_as_written, ())

    def obeys_fail_mode(self, event_as_written: str) -> bool:
        """Whether an entry's failures deny an event if the entry asks for that."""
        since = self.speech.fail_mode_since
        return since is not None and self.is_since(since) and event_as_written not in self.speech.ignores_fail_mode_on

    def excuse(self, event: str, stderr: str) -> str:
        """The text on stderr that makes the host ignore an exit 2 without output on an event, "" if there is none."""
        text = stderr.lower() if event in self.speech.excused_on else ""
        return next((excuse for excuse in self.speech.excuses if excuse in text), "")

    def is_since(self, version: tuple[int, ...]) -> bool:
        """Whether the program that calls us is a version or a later one. An unknown version counts as the newest."""
        written = os.environ.get(self.speech.version_variable, "") if self.speech.version_variable else ""
        prefix = self.speech.version_prefix
        numbers = written[len(prefix) :].partition("_")[0].split("-") if written.startswith(prefix) else []
        known = bool(numbers) and all(number.isdecimal() for number in numbers)
        return not known or tuple(map(int, numbers)) >= version
