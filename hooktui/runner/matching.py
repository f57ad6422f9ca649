"""Match hooks against events, and say why or why not (the matcher rows of formats.md §2, §3 and §4).

The rule is that of the hook's host (`matcher`). A matcher may take at most MATCH_BUDGET_S, and all of a
dispatch may take DISPATCH_BUDGET_S.
"""

from __future__ import annotations

from hooktui import hosts
from hooktui.core import fast_json
from hooktui.core.events import TOOL_EVENTS
from hooktui.core.model import JsonEntry
from hooktui.core.patterns import InvalidPatternError, RegexTimeoutError, UnknownMeaningError, is_common, search
from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Literal

    from hooktui.core.model import Event, Hook, Skip
    from hooktui.core.patterns import PatternMatch
    from hooktui.hosts import Host

MATCH_BUDGET_S = 0.05
DISPATCH_BUDGET_S = 0.1  # for all matchers of a dispatch together
# A large input extends the budget by several times what a normal pattern needs, so that padding cannot bypass a guard.
_VALUE_S = 50e-6
_CHARACTER_S = 200e-9  # a slow machine needs 45 ns for each character of a pattern with alternatives
_SHOWN = 60


class Hit(Record):
    """A match: [start:end] of a tool's name or of a value of its input."""

    where: Literal["tool", "input"]
    text: str
    start: int
    end: int


class Verdict(Record):
    """Whether a hook matches, and why or why not in a sentence; `hits` are the matches of its matcher."""

    why: str
    skip: Skip | None = None
    hits: tuple[Hit, ...] = ()


TOO_SLOW = Verdict(skip="bad-matcher", why=f"the matcher took longer than {MATCH_BUDGET_S * 1000:.0f} ms")


def match(hook: Hook, event: Event, reader: Host | None = None) -> Verdict:
    """Match an event that the hook listens to, by the rule of its own host, or of another that reads its file."""
    try:
        spec = reader or hosts.spec(hook.format)
        return _RULES[spec.matcher.rule_for(hook.event_as_written)](hook, event, spec)
    except RegexTimeoutError:
        return TOO_SLOW
    except UnknownMeaningError as error:
        return Verdict(skip="bad-matcher", why=f"cannot tell whether the matcher matches: {error}")
    except InvalidPatternError as error:
        return Verdict(skip="bad-matcher", why=f"the matcher is not a valid regex: {error}")


def regexes(hook: Hook) -> tuple[str, ...]:
    """The patterns that matching a hook may search with; some are plain text."""
    spec = hosts.spec(hook.format)
    rule = spec.matcher.rule_for(hook.event_as_written)
    if rule == "ignored":
        return ()
    tool = _in_python(trimmed(hook, spec), hook.event_as_written, spec)
    if rule in ("regex", "exact"):
        return tuple(filter(None, (tool, hook.pattern and _in_python(hook.pattern, "", spec))))
    whole = rule in ("whole", "whole names")
    return tuple(filter(None, (_whole_pattern(tool) if tool and whole else tool, hook.pattern)))


def string_values(value: Any) -> Iterator[str]:
    """The strings in a JSON value at any depth, without keys; numbers and booleans as JSON text, null left out."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(reversed(item.values()))
        elif isinstance(item, list | tuple):
            stack.extend(reversed(item))
        elif isinstance(item, str):
            yield item
        elif item is not None:
            yield fast_json.dumps(item)


def _shown(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else flat[: _SHOWN - 1] + "…"


def _search(hook: Hook, event: Event, _spec: Host) -> Verdict:
    """Search tool and pattern; on an event without a tool the matcher is ignored (formats.md §2)."""
    if event.name not in TOOL_EVENTS or (hook.tool is None and hook.pattern is None):
        return Verdict(why=f"listens to {event.name}")
    matched, hits = [], []
    if hook.tool is not None:
        name = event.tool_name or ""
        called = (name, *_aliases(name, hosts.spec(event.host)))
        if (written := event.fields.get("tool_name")) and isinstance(written, str) and written != name:
            called = (*called, written)  # a host may call one tool by two names
        place = search(hook.tool, called, MATCH_BUDGET_S)
        if place is None:
            return Verdict(skip="tool-mismatch", why=f"tool {_shown(name) or '(none)'} does not match {_shown(hook.tool)}")
        matched.append(_matched_tool(called, place))
        hits.append(_tool_hit(called, place))
    if hook.pattern is not None:
        hit = _first_hit(hook.pattern, event.tool_input)
        if hit is None:
            return Verdict(skip="pattern-mismatch", why=f"no value of tool_input matches {_shown(hook.pattern)}")
        matched.append(f"pattern {_shown(hit.text[hit.start : hit.end] or hook.pattern)}")
        hits.append(hit)
    return Verdict(why="matched " + " and ".join(matched), hits=tuple(hits))


def _aliases(tool: str, spec: Host) -> tuple[str, ...]:
    """The further names of a tool that a regex may match."""
    return tuple(spec.matcher.searched_aliases(spec.aliases.get(tool, ())))


def _matched_tool(called: Sequence[str], place: PatternMatch) -> str:
    """Name the tool, and the alias that a matcher means."""
    number = place[0]
    return f"tool {_shown(called[0])}" + (f" as {called[number]}" if number else "")


def _tool_hit(called: Sequence[str], place: PatternMatch) -> Hit:
    """The match in a tool's name; all of it if an alias matches."""
    number, start, end = place
    return Hit(where="tool", text=called[0], start=0 if number else start, end=len(called[0]) if number else end)


def _first_hit(pattern: str, value: Any) -> Hit | None:
    texts = list(string_values(value))
    place = search(pattern, texts, MATCH_BUDGET_S + sum(_VALUE_S + len(text) * _CHARACTER_S for text in texts))
    if place is None:
        return None
    number, start, end = place
    return Hit(where="input", text=texts[number], start=start, end=end)


def _ignored(hook: Hook, event: Event, spec: Host) -> Verdict:
    """The host accepts matchers and ignores them (formats.md §3, "matcher")."""
    ignored = f"; {spec.title} ignores the matcher {_shown(hook.tool)}" if hook.tool else ""
    return Verdict(why=f"listens to {event.name}{ignored}")


def _names(hook: Hook, event: Event, spec: Host) -> Verdict:
    """Everything, a list of exact names, or an unanchored regex. Then comes `if`."""
    subject, matcher = _subject(event), trimmed(hook, spec)
    if subject is None or hook.tool is None or matcher in spec.matcher.everything:
        verdict = Verdict(why=f"listens to {event.name}")
    else:
        called = _called(matcher, subject, hook, event, spec)
        place = _place_in_names(matcher, called, spec)
        if place and called[0] != subject:  # the event has another of its names
            name = called[place[0]]
            called, place = (subject, name), (int(name != subject), *place[1:])
        verdict = _by_name(matcher, called, place)
    condition = hook.source.condition if isinstance(hook.source, JsonEntry) and "if" in spec.entry.keys else None
    return verdict if verdict.skip or not condition else _if(condition, event, verdict)


def _called(pattern: str, subject: str, hook: Hook, event: Event, spec: Host) -> tuple[str, ...]:
    """The names that a matcher is compared with: the subject, or those of a tool."""
    if event.name not in WITH_TOOL:
        return (subject,)
    name, *others = spec.matcher.names_of(subject, hook.event_as_written, spec.aliases)
    return (name, *(others if spec.matcher.is_list(pattern) else spec.matcher.searched_aliases(others)))


def _place_in_names(pattern: str, called: Sequence[str], spec: Host) -> PatternMatch | None:
    if not spec.matcher.is_list(pattern):
        regex = _translated(pattern, spec)
        return _whole(regex, called) if spec.matcher.rule == "whole names" else search(regex, called, MATCH_BUDGET_S)
    names = [pattern]
    for separator in spec.matcher.separators:
        names = [part for name in names for part in name.split(separator)]
    listed = [name.strip() for name in names]
    return next(((number, 0, len(name)) for number, name in enumerate(called) if name in listed), None)


def _if(condition: str, event: Event, verdict: Verdict) -> Verdict:
    """Apply a permission rule in `if`. On events without a tool it never matches."""
    from hooktui.runner import permission_rules  # rarely needed

    if event.name not in WITH_TOOL:
        return Verdict(skip="pattern-mismatch", why=f"with `if`, it never fires on {event.as_written}")
    tool = event.tool_name or ""
    if not permission_rules.names_tool(condition, tool):
        return Verdict(skip="tool-mismatch", why=f"tool {_shown(tool) or '(none)'} does not match its `if` {_shown(condition)}")
    fit = permission_rules.fitting(condition, event.tool_input, event.work_dir, MATCH_BUDGET_S)
    if fit is None:
        return Verdict(skip="pattern-mismatch", why=f"the input does not match its `if`: {_shown(condition)}")
    hits = (*verdict.hits, *([Hit(where="input", text=fit.text, start=fit.start, end=fit.end)] if fit.text else []))
    return verdict.replace(why=f"{verdict.why}, and matches its `if`: {_shown(condition)}", hits=hits)


def _subject(event: Event) -> str | None:
    """The text that a matcher is compared with; None on events that ignore it. See Claude Code's and Copilot's references."""
    if event.name in WITH_TOOL:
        return event.tool_name or ""
    names = SUBJECTS.get(event.name, ())
    values = (place.get(name) for name in names for place in (event.payload, event.fields))
    return next((value for value in values if isinstance(value, str)), None)


def _whole_name(hook: Hook, event: Event, spec: Host) -> Verdict:
    """Match `^(?:re)$` against a tool's name. If a matcher is required, a missing one matches nothing (formats.md §3, §4)."""
    subject = _subject(event)
    if subject is None:
        return Verdict(why=f"listens to {event.name}")
    if not hook.tool:
        if spec.matcher.required:
            return Verdict(skip="tool-mismatch", why="an empty matcher matches no tool")
        return Verdict(why=f"listens to {event.name}")
    if spec.matcher.required and hook.tool in spec.matcher.everything:
        return _by_name(hook.tool, (subject,), (0, 0, len(subject)))
    return _by_name(hook.tool, (subject,), _whole(_translated(hook.tool, spec), (subject,)))


def _whole(pattern: str, called: Sequence[str]) -> PatternMatch | None:
    return search(_whole_pattern(pattern), tuple(called), MATCH_BUDGET_S)


def _whole_pattern(pattern: str) -> str:
    """The regex that matches whole names by a pattern. Leading flags apply to all of it."""
    flags = ""
    if pattern.startswith("(?") and pattern[2 : (end := pattern.find(")"))].isalpha():
        flags, pattern = pattern[: end + 1], pattern[end + 1 :]
    return rf"{flags}\A(?:{pattern})\Z"


def _regex(hook: Hook, event: Event, spec: Host) -> Verdict:
    """Search a regex in the name. One that is not valid is compared as an exact name, as one is under the rule `exact`."""
    subject, matcher = _own_subject(hook, event, spec), trimmed(hook, spec)
    if subject is None or not matcher or matcher in spec.matcher.everything:
        verdict = Verdict(why=f"listens to {event.name}")
    elif event.name in WITH_TOOL and (alias := named_alias(matcher, spec.aliases.get(subject, ()))):
        verdict = _by_name(matcher, (subject, alias), (1, 0, len(alias)))
    else:
        regex = _in_python(matcher, hook.event_as_written, spec)
        try:
            place = search(regex, (subject,), MATCH_BUDGET_S) if regex is not None else _exact(matcher, subject)
        except InvalidPatternError:
            place = _exact(matcher, subject)
        verdict = _by_name(matcher, (subject,), place)
    return verdict if verdict.skip or not hook.pattern else _by_command(hook.pattern, event, spec, verdict)


def _by_command(pattern: str, event: Event, spec: Host, verdict: Verdict) -> Verdict:
    """Apply a regex for the shell's command; no other tool matches."""
    is_shell = event.tool_name == spec.tools.get("shell") and isinstance(event.tool_input, dict)
    command = event.tool_input.get("command") if is_shell else None
    regex = _in_python(pattern, "", spec)
    place = search(regex, (command,), MATCH_BUDGET_S) if regex is not None and isinstance(command, str) else None
    if place is None or not isinstance(command, str):
        return Verdict(skip="pattern-mismatch", why=f"no command matches {_shown(pattern)}")
    hits = (*verdict.hits, Hit(where="input", text=command, start=place[1], end=place[2]))
    return verdict.replace(why=f"{verdict.why} and pattern {_shown(command[place[1] : place[2]] or pattern)}", hits=hits)


def _own_subject(hook: Hook, event: Event, spec: Host) -> str | None:
    """The text that a host compares a matcher with, if it says so for the hook's event; None where it ignores matchers."""
    written = hook.event_as_written
    if written in spec.matcher.ignored_on:
        return None
    own = spec.matcher.subject(written)
    if own is None:
        return _subject(event)
    try:
        return own.format_map(event.payload)
    except KeyError:
        return None


def trimmed(hook: Hook, spec: Host) -> str:
    """The matcher without blanks around it, where they do not count. A regex for the whole name has them as written."""
    is_whole = spec.matcher.rule_for(hook.event_as_written) == "whole"
    return (hook.tool or "").strip() if spec.matcher.trims and not is_whole else hook.tool or ""


def _in_python(matcher: str, event_as_written: str, spec: Host) -> str | None:
    """The Python regex for one of a host; None for an exact value."""
    if spec.matcher.rule_for(event_as_written) == "exact":
        return None
    try:
        return _translated(matcher, spec)
    except InvalidPatternError:
        return None


def _translated(pattern: str, spec: Host) -> str:
    """The Python regex for one of a host. Raises InvalidPatternError."""
    if is_common(pattern):
        return pattern
    from hooktui.core import dialects  # rarely needed

    return dialects.python(pattern, spec.matcher.dialect)


def named_alias(matcher: str, aliases: Sequence[str]) -> str | None:
    """Return the tool alias that the matcher, or one of the alternatives in it, names."""
    if not aliases:
        return None
    names = [matcher] if matcher.startswith(("^", "(")) else [name.strip() for name in matcher.split("|")]
    return next((name for name in names if name in aliases), None)


def _exact(name: str, subject: str) -> PatternMatch | None:
    return (0, 0, len(subject)) if name == subject else None


def _by_name(pattern: str, called: Sequence[str], place: PatternMatch | None) -> Verdict:
    name = called[0]
    if place is not None:
        return Verdict(why=f"matched {_matched_tool(called, place)}", hits=(_tool_hit(called, place),))
    return Verdict(skip="tool-mismatch", why=f"tool {_shown(name) or '(none)'} does not match {_shown(pattern)}")


# Events whose matcher is compared with the tool's name, and the compared fields of other events.
WITH_TOOL = (*TOOL_EVENTS, "PermissionRequest", "PermissionDenied", "permissionRequest", "PreSkillShellCommand")
SUBJECTS = {
    "pre-session": ("source",),
    "post-session": ("reason",),
    "pre-context-compact": ("trigger",),
    "post-context-compact": ("trigger",),
    "pre-subagent": ("agent_type", "agentName", "subagent_type"),
    "post-subagent": ("agent_type", "agentName", "subagent_type"),
    "agent-failure": ("error",),
    "Setup": ("trigger",),
    "Notification": ("notification_type",),
    "notification": ("notification_type",),
    "ConfigChange": ("source",),
    "InstructionsLoaded": ("load_reason",),
    "UserPromptExpansion": ("command_name",),
    "Elicitation": ("mcp_server_name",),
    "ElicitationResult": ("mcp_server_name",),
}
_RULES: dict[str, Callable[[Hook, Event, Host], Verdict]] = {
    "search": _search,
    "names": _names,
    "whole names": _names,
    "whole": _whole_name,
    "regex": _regex,
    "exact": _regex,
    "ignored": _ignored,
}
