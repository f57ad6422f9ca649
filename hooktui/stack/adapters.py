"""Other components as hooks (seed 002, "Backward Compatibility")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Literal

from hooktui.stack.callback_source import place_of
from hooktui.stack.callbacks import CallableHook, settled
from hooktui.stack.context_matchers import EventTypeMatcher
from hooktui.stack.contexts import HookEvent, S
from hooktui.stack.outcomes import HookOutcome
from hooktui.stack.signatures import checked

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hooktui.stack.contexts import StepHookContext, StopHookContext

_STEPS = {"before": HookEvent.BEFORE_STEP, "after": HookEvent.AFTER_STEP}


class StateProcessorAdapter(CallableHook, Generic[S]):
    """`processor(state) -> state` as a hook of steps, before or after them. Raises TypeError when it returns no state."""

    def __init__(self, processor: Callable[[S], S | Awaitable[S]], position: Literal["before", "after"] = "after") -> None:
        checked(processor, "state")
        if position not in _STEPS:
            raise ValueError(f"{place_of(processor)}: the position is 'before' or 'after', not {position!r}")
        super().__init__(self._step, EventTypeMatcher(_STEPS[position]))
        self.__wrapped__ = self._processor = processor

    async def _step(self, context: StepHookContext[S]) -> StepHookContext[S]:
        state = await settled(self._processor(context.state))
        if state is None and context.state is not None:
            raise TypeError(f"{place_of(self)} returned None: a state processor returns the state, changed or not")
        return context.with_state(state)


class ContinuationCriteriaAdapter(CallableHook, Generic[S]):
    """`criterion(state) -> bool` as a hook on Stop: True keeps the agent going. Raises TypeError when it returns no bool."""

    def __init__(self, criterion: Callable[[S], bool | Awaitable[bool]]) -> None:
        checked(criterion, "state")
        super().__init__(self._stop, EventTypeMatcher(HookEvent.STOP))
        self.__wrapped__ = self._criterion = criterion

    async def _stop(self, context: StopHookContext[S]) -> HookOutcome[StopHookContext[S]]:
        goes_on = await settled(self._criterion(context.state))
        if not isinstance(goes_on, bool):
            raise TypeError(f"{place_of(self)} returned {goes_on!r}: a criterion returns True to go on, or False")
        return HookOutcome.block(f"{place_of(self).name} wants to go on") if goes_on else HookOutcome.proceed(context)
