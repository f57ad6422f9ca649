"""What agents call their tools: a matcher written with the names of one may find nothing in another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hooktui.core.patterns import BadPattern, TooSlow, search

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_BUDGET_S = 0.05
# Tools that do the same, by the names that the hosts of each format give them.
TWINS: Final[tuple[Mapping[str, str], ...]] = (
    {"agenthooks": "Shell", "claude": "Bash", "vscode": "run_in_terminal", "copilot": "bash", "azure": "Bash"},
    {"agenthooks": "ReadFile", "claude": "Read", "vscode": "read_file", "copilot": "view"},
    {"agenthooks": "WriteFile", "claude": "Write", "vscode": "create_file", "copilot": "create"},
    {"agenthooks": "StrReplaceFile", "claude": "Edit", "vscode": "replace_string_in_file", "copilot": "edit"},
    {"agenthooks": "FetchURL", "claude": "WebFetch", "vscode": "fetch_webpage", "copilot": "web_fetch"},
)
HOSTS: Final = tuple(TWINS[0])
# Fields of tools' inputs that mean the same. AgentHooks has `edit: {old, new}` for the last two.
INPUTS: Final[tuple[Mapping[str, str], ...]] = (
    {"agenthooks": "path", "claude": "file_path", "vscode": "filePath", "copilot": "path"},
    {"agenthooks": "content", "claude": "content", "vscode": "content", "copilot": "file_text"},
    {"agenthooks": "old", "claude": "old_string", "vscode": "oldString", "copilot": "old_str"},
    {"agenthooks": "new", "claude": "new_string", "vscode": "newString", "copilot": "new_str"},
)
_EDIT = "edit"
# Claude Code's own tools: any other name is an MCP server's, and begins with mcp__.
CLAUDE: Final = (
    *("Bash", "Edit", "MultiEdit", "Write", "Read", "Glob", "Grep", "LS", "Task", "Agent", "WebFetch", "WebSearch"),
    *("NotebookEdit", "NotebookRead", "TodoWrite", "BashOutput", "KillShell", "ExitPlanMode", "Skill", "AskUserQuestion"),
)
# What has no twin, or another name too: seed 003 calls VS Code's by those of its first release. KillShell is left out: who
# looks for Shell means the shell.
_OTHERS: Final[Mapping[str, tuple[str, ...]]] = {
    "claude": tuple(name for name in CLAUDE if name != "KillShell"),
    "vscode": ("runTerminalCommand", "editFiles", "createFile"),
}
_NOBODYS = ("Xq7x", "__9__")  # names so unlike that what finds both finds any


def is_foreign(regex: str, host: str) -> bool:
    """Whether a regex, searched in tools' names, finds what other agents have and nothing of this host's.

    One that finds no tool known here may be meant for an MCP server's, and one that cannot be searched is not judged.
    """
    try:
        return not _finds(regex, _own(host)) and bool(_rows(regex))
    except (BadPattern, TooSlow):
        return False


def called(regex: str, host: str) -> tuple[str, ...]:
    """What a host calls the tools that a regex finds in any. Raises BadPattern and TooSlow."""
    return tuple(row[host] for row in _rows(regex) if host in row)


def known(regex: str, host: str) -> list[str]:
    """The tools of a host that a regex, searched in their names, finds. Raises BadPattern and TooSlow."""
    return [name for name in _own(host) if _finds(regex, (name,))]


def finds_unknown(regex: str) -> bool:
    """Whether a regex finds tools that nobody has: it says which it leaves out. Raises BadPattern and TooSlow."""
    return all(_finds(regex, (name,)) for name in _NOBODYS)


def twins(source: str, target: str) -> dict[str, str]:
    """What another host calls the tools of one."""
    return {row[source]: row[target] for row in TWINS if source in row and target in row}


def renamed_input(tool_input: Mapping[str, Any], source: str, target: str) -> dict[str, Any]:
    """A tool's input with its fields named as another host names them; unknown fields stay."""
    flat = dict(tool_input)
    if source == "agenthooks" and isinstance(flat.get(_EDIT), dict):
        flat |= flat.pop(_EDIT)
    names = {row[source]: row[target] for row in INPUTS if source in row and target in row}
    renamed = {names.get(name, name): value for name, value in flat.items()}
    if target == "agenthooks" and {"old", "new"} <= renamed.keys():
        renamed[_EDIT] = {name: renamed.pop(name) for name in ("old", "new")}
    return renamed


def _own(host: str) -> tuple[str, ...]:
    return (*_OTHERS.get(host, ()), *(row[host] for row in TWINS if host in row))


def _rows(regex: str) -> list[Mapping[str, str]]:
    return [row for row in TWINS if _finds(regex, row.values())]


def _finds(regex: str, names: Iterable[str]) -> bool:
    return search(regex, tuple(names), _BUDGET_S) is not None
