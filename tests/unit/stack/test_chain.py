"""An event in a stack: order of hooks, changes, ending the chain (formats.md §5)."""

from __future__ import annotations

from typing import Any

import pytest

from hooktui.stack import (
    AgentHooks,
    CallableHook,
    CallNext,
    ExecutionHookContext,
    FailureHookContext,
    HookContext,
    HookOutcome,
    HookStack,
    StepHookContext,
    StopHookContext,
    ToolCall,
    ToolExecution,
    ToolHookContext,
)
from tests.unit.stack.call_log import Log, fail

CALL = ToolCall("bash", {"command": "ls"})
BEFORE = ToolHookContext.before(CALL)
STOP = StopHookContext.stop("done")


async def test_highest_priority_is_outermost(log: Log) -> None:
    stack = HookStack().with_hook(log.around("low"), -100).with_hook(log.around("high"), 100).with_hook(log.around("usual"))
    await stack.process(BEFORE, log.act)
    assert log == ["before high", "before usual", "before low", "action", "after low", "after usual", "after high"]


async def test_ties_run_in_order_of_registration(log: Log) -> None:
    stack = HookStack().with_all([log.plain("a"), (log.plain("first"), 1), log.plain("b"), (log.plain("c"), 0)])
    await stack.process(BEFORE, log.act)
    assert log == ["first", "a", "b", "c", "action"]


async def test_same_hook_added_twice_runs_twice(log: Log) -> None:
    hook = log.plain("twice")
    stack = HookStack().with_all([hook, hook])
    await stack.process(BEFORE, log.act)
    assert (len(stack), log) == (2, ["twice", "twice", "action"])


def test_stack_is_immutable(log: Log) -> None:
    empty = HookStack()
    one = empty.with_hook(log.plain("a"))
    assert (len(empty), len(one), len(one.with_all([]))) == (0, 1, 1)


async def test_hooks_of_other_events_do_not_run(log: Log) -> None:
    hooks = AgentHooks().on_stop(lambda _context: HookOutcome.block("no"))
    assert (await hooks.process(BEFORE, log.act)).is_proceed
    assert log == ["action"]


# Return values of callbacks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, HookOutcome.proceed(), HookOutcome.proceed(BEFORE)])
async def test_none_and_proceed_continue(log: Log, value: Any) -> None:
    assert (await HookStack().with_hook(log.plain("a", value)).process(BEFORE, log.act)).is_proceed
    assert log == ["a", "action"]


async def test_plain_and_async_callbacks_and_actions_are_equivalent() -> None:
    async def later(_context: ToolHookContext) -> ToolCall:
        return ToolCall("later")

    async def act(context: ToolHookContext) -> HookOutcome[ToolHookContext]:
        return HookOutcome.proceed(context)

    for callback in (later, lambda _context: ToolCall("later"), lambda context: later(context)):
        outcome = await AgentHooks().on_before_tool_use(callback).process(BEFORE, act)
        assert outcome.context
        assert outcome.context.tool_call.name == "later"


async def test_tool_call_replaces_what_later_hooks_and_the_action_see() -> None:
    seen: list[object] = []
    hooks = AgentHooks()
    hooks.on_before_tool_use(lambda _context: ToolCall("sh", {"command": "ls -l"}), priority=1)
    hooks.on_before_tool_use(lambda context: seen.append(context.tool_call.args), matcher="sh")
    outcome = await hooks.process(BEFORE, lambda context: seen.append(context.tool_call))
    assert seen == [{"command": "ls -l"}, ToolCall("sh", {"command": "ls -l"})]
    assert outcome.context
    assert outcome.context.tool_call.name == "sh"


async def test_tool_execution_replaces_the_result() -> None:
    hooks = AgentHooks().on_after_tool_use(lambda context: ToolExecution(context.tool_call, "shorter"))
    outcome = await hooks.process(ToolHookContext.after(CALL, ToolExecution(CALL, "long")), lambda _context: None)
    assert outcome.context
    assert outcome.context.execution == ToolExecution(CALL, "shorter")


@pytest.mark.parametrize("wrapped", [False, True])
async def test_context_replaces_what_later_hooks_and_the_action_see(wrapped: bool) -> None:
    def change(context: StepHookContext[int]) -> HookOutcome | StepHookContext[int]:
        changed = context.with_state(context.state + 1)
        return HookOutcome.proceed(changed) if wrapped else changed

    hooks = AgentHooks[int]().on_before_step(change).on_before_step(change)
    outcome = await hooks.process(StepHookContext.before(0, 40), lambda _context: None)
    assert outcome.context
    assert outcome.context.state == 42


@pytest.mark.parametrize(
    ("context", "value"),
    [
        (BEFORE, True),
        (BEFORE, False),
        (BEFORE, "no"),
        (BEFORE, ToolExecution(CALL)),
        (BEFORE, STOP),
        (BEFORE, HookOutcome.proceed(STOP)),
        (BEFORE, HookOutcome.proceed("context")),  # type: ignore[arg-type]
        (BEFORE, ToolHookContext.after(CALL, ToolExecution(CALL))),
        (ToolHookContext.after(CALL, ToolExecution(CALL)), CALL),
        (STOP, CALL),
        (StepHookContext.before(0), 5),
    ],
)
async def test_invalid_return_value_is_a_type_error_that_names_the_callback(log: Log, context: HookContext, value: Any) -> None:
    with pytest.raises(TypeError, match=r"Log.plain.<locals>.plain \(.*call_log.py:\d+\)"):
        await HookStack().with_hook(log.plain("wrong", value)).process(context, log.act)
    assert log == ["wrong"]


# Block, stop, and the chain ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [HookOutcome.block("no"), HookOutcome.stop("enough")])
@pytest.mark.parametrize("context", [BEFORE, STOP, StepHookContext.after(0, None), ExecutionHookContext.start()])
async def test_block_and_stop_prevent_later_hooks_and_the_action(log: Log, value: HookOutcome, context: HookContext) -> None:
    stack = HookStack().with_all([log.around("outer"), log.plain("guard", value), log.plain("later")])
    assert await stack.process(context, log.act) == value
    assert log == ["before outer", "guard", "after outer"]


async def test_outer_hook_sees_and_can_change_the_inner_outcome(log: Log) -> None:
    async def lenient(context: ToolHookContext, call_next: CallNext[ToolHookContext]) -> HookOutcome:
        inner = await call_next(context)
        assert (inner.is_blocked, inner.reason) == (True, "no")
        return HookOutcome.proceed(context)

    stack = HookStack().with_hook(CallableHook(lenient), 1).with_hook(log.plain("strict", HookOutcome.block("no")))
    assert (await stack.process(BEFORE, log.act)).is_proceed


async def test_proceeding_without_a_context_keeps_the_current_one() -> None:
    async def outer(context: HookContext, call_next: CallNext) -> HookOutcome:
        await call_next(context)
        return HookOutcome.proceed()

    stack = HookStack().with_all([CallableHook(outer), CallableHook(lambda context: context.with_state("changed"))])
    outcome = await stack.process(BEFORE, lambda _context: HookOutcome.proceed())
    assert outcome == HookOutcome.proceed(BEFORE.with_state("changed"))


async def test_outcome_of_the_action_is_returned() -> None:
    assert (await HookStack().process(BEFORE, lambda _context: HookOutcome.stop("budget"))).reason == "budget"
    assert (await HookStack().process(BEFORE, lambda _context: None)).is_proceed


async def test_invalid_return_value_of_the_action_is_a_type_error(log: Log) -> None:
    def act(_context: object) -> Any:
        return True

    with pytest.raises(TypeError, match=r"act \(.*test_chain.py:\d+\) returned True"):
        await HookStack().with_hook(log.plain("a")).process(BEFORE, act)


# Events that can only be observed ---------------------------------------------------------------------------------------------

OBSERVED = [ExecutionHookContext.end(), FailureHookContext(ValueError("no"))]
observe_only = pytest.mark.parametrize("context", OBSERVED, ids=lambda context: str(context.event))


@observe_only
@pytest.mark.parametrize("value", [HookOutcome.block("no"), HookOutcome.stop("enough")])
async def test_callback_cannot_block_observe_only_events(log: Log, context: HookContext, value: HookOutcome) -> None:
    stack = HookStack().with_all([log.plain("guard", value), log.plain("later"), log.around("last")])
    outcome = await stack.process(context, log.act)
    assert (outcome.is_proceed, log) == (True, ["guard", "later", "before last", "action", "after last"])


@observe_only
async def test_hook_cannot_block_observe_only_events(log: Log, context: HookContext) -> None:
    class Wall:
        async def handle(self, _context: HookContext, _call_next: CallNext) -> HookOutcome:
            return HookOutcome.stop("enough")

    async def turns(context: HookContext, call_next: CallNext) -> HookOutcome:
        assert (await call_next(context)).is_proceed
        return HookOutcome.block("afterwards")

    stack = HookStack().with_all([CallableHook(turns), Wall(), log.plain("later")])
    assert (await stack.process(context, log.act)).is_proceed
    assert log == ["later", "action"]


@observe_only
async def test_block_on_observe_only_events_keeps_inner_changes(context: HookContext) -> None:
    async def outer(context: HookContext, call_next: CallNext) -> HookOutcome:
        await call_next(context)
        return HookOutcome.block("too late")

    stack = HookStack().with_all([CallableHook(outer), CallableHook(lambda context: context.with_state("changed"))])
    outcome = await stack.process(context, lambda _context: None)
    assert outcome == HookOutcome.proceed(context.with_state("changed"))


@observe_only
async def test_action_cannot_block_observe_only_events(context: HookContext) -> None:
    assert (await HookStack().process(context, lambda _context: HookOutcome.block("no"))).is_proceed


# Exceptions -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("context", [BEFORE, *OBSERVED], ids=lambda context: str(context.event))
async def test_exceptions_of_hooks_propagate(log: Log, context: HookContext) -> None:
    with pytest.raises(LookupError, match="nothing there"):
        await HookStack().with_all([log.around("outer"), CallableHook(fail)]).process(context, log.act)
    assert log == ["before outer"]


async def test_exceptions_of_the_action_propagate(log: Log) -> None:
    with pytest.raises(LookupError, match="nothing there"):
        await HookStack().with_hook(log.around("outer")).process(BEFORE, fail)
