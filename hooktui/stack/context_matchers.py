"""Matchers: which contexts of its event a hook runs on (formats.md §5; seed 002, "Matchers")."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from hooktui.stack.contexts import HookContext, HookEvent, ToolHookContext
from hooktui.stack.introspection import check_signature, is_async, location_of

_REGEX = re.compile(r"/(?P<pattern>.*)/(?P<flags>[A-Za-z]*)", re.DOTALL)
_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}


@runtime_checkable
class HookMatcher(Protocol):
    """Decides whether a hook runs on a context."""

    def matches(self, context: Any) -> bool:
        """Called for every event; the context belongs to the event that the hook is registered for."""


class ToolNameMatcher:
    """Matches tools by name: `*` all, `/re/` (flags i, m, s) a regex search, `read_*` a wildcard, anything else exact.

    A context without a tool never matches. Raises ValueError for an invalid regex.
    """

    def __init__(self, pattern: str) -> None:
        if not isinstance(pattern, str):
            raise TypeError(f"a tool-name pattern must be a string, not {pattern!r}")
        self.pattern = pattern
        self._matches_name = _compiled(pattern)

    def matches(self, context: HookContext[Any]) -> bool:
        return isinstance(context, ToolHookContext) and self._matches_name(context.tool_call.name)

    def __str__(self) -> str:
        return f"tool {self.pattern}"


def _compiled(pattern: str) -> Callable[[str], bool]:
    if match := _REGEX.fullmatch(pattern):
        regex = _regex(pattern, match["pattern"], match["flags"])
        return lambda name: regex.search(name) is not None
    if "*" in pattern:
        wildcard = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
        return lambda name: wildcard.fullmatch(name) is not None
    return pattern.__eq__


def _regex(source: str, pattern: str, flags: str) -> re.Pattern[str]:
    if unknown := sorted(set(flags) - set(_FLAGS)):
        raise ValueError(f"{source}: unknown flag {''.join(unknown)} (valid: {', '.join(_FLAGS)})")
    try:
        return re.compile(pattern, sum(_FLAGS[flag] for flag in set(flags)))
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"{source} is not a valid regex: {error}") from error


class EventTypeMatcher:
    """Matches the given events; without any, nothing. Raises ValueError for an unknown event."""

    def __init__(self, *events: HookEvent) -> None:
        self.events = tuple(map(HookEvent, events))

    def matches(self, context: HookContext[Any]) -> bool:
        return context.event in self.events

    def __str__(self) -> str:
        return f"event {' or '.join(self.events) or '(none)'}"


class CompositeMatcher:
    """Combines matchers: `all_of`, true if empty, or `any_of`, false if empty. A string is a tool-name pattern."""

    def __init__(self, matchers: tuple[HookMatcher | str, ...], *, every: bool) -> None:
        self.matchers = tuple(map(as_matcher, matchers))
        self.every = every

    @classmethod
    def all_of(cls, *matchers: HookMatcher | str) -> CompositeMatcher:
        return cls(matchers, every=True)

    @classmethod
    def any_of(cls, *matchers: HookMatcher | str) -> CompositeMatcher:
        return cls(matchers, every=False)

    def matches(self, context: HookContext[Any]) -> bool:
        """Evaluate the matchers in order until the result is known."""
        return (all if self.every else any)(evaluate(matcher, context) for matcher in self.matchers)

    def __str__(self) -> str:
        return f"({(' and ' if self.every else ' or ').join(map(str, self.matchers))})"


@dataclass(frozen=True, slots=True)
class CallableMatcher:
    """Matches contexts for which a plain function returns True. Raises TypeError if it does not return a bool."""

    function: Callable[[Any], bool]  # of the context, as in HookMatcher

    def __post_init__(self) -> None:
        check_matcher_function(self.function)

    def matches(self, context: HookContext[Any]) -> bool:
        return _checked_bool(self.function(context), self.function)

    def __str__(self) -> str:
        return f"{location_of(self.function).name}()"


def as_matcher(matcher: object) -> HookMatcher:
    """Return a matcher; a string is a tool-name pattern. Raises TypeError or ValueError for anything invalid."""
    if isinstance(matcher, str):
        return ToolNameMatcher(matcher)
    if inspect.isclass(matcher) or not isinstance(matcher, HookMatcher):
        raise TypeError(f"a matcher must be a tool-name pattern or an object with a `matches` method, not {matcher!r}")
    check_matcher_function(matcher.matches)
    return matcher


def evaluate(matcher: HookMatcher, context: HookContext[Any]) -> bool:
    """Whether a matcher matches. Raises TypeError if it does not return a bool."""
    return _checked_bool(matcher.matches(context), matcher)


def check_matcher_function(function: Callable[..., object]) -> None:
    """Raise TypeError for a function that does not take a context, or is async."""
    check_signature(function, "context")
    if is_async(function):
        raise TypeError(f"{location_of(function)} is async: matchers are not awaited, use a plain function")


def _checked_bool(result: object, matcher: object) -> bool:
    if not isinstance(result, bool):
        raise TypeError(f"{location_of(matcher)} returned {result!r}: a matcher returns True or False")
    return result


def may_match(matcher: object, event: HookEvent) -> bool:
    """Whether a matcher can match an event, as far as its type shows; matching nothing at all counts as intended."""
    if isinstance(matcher, CompositeMatcher):
        possible = (may_match(part, event) for part in matcher.matchers)
        return not matcher.matchers or (all if matcher.every else any)(possible)
    if isinstance(matcher, EventTypeMatcher):
        return not matcher.events or event in matcher.events
    return event.has_tool or not isinstance(matcher, ToolNameMatcher)


def needs_tool(matcher: HookMatcher | None) -> bool:
    """Whether a matcher needs a tool, and so never matches an event without one."""
    if isinstance(matcher, CompositeMatcher):
        parts = map(needs_tool, matcher.matchers)
        return any(parts) if matcher.every else bool(matcher.matchers) and all(parts)
    return isinstance(matcher, ToolNameMatcher)
