"""How Claude Code, VS Code and Copilot CLI differ in what they read from a JSON hook file, as data (formats.md §3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

COMMAND_KEYS: Final = ("command", "windows", "linux", "osx", "bash", "powershell")
# What an entry's keys must hold, in any dialect.
TEXT: Final = "text"
NUMBER: Final = "a number"
FLAG: Final = "true or false"
TEXTS: Final = "a list of texts"
OBJECT: Final = "an object"
KINDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(COMMAND_KEYS, TEXT),
    **dict.fromkeys(("type", "exec", "shell", "cwd", "matcher", "if", "statusMessage"), TEXT),
    **dict.fromkeys(("url", "prompt", "model", "server", "tool"), TEXT),
    **dict.fromkeys(("timeout", "timeoutSec"), NUMBER),
    **dict.fromkeys(("async", "asyncRewake", "once"), FLAG),
    **dict.fromkeys(("args", "allowedEnvVars"), TEXTS),
    **dict.fromkeys(("env", "headers", "input"), OBJECT),
}
# What an entry of a type cannot do without, beside a command.
NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "http": ("url",),
    "prompt": ("prompt",),
    "agent": ("prompt",),
    "mcp_tool": ("server", "tool"),
}
# Where a system's command is looked for, the strongest key first.
SYSTEM_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "linux": ("linux", "bash"),
    "osx": ("osx", "bash"),
    "windows": ("windows", "powershell"),
}
TOOL_EVENTS: Final = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied")


@dataclass(frozen=True, slots=True)
class Dialect:
    """One host's reading of JSON hooks.

    `placeholder` stands for the project's directory in a program and its `args`, which no shell reads.

    `events` fire; `deaf` ones are read and never fire. `types` are those the host knows, `runs` those that hooktui can run as
    the host would; `argv` is what a shell command is handed to. `timeouts` are defaults in seconds by type, `prompt_timeout`
    the one on UserPromptSubmit. `per_system`: commands by operating system. `strict`: one entry beyond the schema and the host
    skips the file; `nested`: entries stand only inside `{matcher, hooks: []}`. On `matcherless` events no matcher counts.
    """

    name: str
    host: str
    events: tuple[str, ...]
    types: tuple[str, ...]
    runs: tuple[str, ...]
    keys: tuple[str, ...]
    argv: tuple[str, ...]
    timeouts: Mapping[str, int]
    timeout_keys: tuple[str, ...]
    placeholder: str = ""
    deaf: tuple[str, ...] = ()
    prompt_timeout: int | None = None
    per_system: bool = False
    strict: bool = False
    nested: bool = False
    reads_matcher: bool = True
    matcherless: tuple[str, ...] = ()

    def timeout_s(self, kind: str, event: str) -> int:
        """The timeout of an entry that gives none, in seconds; `event` as written."""
        if event == "UserPromptSubmit" and self.prompt_timeout:
            return self.prompt_timeout
        return self.timeouts[kind]


_CLAUDE_MATCHERLESS = (
    *("UserPromptSubmit", "Stop", "PostToolBatch", "TeammateIdle", "TaskCreated", "TaskCompleted"),
    *("WorktreeCreate", "WorktreeRemove", "CwdChanged", "MessageDisplay"),
)

# Claude Code 2.1.197 (formats.md §3, "Seen in the real Claude Code"); its events as of mid-2026.
CLAUDE: Final = Dialect(
    name="claude",
    host="Claude Code",
    events=(
        *("SessionStart", "SessionEnd", "Setup", "InstructionsLoaded", "ConfigChange", "CwdChanged", "DirectoryAdded"),
        *("FileChanged", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PermissionRequest", "PermissionDenied"),
        *("PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "MessageDisplay", "SubagentStart"),
        *("SubagentStop", "TaskCreated", "TaskCompleted", "Stop", "StopFailure", "TeammateIdle", "WorktreeCreate"),
        *("WorktreeRemove", "PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch", "Elicitation"),
        "ElicitationResult",
    ),
    types=("command", "http", "mcp_tool", "prompt", "agent"),
    runs=("command", "http", "prompt"),
    keys=(
        *("type", "command", "args", "shell", "async", "asyncRewake", "if", "once", "statusMessage", "timeout"),
        *("url", "headers", "allowedEnvVars", "prompt", "model", "server", "tool", "input"),
    ),
    argv=("/bin/sh", "-c"),
    placeholder="${CLAUDE_PROJECT_DIR}",
    timeouts={"command": 600, "http": 600, "mcp_tool": 600, "prompt": 30, "agent": 60},
    timeout_keys=("timeout",),
    prompt_timeout=30,
    strict=True,
    nested=True,
    matcherless=_CLAUDE_MATCHERLESS,
)
VSCODE: Final = Dialect(
    name="vscode",
    host="VS Code",
    events=(
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"),
        *("PreCompact", "SubagentStart", "SubagentStop", "Stop"),
    ),
    deaf=("SessionEnd", "PostToolUseFailure", "PostCompact", "StopFailure"),
    types=("command",),
    runs=("command",),
    keys=("type", *COMMAND_KEYS, "cwd", "env", "timeout", "timeoutSec", "matcher"),
    argv=("/bin/sh", "-c"),
    timeouts={"command": 30},
    timeout_keys=("timeout", "timeoutSec"),
    per_system=True,
    reads_matcher=False,
)
# A prompt entry of Copilot is typed into the session, not asked of a model: nothing that could be run elsewhere.
COPILOT: Final = Dialect(
    name="copilot",
    host="Copilot CLI",
    events=(
        *("sessionStart", "sessionEnd", "userPromptSubmitted", "userPromptTransformed", "preToolUse", "permissionRequest"),
        *("postToolUse", "postToolUseFailure", "notification", "subagentStart", "subagentStop", "agentStop"),
        *("preCompact", "errorOccurred"),
        *("SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse"),
        *("PostToolUseFailure", "Notification", "SubagentStart", "SubagentStop", "Stop", "PreCompact", "ErrorOccurred"),
    ),
    types=("command", "http", "prompt"),
    runs=("command", "http"),
    keys=(
        *("type", *COMMAND_KEYS, "cwd", "env", "timeout", "timeoutSec", "matcher"),
        *("exec", "args", "url", "headers", "allowedEnvVars", "prompt"),
    ),
    argv=("bash", "-c"),
    timeouts={"command": 30, "http": 30, "prompt": 30},
    timeout_keys=("timeoutSec", "timeout"),
    per_system=True,
    matcherless=(
        *("userPromptSubmitted", "userPromptTransformed", "agentStop", "errorOccurred"),
        *("UserPromptSubmit", "Stop", "ErrorOccurred"),
    ),
)
DIALECTS: Final[Mapping[str, Dialect]] = {dialect.name: dialect for dialect in (CLAUDE, VSCODE, COPILOT)}
ALL_KEYS: Final = frozenset(key for dialect in DIALECTS.values() for key in dialect.keys)
