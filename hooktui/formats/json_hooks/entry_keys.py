"""The keys of an entry in a JSON hook file, whichever host reads them, and what each must hold (formats.md §3)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from hooktui import hosts

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


@cache
def known_to_any() -> frozenset[str]:
    """The keys that some host reads."""
    return frozenset(key for spec in hosts.json_specs() for key in spec.entry.keys)
