"""Claude Code's permission rules, as the `if` of a hook has them: `Bash(git *)`, `Edit(src/**)`, `WebFetch(domain:x.org)`.

Best effort, as in Claude: what cannot be told lets the hook run.
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

# A rule on the left speaks of the tools on the right too when it names a path.
_FAMILIES = {"Edit": ("Write", "MultiEdit", "NotebookEdit"), "Read": ("Grep", "Glob")}
_PATHS = ("file_path", "notebook_path", "path")
# Where one shell command ends and another one may begin.
_SEPARATORS = ("&&", "||", ";", "|", "&", "\n", "$(", "`", "(", ")")


def names_tool(rule: str, tool: str) -> bool:
    """Whether a rule speaks of a tool."""
    name, _, inside = rule.partition("(")
    name = name.strip()
    return name == tool or (bool(inside) and tool in _FAMILIES.get(name, ())) or ("*" in name and _like(name, tool, 0.05))


class Fit(Record):
    """What of a tool's input a rule was about, and the part of it that fits; no text when the rule asks for none."""

    text: str = ""
    start: int = 0
    end: int = 0


def fitting(rule: str, tool_input: Any, directory: str, budget_s: float) -> Fit | None:
    """How what stands in a rule's parentheses fits a tool's input, None when it does not; paths are relative to `directory`.

    Raises patterns.TooSlow.
    """
    name, opened, inside = rule.partition("(")
    inside = inside.strip().removesuffix(")")
    if not opened or inside in ("", "*") or not isinstance(tool_input, dict):
        return Fit()
    if isinstance(command := tool_input.get("command"), str) and name.strip() == "Bash":
        found = next((one for one in _commands(command) if _is_command(inside, one, budget_s)), None)
        return None if found is None else _part(command, found)
    if isinstance(url := tool_input.get("url"), str) and inside.startswith("domain:"):
        host = _host(url)
        return _part(url, host) if _like(inside.removeprefix("domain:"), host, budget_s) else None
    path = next((tool_input[key] for key in _PATHS if isinstance(tool_input.get(key), str)), None)
    if path is None:
        return Fit()
    return _part(path, path) if _is_path(inside, os.path.join(directory, path), directory, budget_s) else None


def _part(text: str, part: str) -> Fit:
    """A part of a text as it stands there; all of it where the part is spelled otherwise."""
    start = text.find(part)
    return Fit(text=text, start=start, end=start + len(part)) if start >= 0 else Fit(text=text, end=len(text))


def _commands(text: str) -> Iterator[str]:
    """The whole text, and each simple command in it without the variables set in front of it."""
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
    """`git *` is also `git` alone, as is the older `git:*`."""
    for ending in (":*", " *"):
        if pattern.endswith(ending) and "*" not in (start := pattern.removesuffix(ending)):
            return command == start or command.startswith(start + " ")
    return _like(pattern, command, budget_s)


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0]


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
    """Whether the whole text fits a pattern with `*`; `**` also goes over what `within` does not."""
    pieces = [within.join(_escaped(piece) for piece in part.split("*")) for part in pattern.split("**")]
    return search(rf"\A(?s:{'.*'.join(pieces)})\Z", (text,), budget_s) is not None


def _escaped(text: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "_ /" else "\\" + letter for letter in text)
