"""Tool names of the hosts: a matcher written for one host may match nothing in another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hooktui import hosts
from hooktui.core.patterns import BadPattern, TooSlow, search

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hooktui.hosts import HostSpec

_BUDGET_S = 0.05
_NOBODYS = ("Xq7x", "__9__")  # so different that a regex for both matches any name


def is_foreign(regex: str, host: str) -> bool:
    """Whether a regex matches tools of other hosts but none of this host.

    A regex that matches no known tool may be meant for an MCP server. One that cannot be searched is not foreign.
    """
    try:
        return not _matches(regex, _searched(host)) and bool(_matched_tools(regex))
    except (BadPattern, TooSlow):
        return False


def called(regex: str, host: str) -> tuple[str, ...]:
    """A host's names of the tools that a regex matches in any host. Raises BadPattern and TooSlow."""
    tools = hosts.spec(host).tools
    return tuple(tools[tool] for tool in _matched_tools(regex) if tool in tools)


def widened(regex: str, names: Iterable[str]) -> str:
    """A regex that also matches what hosts call the tools that it matches in others only. Raises BadPattern and TooSlow."""
    missing = (tool for host in names if is_foreign(regex, host) for tool in called(regex, host))
    return "|".join(dict.fromkeys((regex, *map(re.escape, missing))))


def known(regex: str, host: str) -> list[str]:
    """The tools of a host that a regex matches. Raises BadPattern and TooSlow."""
    return [name for name in _searched(host) if _matches(regex, (name,))]


def finds_unknown(regex: str) -> bool:
    """Whether a regex matches tools that no host has, such as `^(?!Bash)`. Raises BadPattern and TooSlow."""
    return all(_matches(regex, (name,)) for name in _NOBODYS)


def twins(source: str, target: str) -> dict[str, str]:
    """Map the tool names of one host to another's."""
    theirs = hosts.spec(target).tools
    return {name: theirs[tool] for tool, name in hosts.spec(source).tools.items() if tool in theirs}


def renamed_input(tool_input: Mapping[str, Any], source: str, target: str) -> dict[str, Any]:
    """Rename the fields of a tool input for another host; unknown fields stay."""
    theirs, ours = hosts.spec(source), hosts.spec(target)
    flat = dict(tool_input)
    if theirs.edit_object and isinstance(flat.get(theirs.edit_object), dict):
        flat |= flat.pop(theirs.edit_object)
    names = {theirs.inputs[key]: ours.inputs[key] for key in theirs.inputs if key in ours.inputs}
    renamed = {names.get(name, name): value for name, value in flat.items()}
    if ours.edit_object and {ours.inputs["old"], ours.inputs["new"]} <= renamed.keys():
        renamed[ours.edit_object] = {ours.inputs[key]: renamed.pop(ours.inputs[key]) for key in ("old", "new")}
    return renamed


def ignores_matcher(host: HostSpec, matcher: str | None) -> bool:
    """Whether a host runs a hook for every tool although it has a matcher."""
    return not host.matcher.is_read and bool(matcher) and matcher != "*"


def own(host: HostSpec) -> tuple[str, ...]:
    """The tools of a host."""
    return (*host.tools.values(), *host.other_tools, *host.unsearched_tools)


def _searched(host: str) -> tuple[str, ...]:
    """The tools that a regex may mean."""
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
