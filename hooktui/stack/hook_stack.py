"""A stack of hooks, and one event on its way through them to the action (formats.md §5; seed 002)."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from hooktui.stack.callbacks import CallableHook, belongs_to, check_outcome, resolve
from hooktui.stack.contexts import HookContext
from hooktui.stack.introspection import check_signature, location_of
from hooktui.stack.outcomes import HookOutcome
from hooktui.stack.recording import NO_TRACE, RegisteredHook

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from hooktui.stack.callbacks import Hook
    from hooktui.stack.contexts import HookEvent
    from hooktui.stack.recording import Span, Trace
    from hooktui.stack.stack_recorder import Recorder

C = TypeVar("C", bound=HookContext[Any])
# The action that the hooks surround, plain or async; None means proceed.
Terminal = Callable[[C], HookOutcome[C] | Awaitable[HookOutcome[C] | None] | None]


class HookStack:
    """Hooks by priority, the highest outermost, ties in order of registration. Immutable: adding returns a new stack.

    `recorder` records every event that the stack processes.
    """

    def __init__(self, *, recorder: Recorder | None = None) -> None:
        self._recorder = recorder
        self._registered: tuple[RegisteredHook, ...] = ()
        self._hooks: tuple[Hook, ...] = ()

    def with_hook(self, hook: Hook, priority: int = 0) -> HookStack:
        """Return a stack with one more hook; the same hook added twice runs twice. Raises TypeError for an invalid hook."""
        if not callable(getattr(hook, "handle", None)):
            raise TypeError(f"{location_of(hook)} is not a Hook: it has no `handle`; wrap a function in CallableHook")
        if inspect.isclass(hook):
            raise TypeError(f"{location_of(hook)} is a class: register an instance")
        check_signature(hook.handle, "context, call_next")
        if isinstance(priority, bool) or not isinstance(priority, int):
            raise TypeError(f"{location_of(hook)}: priority must be an integer, not {priority!r}")
        stack = HookStack(recorder=self._recorder)
        registered = (*self._registered, RegisteredHook(hook, priority, location_of(hook)))
        stack._registered = tuple(sorted(registered, key=lambda entry: -entry.priority))
        stack._hooks = tuple(entry.hook for entry in stack._registered)
        return stack

    def with_all(self, hooks: Iterable[Hook | tuple[Hook, int]]) -> HookStack:
        """Return a stack with more hooks, each alone or with its priority."""
        stack = self
        for hook in hooks:
            stack = stack.with_hook(*hook) if isinstance(hook, tuple) else stack.with_hook(hook)
        return stack

    @property
    def names(self) -> tuple[str, ...]:
        """The qualified names of the hooks, outermost first."""
        return tuple(entry.location.name for entry in self._registered)

    def __len__(self) -> int:
        return len(self._registered)

    async def process(self, context: C, terminal: Terminal[C]) -> HookOutcome[C]:
        """Send an event through the hooks to the action and return the outcome. Exceptions propagate."""
        trace = self._recorder.begin(self._registered, context) if self._recorder else NO_TRACE
        with trace:
            outcome = await Chain(self._hooks, context.event, terminal, trace).run(context)
            trace.end(outcome)
        return outcome


class Chain:
    """The hooks of one event, outermost first, and the action."""

    def __init__(self, hooks: Sequence[Hook], event: HookEvent, terminal: Callable[[Any], Any], trace: Trace) -> None:
        self.event = event
        self.trace = trace
        self._hooks = hooks
        self._terminal = terminal

    async def run(self, context: Any, first: int = 0) -> HookOutcome[Any]:
        """Run the hooks from position `first` on, then the action; hooks without `call_next` run in this loop."""
        for position in range(first, len(self._hooks)):
            hook = self._hooks[position]
            with self.trace.hook_span(position, context) as span:
                if isinstance(hook, CallableHook) and not hook.matches(context):
                    span.skip(hook.matcher)
                    continue
                if not isinstance(hook, CallableHook) or hook.takes_next or hook.has_own_handle:
                    return await self._wrap(hook, context, position, span)
                outcome = await hook.call(context)
                span.end(outcome)
            if outcome.is_proceed:
                context = outcome.context
            elif not self.event.observe_only:
                return outcome
        return await self._act(context)

    async def _wrap(self, hook: Hook, context: Any, position: int, span: Span) -> HookOutcome[Any]:
        """Run a hook that calls the rest of the chain itself."""
        call_next = NextCall(self, position + 1, hook, span)
        try:
            handle = hook.callback if isinstance(hook, CallableHook) and not hook.has_own_handle else hook.handle
            result = await resolve(handle(context, call_next))
        finally:
            unawaited = call_next.close()
        if unawaited:
            raise TypeError(f"{location_of(hook)} did not await call_next: use `await call_next(context)`")
        outcome = check_outcome(result, hook, context)
        span.end(outcome)
        if self.event.observe_only and not call_next.coroutines:
            return await self.run(outcome.context or context, position + 1)
        return self._effective(outcome, call_next.reached or context)

    async def _act(self, context: Any) -> HookOutcome[Any]:
        with self.trace.action_span(context):
            result = await resolve(self._terminal(context))
            outcome = HookOutcome.proceed(context) if result is None else check_outcome(result, self._terminal, context)
        return self._effective(outcome, context)

    def _effective(self, outcome: HookOutcome[Any], context: Any) -> HookOutcome[Any]:
        """The outcome that takes effect; a proceeding one carries a context."""
        proceeds = outcome.is_proceed or self.event.observe_only
        return HookOutcome.proceed(outcome.context or context) if proceeds else outcome


class NextCall:
    """The `call_next` of a hook: runs the rest of the chain, any number of times."""

    def __init__(self, chain: Chain, position: int, hook: Hook, span: Span) -> None:
        self.trace, self.span = chain.trace, span  # for FileHooks, which records more than its outcome
        self.coroutines: list[Coroutine[Any, Any, HookOutcome[Any]]] = []
        self.reached: Any = None  # the context of the last proceeding outcome
        self._chain = chain
        self._position = position
        self._hook = hook

    def __call__(self, context: Any) -> Coroutine[Any, Any, HookOutcome[Any]]:
        """Return the coroutine that runs the rest of the chain with a context of the same event."""
        event = self._chain.event
        if not belongs_to(context, event):
            raise TypeError(f"{location_of(self._hook)} called call_next with {context!r}, which is not a {event} context")
        self.coroutines.append(self._run(context))
        return self.coroutines[-1]

    async def _run(self, context: Any) -> HookOutcome[Any]:
        with self.span.next_span(context) as span:
            outcome = await self._chain.run(context, self._position)
            span.end(outcome)
        self.reached = outcome.context or self.reached
        return outcome

    def close(self) -> bool:
        """Whether a call has not finished. Calls that have not begun are closed; calls in a task of their own go on."""
        states = [inspect.getcoroutinestate(coroutine) for coroutine in self.coroutines]
        for coroutine, state in zip(self.coroutines, states, strict=True):
            if state == inspect.CORO_CREATED:
                coroutine.close()
        return any(state != inspect.CORO_CLOSED for state in states)
