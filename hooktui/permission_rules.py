"""Claude Code's permission rules, as the `if` of a hook has them: `Bash(git *)`, `Edit(src/**)`, `WebFetch(domain:x.org)`.

Best effort, as in Claude: what cannot be told lets the hook run.
"""

from __future__ import annotations

import os

from hooktui import paths
from hooktui.patterns import search

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


def allows(rule: str, tool_input: Any, directory: str, budget_s: float) -> bool:
    """Whether what stands in a rule's parentheses fits a tool's input; paths are relative to `directory`.

    Raises patterns.TooSlow.
    """
    name, opened, inside = rule.partition("(")
    inside = inside.strip().removesuffix(")")
    if not opened or inside in ("", "*") or not isinstance(tool_input, dict):
        return True
    if isinstance(command := tool_input.get("command"), str) and name.strip() == "Bash":
        return any(_is_command(inside, one, budget_s) for one in _commands(command))
    if isinstance(url := tool_input.get("url"), str) and inside.startswith("domain:"):
        return _is_host(inside.removeprefix("domain:"), url, budget_s)
    path = next((tool_input[key] for key in _PATHS if isinstance(tool_input.get(key), str)), None)
    return path is None or _is_path(inside, os.path.join(directory, path), directory, budget_s)


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


def _is_host(pattern: str, url: str, budget_s: float) -> bool:
    host = url.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0]
    return _like(pattern, host, budget_s)


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
