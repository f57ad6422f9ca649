"""The terms of formats.md as frozen records, without behavior of their own."""

from __future__ import annotations

from hooktui.core import ids
from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    EntryPath = tuple[str | int, ...]  # keys and list indexes; of a YAML file the document's index comes first

    Scope = Literal["managed", "user", "project", "local", "agent", "plugin"]
    DecisionName = Literal["none", "allow", "ask", "deny", "stop"]
    State = Literal["ok", "failed", "timeout", "invalid-output", "interrupted", "skipped", "started", "would-run", "unrecorded"]
    Skip = Literal[
        "disabled", "host-skips-file", "invalid", "bad-matcher", "unsupported-type", "overridden", "agent-mismatch",
        "tool-mismatch", "pattern-mismatch", "untrusted", "gate-limit", "duplicate", "blocked-earlier",
    ]  # fmt: skip
    Via = Literal["exit-2", "json", "ok-field", "permission"]
    Trust = Literal["user", "trusted", "untrusted", "changed"]
    Origin = Literal["run", "observed", "transcript", "python", "try"]
    Effect = Literal["stop", "deny", "ask", "rewrite", "allow", "context", "none"]
    Severity = Literal["error", "warning", "info"]

# Least to most severe; a dispatch takes the most severe decision of its hooks (formats.md, head).
DECISIONS: tuple[DecisionName, ...] = ("none", "allow", "ask", "deny", "stop")
# What a dispatch did, and who ran its hooks (contract.md, `effect` and `origin`); of several effects the first counts.
EFFECTS: tuple[Effect, ...] = ("stop", "deny", "ask", "rewrite", "allow", "context", "none")
ORIGINS: tuple[Origin, ...] = ("run", "observed", "transcript", "python", "try")
# Skips that a person must hear of if the hook could have denied the event.
KEPT_FROM_RUNNING: tuple[Skip, ...] = ("untrusted", "invalid", "bad-matcher", "host-skips-file")
ONLY_IN_AGENT = ("callback", "mod")  # types of hooks that only the agent itself can run
FAILURES: tuple[State, ...] = ("failed", "timeout", "invalid-output")  # states of a run that failed


def effect_of(decision: DecisionName, modified_input: object, additional_context: object) -> Effect:
    """The effect that counts of a decision, a changed input (None for none) and contexts."""
    if modified_input is not None and decision in ("allow", "none"):
        return "rewrite"
    return "context" if decision == "none" and additional_context else decision


class Obstacle(Record):
    """The reason why hooktui never runs a hook, whatever the event: a skip code and a message. `host_runs`: its host does."""

    skip: Skip
    why: str
    host_runs: bool = False


class Hook(Record):
    """A hook: one configured reaction to one event.

    `id` names its place among the hooks that are loaded and may change when a file does. `identity` follows its content and its
    file: approvals, the log and all output know the hook by it. `label` is its own name, else what it runs
    (hook_identity.py); both default to those of a hook with a name of its own.
    `event` is the canonical name, or the format's own name for an event without one; `line` (1-based) is the event's line.
    `argv` is started, `command` is shown. `source` holds the fields of the hook's format. `rivals` are the IDs of runnable
    project hooks with the same name: a trusted one replaces this user hook. `covers` are the files below `root` that it loads:
    trust in an entry covers these and its text, in a HOOK.md every file there. `is_unread`: hooktui has not read all of them.
    `scripts_text` holds the scripts, each below its name. `version` identifies this text of the hook in the log
    (ids.content_of).
    `calls_hooktui`: `hooktui connect` wrote the entry; it is never run here. `why_disabled` says why its host
    does not run a hook that is not enabled, "" if the hook itself is off.
    `disabled_by_project`: a file of the project disables this hook of the user.
    """

    id: str
    name: str
    event: str
    event_as_written: str
    format: str
    scope: Scope
    file: str
    line: int
    source: HookSource
    description: str = ""
    tool: str | None = None
    pattern: str | None = None
    type: str = "command"
    argv: tuple[str, ...] = ()
    command: str | None = None
    commands: Mapping[str, str | None] = {"linux": None, "osx": None, "windows": None}
    prompt: str | None = None
    model: str | None = None
    cwd: str | None = None
    env: Mapping[str, str] = {}
    timeout_ms: int = 30_000
    is_async: bool = False
    priority: int = 100
    fail_mode: Literal["allow", "block"] = "allow"
    enabled: bool = True
    why_disabled: str = ""
    disabled_by_project: bool = False
    obstacle: Obstacle | None = None
    rivals: tuple[str, ...] = ()
    root: str = ""
    covers: tuple[str, ...] = ()
    is_unread: bool = False
    text: str = ""
    scripts_text: str = ""
    version: str = ""
    calls_hooktui: bool = False
    problems: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = {}
    identity: str = ""
    label: str = ""

    def _complete(self) -> None:
        self.__dict__["identity"] = self.identity or self.id
        self.__dict__["label"] = self.label or self.name

    def goes_by(self, name: str) -> bool:
        return name in (self.label, self.name, self.identity, self.id)

    def arguments(self, project: str) -> tuple[str, ...]:
        holder = self.placeholder
        return tuple(word.replace(holder, project) for word in self.argv) if holder else self.argv

    @property
    def content(self) -> str:
        return ids.content_of(self.version)

    @property
    def full_text(self) -> str:
        """The hook's text followed by its scripts, as the log stores it."""
        return self.text + self.scripts_text

    @property
    def unwrapped_text(self) -> str:
        """The hook's text as it was before `hooktui connect --observe` wrapped its command."""
        original = self.source.original if isinstance(self.source, JsonEntry) else ""
        return original or self.text

    @property
    def placeholder(self) -> str:
        """The text in `argv` that the host replaces by the project's root, "" for none."""
        return self.source.placeholder if isinstance(self.source, JsonEntry) else ""

    @property
    def agent(self) -> str | None:
        return self.source.agent if isinstance(self.source, JsonEntry | AzureEntry) else None

    @property
    def owner(self) -> str:
        """The plugin, agent, skill or command that brings the hook, as `plugin NAME`."""
        return self.source.owner if isinstance(self.source, JsonEntry | Mod) else ""

    @property
    def plugin(self) -> str:
        return self.source.plugin if isinstance(self.source, JsonEntry | Mod) else ""

    @property
    def plugin_root(self) -> str:
        return self.source.plugin_root if isinstance(self.source, JsonEntry | Mod) else ""

    @property
    def read_only(self) -> str:
        """Why hooktui does not edit the hook, "" if it does."""
        return self.source.read_only if isinstance(self.source, JsonEntry | HookDirectory | Mod) else ""

    @property
    def url(self) -> str | None:
        return self.source.url if isinstance(self.source, JsonEntry) else None

    @property
    def condition(self) -> str | None:
        """The permission rule that a tool call must match (`if`)."""
        return self.source.condition if isinstance(self.source, JsonEntry) else None

    @property
    def inline_script(self) -> str | None:
        return self.source.script if isinstance(self.source, AzureEntry) else None

    @property
    def entry_path(self) -> EntryPath:
        """The path of the hook's entry in its file, empty for a hook that is not an entry."""
        return self.source.path if isinstance(self.source, JsonEntry | AzureEntry) else ()


class Fix(Record):
    """An automatic fix of one diagnostic, applied with `f` in the app.

    `replace` writes `text` in place of `old` at [start:end], counted in characters after a byte order mark. `create` creates
    the script that the hook starts. `unix` converts a script to line feeds without a byte order mark. `protect` lets only the
    owner write the hook's files. `is_guess`: only a person knows whether it is meant; None: as other fixes of the same code.
    """

    label: str
    kind: Literal["chmod", "create", "protect", "rename", "replace", "unix"]
    path: str
    new_path: str | None = None
    start: int = 0
    end: int = 0
    old: str = ""
    text: str = ""
    is_guess: bool | None = None


class Diagnostic(Record):
    """A problem at a place in a file. Lines and columns are 1-based and count characters; the end is exclusive.

    `hook` is the ID of the hook, `other_hooks` those of hooks with the same problem in the same place, such as a shared script.
    """

    severity: Severity
    code: str
    message: str
    file: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1
    hint: str = ""
    hosts: tuple[str, ...] = ()
    hook: str | None = None
    fix: Fix | None = None
    other_hooks: tuple[str, ...] = ()


class Event(Record):
    """An event that a host reported.

    `name` is the canonical name if there is one; `fields` are the event's own values under their AgentHooks names (formats.md
    §1, last column); `payload` is the host's unchanged input.
    """

    name: str
    as_written: str
    known: bool
    host: str
    session_id: str
    work_dir: str
    timestamp: str
    tool_name: str | None = None
    tool_input: Any = None
    agent_name: str | None = None
    fields: Mapping[str, Any] = {}
    payload: Mapping[str, Any] = {}


class Outcome(Record):
    """A hook's decision and effects. `problems` lists the unusable parts of its output."""

    decision: DecisionName = "none"
    via: Via | None = None
    reason: str | None = None
    modified_input: Mapping[str, Any] | None = None
    additional_context: str | None = None
    system_message: str | None = None
    log: str | None = None
    problems: tuple[str, ...] = ()


class Run(Record):
    """One hook in a dispatch, run or skipped. `started_ms` counts from the start of the dispatch."""

    id: int
    hook: Hook
    state: State
    why: str = ""
    skip: Skip | None = None
    outcome: Outcome = Outcome()
    exit_code: int | None = None
    signal: int | None = None
    started_ms: float = 0.0
    duration_ms: float = 0.0
    stdout: str = ""
    stderr: str = ""
    truncated: bool = False


class Mismatches(Record):
    """Hooks whose matchers do not match the tool of an event, as the index knows: the version of a list of them in the log.

    `places` are the positions of the event's other hooks, in the order considered.
    """

    version: str
    places: tuple[int, ...]


class Dispatch(Record):
    """One handled event: all considered hooks in order, without `mismatches`, and the merged decision."""

    id: int
    event: Event
    project: str
    runs: tuple[Run, ...]
    decision: DecisionName = "none"
    reason: str | None = None
    modified_input: Mapping[str, Any] | None = None
    additional_context: tuple[str, ...] = ()
    system_messages: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    duration_ms: float = 0.0
    synthetic: bool = False
    origin: Origin = "run"
    mismatches: Mismatches | None = None

    @property
    def places(self) -> Sequence[int]:
        """The position of each run in the order considered."""
        return self.mismatches.places if self.mismatches else range(len(self.runs))

    @property
    def effect(self) -> Effect:
        return effect_of(self.decision, self.modified_input, self.additional_context)

    @property
    def blocks(self) -> bool:
        return self.decision in ("deny", "stop")


class HookDirectory(Record):
    """A directory with a HOOK.md, which is the hook's `root`. `read_only` says why hooktui does not edit it."""

    read_only: str = ""


class JsonEntry(Record):
    """An entry of a JSON file.

    `path` leads from the file's root to the entry. It is empty for a hook that was not read from a file: a draft, or a command
    observed by `hooktui exec`. `condition` is the permission rule `if`. `placeholder` is the text in `argv` that
    the host replaces by the project's root. `original` is the entry as it was before `hooktui connect --observe` wrapped its
    command, "" for an entry that is not wrapped. An http hook posts to `url` with `headers`, in which `allowed_variables` of
    the environment are expanded. `plugin`, `agent` and `part` (`skill NAME`) bring the hook; `plugin_root` is the plugin's
    directory. `read_only` says why hooktui does not edit the entry. `sequential`: while it runs for an event, the hooks of that
    event run one after another.
    """

    path: EntryPath = ()
    condition: str | None = None
    placeholder: str = ""
    original: str = ""
    url: str | None = None
    headers: Mapping[str, Any] = {}
    allowed_variables: tuple[str, ...] = ()
    plugin: str = ""
    plugin_root: str = ""
    agent: str | None = None
    part: str = ""
    read_only: str = ""
    sequential: bool = False

    @property
    def owner(self) -> str:
        """What brings the hook, "" for a file of settings or hooks."""
        return ", ".join(
            filter(None, (self.plugin and f"plugin {self.plugin}", self.agent and f"agent {self.agent}", self.part))
        )


class AzureEntry(Record):
    """A hook in a YAML file of Azure SRE Agent.

    `path` leads from the list of documents to the hook, as in JsonEntry. `agent` is the custom agent that the hook belongs
    to, None for a global hook. `script` is the text of an inline script. `max_rejections` limits how often a prompt hook may
    keep the agent from stopping, None for all other hooks.
    """

    path: EntryPath = ()
    agent: str | None = None
    script: str | None = None
    max_rejections: int | None = None


class Callback(Record):
    """A Python callable that an agent has registered with its hook stack."""


class Mod(Record):
    """A function inside a plugin, which answers in the host itself. `plugin` and `plugin_root` bring it.

    `gates`: it can answer. `allows`: its answer may let a tool run that a hook denied. `catches`: it answers where it fails.
    `is_matcher_computed`: only the host knows what it matches. `unasked`: the host loads it from that folder unasked.
    """

    plugin: str
    plugin_root: str
    read_only: str
    gates: bool = True
    allows: bool = True
    catches: bool = False
    is_matcher_computed: bool = False
    unasked: str = ""

    @property
    def owner(self) -> str:
        return f"mod {self.plugin.partition('@')[0]}"


HookSource = HookDirectory | JsonEntry | AzureEntry | Callback | Mod
