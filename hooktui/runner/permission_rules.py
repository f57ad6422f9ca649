"""Claude Code's permission rules in the `if` of a hook: `Bash(git *)`, `Edit(src/**)`, `WebFetch(domain:x.org)`.

Best effort, as in Claude Code: if in doubt, the hook runs.
"""

from __future__ import annotations

import os

from hooktui.core import paths
from hooktui.core.patterns import search
from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_PATHS = ("file_path", "notebook_path", "path")
# What separates shell commands.
_SEPARATORS = ("&&", "||", ";", "|", "&", "\n", "$(", "`", "(", ")")


def names_tool(rule: str, tool: str) -> bool:
    """Whether a rule applies to a tool: here, unlike in permissions, `Edit(…)` is for no other tool (run, 2.1.332)."""
    name = rule.partition("(")[0].strip()
    return name == tool or ("*" in name and _like(name, tool, 0.05))


class Fit(Record):
    """The text of a tool's input that a rule was compared with, and the matching part; empty if the rule has no pattern."""

    text: str = ""
    start: int = 0
    end: int = 0


def fitting(rule: str, tool_input: Any, directory: str, budget_s: float) -> Fit | None:
    """Match a rule's pattern against a tool's input; None if it does not match. Paths are relative to `directory`.

    Raises patterns.RegexTimeoutError.
    """
    name, opened, inside = rule.partition("(")
    inside = inside.strip().removesuffix(")")
    if not opened or inside in ("", "*") or not isinstance(tool_input, dict):
        return Fit()
    if isinstance(command := tool_input.get("command"), str) and name.strip() == "Bash":
        match = next((candidate for candidate in _commands(command) if _is_command(inside, candidate, budget_s)), None)
        return None if match is None else _part(command, match)
    if isinstance(url := tool_input.get("url"), str) and inside.startswith("domain:"):
        host = url.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0]
        return _part(url, host) if _like(inside.removeprefix("domain:"), host, budget_s) else None
    path = next((tool_input[key] for key in _PATHS if isinstance(tool_input.get(key), str)), None)
    if path is None:
        return Fit()
    return _part(path, path) if _is_path(inside, os.path.join(directory, path), directory, budget_s) else None


def _part(text: str, part: str) -> Fit:
    """The position of a part in a text, or all of it if the part is spelled differently."""
    start = text.find(part)
    return Fit(text=text, start=start, end=start + len(part)) if start >= 0 else Fit(text=text, end=len(text))


def _commands(text: str) -> Iterator[str]:
    """The whole text, and each simple command in it without leading assignments."""
    yield text.strip()
    for separator in _SEPARATORS:
        text = text.replace(separator, "\n")
    for line in text.split("\n"):
        words = line.split()
        while words and "=" in words[0]:
            del words[0]
        if words:
            yield " ".join(words)


def _is_command(pattern: str, command: str, budget_s: float) -> bool:
    """`git *` and the older `git:*` also match `git` alone."""
    for ending in (":*", " *"):
        if pattern.endswith(ending) and "*" not in (start := pattern.removesuffix(ending)):
            return command == start or command.startswith(start + " ")
    return _like(pattern, command, budget_s)


def _is_path(pattern: str, path: str, directory: str, budget_s: float) -> bool:
    """As in .gitignore: without a slash a name anywhere, `/x` below the directory, `//x` absolute, `~/x` in the home."""
    if "/" not in pattern:
        return _like(pattern, os.path.basename(path), budget_s)
    if pattern.startswith("//"):
        whole = pattern[1:]
    elif pattern.startswith("~/"):
        whole = paths.home() + pattern[1:]
    else:
        whole = os.path.join(directory, pattern.removeprefix("./").lstrip("/"))
    return _like(whole, os.path.normpath(path), budget_s, within="[^/]*")


def _like(pattern: str, text: str, budget_s: float, within: str = ".*") -> bool:
    """Whether the whole text matches a pattern with `*`. `**` also matches what `within` does not."""
    pieces = [within.join(_escaped(piece) for piece in part.split("*")) for part in pattern.split("**")]
    return search(rf"\A(?s:{'.*'.join(pieces)})\Z", (text,), budget_s) is not None


def _escaped(text: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "_ /" else "\\" + letter for letter in text)
