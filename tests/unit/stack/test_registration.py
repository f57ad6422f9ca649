"""Wrong use fails at registration, with a sentence that names the function (issue: hooks inside a Python agent)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest

from hooktui.stack import (
    AgentHooks,
    CallableHook,
    CallableMatcher,
    CompositeMatcher,
    ContinuationCriteriaAdapter,
    HookEvent,
    HookOutcome,
    HookStack,
    StateProcessorAdapter,
    StepHookContext,
    StopHookContext,
    ToolCall,
    ToolHookContext,
    ToolNameMatcher,
)

if TYPE_CHECKING:
    from collections.abc import Callable

NAMED = r"guard \(.*test_registration.py:\d+\)"


def guard(_context: ToolHookContext) -> HookOutcome:
    return HookOutcome.proceed()


async def slow_guard(_context: ToolHookContext) -> HookOutcome:
    return HookOutcome.proceed()


def test_a_bad_regex_names_the_function() -> None:
    with pytest.raises(ValueError, match=rf"{NAMED}: /\[/ is no valid regex"):
        AgentHooks().on_before_tool_use(guard, matcher="/[/")


@pytest.mark.parametrize("registers", ["on_stop", "on_subagent_stop", "on_before_step", "on_execution_end", "on_agent_failed"])
def test_a_tool_name_matcher_on_an_event_without_a_tool_is_a_value_error(registers: str) -> None:
    with pytest.raises(ValueError, match=rf"{NAMED} would never run: \w+ has no tool, and its matcher wants tool bash"):
        getattr(AgentHooks(), registers)(guard, matcher="bash")


@pytest.mark.parametrize(
    ("matcher", "refused"),
    [
        (ToolNameMatcher("*"), True),
        (CompositeMatcher.all_of(CallableMatcher(lambda _context: True), ToolNameMatcher("sh")), True),
        (CompositeMatcher.any_of(ToolNameMatcher("sh"), ToolNameMatcher("bash")), True),
        (CompositeMatcher.any_of(ToolNameMatcher("sh"), CallableMatcher(lambda _context: True)), False),
        (CompositeMatcher.any_of(), False),
    ],
)
def test_so_is_a_composite_that_can_only_match_a_tool(matcher: Any, refused: bool) -> None:
    if not refused:
        AgentHooks().add_hook(HookEvent.STOP, CallableHook(guard, matcher))
        return
    with pytest.raises(ValueError, match="would never run"):
        AgentHooks().add_hook(HookEvent.STOP, CallableHook(guard, matcher))


@pytest.mark.parametrize("annotation", [bool, "bool", str, dict])
def test_a_function_that_says_it_returns_a_bool_is_a_type_error(annotation: Any) -> None:
    def guard(_context: ToolHookContext) -> Any:
        return False

    guard.__annotations__["return"] = annotation
    name = annotation if isinstance(annotation, str) else annotation.__name__
    with pytest.raises(TypeError, match=rf"{NAMED} returns '?{name}'?: a hook returns a HookOutcome"):
        AgentHooks().on_before_tool_use(guard)


def test_a_coroutine_that_nobody_would_await_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"slow_guard\(…\) is a coroutine that nobody would await: register the function"):
        AgentHooks().on_before_tool_use(slow_guard(ToolHookContext.before(ToolCall("x"))))  # type: ignore[arg-type]


def test_an_event_that_there_is_not_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=rf"{NAMED}: there is no event 'PreToolCall'; there are PreToolUse, "):
        AgentHooks().add_hook("PreToolCall", CallableHook(guard))  # type: ignore[arg-type]


@pytest.mark.parametrize("function", [lambda: None, lambda a, b, c: None, lambda *, context: None])
def test_a_function_of_another_shape_is_a_type_error(function: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match=r"<lambda> .* must take \(context\) or \(context, call_next\), not \("):
        AgentHooks().on_before_tool_use(function)


@pytest.mark.parametrize("wrong", [None, "guard", HookStack()])
def test_what_is_no_function_is_a_type_error(wrong: Any) -> None:
    with pytest.raises(TypeError, match="is no function; a Hook is registered with add_hook or with_hook"):
        AgentHooks().on_before_tool_use(wrong)


def test_what_is_no_matcher_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=rf"{NAMED}: a matcher is a tool-name pattern or has a method `matches`; 5 is neither"):
        AgentHooks().on_before_tool_use(guard, matcher=5)  # type: ignore[arg-type]


def test_a_function_where_a_hook_is_wanted_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=rf"{NAMED} is no Hook, it has no `handle`: wrap a function in CallableHook"):
        HookStack().with_hook(guard)  # type: ignore[arg-type]


@pytest.mark.parametrize("priority", ["high", 1.5, None, True])
def test_a_priority_that_is_no_whole_number_is_a_type_error(priority: Any) -> None:
    with pytest.raises(TypeError, match=rf"the priority of {NAMED} must be a whole number"):
        AgentHooks().on_before_tool_use(guard, priority)


def test_every_registration_returns_the_object_itself() -> None:
    hooks = AgentHooks()
    for register in (hooks.on_before_tool_use, hooks.on_after_tool_use):
        assert register(lambda _context: None, 1, "bash") is hooks
    for name in ("before_step", "after_step", "execution_start", "execution_end", "stop", "subagent_stop", "agent_failed"):
        assert getattr(hooks, f"on_{name}")(lambda _context: None, priority=1) is hooks
    assert hooks.add_hook(HookEvent.STOP, CallableHook(lambda _context: None), priority=2) is hooks


async def test_whatever_can_be_called_can_be_registered() -> None:
    class Called:
        async def __call__(self, _context: ToolHookContext) -> HookOutcome:
            return HookOutcome.block("called")

        def method(self, _context: ToolHookContext) -> HookOutcome:
            return HookOutcome.block("method")

    def with_more(_more: int, _context: ToolHookContext, _default: int = 0) -> HookOutcome:
        return HookOutcome.block("partial")

    for function, reason in (
        (Called(), "called"),
        (Called().method, "method"),
        (functools.partial(with_more, 1), "partial"),
        (lambda *_arguments: HookOutcome.block("any"), "any"),
    ):
        outcome = await AgentHooks().on_before_tool_use(function).process(ToolHookContext.before(ToolCall("x")), lambda _: None)
        assert outcome.reason == reason


# Adapters ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("position", ["before", "after"])
async def test_a_state_processor_is_a_step_hook_before_or_after(position: Any) -> None:
    hooks = AgentHooks[int]()
    for event in (HookEvent.BEFORE_STEP, HookEvent.AFTER_STEP):
        hooks.add_hook(event, StateProcessorAdapter(lambda state: state + 1, position))
    before = await hooks.process(StepHookContext.before(0, 1), lambda _context: None)
    after = await hooks.process(StepHookContext.after(0, "step", 1), lambda _context: None)
    assert before.context
    assert after.context
    assert (before.context.state, after.context.state) == ((2, 1) if position == "before" else (1, 2))


async def test_a_state_processor_works_after_a_step_by_default_and_may_be_async() -> None:
    async def count(state: int) -> int:
        return state + 1

    outcome = await HookStack().with_hook(StateProcessorAdapter(count)).process(StepHookContext.after(0, 0, 1), lambda _: None)
    assert outcome.context
    assert outcome.context.state == 2


@pytest.mark.parametrize("goes_on", [True, False])
async def test_a_criterion_that_is_true_blocks_the_stop(goes_on: bool) -> None:
    hooks = AgentHooks[bool]().add_hook(HookEvent.STOP, ContinuationCriteriaAdapter(lambda state: state))
    outcome = await hooks.process(StopHookContext.stop("done", goes_on), lambda _context: None)
    assert outcome.is_blocked is goes_on


async def test_a_criterion_must_return_a_bool() -> None:
    def guard(_state: object) -> Any:
        return "yes"

    with pytest.raises(TypeError, match=rf"{NAMED} returned 'yes': a criterion returns True to go on, or False"):
        await HookStack().with_hook(ContinuationCriteriaAdapter(guard)).process(StopHookContext.stop("x"), lambda _: None)


def test_an_adapter_at_no_position_is_a_value_error() -> None:
    def guard(state: int) -> int:
        return state

    with pytest.raises(ValueError, match=rf"{NAMED}: the position is 'before' or 'after', not 'during'"):
        StateProcessorAdapter(guard, "during")  # type: ignore[arg-type]
