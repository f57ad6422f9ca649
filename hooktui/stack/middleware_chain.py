"""One event going through a chain of hooks and the action in its middle (formats.md §5, "order" to "exceptions")."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from hooktui.stack.callback_source import place_of
from hooktui.stack.callbacks import CallableHook, as_outcome, fits, settled
from hooktui.stack.outcomes import HookOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from hooktui.stack.callbacks import Hook
    from hooktui.stack.contexts import HookEvent
    from hooktui.stack.trace import Note, Trace


class Chain:
    """The hooks of one event, outermost first, and the action: what happens unless one of them prevents it."""

    def __init__(self, hooks: Sequence[Hook], event: HookEvent, terminal: Callable[[Any], Any], trace: Trace) -> None:
        self.event = event
        self.trace = trace
        self._hooks = hooks
        self._terminal = terminal

    async def run(self, context: Any, first: int = 0) -> HookOutcome[Any]:
        """Go through the hooks from the one at `first` on; those that take no `call_next` one after the other."""
        for place in range(first, len(self._hooks)):
            hook = self._hooks[place]
            with self.trace.run(place, context) as note:
                if isinstance(hook, CallableHook) and not hook.matches(context):
                    note.skip(hook.matcher)
                    continue
                if not isinstance(hook, CallableHook) or hook.takes_next or hook.has_own_handle:
                    return await self._around(hook, context, place, note)
                said = await hook.ask(context)
                note.end(said)
            if said.is_proceed:
                context = said.context
            elif not self.event.observe_only:
                return said
        return await self._act(context)

    async def _around(self, hook: Hook, context: Any, place: int, note: Note) -> HookOutcome[Any]:
        """Run a hook that goes on by itself."""
        rest = Rest(self, place + 1, hook, note)
        try:
            call = hook.callback if isinstance(hook, CallableHook) and not hook.has_own_handle else hook.handle
            said = await settled(call(context, rest))
        finally:
            forgotten = rest.close()
        if forgotten:
            raise TypeError(f"{place_of(hook)} called call_next and did not wait for it: use `await call_next(context)`")
        outcome = as_outcome(said, hook, context)
        note.end(outcome)
        if self.event.observe_only and not rest.begun:
            return await self.run(outcome.context or context, place + 1)
        return self._heeded(outcome, rest.reached or context)

    async def _act(self, context: Any) -> HookOutcome[Any]:
        with self.trace.act(context):
            said = await settled(self._terminal(context))
            outcome = HookOutcome.proceed(context) if said is None else as_outcome(said, self._terminal, context)
        return self._heeded(outcome, context)

    def _heeded(self, outcome: HookOutcome[Any], context: Any) -> HookOutcome[Any]:
        """An outcome as it is obeyed; to proceed without a context is to do so with the one there is."""
        goes_on = outcome.is_proceed or self.event.observe_only
        return HookOutcome.proceed(outcome.context or context) if goes_on else outcome


class Rest:
    """The rest of a chain as a hook gets it: `call_next`. It may be called again."""

    def __init__(self, chain: Chain, place: int, hook: Hook, note: Note) -> None:
        self.trace, self.note = chain.trace, note  # for a hook that has more to tell than its outcome
        self.begun: list[Coroutine[Any, Any, HookOutcome[Any]]] = []
        self.reached: Any = None  # the context with which the last of them proceeded
        self._chain = chain
        self._place = place
        self._hook = hook

    def __call__(self, context: Any) -> Coroutine[Any, Any, HookOutcome[Any]]:
        """Go on with a context of the same event."""
        event = self._chain.event
        if not fits(context, event):
            raise TypeError(f"{place_of(self._hook)} called call_next with {context!r}, which is no context of {event}")
        self.begun.append(self._go(context))
        return self.begun[-1]

    async def _go(self, context: Any) -> HookOutcome[Any]:
        with self.note.away(context) as away:
            outcome = await self._chain.run(context, self._place)
            away.end(outcome)
        self.reached = outcome.context or self.reached
        return outcome

    def close(self) -> bool:
        """Whether a call has not ended: one that has not begun never will, one that runs in a task of its own goes on."""
        states = [inspect.getcoroutinestate(going) for going in self.begun]
        for going, state in zip(self.begun, states, strict=True):
            if state == inspect.CORO_CREATED:
                going.close()
        return any(state != inspect.CORO_CLOSED for state in states)
