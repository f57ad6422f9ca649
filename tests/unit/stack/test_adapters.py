"""Adapters of other components (formats.md §5)."""

from __future__ import annotations

from typing import Any

import pytest

from hooktui.stack import (
    AgentHooks,
    ContinuationCriteriaAdapter,
    HookEvent,
    HookStack,
    StateProcessorAdapter,
    StepHookContext,
    StopHookContext,
)

NAMED = r"guard \(.*test_adapters.py:\d+\)"


def guard(state: Any) -> Any:
    return state


async def later(state: Any) -> Any:
    return state


@pytest.mark.parametrize("position", ["before", "after"])
async def test_state_processor_is_a_step_hook_before_or_after(position: Any) -> None:
    hooks = HookStack().with_hook(StateProcessorAdapter(lambda state: state + 1, position))
    before = await hooks.process(StepHookContext.before(0, 1), lambda _context: None)
    after = await hooks.process(StepHookContext.after(0, "step", 1), lambda _context: None)
    assert before.context
    assert after.context
    assert (before.context.state, after.context.state) == ((2, 1) if position == "before" else (1, 2))


async def test_state_processor_works_after_a_step_by_default_and_may_be_async() -> None:
    async def count(state: int) -> int:
        return state + 1

    outcome = await HookStack().with_hook(StateProcessorAdapter(count)).process(StepHookContext.after(0, 0, 1), lambda _: None)
    assert outcome.context
    assert outcome.context.state == 2


@pytest.mark.parametrize("goes_on", [True, False])
async def test_true_criterion_blocks_the_stop(goes_on: bool) -> None:
    hooks = AgentHooks[bool]().add_hook(HookEvent.STOP, ContinuationCriteriaAdapter(lambda state: state))
    outcome = await hooks.process(StopHookContext.stop("done", goes_on), lambda _context: None)
    assert outcome.is_blocked is goes_on


async def test_criterion_must_return_a_bool() -> None:
    stack = HookStack().with_hook(ContinuationCriteriaAdapter(guard))
    with pytest.raises(TypeError, match=rf"{NAMED} returned 'yes': a criterion returns True to continue, or False"):
        await stack.process(StopHookContext.stop("x", "yes"), lambda _: None)


def test_invalid_position_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=rf"{NAMED}: position must be 'before' or 'after', not 'during'"):
        StateProcessorAdapter(guard, "during")  # type: ignore[arg-type]


async def test_state_processor_must_return_the_state() -> None:
    def guard(_state: object) -> None:
        """Return nothing."""

    stack = HookStack().with_hook(StateProcessorAdapter(guard))
    with pytest.raises(TypeError, match=rf"{NAMED} returned None: a state processor returns the state"):
        await stack.process(StepHookContext.after(0, 0, {"calls": 1}), lambda _: None)
    assert (await stack.process(StepHookContext.after(0, 0), lambda _: None)).is_proceed


@pytest.mark.parametrize("adapter", [StateProcessorAdapter, ContinuationCriteriaAdapter])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (5, r"5 is not a function that takes \(state\)"),
        (lambda: True, r"<lambda> \(.*\) must take \(state\), not \(\)"),
        (later, r"later\(…\) is a coroutine, which is never awaited"),
    ],
)
def test_invalid_function_is_a_type_error(adapter: Any, wrong: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        adapter(wrong(1) if wrong is later else wrong)


@pytest.mark.parametrize(
    ("adapter", "event"),
    [
        (ContinuationCriteriaAdapter(guard), HookEvent.PRE_TOOL_USE),
        (ContinuationCriteriaAdapter(guard), HookEvent.SUBAGENT_STOP),
        (StateProcessorAdapter(guard, "after"), HookEvent.BEFORE_STEP),
        (StateProcessorAdapter(guard, "before"), HookEvent.AFTER_STEP),
    ],
)
def test_adapter_on_a_wrong_event_is_a_value_error(adapter: Any, event: HookEvent) -> None:
    with pytest.raises(ValueError, match=rf"{NAMED} would never run on {event}: its matcher requires event"):
        AgentHooks().add_hook(event, adapter)
