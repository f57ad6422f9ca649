"""Rules about matchers: those that a host ignores, that match no tool, or that make a host drop the file."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from hooktui import hosts
from hooktui.core import dialects, patterns, suggest
from hooktui.core.events import TOOL_EVENTS
from hooktui.core.patterns import BadPattern, TooSlow
from hooktui.formats import host_tools
from hooktui.formats.json_hooks.json_events import is_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooktui.core.model import Diagnostic, Hook
    from hooktui.diagnostics.rule_context import Snapshot
    from hooktui.hosts import HostSpec

_LIKENESS = 0.75  # of two tool names
_LONG_NAME = 8  # letters
_LONG_PATTERN = 500  # characters
_SHOWN = 6  # values in a message; more are hardly a closed list
_BUDGET_S = 0.05
_SERVERS = "mcp__"
_SERVER = re.compile(r"mcp__(?:(?!__).)*")
_PERMISSION_RULE = re.compile(r"(\w+)\((?!\?).*\)")
_CONDITION = re.compile(r"(\w+)(?:\(|$)")
_PLAIN = re.compile(r"\w+(?:\|\w+)*")
_ANCHORS = re.compile(r"\\([AZz])")  # of other regexes than JavaScript's
_COMMAS = re.compile(r" *, *")
_COMMA_LIST = re.compile(r"\w+(?: *, *\w+)+")
_NO_NAME = re.compile(r"[\s/]|\\\.\w|\.\w+$")  # a blank, a path or a suffix: part of a command or a file's name


def ignored_matcher(hook: Hook, catalog: Snapshot) -> Iterator[Diagnostic]:
    """A host reads the file and ignores its matchers."""
    if hook.event not in TOOL_EVENTS or hook.type != "command":
        return
    for host in catalog.relevant.readers(hook):
        if host_tools.ignores_matcher(host, hook.tool):
            message = f"{host.title} ignores the matcher {hook.tool} and runs the hook for every tool"
            hint = "check the tool name in the command"
            node = catalog.places.node(hook, "matcher")
            yield catalog.places.at(hook, node, "warning", "host-ignores-matcher", message, hint=hint, hosts=(host.name,))


def lost_file(hook: Hook, catalog: Snapshot) -> Iterator[Diagnostic]:
    """A matcher, a group without one, or an entry's type that makes another host drop the whole file."""
    for host in catalog.relevant.readers(hook):
        reads = next((reads for reads in host.reads if reads.host == hook.format), None)
        if reads is None:
            continue
        if reads.loses_type(hook.type, hook.event):
            problem = f"it allows no entry of type {hook.type} on {hook.event_as_written}"
            message = f"{host.title} reads this file too and drops all of it: {problem}"
            node, hint = catalog.places.node(hook, "type"), f"move it to a file that {host.title} does not read"
            yield catalog.places.at(hook, node, "error", "host-drops-file", message, hint=hint, hosts=(host.name,))
        if reads.loses(hook.event_as_written, hook.tool) or (reads.needs_matcher and _is_unrecognized(hook, catalog)):
            node, group, text = catalog.places.node(hook, "matcher"), catalog.places.group(hook), '"*"'
            problem, label = "the matcher is empty", 'write "*"'
            if node is None and group is not None and group.entries:
                node, problem, label = group.entries[0][0], "this group has no matcher", 'add "matcher": "*"'
                text = f'"matcher": "*", {json.dumps(node.value)}'
            message = f"{host.title} reads this file too and drops all of it: {problem}"
            fix = catalog.places.replacement(hook, label, node, text) if node else None
            hint = 'write "*" for every tool'
            yield catalog.places.at(hook, node, "error", "host-drops-file", message, hint=hint, hosts=(host.name,), fix=fix)


def _is_unrecognized(hook: Hook, catalog: Snapshot) -> bool:
    """Whether a hook is in the first group of a file in which no group has a matcher."""
    groups = catalog.places.groups(hook) if hook.tool is None else []
    return bool(groups) and catalog.places.group(hook) is groups[0] and not any("matcher" in group.members for group in groups)


def unmatchable(hook: Hook, catalog: Snapshot) -> Iterator[Diagnostic]:
    """A matcher, or a name in it, that no tool of the hook's own host has, or nothing else that its event has."""
    host = hosts.spec(hook.format)
    if not hook.tool or not host.matcher.is_read or hook.event_as_written not in host.events:
        return
    is_list = bool(is_names(hook.tool, hook.event_as_written, host) or _PLAIN.fullmatch(hook.tool))
    if values := host.matcher.values.get(hook.event_as_written):
        problems = _values(hook, host, values, catalog, is_list=is_list)
    elif hook.event in TOOL_EVENTS:
        problems = _names(hook, host) if is_list else _regex(hook, host, catalog)
    else:
        return
    for message, hint, meant, is_guess in problems:
        node = catalog.places.node(hook, "matcher")
        fix = catalog.places.replacement(hook, f"write {meant}", node, json.dumps(meant)) if node and meant else None
        fix = fix and fix.replace(is_guess=is_guess)
        yield catalog.places.at(hook, node, "warning", "matches-nothing", message, hint=hint, hosts=(host.name,), fix=fix)


def misdirected_condition(hook: Hook, catalog: Snapshot) -> Iterator[Diagnostic]:
    """An `if` for the shell in a hook that is matched for other tools only, the reverse, or one for a misspelled tool."""
    host = hosts.spec(hook.format)
    rule = _CONDITION.match(hook.condition or "")
    if rule is None or hook.event not in TOOL_EVENTS or hook.obstacle:
        return
    name, tools, shell = rule[1], host_tools.own(host), host.tools["shell"]
    names = _listed(hook.tool, host) if hook.tool and _PLAIN.fullmatch(hook.tool) else []
    apart = (name == shell and shell not in names) or (name != shell and names == [shell])
    if name not in tools and (meant := _meant(name, tools, host)):
        message, hint = f"no tool is called {name}: the hook never runs", f"did you mean {meant}?"
    elif name in tools and names and apart and all(matched in tools for matched in names):
        message, hint = f"the hook never runs: `if` asks for {name}, and the matcher for {hook.tool}", "make them agree"
    else:
        return
    node = catalog.places.node(hook, "if")
    yield catalog.places.at(hook, node, "warning", "never-fires", message, hint=hint, hosts=(host.name,))


class _Problem(NamedTuple):
    """`meant` is the matcher that was probably meant, or "". `is_guess`: only a person knows whether it is."""

    message: str
    hint: str
    meant: str = ""
    is_guess: bool = False


def _values(hook: Hook, host: HostSpec, values: tuple[str, ...], catalog: Snapshot, *, is_list: bool) -> Iterator[_Problem]:
    """A matcher, or a name in it, that is none of the values with which its event, which has no tool, is matched."""
    matcher = hook.tool or ""
    if matcher in host.matcher.everything or hook.obstacle or (not is_list and _matches(hook, values, host, catalog)):
        return
    names = _listed(matcher, host) if is_list else [matcher]
    unknown = [name for name in names if name not in values]
    never = len(unknown) == len(names)
    shown = f"{', '.join(values[:_SHOWN])}{' …' * (len(values) > _SHOWN)}"
    for name in [matcher] if never else unknown:
        meant = suggest.closest(name, values, _LIKENESS) or next((value for value in values if name in value), None)
        has_tool = any(part in _tools(hook, host) or part.startswith(_SERVERS) for part in _listed(name, host))
        if meant or has_tool or (never and len(values) <= _SHOWN):
            hint = f"did you mean {meant}?" if meant else "remove the matcher to run every time"
            new = _renamed(matcher, name, meant) if meant else ""
            message = f"{name} matches nothing: on {hook.event_as_written}, {host.title} matches {shown}"
            yield _Problem(message, hint, new, is_guess=not (meant and _is_typo(name, meant)))


def _names(hook: Hook, host: HostSpec) -> Iterator[_Problem]:
    """The names in a list that no tool has; one problem for a list of commands."""
    matcher = hook.tool or ""
    tools = _tools(hook, host)
    names = _listed(matcher, host)
    if any(" " in name for name in names):
        yield _command_as_matcher(matcher, host)
        return
    for name in (name for name in names if name not in tools and not _matches_anywhere(name, tools, host)):
        if host.own_tools_only and _SERVER.fullmatch(name):
            yield _server(name, alone=name == matcher)
        elif tool := _meant(name, tools, host):
            why = "names are case-sensitive" if tool.lower() == name.lower() else f"{host.title} has no such tool"
            meant = _renamed(matcher, name, tool)
            yield _Problem(f"{name} matches nothing: {why}", f"did you mean {tool}?", meant, not _is_typo(name, tool))
        elif others := _elsewhere(name, host):
            missing = [tool for tool in others if tool not in names]
            yield _of_another_host(name, others, host, _renamed(matcher, name, missing[0]) if missing == [*others[:1]] else "")
        elif host.own_tools_only and name.islower() and not name.startswith(_SERVERS):  # its tools begin with capitals
            yield _command_as_matcher(name, host)


def _matches_anywhere(name: str, tools: tuple[str, ...], host: HostSpec) -> bool:
    """Whether a name matches as a regex does, in a part of a tool's name, or as an alias."""
    if host.matcher.rule != "regex":
        return False
    return any(name in tool for tool in tools) or any(name in aliases for aliases in host.aliases.values())


def _listed(matcher: str, host: HostSpec) -> list[str]:
    """The names in a list."""
    return [part.strip() for part in re.split(f"[{re.escape(host.matcher.separators)}]", matcher)]


def _renamed(matcher: str, name: str, tool: str) -> str:
    """A list of names with another name in place of one."""
    return re.sub(rf"(?<![^|, ]){re.escape(name)}(?![^|, ])", tool, matcher)


def _is_typo(name: str, tool: str) -> bool:
    """Whether a name differs from a tool's by one slip, in long names by two, and not in its first letter."""
    slips = 1 if len(tool) < _LONG_NAME else 2
    near = abs(len(name) - len(tool)) <= 1 and name[:1].lower() == tool[:1].lower()
    return near and suggest.distance(name.lower(), tool.lower()) <= slips


def _is_part(name: str, tool: str) -> bool:
    """Whether one of two names contains the other."""
    return name.lower() in tool.lower() or tool.lower() in name.lower()


def _server(name: str, *, alone: bool) -> _Problem:
    """A server's name in place of its tools. In a list, `.*` would turn the names into a regex."""
    every = f"{name}.*" if name == _SERVERS else f"{name}__.*"
    which = "all servers" if name == _SERVERS else "this server"
    message, hint = f"{name} is not a tool name and matches nothing", f"write {every} for all tools of {which}"
    return _Problem(message, hint, every if alone else "")


def _regex(hook: Hook, host: HostSpec, catalog: Snapshot) -> Iterator[_Problem]:
    """A regex in which no tool can be meant: a permission rule, a command, a file, or another host's tool."""
    matcher = hook.tool or ""
    tools = _tools(hook, host)
    rule = _PERMISSION_RULE.fullmatch(matcher)
    if rule and rule[1] in tools:
        hint = f'write {rule[1]}, and add "if": {json.dumps(matcher)} to the entry'
        yield _Problem(f"{matcher} is a permission rule and matches nothing: matchers see only the tool's name", hint)
    elif _SERVERS not in matcher and not hook.obstacle and not _matches(hook, tools, host, catalog):
        parts = _COMMAS.split(matcher) if _COMMA_LIST.fullmatch(matcher) else []
        if any(part in tools for part in parts):
            hint = "write | between the names"
            yield _Problem(f"{matcher} matches nothing: {host.title} does not separate names by commas", hint, "|".join(parts))
        elif _NO_NAME.search(matcher):
            yield _command_as_matcher(matcher, host)
        elif others := _elsewhere(matcher, host):
            yield _of_another_host(matcher, others, host, others[0] if len(others) == 1 else "")
        elif host.matcher.dialect == "javascript" and (escape := _ANCHORS.search(matcher)):
            message = f"{matcher} matches nothing: {host.title} reads {escape[0]} as the letter {escape[1]}"
            meant = _ANCHORS.sub(lambda found: "^" if found[1] == "A" else "$", matcher)
            yield _Problem(message, "write ^ for the start of the name, $ for its end", meant)


def _matches(hook: Hook, names: tuple[str, ...], host: HostSpec, catalog: Snapshot) -> bool:
    """Whether a matcher matches a name. One that takes too long does, and so do those that too many others precede."""
    matcher = hook.tool or ""
    rule = host.matcher.rule_for(hook.event_as_written)
    try:
        regex = dialects.python(matcher, host.matcher.dialect)
        pattern = rf"^(?:{regex})$" if rule == "whole" else regex
    except BadPattern:
        return True  # bad-regex says so
    is_quick = len(pattern) <= _LONG_PATTERN and patterns.is_quick(pattern, names)
    if not is_quick and next(catalog.searches, None) is None:
        return True
    try:
        return patterns.search(pattern, names, _BUDGET_S) is not None
    except (BadPattern, TooSlow):
        return True


def _command_as_matcher(matcher: str, host: HostSpec) -> _Problem:
    shell = host.tools["shell"]
    where = f'with "if": "{shell}(…)"' if "if" in host.entry.keys else "in the hook"
    hint = f"match {shell}, and check the command {where}"
    return _Problem(f"{matcher} matches nothing: matchers see only the tool's name", hint)


def _of_another_host(name: str, others: tuple[str, ...], host: HostSpec, meant: str) -> _Problem:
    message = f"{name} matches nothing: {host.title} has no such tool"
    return _Problem(message, f"did you mean {' or '.join(others)}?", meant)


def _elsewhere(name: str, host: HostSpec) -> tuple[str, ...]:
    """A host's own names of the tool that other hosts call by this name."""
    same = (tool for spec in hosts.specs() for tool, called in spec.tools.items() if called == name and tool in host.tools)
    return tuple(dict.fromkeys(host.tools[tool] for tool in same))


def _tools(hook: Hook, host: HostSpec) -> tuple[str, ...]:
    """The tools of a host; on events in the spelling of another host, also that host's."""
    is_foreign = host.speech.camel_payloads and not hook.event_as_written[:1].islower()
    others = (hosts.spec(reads.host) for reads in host.reads if is_foreign)
    return (*host_tools.own(host), *(tool for spec in others for tool in host_tools.own(spec)))


def _meant(name: str, tools: Iterable[str], host: HostSpec) -> str | None:
    """The tool that a mistyped name means. An unknown name that resembles none may be a newer tool."""
    same = next((tool for tool in tools if tool.lower() == name.lower()), None)
    meant = suggest.closest(name, tools, _LIKENESS) if host.own_tools_only and not same else None
    return same or (meant if meant and (_is_typo(name, meant) or _is_part(name, meant)) else None)
