"""Functions and components as hooks: checked at registration, their return values interpreted (formats.md §5)."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, runtime_checkable

from hooktui.stack.context_matchers import EventTypeMatcher, as_matcher, check_matcher_function, evaluate
from hooktui.stack.contexts import HookContext, HookEvent, S, ToolCall, ToolExecution
from hooktui.stack.introspection import accepts, check_signature, location_of
from hooktui.stack.outcomes import HookOutcome

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from hooktui.stack.context_matchers import HookMatcher
    from hooktui.stack.contexts import StepHookContext, StopHookContext

    K = TypeVar("K", bound=HookContext[Any], default=HookContext[Any])
    R = TypeVar("R", default=Any)
else:
    from typing import TypeVar

    K, R = TypeVar("K"), TypeVar("R")

# Runs the inner hooks and the action: `await call_next(context)`.
CallNext = Callable[[K], Awaitable[HookOutcome[K]]]
# A function of the context, or one that also controls the rest of the chain.
Callback = Callable[[K], R | Awaitable[R | None] | None] | Callable[[K, CallNext[K]], HookOutcome | Awaitable[HookOutcome]]

_RETURNS = "a HookOutcome, its context or None"
_RETURNS_BY_EVENT = {
    HookEvent.PRE_TOOL_USE: "a HookOutcome, a ToolCall, its context or None",
    HookEvent.POST_TOOL_USE: "a HookOutcome, a ToolExecution, its context or None",
}
_STEP_EVENTS = {"before": HookEvent.BEFORE_STEP, "after": HookEvent.AFTER_STEP}


@runtime_checkable
class Hook(Protocol):
    """What a stack runs. Return an outcome, or `return await call_next(context)` to continue."""

    async def handle(self, context: Any, call_next: CallNext[Any]) -> HookOutcome[Any]:
        """Handle an event."""


class CallableHook:
    """A function as a hook: it takes (context), or (context, call_next) to control the chain; plain or async.

    `matcher` limits the contexts that it runs on; a string is a tool-name pattern. An invalid function or matcher raises
    TypeError or ValueError with a message that names the function.
    """

    def __init__(
        self,
        callback: Callback[Any, HookOutcome | HookContext[Any] | ToolCall | ToolExecution],
        matcher: HookMatcher | str | None = None,
    ) -> None:
        self.takes_next = _takes_next(callback)
        check_matcher_function(self.matches)
        self.has_own_handle = type(self).handle is not CallableHook.handle
        self.matcher = _matcher(callback, matcher)
        self.callback: Callable[..., Any] = callback
        self.__wrapped__: object = callback  # errors and the log name its location

    def matches(self, context: HookContext[Any]) -> bool:
        return self.matcher is None or evaluate(self.matcher, context)

    async def handle(self, context: Any, call_next: CallNext[Any]) -> HookOutcome[Any]:
        """Run the function if its matcher matches, then the rest of the chain unless the function decided otherwise."""
        if not self.matches(context):
            return await call_next(context)
        if self.takes_next:
            return check_outcome(await resolve(self.callback(context, call_next)), self, context)
        outcome = await self.call(context)
        return await call_next(outcome.context) if outcome.is_proceed else outcome

    async def call(self, context: Any) -> HookOutcome[Any]:
        """Call a function of (context); a proceeding outcome always carries the context for the next hook."""
        result = await resolve(self.callback(context))
        event = context.event
        if result is None:
            return HookOutcome.proceed(context)
        if isinstance(result, HookOutcome):
            keeps_context = result.is_proceed and result.context is None
            return HookOutcome.proceed(context) if keeps_context else check_outcome(result, self, context)
        if isinstance(result, ToolCall) and event is HookEvent.PRE_TOOL_USE:
            return HookOutcome.proceed(context.with_tool_call(result))
        if isinstance(result, ToolExecution) and event is HookEvent.POST_TOOL_USE:
            return HookOutcome.proceed(context.with_execution(result))
        if belongs_to(result, event):
            return HookOutcome.proceed(result)
        expected = _RETURNS_BY_EVENT.get(event, _RETURNS)
        raise TypeError(f"{location_of(self)} returned {result!r}: a hook on {event} returns {expected}")


async def resolve(value: Any) -> Any:
    """Await a value until it is no longer awaitable."""
    while inspect.isawaitable(value):
        value = await value
    return value


def belongs_to(context: object, event: HookEvent) -> bool:
    """Whether a value is a context of an event."""
    return isinstance(context, HookContext) and context.event is event


def check_outcome(result: object, source: object, context: HookContext[Any]) -> HookOutcome[Any]:
    """Return the outcome of a hook or the action. Raises TypeError if it is not a valid outcome for the event."""
    if not isinstance(result, HookOutcome):
        raise TypeError(f"{location_of(source)} returned {result!r}: it must return a HookOutcome")
    if result.context is not None and not belongs_to(result.context, context.event):
        raise TypeError(f"{location_of(source)} proceeds with {result.context!r}, which is not a {context.event} context")
    return result


def _takes_next(callback: Any) -> bool:
    """Whether a function takes (context, call_next). Raises TypeError for an invalid hook function."""
    if not callable(callback) and hasattr(callback, "handle"):
        raise TypeError(f"{location_of(callback)} is a Hook: register it with add_hook or with_hook")
    signature = check_signature(callback, "context", "context, call_next")
    if signature is None:
        return False
    return not accepts(signature, 1) or ("call_next" in signature.parameters and accepts(signature, 2))


def _matcher(callback: object, matcher: object) -> HookMatcher | None:
    try:
        return None if matcher is None else as_matcher(matcher)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{location_of(callback)}: {error}") from error


# Adapters (seed 002, "Backward Compatibility") --------------------------------------------------------------------------------


class StateProcessorAdapter(CallableHook, Generic[S]):
    """Runs `processor(state) -> state` as a hook before or after each step. Raises TypeError if it returns no state."""

    def __init__(self, processor: Callable[[S], S | Awaitable[S]], position: Literal["before", "after"] = "after") -> None:
        check_signature(processor, "state")
        if position not in _STEP_EVENTS:
            raise ValueError(f"{location_of(processor)}: position must be 'before' or 'after', not {position!r}")
        super().__init__(self._process_state, EventTypeMatcher(_STEP_EVENTS[position]))
        self.__wrapped__ = self._processor = processor

    async def _process_state(self, context: StepHookContext[S]) -> StepHookContext[S]:
        state = await resolve(self._processor(context.state))
        if state is None and context.state is not None:
            raise TypeError(f"{location_of(self)} returned None: a state processor returns the state, changed or not")
        return context.with_state(state)


class ContinuationCriteriaAdapter(CallableHook, Generic[S]):
    """Runs `criterion(state) -> bool` as a Stop hook: True makes the agent continue. Raises TypeError if it returns no bool."""

    def __init__(self, criterion: Callable[[S], bool | Awaitable[bool]]) -> None:
        check_signature(criterion, "state")
        super().__init__(self._check_criterion, EventTypeMatcher(HookEvent.STOP))
        self.__wrapped__ = self._criterion = criterion

    async def _check_criterion(self, context: StopHookContext[S]) -> HookOutcome[StopHookContext[S]]:
        continues = await resolve(self._criterion(context.state))
        if not isinstance(continues, bool):
            raise TypeError(f"{location_of(self)} returned {continues!r}: a criterion returns True to continue, or False")
        return HookOutcome.block(f"{location_of(self).name}: not finished") if continues else HookOutcome.proceed(context)
