"""When a hook runs, beside its event (formats.md §5; seed 002, "Matchers")."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from hooktui.stack.callback_source import is_async, place_of
from hooktui.stack.contexts import HookContext, HookEvent, ToolHookContext
from hooktui.stack.signatures import checked

if TYPE_CHECKING:
    from collections.abc import Callable

_REGEX = re.compile(r"/(?P<pattern>.*)/(?P<flags>[A-Za-z]*)", re.DOTALL)
_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}


@runtime_checkable
class HookMatcher(Protocol):
    """Whether a hook wants a moment."""

    def matches(self, context: Any) -> bool:
        """Decided anew for every event; the context is of an event that the hook is registered for."""


class ToolNameMatcher:
    """Matches a tool by name: `*` is all, `/re/` (flags i, m, s) searches, `read_*` is a wildcard, anything else is exact.

    Raises ValueError for a regex that is none; a context without a tool never matches.
    """

    def __init__(self, pattern: str) -> None:
        if not isinstance(pattern, str):
            raise TypeError(f"a tool-name pattern is a text, not {pattern!r}")
        self.pattern = pattern
        self._finds = _compiled(pattern)

    def matches(self, context: HookContext[Any]) -> bool:
        """Whether the context's tool has such a name."""
        return isinstance(context, ToolHookContext) and self._finds(context.tool_call.name)

    def __str__(self) -> str:
        return f"tool {self.pattern}"


def _compiled(pattern: str) -> Callable[[str], bool]:
    if found := _REGEX.fullmatch(pattern):
        regex = _regex(pattern, found["pattern"], found["flags"])
        return lambda name: regex.search(name) is not None
    if "*" in pattern:
        wildcard = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
        return lambda name: wildcard.fullmatch(name) is not None
    return pattern.__eq__


def _regex(written: str, pattern: str, flags: str) -> re.Pattern[str]:
    if unknown := sorted(set(flags) - set(_FLAGS)):
        raise ValueError(f"{written}: unknown flag {''.join(unknown)}; there are {', '.join(_FLAGS)}")
    try:
        return re.compile(pattern, sum(_FLAGS[flag] for flag in set(flags)))
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"{written} is no valid regex: {error}") from error


class EventTypeMatcher:
    """Matches some events; none of them, nothing. Raises ValueError for an event that there is not."""

    def __init__(self, *events: HookEvent) -> None:
        self.events = tuple(map(HookEvent, events))

    def matches(self, context: HookContext[Any]) -> bool:
        """Whether the context is of one of the events."""
        return context.event in self.events

    def __str__(self) -> str:
        return f"event {' or '.join(self.events) or '(none)'}"


class CompositeMatcher:
    """Several matchers taken together: `all_of`, true when there are none, or `any_of`, false then. A text is a tool's name."""

    def __init__(self, matchers: tuple[HookMatcher | str, ...], *, every: bool) -> None:
        self.matchers = tuple(map(as_matcher, matchers))
        self.every = every

    @classmethod
    def all_of(cls, *matchers: HookMatcher | str) -> CompositeMatcher:
        """Every one of them must match."""
        return cls(matchers, every=True)

    @classmethod
    def any_of(cls, *matchers: HookMatcher | str) -> CompositeMatcher:
        """One of them must match."""
        return cls(matchers, every=False)

    def matches(self, context: HookContext[Any]) -> bool:
        """Ask one after the other, until the answer is known."""
        return (all if self.every else any)(asked(matcher, context) for matcher in self.matchers)

    def __str__(self) -> str:
        return f"({(' and ' if self.every else ' or ').join(map(str, self.matchers))})"


@dataclass(frozen=True, slots=True)
class CallableMatcher:
    """Matches what a plain function says True to. Raises TypeError when it says anything but a bool."""

    function: Callable[[Any], bool]  # of the context, as in HookMatcher

    def __post_init__(self) -> None:
        answers_at_once(self.function)

    def matches(self, context: HookContext[Any]) -> bool:
        """Ask the function."""
        return _as_bool(self.function(context), self.function)

    def __str__(self) -> str:
        return f"{place_of(self.function).name}()"


def as_matcher(matcher: object) -> HookMatcher:
    """A matcher; a text is a tool-name pattern. Raises TypeError or ValueError for what can match nothing."""
    if isinstance(matcher, str):
        return ToolNameMatcher(matcher)
    if inspect.isclass(matcher) or not isinstance(matcher, HookMatcher):
        raise TypeError(f"a matcher is a tool-name pattern or an object with a method `matches`; {matcher!r} is neither")
    answers_at_once(matcher.matches)
    return matcher


def asked(matcher: HookMatcher, context: HookContext[Any]) -> bool:
    """What a matcher says. Raises TypeError when that is no bool."""
    return _as_bool(matcher.matches(context), matcher)


def answers_at_once(function: Callable[..., object]) -> None:
    """Raises TypeError for a function that cannot be asked about a context, or only be awaited."""
    checked(function, "context")
    if is_async(function):
        raise TypeError(f"{place_of(function)} is async: a matcher is never awaited, make it a plain function")


def _as_bool(said: object, sayer: object) -> bool:
    if not isinstance(said, bool):
        raise TypeError(f"{place_of(sayer)} returned {said!r}: a matcher returns True or False")
    return said


def may_match(matcher: object, event: HookEvent) -> bool:
    """Whether a matcher could match on an event, as far as its kind tells; one of nothing at all is meant so."""
    if isinstance(matcher, CompositeMatcher):
        asking = (may_match(one, event) for one in matcher.matchers)
        return not matcher.matchers or (all if matcher.every else any)(asking)
    if isinstance(matcher, EventTypeMatcher):
        return not matcher.events or event in matcher.events
    return event.has_tool or not isinstance(matcher, ToolNameMatcher)


def needs_tool(matcher: HookMatcher | None) -> bool:
    """Whether a matcher asks for a tool's name, and so can never match on an event without a tool."""
    if isinstance(matcher, CompositeMatcher):
        asking = map(needs_tool, matcher.matchers)
        return any(asking) if matcher.every else bool(matcher.matchers) and all(asking)
    return isinstance(matcher, ToolNameMatcher)
