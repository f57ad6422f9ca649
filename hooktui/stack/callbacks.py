"""Functions as hooks: checked when they are registered; what they return, read (formats.md §5, "a one-argument callback")."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from hooktui.stack.callback_source import place_of
from hooktui.stack.context_matchers import answers_at_once, as_matcher, asked
from hooktui.stack.contexts import HookContext, HookEvent, ToolCall, ToolExecution
from hooktui.stack.outcomes import HookOutcome
from hooktui.stack.signatures import binds, checked, returned

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from hooktui.stack.context_matchers import HookMatcher

    K = TypeVar("K", bound=HookContext[Any], default=HookContext[Any])
    R = TypeVar("R", default=Any)
else:
    from typing import TypeVar

    K, R = TypeVar("K"), TypeVar("R")

# How a hook goes on to the later ones and the action: `await call_next(context)`.
CallNext = Callable[[K], Awaitable[HookOutcome[K]]]
# A function that says something about a moment, or controls what comes after it.
Callback = Callable[[K], R | Awaitable[R | None] | None] | Callable[[K, CallNext[K]], HookOutcome | Awaitable[HookOutcome]]

# What functions return that mean to say something and will not be understood.
_NO_ANSWERS = {
    "Dict", "FrozenSet", "List", "Literal", "Set", "Tuple", "bool", "bytes", "dict", "float", "frozenset", "int", "list", "set",
    "str", "tuple",
}  # fmt: skip


@runtime_checkable
class Hook(Protocol):
    """What a stack runs. Raise, return an outcome, or `return await call_next(context)` to go on."""

    async def handle(self, context: Any, call_next: CallNext[Any]) -> HookOutcome[Any]:
        """React to a moment."""


class CallableHook:
    """A function as a hook: it takes (context), or (context, call_next) to control the chain; plain or async.

    `matcher`: when it runs; a text is a tool-name pattern. Raises TypeError or ValueError, with a sentence that names the
    function, for what cannot work.
    """

    def __init__(
        self,
        callback: Callback[Any, HookOutcome | HookContext[Any] | ToolCall | ToolExecution],
        matcher: HookMatcher | str | None = None,
    ) -> None:
        self.takes_next = _takes_next(callback)
        answers_at_once(self.matches)
        self.has_own_handle = type(self).handle is not CallableHook.handle
        self.matcher = _matcher(callback, matcher)
        self.callback: Callable[..., Any] = callback
        self.__wrapped__: object = callback  # whose place it has

    def matches(self, context: HookContext[Any]) -> bool:
        """Whether it wants this moment."""
        return self.matcher is None or asked(self.matcher, context)

    async def handle(self, context: Any, call_next: CallNext[Any]) -> HookOutcome[Any]:
        """Run the function if its matcher wants it, and go on unless it blocks, stops or goes on by itself."""
        if not self.matches(context):
            return await call_next(context)
        if self.takes_next:
            return as_outcome(await settled(self.callback(context, call_next)), self, context)
        said = await self.ask(context)
        return await call_next(said.context) if said.is_proceed else said

    async def ask(self, context: Any) -> HookOutcome[Any]:
        """Run a function that takes the context alone; a proceeding outcome always carries the context to go on with."""
        said = await settled(self.callback(context))
        event = context.event
        if said is None:
            return HookOutcome.proceed(context)
        if isinstance(said, HookOutcome):
            return HookOutcome.proceed(context) if said.is_proceed and said.context is None else as_outcome(said, self, context)
        if isinstance(said, ToolCall) and event is HookEvent.PRE_TOOL_USE:
            return HookOutcome.proceed(context.with_tool_call(said))
        if isinstance(said, ToolExecution) and event is HookEvent.POST_TOOL_USE:
            return HookOutcome.proceed(context.with_execution(said))
        if fits(said, event):
            return HookOutcome.proceed(said)
        raise TypeError(f"{place_of(self)} returned {said!r}: on {event} a hook returns {_ANSWERS.get(event, _ANSWER)}")


_ANSWER = "a HookOutcome, its context or None"
_ANSWERS = {
    HookEvent.PRE_TOOL_USE: "a HookOutcome, a ToolCall, its context or None",
    HookEvent.POST_TOOL_USE: "a HookOutcome, a ToolExecution, its context or None",
}


async def settled(value: Any) -> Any:
    """A value that may have to be awaited, once or more often."""
    while inspect.isawaitable(value):
        value = await value
    return value


def fits(context: object, event: HookEvent) -> bool:
    """Whether something is a context of an event."""
    return isinstance(context, HookContext) and context.event is event


def as_outcome(said: object, sayer: object, context: HookContext[Any]) -> HookOutcome[Any]:
    """What a hook or the action in the middle returned; raises TypeError when it is no outcome for this moment."""
    if not isinstance(said, HookOutcome):
        raise TypeError(f"{place_of(sayer)} returned {said!r}: it must return a HookOutcome")
    if said.context is not None and not fits(said.context, context.event):
        raise TypeError(f"{place_of(sayer)} proceeds with {said.context!r}, which is no context of {context.event}")
    return said


def _takes_next(callback: Any) -> bool:
    """Whether a function takes (context, call_next). Raises TypeError for one that cannot be a hook."""
    if not callable(callback) and hasattr(callback, "handle"):
        raise TypeError(f"{place_of(callback)} is a Hook: register it with add_hook or with_hook")
    signature = checked(callback, "context", "context, call_next")
    if signature is None:
        return False
    is_decorated = hasattr(callback, "__wrapped__")  # then what it says is said of the function within
    if not is_decorated and (wrong := returned(signature) & _NO_ANSWERS):
        said = ", ".join(sorted(wrong))
        raise TypeError(f"{place_of(callback)} returns {said}: a hook returns {_ANSWER}, say HookOutcome.block(reason)")
    return not binds(signature, 1) or ("call_next" in signature.parameters and binds(signature, 2))


def _matcher(callback: object, matcher: object) -> HookMatcher | None:
    try:
        return None if matcher is None else as_matcher(matcher)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{place_of(callback)}: {error}") from error
