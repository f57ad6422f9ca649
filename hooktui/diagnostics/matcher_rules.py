"""Rules about matchers: those that a host ignores, or that match no tool."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from hooktui import hosts
from hooktui.config import suggest
from hooktui.core import dialects, patterns
from hooktui.core.events import TOOL_EVENTS
from hooktui.core.patterns import InvalidPatternError, RegexTimeoutError
from hooktui.formats import host_tools
from hooktui.formats.json_hooks.json_events import is_names
from hooktui.runner import matching

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooktui.core.model import Diagnostic, Hook, Severity
    from hooktui.diagnostics.rule_context import Snapshot
    from hooktui.hosts import Host

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
_WORD = re.compile(r"(?<!\\)\b\w{3,}")
_OF_AGENTS = ("pre-subagent", "post-subagent")  # matched with the agent's type
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


def unmatchable(hook: Hook, catalog: Snapshot) -> Iterator[Diagnostic]:
    """A matcher, or a name in it, that no tool of the hook's own host has, or nothing else that its event has."""
    host = hosts.spec(hook.format)
    written = hook.event_as_written
    if not hook.tool or not host.matcher.is_read or written not in host.events or written in host.matcher.ignored_on:
        return
    hook = hook.replace(tool=matching.trimmed(hook, host))
    if values := host.matcher.values.get(written):
        problems = _values(hook, host, values, catalog, is_list=_is_list(hook, host))
    elif hook.event in TOOL_EVENTS:
        problems = _names(hook, host) if _is_list(hook, host) else _regex(hook, host, catalog)
    elif hook.event in _OF_AGENTS:
        problems = _agent_types(hook, host)
    else:
        return
    for message, hint, meant, is_guess, severity in problems:
        node = catalog.places.node(hook, "matcher")
        fix = catalog.places.replacement(hook, f"write {meant}", node, json.dumps(meant)) if node and meant else None
        fix = fix and fix.replace(is_guess=is_guess)
        yield catalog.places.at(hook, node, severity, "matches-nothing", message, hint=hint, hosts=(host.name,), fix=fix)


def never_runs(hook: Hook, catalog: Snapshot) -> bool:
    """Whether the hook listens to a tool event but its matcher matches no known tool of its host."""
    host = hosts.spec(hook.format)
    if not hook.tool or hook.tool in host.matcher.everything or not host.matcher.is_read or hook.event not in TOOL_EVENTS:
        return False
    if _SERVERS in hook.tool or hook.event_as_written in host.matcher.ignored_on:
        return False
    if _is_list(hook, host):
        return not any(_is_found(name, _tools(hook, host), host) for name in _listed(hook.tool, host))
    return not hook.obstacle and not _matches(hook, _searched(hook, host), host, catalog)


def _is_list(hook: Hook, host: Host) -> bool:
    if host.matcher.rule_for(hook.event_as_written) == "exact":
        return False  # a `|` is part of the value
    return bool(is_names(hook.tool or "", hook.event_as_written, host) or _PLAIN.fullmatch(hook.tool or ""))


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
    severity: Severity = "warning"


def _values(hook: Hook, host: Host, values: tuple[str, ...], catalog: Snapshot, *, is_list: bool) -> Iterator[_Problem]:
    """A matcher, or a name in it, that is none of the values with which its event, which has no tool, is matched."""
    matcher = hook.tool or ""
    if matcher in host.matcher.everything or hook.obstacle or (not is_list and _matches(hook, values, host, catalog)):
        return
    names = _listed(matcher, host) if is_list else [matcher]
    unknown = [name for name in names if name not in values]
    never = len(unknown) == len(names)
    shown = f"{', '.join(values[:_SHOWN])}{' …' * (len(values) > _SHOWN)}" or "an empty text"
    for name in [matcher] if never else unknown:
        meant = suggest.closest(name, values, _LIKENESS)
        if meant and len(values) > _SHOWN and not _is_typo(name, meant):
            meant = None  # a later version may have the name
        meant = meant or next((value for value in values if name in value), None)
        has_tool = any(part in _tools(hook, host) or part.startswith(_SERVERS) for part in _listed(name, host))
        if meant or has_tool or (never and len(values) <= _SHOWN):
            hint = f"did you mean {meant}?" if meant else "remove the matcher to run every time"
            new = _renamed(matcher, name, meant) if meant else ""
            message = f"{name} matches nothing: on {hook.event_as_written}, {host.title} matches {shown}"
            yield _Problem(message, hint, new, is_guess=not (meant and _is_typo(name, meant)))


def _agent_types(hook: Hook, host: Host) -> Iterator[_Problem]:
    """An event or a tool in place of an agent's type. Any other name may be that of an agent."""
    matcher = hook.tool or ""
    names = _listed(matcher, host) if _is_list(hook, host) else []
    if names and all(name in host.events or name in host_tools.own(host) for name in names):
        message = f"{matcher} matches nothing: on {hook.event_as_written}, {host.title} matches the agent's type"
        yield _Problem(message, "remove the matcher to run for every agent")


def _names(hook: Hook, host: Host) -> Iterator[_Problem]:
    """Names in a list that match no tool, unless the list also has the right name. A list of commands is one problem."""
    matcher = hook.tool or ""
    tools = _tools(hook, host)
    names = _listed(matcher, host) if matcher not in host.matcher.everything else []
    if any(" " in name for name in names):
        yield _command_as_matcher(matcher, host)
        return
    spare = [name for name in names if name and not _is_found(name, tools, host)]
    for name in spare:
        if host.lacks_tool(name) and _SERVER.fullmatch(name):
            yield _server(name, alone=name == matcher)
        elif problem := _misnamed(name, matcher, tools, host):
            tool, found = problem
            if not any(right in names for right in tool):
                yield found
        elif host.lacks_tool(name) and host_tools.is_known(name):
            if len(spare) == len(names):  # else it is for another host
                yield _of_another_host(name, (), host, "")
        elif host.lacks_tool(name) and not name.startswith(_SERVERS):
            yield _command_as_matcher(name, host) if name.islower() and name == matcher else _unknown(name, host)


def _misnamed(name: str, matcher: str, tools: tuple[str, ...], host: Host) -> tuple[tuple[str, ...], _Problem] | None:
    """The tools that a name means, mistyped or as another host calls them, and the problem; None if it means none."""
    if tool := _meant(name, tools, host):
        why = "names are case-sensitive" if tool.lower() == name.lower() else f"{host.title} has no such tool"
        meant = _renamed(matcher, name, tool)
        return (tool,), _Problem(f"{name} matches nothing: {why}", f"did you mean {tool}?", meant, not _is_typo(name, tool))
    if others := host_tools.called_elsewhere(name, host):
        return others, _of_another_host(name, others, host, _renamed(matcher, name, others[0]) if len(others) == 1 else "")
    return None


def _is_found(name: str, tools: tuple[str, ...], host: Host) -> bool:
    """Whether a name matches: as a tool's name or alias, or, as a regex does, in a part of a tool's name."""
    if name in tools or any(name in aliases for aliases in host.aliases.values()):
        return True
    return host.matcher.rule == "regex" and any(name in tool for tool in tools)


def _listed(matcher: str, host: Host) -> list[str]:
    return [part.strip() for part in re.split(f"[{re.escape(host.matcher.separators)}]", matcher)]


def _renamed(matcher: str, name: str, tool: str) -> str:
    return re.sub(rf"(?<![^|, ]){re.escape(name)}(?![^|, ])", tool, matcher)


def _is_typo(name: str, tool: str) -> bool:
    """Whether a name differs from a tool's by one slip, in long names by two, and not in its first letter."""
    slips = 1 if len(tool) < _LONG_NAME else 2
    near = abs(len(name) - len(tool)) <= 1 and name[:1].lower() == tool[:1].lower()
    return near and suggest.distance(name.lower(), tool.lower()) <= slips


def _is_part(name: str, tool: str) -> bool:
    return name.lower() in tool.lower() or tool.lower() in name.lower()


def _server(name: str, *, alone: bool) -> _Problem:
    """A server's name in place of its tools. In a list, `.*` would turn the names into a regex."""
    every = f"{name}.*" if name == _SERVERS else f"{name}__.*"
    which = "all servers" if name == _SERVERS else "this server"
    message, hint = f"{name} is not a tool name and matches nothing", f"write {every} for all tools of {which}"
    return _Problem(message, hint, every if alone else "")


def _regex(hook: Hook, host: Host, catalog: Snapshot) -> Iterator[_Problem]:
    """A regex in which no tool can be meant: a permission rule, a command, a file, or another host's tool."""
    matcher = hook.tool or ""
    tools = _searched(hook, host)
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
        elif host.matcher.dialect == "javascript" and (escape := _ANCHORS.search(matcher)):
            message = f"{matcher} matches nothing: {host.title} reads {escape[0]} as the letter {escape[1]}"
            meant = _ANCHORS.sub(lambda found: "^" if found[1] == "A" else "$", matcher)
            yield _Problem(message, "write ^ for the start of the name, $ for its end", meant)
        else:
            yield from _words(matcher, tools, hook, host)


def _words(matcher: str, tools: tuple[str, ...], hook: Hook, host: Host) -> Iterator[_Problem]:
    """Suggestions for a regex that matches no tool: words that are misspelled or are tools of another host."""
    found = {word: problem[0] for word in _WORD.findall(matcher) if (problem := _misnamed(word, word, tools, host))}
    if found:
        meant = " or ".join(dict.fromkeys(_compared(tool, hook, host) for others in found.values() for tool in others))
        yield _Problem(f"{matcher} matches no tool of {host.title}", f"did you mean {meant}?")


def _matches(hook: Hook, names: tuple[str, ...], host: Host, catalog: Snapshot) -> bool:
    """Whether a matcher matches a tool's name or alias. True if it takes too long or the time budget is spent."""
    matcher = hook.tool or ""
    aliases = [alias for tool in host.aliases.values() for alias in tool]
    if host.matcher.rule == "regex" and matching.named_alias(matcher, aliases):
        return True
    names = (*names, *host.matcher.searched_aliases(aliases))
    rule = host.matcher.rule_for(hook.event_as_written)
    if rule == "exact":
        return matcher in names
    try:
        regex = dialects.python(matcher, host.matcher.dialect)
        pattern = rf"^(?:{regex})$" if rule in ("whole", "whole names") else regex
    except InvalidPatternError:
        return True  # bad-regex reports it, or the meaning is unknown
    is_quick = len(pattern) <= _LONG_PATTERN and patterns.is_quick(pattern, names)
    if not is_quick and next(catalog.searches, None) is None:
        return True
    try:
        return patterns.search(pattern, names, _BUDGET_S) is not None
    except (InvalidPatternError, RegexTimeoutError):
        return True


def _command_as_matcher(matcher: str, host: Host) -> _Problem:
    shell = host.tools["shell"]
    where = f'with "if": "{shell}(…)"' if "if" in host.entry.keys else "in the hook"
    hint = f"match {shell}, and check the command {where}"
    return _Problem(f"{matcher} matches nothing: matchers see only the tool's name", hint)


def _of_another_host(name: str, others: tuple[str, ...], host: Host, meant: str) -> _Problem:
    message = f"{name} matches nothing: {host.title} has no such tool"
    hint = f"did you mean {' or '.join(others)}?" if others else f"its tools are {', '.join(host_tools.own(host)[:_SHOWN])} …"
    return _Problem(message, hint, meant)


def _unknown(name: str, host: Host) -> _Problem:
    """A name that no known tool has, though a later version of the host might."""
    message = f"{name} matches nothing: no known tool of {host.title} has this name"
    return _Problem(message, "check the spelling", severity="info")


def _tools(hook: Hook, host: Host) -> tuple[str, ...]:
    """The tools of a host; on events in the spelling of another host, also that host's."""
    is_foreign = host.style == "camel" and not host.is_camel_case(hook.event_as_written)
    others = (hosts.spec(reads.host) for reads in host.reads if is_foreign)
    return (*host_tools.own(host), *(tool for spec in others for tool in host_tools.own(spec)))


def _searched(hook: Hook, host: Host) -> tuple[str, ...]:
    """The names that a regex is compared with."""
    return tuple(dict.fromkeys(_compared(tool, hook, host) for tool in _tools(hook, host)))


def _compared(tool: str, hook: Hook, host: Host) -> str:
    return host.matcher.names_of(tool, hook.event_as_written, host.aliases)[0]


def _meant(name: str, tools: Iterable[str], host: Host) -> str | None:
    """The tool that a mistyped name means. An unknown name that resembles none may be a newer tool."""
    same = next((tool for tool in tools if tool.lower() == name.lower()), None)
    meant = suggest.closest(name, tools, _LIKENESS) if host.lacks_tool(name) and not same else None
    return same or (meant if meant and (_is_typo(name, meant) or _is_part(name, meant)) else None)
