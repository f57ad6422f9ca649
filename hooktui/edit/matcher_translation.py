"""Which tools a hook wants to see, put into the words of another format.

In between stands a regex that is searched in the tool's name, as AgentHooks has it; None is every tool (formats.md §2, §3, §4).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import events
from hooktui.core.patterns import BadPattern, TooSlow
from hooktui.formats import host_tools
from hooktui.formats.json_hooks import json_events

if TYPE_CHECKING:
    from hooktui.core.model import Hook

_NOTHING = "(?!)"
MCP = "mcp__"  # begins the names that Claude Code gives to the tools of servers
_NAMES = re.compile(r"[\w-]+(?: *[|,] *[\w-]+)*")
# A regex for a whole name, and one that is searched in it, as they are written here and by people.
_WHOLE = re.compile(r"\^(?:\((?:\?:)?([^()]*)\)|([^()|]*[^()|\\]))\$")
_WITHIN = re.compile(r"\^\(\?:\.\*(\(\?:.*\))\.\*\)\$|(\(\?:.*\))")
_FLAGS = re.compile(r"(?:\(\?[a-z]+\))?")


def searched(hook: Hook) -> str | None:
    """What the hook's own host makes of its matcher."""
    tool = hook.tool
    if hook.format == "azure":
        every = tool == "*" or hook.event not in events.TOOL_EVENTS
        return None if every else canonical(_whole(tool)) if tool else _NOTHING
    spec = hosts.json_spec(hook.format)
    if spec is None:
        return canonical(tool)
    ignored = not spec.matcher.is_read or hook.event_as_written in spec.matcher.ignored_on
    if ignored or tool is None or tool in spec.matcher.everything:
        return None
    if json_events.is_names(tool, hook.event_as_written, spec):
        return _whole("|".join(name.strip() for name in tool.replace(",", "|").split("|")))
    return canonical(tool if hook.event_as_written[:1].isupper() else _whole(tool))


def canonical(regex: str | None) -> str | None:
    """One spelling for regexes that say the same."""
    if regex is None:
        return None
    flags, regex = _split(regex)
    found = _WITHIN.fullmatch(regex)
    group = found and (found[1] or found[2])
    if group and _is_one_group(group):
        return canonical(flags + group[3:-1])
    inner = _inside(regex)
    return flags + (regex if inner is None else _whole(inner))


def written(regex: str | None, format_name: str) -> str | None:
    """A matcher of a format that matches what a searched regex does; of Copilot's on a camelCase event."""
    if regex is None:
        return "*" if format_name == "azure" else None
    inner = _inside(regex)
    if format_name == "agenthooks":
        return regex if inner is None or "|" in inner else f"^{inner}$"
    if format_name in ("azure", "copilot"):
        return _around(regex) if inner is None else inner
    if inner is not None and _NAMES.fullmatch(inner):
        return inner
    return f"(?:{regex})" if json_events.is_names(regex, "PreToolUse", hosts.spec(format_name)) else regex


def translated(regex: str | None, source: str, target: str) -> str | None:
    """A searched regex that finds at another host what does the same as the tools that it finds at its own.

    As it is where it does so already, or finds nothing there that is known.
    """
    if regex is None or source == target:
        return regex
    try:
        return _listed(regex, source, target) or _met(regex, source, target)
    except (BadPattern, TooSlow):
        return regex


def in_every_host(regex: str | None, source: str, target: str) -> str | None:
    """A list of a host's tools with the names that they have in every host; any other regex as `translated` to the target."""
    if regex is None:
        return None
    regexes = [translated(regex, source, host) or "" for host in (target, *hosts.names())]
    lists = [_inside(regex) or regex for regex in regexes]
    if not all(map(_NAMES.fullmatch, lists)):
        return regexes[0]
    return _whole("|".join(dict.fromkeys(name for names in lists for name in re.split(r" *[|,] *", names))))


def is_lost(regex: str | None, source: str, target: str) -> bool:
    """Whether a searched regex finds tools of its host that are known, and none of another host in whose words it is."""
    if regex is None or source == target or MCP in regex:
        return False
    try:
        there = translated(regex, source, target) or ""
        return bool(host_tools.known(regex, source)) and not host_tools.known(there, target)
    except (BadPattern, TooSlow):
        return False


def _listed(regex: str, source: str, target: str) -> str | None:
    """A list of names in other names; None for any other regex."""
    twins = host_tools.twins(source, target)
    plain = _inside(regex) or regex
    names = re.split(r" *[|,] *", plain) if _NAMES.fullmatch(plain) else []
    if not twins.keys() & set(names) or not set(names).issuperset(host_tools.known(regex, source)):
        return None
    return _whole("|".join(dict.fromkeys(twins.get(name, name) for name in names)))  # two may be one there


def _met(regex: str, source: str, target: str) -> str:
    """A regex that finds just the twins of what it finds: itself, their names, or all but those that it leaves out."""
    twins = host_tools.twins(source, target)
    here, there = (host_tools.known(regex, host) for host in (source, target))
    wanted = [twin for name, twin in twins.items() if name in here]
    is_open = host_tools.finds_unknown(regex)
    found = set(there).intersection(twins.values()) if is_open else set(there)
    if found == set(wanted) or not (wanted or is_open):
        return regex
    if is_open:
        left_out = "|".join(twin for twin in twins.values() if twin not in wanted)
        return f"^(?!(?:{left_out})$)" if left_out else ".*"
    if MCP not in regex:
        return _whole("|".join(wanted))
    inner = _inside(regex)  # the tools of servers have no twins
    return f"{regex}|{_whole('|'.join(wanted))}" if inner is None else _whole("|".join((inner, *wanted)))


def _whole(regex: str) -> str:
    flags, rest = _split(regex)
    return f"{flags}^(?:{rest})$"


def _split(regex: str) -> tuple[str, str]:
    """The flags in front of a regex, which count for all of it, and the rest."""
    found = _FLAGS.match(regex)
    at = found.end() if found else 0
    return regex[:at], regex[at:]


def _inside(regex: str) -> str | None:
    """What a regex for a whole name says of it; None for one that is searched."""
    if regex.startswith("^(?:") and regex.endswith(")$") and _is_one_group(regex[1:-1]):
        return regex[4:-2]
    found = _WHOLE.fullmatch(regex)
    return None if found is None else found[1] if found[1] is not None else found[2]


def _is_one_group(regex: str) -> bool:
    """Whether the first parenthesis is closed by the last; brackets and escapes apart."""
    depth = 0
    for at, letter in enumerate(re.sub(r"\\.|\[\^?\]?[^\]]*\]", lambda found: "x" * len(found[0]), regex)):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and at < len(regex) - 1:
            return False
    return depth == 0


def _around(regex: str) -> str:
    """For hosts that want the whole name to match; flags stand in front."""
    flags, rest = _split(regex)
    return f"{flags}.*(?:{rest}).*"
