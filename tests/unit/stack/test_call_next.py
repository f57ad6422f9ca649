"""Hooks that control the rest of the chain, correctly or not (formats.md §5, "CallableHook")."""

from __future__ import annotations

import asyncio
import functools
from typing import Any, cast

import pytest

from hooktui.stack import (
    AgentHooks,
    CallableHook,
    CallNext,
    HookContext,
    HookEvent,
    HookOutcome,
    HookStack,
    StopHookContext,
    ToolCall,
    ToolHookContext,
)
from tests.unit.stack.call_log import Log

CALL = ToolCall("bash", {"command": "ls"})
BEFORE = ToolHookContext.before(CALL)
STOP = StopHookContext.stop("done")


@pytest.mark.parametrize("is_async", [False, True])
async def test_callback_may_control_the_chain_and_return_an_outcome_or_its_awaitable(log: Log, is_async: bool) -> None:
    async def later(context: ToolHookContext, call_next: CallNext[ToolHookContext]) -> Any:
        return call_next(context)

    hooks = AgentHooks().on_before_tool_use(later if is_async else lambda context, call_next: call_next(context))
    assert (await hooks.process(BEFORE, log.act)).is_proceed
    assert log == ["action"]


async def test_call_next_may_be_called_again_for_a_retry() -> None:
    attempts: list[int] = []

    async def retry(context: ToolHookContext, call_next: CallNext[ToolHookContext]) -> HookOutcome:
        for _ in range(2):
            try:
                return await call_next(context)
            except TimeoutError:
                continue
        return await call_next(context)

    def flaky(_context: object) -> None:
        attempts.append(1)
        if len(attempts) < 3:
            raise TimeoutError

    assert (await AgentHooks().on_before_tool_use(retry).process(BEFORE, flaky)).is_proceed
    assert len(attempts) == 3


async def test_custom_hook_gets_context_and_call_next(log: Log) -> None:
    class Limit:
        def __init__(self, most: int) -> None:
            self.left = most

        async def handle(self, context: HookContext, call_next: CallNext) -> HookOutcome:
            if not self.left:
                return HookOutcome.block("rate limit exceeded")
            self.left -= 1
            return await call_next(context)

    hooks = AgentHooks().add_hook(HookEvent.PRE_TOOL_USE, Limit(1))
    outcomes = [await hooks.process(BEFORE, log.act) for _ in range(2)]
    assert [outcome.is_blocked for outcome in outcomes] == [False, True]
    assert log == ["action"]


async def test_callable_hook_works_outside_a_stack(log: Log) -> None:
    async def call_next(context: ToolHookContext) -> HookOutcome[ToolHookContext]:
        log.append(context.tool_call.name)
        return HookOutcome.proceed(context)

    await CallableHook(lambda _context: ToolCall("sh")).handle(BEFORE, call_next)
    await CallableHook(lambda _context: ToolCall("sh"), "other").handle(BEFORE, call_next)
    assert (await CallableHook(lambda _context, _next: HookOutcome.stop("x")).handle(BEFORE, call_next)).is_stopped
    assert log == ["sh", "bash"]


@pytest.mark.parametrize("takes_next", [False, True])
async def test_subclass_may_have_its_own_handle(log: Log, takes_next: bool) -> None:
    class Guard(CallableHook):
        async def handle(self, context: Any, call_next: CallNext[Any]) -> HookOutcome:
            log.append("handle")
            outcome = await super().handle(context, call_next)
            return HookOutcome.block("its own") if outcome.is_proceed else outcome

    guard = Guard((lambda context, call_next: call_next(context)) if takes_next else lambda _context: None, "bash")
    stack = HookStack().with_hook(guard).with_hook(log.plain("later"))
    assert (await stack.process(BEFORE, log.act)).reason == "its own"
    assert (await stack.process(ToolHookContext.before(ToolCall("sh")), log.act)).is_proceed
    assert log == ["handle", "later", "action", "later", "action"]


async def test_thousand_hooks_do_not_overflow_the_stack(log: Log) -> None:
    stack = HookStack().with_all([log.plain("a")] * 1000)
    assert (await stack.process(BEFORE, log.act)).is_proceed
    assert len(log) == 1001


async def test_call_next_that_is_never_awaited_is_a_type_error_that_names_the_callback(log: Log) -> None:
    def forgets(context: ToolHookContext, call_next: CallNext[ToolHookContext]) -> HookOutcome:
        call_next(context)
        return HookOutcome.proceed()

    with pytest.raises(TypeError, match=r"forgets \(.*\) did not await call_next"):
        await AgentHooks().on_before_tool_use(forgets).process(BEFORE, log.act)
    assert log == []


async def test_unfinished_call_next_is_a_type_error() -> None:
    begun, ends = asyncio.Event(), asyncio.Event()
    tasks: list[asyncio.Task[Any]] = []

    async def leaves(context: ToolHookContext, call_next: CallNext[ToolHookContext]) -> HookOutcome:
        tasks.append(asyncio.ensure_future(call_next(context)))
        await begun.wait()
        return HookOutcome.block("no")

    async def acts(_context: object) -> None:
        begun.set()
        await ends.wait()

    with pytest.raises(TypeError, match=r"leaves \(.*\) did not await call_next"):
        await AgentHooks().on_before_tool_use(leaves).process(BEFORE, acts)
    ends.set()
    assert (await tasks[0]).is_proceed


async def test_function_with_a_default_for_call_next_gets_it(log: Log) -> None:
    async def around(context: ToolHookContext, call_next: CallNext[ToolHookContext] | None = None) -> HookOutcome:
        return await call_next(context) if call_next else HookOutcome.block("without")

    assert (await AgentHooks().on_before_tool_use(around).process(BEFORE, log.act)).is_proceed
    assert log == ["action"]


async def test_decorated_function_has_its_own_or_the_inner_signature(log: Log) -> None:
    def guard(context: ToolHookContext, call_next: Any) -> Any:
        return HookOutcome.block(call_next) if isinstance(call_next, str) else call_next(context)

    @functools.wraps(guard)
    def injects(context: ToolHookContext) -> HookOutcome:
        return cast("HookOutcome", guard(context, "injected"))

    @functools.wraps(guard)
    def hands_on(*arguments: Any) -> Any:
        return guard(*arguments)

    assert (await AgentHooks().on_before_tool_use(injects).process(BEFORE, log.act)).reason == "injected"
    assert (await AgentHooks().on_before_tool_use(hands_on).process(BEFORE, log.act)).is_proceed
    assert log == ["action"]


async def test_callback_with_call_next_that_returns_nothing_is_a_type_error(log: Log) -> None:
    async def forgets(context: ToolHookContext, call_next: CallNext[ToolHookContext]) -> Any:
        await call_next(context)

    with pytest.raises(TypeError, match=r"forgets \(.*\) returned None: it must return a HookOutcome"):
        await AgentHooks().on_before_tool_use(forgets).process(BEFORE, log.act)


async def test_call_next_with_another_events_context_is_a_type_error(log: Log) -> None:
    async def mixes_up(_context: ToolHookContext, call_next: CallNext[Any]) -> HookOutcome:
        return await call_next(STOP)

    with pytest.raises(TypeError, match=r"mixes_up \(.*\) called call_next with .*, which is not a PreToolUse context"):
        await AgentHooks().on_before_tool_use(mixes_up).process(BEFORE, log.act)
