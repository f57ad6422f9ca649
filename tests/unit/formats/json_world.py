"""JSON hook files in which «…» marks the faulty value, and the results of reading them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hooktui import formats
from tests.unit.formats.agenthooks_world import place_of, unmarked

if TYPE_CHECKING:
    from pathlib import Path

    from hooktui.core.model import Diagnostic, Hook, Scope
    from hooktui.formats import Format, Parsed

GITHUB = "/p/.github/hooks/a.json"
CLAUDE = "/p/.claude/settings.json"
claude, vscode, copilot, codex, kimi = map(formats.load, ("claude", "vscode", "copilot", "codex", "kimi"))
cursor, droid = map(formats.load, ("cursor", "droid"))
gemini, qwen = formats.load("gemini"), formats.load("qwen")


def flat(event: str = "PreToolUse", /, **entry: Any) -> str:
    """A file with one entry, valid by default."""
    return json.dumps({"hooks": {event: [{"type": "command", "command": "true", **entry}]}})


def grouped(event: str = "PreToolUse", group: dict[str, Any] | None = None, /, **entry: Any) -> str:
    """A file with one entry in a group, valid by default."""
    return json.dumps({"hooks": {event: [{**(group or {}), "hooks": [{"type": "command", "command": "true", **entry}]}]}})


def read(of: Format | Any, text: str, file: str = GITHUB, scope: Scope = "project") -> Parsed:
    """The result of reading a file with a format."""
    parsed: Parsed = of.parse(text, file, scope)
    return parsed


def only(parsed: Parsed) -> Hook:
    """The only hook of a result."""
    (hook,) = parsed.hooks
    return hook


def codes(parsed: Parsed) -> list[str]:
    """The codes of the problems, by position."""
    return [one.code for one in sorted(parsed.diagnostics, key=lambda one: (one.line, one.column))]


def problem(parsed: Parsed, code: str) -> Diagnostic:
    """The only problem with this code."""
    (found,) = [one for one in parsed.diagnostics if one.code == code]
    return found


def blamed(of: Format | Any, marked: str, code: str, file: str = GITHUB, scope: Scope = "project") -> Diagnostic:
    """The only problem with this code in a text, which must be at its marks."""
    text, place = unmarked(marked)
    found = problem(read(of, text, file, scope), code)
    assert place_of(found) == place
    return found


def write(path: Path, text: str | bytes) -> Path:
    """Write a file and the directories above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path
