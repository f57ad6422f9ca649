"""The words of formats.md as plain frozen data. Nothing here reads, runs or decides anything."""

from __future__ import annotations

from hooktui.core.hook_source import AzureEntry, JsonEntry
from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from hooktui.core.hook_source import EntryPath, HookSource

    Scope = Literal["user", "project", "local", "agent"]
    DecisionName = Literal["none", "allow", "ask", "deny", "stop"]
    State = Literal["ok", "failed", "timeout", "invalid-output", "interrupted", "skipped", "started", "would-run"]
    Skip = Literal[
        "disabled", "host-skips-file", "invalid", "bad-matcher", "unsupported-type", "overridden", "agent-mismatch",
        "tool-mismatch", "pattern-mismatch", "untrusted", "gate-limit", "duplicate", "blocked-earlier",
    ]  # fmt: skip
    Via = Literal["exit-2", "json", "ok-field", "permission"]
    Trust = Literal["user", "trusted", "untrusted", "changed"]
    Severity = Literal["error", "warning", "info"]

# Least to most severe; the merged decision of a dispatch is the last that any hook said (formats.md, head).
DECISIONS: tuple[DecisionName, ...] = ("none", "allow", "ask", "deny", "stop")
FAILURES: tuple[State, ...] = ("failed", "timeout", "invalid-output")  # states of a run that failed


class Obstacle(Record):
    """What keeps a hook from running whatever the event: a skip code, and why in words."""

    skip: Skip
    why: str


class Hook(Record):
    """One configured reaction to one event.

    `event` is the canonical name, or the format's own for an event without a canonical twin; `line` is where the event is
    written (1-based). `argv` is what is spawned, `command` what a person reads. `rivals` are the ids of
    project hooks of the same name that can run: once one of them is trusted it replaces this user hook. Trust covers every
    file below `root` (for a JSON or YAML entry, `covers`: the entry's text and the scripts it names). `version` is the SHA-256
    that identifies this hook in the log: of its text and the scripts that it starts. `scripts_text` holds these scripts, each
    below its name, and `scripts_digest` is the SHA-256 of their names and contents, "" without scripts. `source` holds the
    fields of one way of writing hooks down. `calls_hooktui`: `hooktui connect` wrote this entry, and it never runs here.
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
    obstacle: Obstacle | None = None
    rivals: tuple[str, ...] = ()
    root: str = ""
    covers: tuple[str, ...] = ()
    text: str = ""
    scripts_text: str = ""
    scripts_digest: str = ""
    version: str = ""
    calls_hooktui: bool = False
    problems: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = {}

    def arguments(self, project: str) -> tuple[str, ...]:
        """The program and its arguments as the host starts them in a project."""
        holder = self.placeholder
        return tuple(word.replace(holder, project) for word in self.argv) if holder else self.argv

    @property
    def full_text(self) -> str:
        """The hook's text followed by its scripts, as the log keeps it."""
        return self.text + self.scripts_text

    @property
    def unwrapped_text(self) -> str:
        """The hook's text without the wrapping that observes its command."""
        original = self.source.original if isinstance(self.source, JsonEntry) else ""
        return original or self.text

    @property
    def placeholder(self) -> str:
        """The text in `argv` that the host replaces by the project's root, "" for none."""
        return self.source.placeholder if isinstance(self.source, JsonEntry) else ""

    @property
    def agent(self) -> str | None:
        """The custom agent that the hook belongs to."""
        return self.source.agent if isinstance(self.source, AzureEntry) else None

    @property
    def url(self) -> str | None:
        """The address that an http hook posts to."""
        return self.source.url if isinstance(self.source, JsonEntry) else None

    @property
    def inline_script(self) -> str | None:
        """The script that the hook's entry holds itself."""
        return self.source.script if isinstance(self.source, AzureEntry) else None

    @property
    def entry_path(self) -> EntryPath:
        """The path of the hook's entry in its file, empty for a hook that is not an entry."""
        return self.source.path if isinstance(self.source, JsonEntry | AzureEntry) else ()


class Fix(Record):
    """A repair that changes no meaning but the one named: what `f` does in the app.

    `replace` writes `text` over [start:end], counted in characters behind a byte order mark, where `old` must still stand.
    `create` makes the script that the hook starts, `unix` gives a script line feeds alone and no byte order mark.
    """

    label: str
    kind: Literal["chmod", "create", "rename", "replace", "unix"]
    path: str
    new_path: str | None = None
    start: int = 0
    end: int = 0
    old: str = ""
    text: str = ""


class Diagnostic(Record):
    """One problem at one place. Lines and columns are 1-based and count characters; the end is exclusive."""

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


class Event(Record):
    """One moment in an agent's life, as a host told it.

    `name` is canonical where there is a canonical name; `fields` are the event's own values under AgentHooks names
    (formats.md §1, last column); `payload` is what the host sent, untouched.
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
    """What one hook said: an opinion and effects, and what of its answer could not be used (`problems`)."""

    decision: DecisionName = "none"
    via: Via | None = None
    reason: str | None = None
    modified_input: Mapping[str, Any] | None = None
    additional_context: str | None = None
    system_message: str | None = None
    log: str | None = None
    problems: tuple[str, ...] = ()


class Run(Record):
    """One hook in one dispatch, run or not. `started_ms` counts from the start of the dispatch."""

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


class Dispatch(Record):
    """One event handled: every hook considered, in order, and the one merged decision."""

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

    @property
    def blocks(self) -> bool:
        """Whether the agent must not go on with what it wanted."""
        return self.decision in ("deny", "stop")
