"""Does this hook match this event, and if not, why (the matcher rows of formats.md §2, §3 and §4).

Patterns come from strangers: none may take longer than MATCH_BUDGET_S. The engine is chosen by pattern, and its import is
paid only when a pattern needs it.
"""

from __future__ import annotations

import time

from hooktui import quick_json
from hooktui.events import TOOL_EVENTS
from hooktui.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from hooktui.model import Event, Hook, Skip

MATCH_BUDGET_S = 0.05
_SPECIAL = frozenset(".^$*+?{}[]()\\")
_QUANTIFIERS = "*+?{"
_SAFE_STEPS = 200_000  # a match that cannot take more steps than this in `re` is far below the budget
_SHOWN = 60


class TooSlow(Exception):
    """A pattern used up its time on this text."""


class BadPattern(Exception):
    """A pattern that is no regex."""


class Verdict(Record):
    """Whether a hook matches, and the sentence that tells a person why or why not."""

    why: str
    skip: Skip | None = None


def match(hook: Hook, event: Event) -> Verdict:
    """The verdict of the hook's own format on an event that the hook listens to."""
    try:
        return _RULES[hook.format](hook, event)
    except TooSlow:
        return Verdict(skip="bad-matcher", why=f"the matcher took longer than {MATCH_BUDGET_S * 1000:.0f} ms")
    except BadPattern as error:
        return Verdict(skip="bad-matcher", why=f"the matcher is no valid regex: {error}")


def search(pattern: str, text: str, deadline: float) -> tuple[int, int] | None:
    """The first place where `pattern` (Python syntax) matches: start and end.

    `deadline` is in `time.monotonic` seconds. Raises TooSlow and BadPattern.
    """
    if not _SPECIAL.intersection(pattern):
        return _find_literal(pattern.split("|"), text)
    try:
        return _search_bounded(pattern, text) if _cannot_explode(pattern, len(text)) else _search_timed(pattern, text, deadline)
    except (ValueError, RecursionError, OverflowError) as error:
        raise BadPattern(str(error)) from error


def string_values(value: Any) -> Iterator[str]:
    """Each string inside a JSON value at any depth: keys excluded, numbers and booleans as JSON text, null not at all."""
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
            yield quick_json.dumps(item)


def _find_literal(alternatives: list[str], text: str) -> tuple[int, int] | None:
    found = [(start, start + len(part)) for part in alternatives if (start := text.find(part)) >= 0]
    return min(found, key=lambda span: span[0], default=None)


def _cannot_explode(pattern: str, length: int) -> bool:
    """True when no group is repeated and so few single repeats are left that every way through them is quickly tried."""
    repeats = sum(pattern.count(sign) for sign in _QUANTIFIERS)
    repeated_group = any(")" + sign in pattern for sign in _QUANTIFIERS)
    return not repeated_group and (length + 1) ** min(repeats + 1, 20) <= _SAFE_STEPS


def _search_bounded(pattern: str, text: str) -> tuple[int, int] | None:
    import re

    try:
        found = re.search(pattern, text)
    except re.error as error:
        raise BadPattern(str(error)) from error
    return found.span() if found else None


def _search_timed(pattern: str, text: str, deadline: float) -> tuple[int, int] | None:
    import regex  # 15 ms, and only for patterns that could run away

    left = deadline - time.monotonic()
    if left <= 0:
        raise TooSlow
    try:
        found = regex.search(pattern, text, timeout=left)
    except TimeoutError as error:
        raise TooSlow from error
    except regex.error as error:
        raise BadPattern(str(error)) from error
    return found.span() if found else None


def _shown(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else flat[: _SHOWN - 1] + "…"


def _agenthooks(hook: Hook, event: Event) -> Verdict:
    """Tool and pattern are both searched; on an event without a tool the matcher is ignored (formats.md §2)."""
    if event.name not in TOOL_EVENTS or (hook.tool is None and hook.pattern is None):
        return Verdict(why=f"listens to {event.name}")
    deadline = time.monotonic() + MATCH_BUDGET_S
    matched = []
    if hook.tool is not None:
        name = event.tool_name or ""
        if search(hook.tool, name, deadline) is None:
            return Verdict(skip="tool-mismatch", why=f"tool {_shown(name) or '(none)'} does not match {_shown(hook.tool)}")
        matched.append(f"tool {_shown(name)}")
    if hook.pattern is not None:
        hit = _first_hit(hook.pattern, event.tool_input, deadline)
        if hit is None:
            return Verdict(skip="pattern-mismatch", why=f"no value of tool_input matches {_shown(hook.pattern)}")
        matched.append(f"pattern {_shown(hit or hook.pattern)}")
    return Verdict(why="matched " + " and ".join(matched))


def _first_hit(pattern: str, value: Any, deadline: float) -> str | None:
    for text in string_values(value):
        if time.monotonic() > deadline:
            raise TooSlow
        span = search(pattern, text, deadline)
        if span:
            return text[span[0] : span[1]]
    return None


def _vscode(hook: Hook, event: Event) -> Verdict:
    """VS Code reads matchers and ignores them (formats.md §3, "matcher")."""
    ignored = f"; VS Code ignores the matcher {_shown(hook.tool)}" if hook.tool else ""
    return Verdict(why=f"listens to {event.name}{ignored}")


def _claude(hook: Hook, event: Event) -> Verdict:
    """`*`, empty or absent: all; plain letters: a list of exact names; else an unanchored regex."""
    subject = _claude_subject(event)
    if subject is None or hook.tool in (None, "", "*"):
        return Verdict(why=f"listens to {event.name}")
    assert hook.tool is not None
    if _CLAUDE_NAMES.issuperset(hook.tool):
        names = [name.strip() for name in hook.tool.replace(",", "|").split("|")]
        matched = subject in names
    else:
        matched = search(hook.tool, subject, time.monotonic() + MATCH_BUDGET_S) is not None
    return _by_name(hook.tool, subject, matched)


def _claude_subject(event: Event) -> str | None:
    """What Claude compares a matcher with; None on events where it ignores one."""
    if event.name in TOOL_EVENTS or event.name in ("PermissionRequest", "PermissionDenied"):
        return event.tool_name or ""
    field = _CLAUDE_SUBJECTS.get(event.name)
    value = event.payload.get(field) if field else None
    return value if isinstance(value, str) else None


def _copilot(hook: Hook, event: Event) -> Verdict:
    """camelCase events: the whole name must match; PascalCase ones follow Claude."""
    if not hook.event_as_written[:1].islower():
        return _claude(hook, event)
    if event.name not in TOOL_EVENTS or not hook.tool:
        return Verdict(why=f"listens to {event.name}")
    return _by_name(hook.tool, event.tool_name or "", _whole(hook.tool, event.tool_name or ""))


def _azure(hook: Hook, event: Event) -> Verdict:
    """`^(re)$`; `*` is all, empty or null none; only tool events have a matcher (formats.md §4)."""
    if event.name not in TOOL_EVENTS:
        return Verdict(why=f"listens to {event.name}")
    if not hook.tool:
        return Verdict(skip="tool-mismatch", why="an empty matcher matches no tool")
    name = event.tool_name or ""
    return _by_name(hook.tool, name, hook.tool == "*" or _whole(hook.tool, name))


def _whole(pattern: str, name: str) -> bool:
    return search(rf"\A(?:{pattern})\Z", name, time.monotonic() + MATCH_BUDGET_S) is not None


def _by_name(pattern: str, name: str, matched: bool) -> Verdict:
    if matched:
        return Verdict(why=f"matched tool {_shown(name)}")
    return Verdict(skip="tool-mismatch", why=f"tool {_shown(name) or '(none)'} does not match {_shown(pattern)}")


_CLAUDE_NAMES = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-, |")
_CLAUDE_SUBJECTS = {
    "pre-session": "source",
    "post-session": "reason",
    "pre-context-compact": "trigger",
    "post-context-compact": "trigger",
    "pre-subagent": "agent_type",
    "post-subagent": "agent_type",
    "Notification": "notification_type",
}
_RULES: dict[str, Callable[[Hook, Event], Verdict]] = {
    "agenthooks": _agenthooks,
    "claude": _claude,
    "vscode": _vscode,
    "copilot": _copilot,
    "azure": _azure,
}
