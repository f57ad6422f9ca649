"""What agents call their tools: a matcher written with the names of one may find nothing in another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hooktui import hosts
from hooktui.core.patterns import BadPattern, TooSlow, search

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hooktui.hosts import HostSpec

_BUDGET_S = 0.05
_NOBODYS = ("Xq7x", "__9__")  # names so unlike that what finds both finds any


def is_foreign(regex: str, host: str) -> bool:
    """Whether a regex, searched in tools' names, finds what other agents have and nothing of this host's.

    One that finds no tool known here may be meant for an MCP server's, and one that cannot be searched is not judged.
    """
    try:
        return not _finds(regex, _searched(host)) and bool(_found(regex))
    except (BadPattern, TooSlow):
        return False


def called(regex: str, host: str) -> tuple[str, ...]:
    """What a host calls the tools that a regex finds in any. Raises BadPattern and TooSlow."""
    tools = hosts.spec(host).tools
    return tuple(tools[tool] for tool in _found(regex) if tool in tools)


def known(regex: str, host: str) -> list[str]:
    """The tools of a host that a regex, searched in their names, finds. Raises BadPattern and TooSlow."""
    return [name for name in _searched(host) if _finds(regex, (name,))]


def finds_unknown(regex: str) -> bool:
    """Whether a regex finds tools that nobody has: it says which it leaves out. Raises BadPattern and TooSlow."""
    return all(_finds(regex, (name,)) for name in _NOBODYS)


def twins(source: str, target: str) -> dict[str, str]:
    """What another host calls the tools of one."""
    theirs = hosts.spec(target).tools
    return {name: theirs[tool] for tool, name in hosts.spec(source).tools.items() if tool in theirs}


def renamed_input(tool_input: Mapping[str, Any], source: str, target: str) -> dict[str, Any]:
    """A tool's input with its fields named as another host names them; unknown fields stay."""
    theirs, ours = hosts.spec(source), hosts.spec(target)
    flat = dict(tool_input)
    if theirs.edit_object and isinstance(flat.get(theirs.edit_object), dict):
        flat |= flat.pop(theirs.edit_object)
    names = {theirs.inputs[key]: ours.inputs[key] for key in theirs.inputs if key in ours.inputs}
    renamed = {names.get(name, name): value for name, value in flat.items()}
    if ours.edit_object and {ours.inputs["old"], ours.inputs["new"]} <= renamed.keys():
        renamed[ours.edit_object] = {ours.inputs[key]: renamed.pop(ours.inputs[key]) for key in ("old", "new")}
    return renamed


def own(host: HostSpec) -> tuple[str, ...]:
    """The tools that a host has."""
    return (*host.tools.values(), *host.other_tools, *host.unsearched_tools)


def _searched(host: str) -> tuple[str, ...]:
    spec = hosts.spec(host)
    return (*spec.other_tools, *spec.tools.values())


def _found(regex: str) -> list[str]:
    """The canonical tools whose name at some host a regex finds."""
    names: dict[str, list[str]] = {}
    for spec in hosts.specs():
        for tool, name in spec.tools.items():
            names.setdefault(tool, []).append(name)
    return [tool for tool, called in names.items() if _finds(regex, called)]


def _finds(regex: str, names: Iterable[str]) -> bool:
    return search(regex, tuple(names), _BUDGET_S) is not None
