"""Translate tool matchers between formats (formats.md §2, §3, §4).

The common form is AgentHooks': a regex searched in the tool's name; None matches every tool.
"""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple

from hooktui import hosts
from hooktui.core import events, js_regex
from hooktui.core.model import AzureEntry, Hook
from hooktui.core.patterns import InvalidPatternError, RegexTimeoutError
from hooktui.edit.file_entries import HOSTS
from hooktui.formats import host_tools
from hooktui.formats.json_hooks import json_events

_NOTHING = "(?!)"
MCP = "mcp__"  # prefix of the tools of MCP servers in Claude Code
_NAMES = re.compile(r"[\w-]+(?: *[|,] *[\w-]+)*")
# A regex for a whole name, and one searched in it, as hooktui and people write them.
_WHOLE = re.compile(r"\^(?:\((?:\?:)?([^()]*)\)|([^()|]*[^()|\\]))\$")
_WITHIN = re.compile(r"\^\(\?:\.\*(\(\?:.*\))\.\*\)\$|(\(\?:.*\))")
_FLAGS = re.compile(r"(?:\(\?[a-z]+\))?")


def searched_regex(hook: Hook) -> str | None:
    """Return the regex that equals the hook's matcher in its own host."""
    tool = hook.tool
    if isinstance(hook.source, AzureEntry):
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
    """Normalize the spelling of a regex."""
    if regex is None:
        return None
    flags, regex = _split(regex)
    match = _WITHIN.fullmatch(regex)
    group = match and (match[1] or match[2])
    if group and _is_one_group(group):
        return canonical(flags + group[3:-1])
    inner = _inside(regex)
    return flags + (regex if inner is None else _whole(inner))


def matcher_for(regex: str | None, format_name: str, event: str = "") -> str | None:
    """Write a searched regex as a format's matcher on an event as written; by default as its host spells a tool event."""
    spec = hosts.spec(format_name)
    if regex is None:
        return "*" if spec.matcher.required else None
    if spec.matcher.dialect == "javascript":
        regex = js_regex.without_flag_i(regex)
    inner = _inside(regex)
    rule = spec.matcher.rule_for(event or spec.spelling("pre-tool-call") or "")
    if rule in ("search", "regex"):
        return regex if inner is None or "|" in inner else f"^{inner}$"
    if rule == "whole":
        flags, rest = _split(regex)
        return f"{flags}.*(?:{rest}).*" if inner is None else inner
    if inner is not None and _NAMES.fullmatch(inner):
        return inner
    return f"(?:{regex})" if json_events.is_names(regex, "PreToolUse", spec) else regex


def translated(regex: str | None, source: str, target: str) -> str | None:
    """Translate a searched regex to the tool names of another host; unchanged if it matches the same or no known tools."""
    if regex is None or source == target:
        return regex
    try:
        return _listed(regex, source, target) or _regex_for_twins(regex, source, target)
    except (InvalidPatternError, RegexTimeoutError):
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
    """Whether a searched regex matches known tools of its host, but none of another host after translation."""
    if regex is None or source == target or MCP in regex:
        return False
    try:
        there = translated(regex, source, target) or ""
        return bool(host_tools.known(regex, source)) and not host_tools.known(there, target)
    except (InvalidPatternError, RegexTimeoutError):
        return False


def _listed(regex: str, source: str, target: str) -> str | None:
    """Translate a list of names; None for any other regex."""
    twins = host_tools.twins(source, target)
    plain = _inside(regex) or regex
    names = re.split(r" *[|,] *", plain) if _NAMES.fullmatch(plain) else []
    if not twins.keys() & set(names) or not set(names).issuperset(host_tools.known(regex, source)):
        return None
    return _whole("|".join(dict.fromkeys(twins.get(name, name) for name in names)))  # two tools may be one in the target


def _regex_for_twins(regex: str, source: str, target: str) -> str:
    """Return a regex for the twins of the matched tools: itself, their names, or all names but the excluded."""
    twins = host_tools.twins(source, target)
    here, there = (host_tools.known(regex, host) for host in (source, target))
    wanted = [twin for name, twin in twins.items() if name in here]
    is_open = host_tools.finds_unknown(regex)
    matched = set(there).intersection(twins.values()) if is_open else set(there)
    if matched == set(wanted) or not (wanted or is_open):
        return regex
    if is_open:
        excluded = "|".join(twin for twin in twins.values() if twin not in wanted)
        return f"^(?!(?:{excluded})$)" if excluded else ".*"
    if MCP not in regex:
        return _whole("|".join(wanted))
    inner = _inside(regex)  # MCP tools have no twins
    return f"{regex}|{_whole('|'.join(wanted))}" if inner is None else _whole("|".join((inner, *wanted)))


def _whole(regex: str) -> str:
    flags, rest = _split(regex)
    return f"{flags}^(?:{rest})$"


def _split(regex: str) -> tuple[str, str]:
    """Split a regex into its leading flags and the rest."""
    match = _FLAGS.match(regex)
    at = match.end() if match else 0
    return regex[:at], regex[at:]


def _inside(regex: str) -> str | None:
    """Return the inside of a regex for a whole name; None for a searched regex."""
    if regex.startswith("^(?:") and regex.endswith(")$") and _is_one_group(regex[1:-1]):
        return regex[4:-2]
    match = _WHOLE.fullmatch(regex)
    return None if match is None else match[1] if match[1] is not None else match[2]


def _is_one_group(regex: str) -> bool:
    """Whether the last parenthesis closes the first, ignoring brackets and escapes."""
    depth = 0
    for at, letter in enumerate(re.sub(r"\\.|\[\^?\]?[^\]]*\]", lambda match: "x" * len(match[0]), regex)):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and at < len(regex) - 1:
            return False
    return depth == 0


_WHY = "# {host} does not check this itself: skip events this hook does not match.\n"
# Python lines for scripts: the texts in a value at any depth, which a HOOK.md's pattern is searched in (formats.md §2).
TEXTS_BELOW = """\
values = [value]
for value in values:
    values += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
texts = (value if isinstance(value, str) else json.dumps(value) for value in values if isinstance(value, (str, int, float)))
"""
_MATCHES = f"""\
value = event.get("tool_input", event.get("toolArgs"))
{TEXTS_BELOW}\
name = event.get("tool_name", event.get("toolName")) or ""
matches = re.search(tool, name) and (not pattern or any(re.search(pattern, text) for text in texts))
"""
# The hook runs if anything fails, even without python3. Its stdin is restored.
_SHIM = """\
event=$(cat)
printf '%s' "$event" | python3 -I -c '
import json, re, sys
event, (tool, pattern) = json.load(sys.stdin), sys.argv[1:]
{check}sys.exit(0 if matches else 3)' {tool} {pattern} || [ $? != 3 ] || exit 0
exec <<EVENT
$event
EVENT
unset event

"""


class ShimFilter(NamedTuple):
    """Regexes, searched in a tool's name and in the values of its input; None to accept everything."""

    tool: str | None
    pattern: str | None


def shim_filter(hook: Hook, host: str) -> ShimFilter:
    """Return what a hook matches and another host does not check.

    A list of tools gets their names in every host, so that the script keeps working when its hook is converted again.
    """
    if hook.event not in events.TOOL_EVENTS or hook.format == host:
        return ShimFilter(None, None)
    tool = None
    if not hosts.spec(host).matcher.is_read:
        tool = in_every_host(searched_regex(hook), hook.format, host)
    return ShimFilter(tool, None if hosts.spec(host).matcher.rule == "search" else hook.pattern)


def add_shim(text: str, wanted: ShimFilter, host: str) -> str:
    """Return a shell script that exits early on events that `wanted` does not match; unchanged if it matches everything."""
    if not any(wanted):
        return text
    tool, pattern = (shlex.quote(regex or "") for regex in wanted)
    lines = _WHY.format(host=HOSTS[host]) + _SHIM.format(check=_MATCHES, tool=tool, pattern=pattern)
    shebang, rest = text[: (at := text.find("\n") + 1)], text[at:]
    return f"{shebang}{lines}{rest}" if text.startswith("#!") else lines + text
