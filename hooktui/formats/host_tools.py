"""Tool names of the hosts: a matcher written for one host may match nothing in another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from hooktui import hosts
from hooktui.core.patterns import InvalidPatternError, RegexTimeoutError, search
from hooktui.hosts import Host

_BUDGET_S = 0.05
# Tools of agents without a module here (Windsurf, Antigravity, Cline, Kiro), which people write for other hosts.
_OF_OTHER_AGENTS = {
    **dict.fromkeys(("run_command", "execute_command", "execute_bash", "run_terminal_cmd"), "shell"),
    **dict.fromkeys(("view_file", "fs_read"), "read"),
    **dict.fromkeys(("write_to_file", "fs_write"), "write"),
    **dict.fromkeys(("replace_file_content", "multi_replace_file_content", "replace_in_file", "edit_file"), "edit"),
}
_NOBODYS = ("Xq7x", "__9__")  # so different that a regex for both matches any name


def is_foreign(regex: str, host: str) -> bool:
    """Whether a regex matches tools of other hosts but none of this host.

    A regex that matches no known tool may be meant for an MCP server. One that cannot be searched is not foreign.
    """
    try:
        return not _matches(regex, _searched(host)) and bool(_matched_tools(regex))
    except (InvalidPatternError, RegexTimeoutError):
        return False


def called(regex: str, host: str) -> tuple[str, ...]:
    """A host's names of the tools that a regex matches in any host. Raises InvalidPatternError and RegexTimeoutError."""
    tools = hosts.spec(host).tools
    return tuple(tools[tool] for tool in _matched_tools(regex) if tool in tools)


def widened(regex: str, names: Iterable[str]) -> str:
    """A regex that also matches what hosts call the tools that it matches in others only.

    Raises InvalidPatternError and RegexTimeoutError.
    """
    missing = (tool for host in names if is_foreign(regex, host) for tool in called(regex, host))
    return "|".join(dict.fromkeys((regex, *map(re.escape, missing))))


def known(regex: str, host: str) -> list[str]:
    """The tools of a host that a regex matches. Raises InvalidPatternError and RegexTimeoutError."""
    return [name for name in _searched(host) if _matches(regex, (name,))]


def finds_unknown(regex: str) -> bool:
    """Whether a regex matches tools that no host has, such as `^(?!Bash)`. Raises InvalidPatternError and RegexTimeoutError."""
    return all(_matches(regex, (name,)) for name in _NOBODYS)


def twins(source: str, target: str) -> dict[str, str]:
    """Map the tool names of one host to another's."""
    theirs = hosts.spec(target).tools
    return {name: theirs[tool] for tool, name in hosts.spec(source).tools.items() if tool in theirs}


def renamed_input(tool_input: Mapping[str, Any], source: str, target: str) -> dict[str, Any]:
    """Rename the fields of a tool input for another host; unknown fields stay."""
    theirs, ours = hosts.spec(source), hosts.spec(target)
    names = {theirs.inputs[key]: ours.inputs[key] for key in theirs.inputs if key in ours.inputs}
    renamed: dict[str, Any] = {}
    for name, value in _flat(tool_input, theirs).items():
        *within, field = names.get(name, name.rpartition(".")[2] if name in theirs.inputs.values() else name).split(".")
        (renamed.setdefault(within[0], {}) if within else renamed)[field] = value
    return renamed


def _flat(tool_input: Mapping[str, Any], host: Host) -> dict[str, Any]:
    """A tool input with the fields of its objects as `object.field`."""
    objects = {name.partition(".")[0] for name in host.inputs.values() if "." in name}
    flat = dict(tool_input)
    for name in objects:
        if isinstance(flat.get(name), dict):
            flat |= {f"{name}.{field}": value for field, value in flat.pop(name).items()}
    return flat


def ignores_matcher(host: Host, matcher: str | None) -> bool:
    """Whether a host runs a hook for every tool although it has a matcher."""
    return not host.matcher.is_read and bool(matcher) and matcher != "*"


def own(host: Host) -> tuple[str, ...]:
    """The tools of a host."""
    return (*host.tools.values(), *host.other_tools, *host.unsearched_tools)


def is_known(name: str) -> bool:
    """Whether some agent has a tool of this name."""
    return name in _OF_OTHER_AGENTS or any(name in own(spec) for spec in hosts.specs())


def called_elsewhere(name: str, host: Host) -> tuple[str, ...]:
    """A host's own names of the tool that its model, or another agent, calls by this name."""
    same = [tool for spec in hosts.specs() for tool, called in spec.tools.items() if called == name]
    same += filter(None, [_OF_OTHER_AGENTS.get(name), host.model_tool(name)])
    return tuple(dict.fromkeys(host.tools[tool] for tool in same if tool in host.tools))


def _searched(host: str) -> tuple[str, ...]:
    spec = hosts.spec(host)
    return (*spec.other_tools, *spec.tools.values())


def _matched_tools(regex: str) -> list[str]:
    """The canonical tools that a regex matches under some host's name."""
    names: dict[str, list[str]] = {}
    for spec in hosts.specs():
        for tool, name in spec.tools.items():
            names.setdefault(tool, []).append(name)
    return [tool for tool, called in names.items() if _matches(regex, called)]


def _matches(regex: str, names: Iterable[str]) -> bool:
    return search(regex, tuple(names), _BUDGET_S) is not None
