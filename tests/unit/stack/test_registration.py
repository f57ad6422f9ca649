"""Invalid registrations fail at once, with a message that names the function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import pytest

from hooktui.stack import (
    AgentHooks,
    CallableHook,
    CallableMatcher,
    CompositeMatcher,
    EventTypeMatcher,
    HookEvent,
    HookOutcome,
    HookStack,
    ToolCall,
    ToolHookContext,
    ToolNameMatcher,
)

NAMED = r"guard \(.*test_registration.py:\d+\)"


class Priority(IntEnum):
    HIGH = 100


def guard(_context: ToolHookContext) -> HookOutcome:
    return HookOutcome.proceed()


async def slow_guard(_context: ToolHookContext) -> HookOutcome:
    return HookOutcome.proceed()


def test_bad_regex_names_the_function() -> None:
    with pytest.raises(ValueError, match=rf"{NAMED}: /\[/ is not a valid regex"):
        AgentHooks().on_before_tool_use(guard, matcher="/[/")


@pytest.mark.parametrize("registers", ["on_stop", "on_subagent_stop", "on_before_step", "on_execution_end", "on_agent_failed"])
def test_tool_name_matcher_on_an_event_without_a_tool_is_a_value_error(registers: str) -> None:
    with pytest.raises(ValueError, match=rf"{NAMED} would never run on \w+: its matcher requires tool bash"):
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
def test_composite_that_needs_a_tool_is_a_value_error(matcher: Any, refused: bool) -> None:
    if not refused:
        AgentHooks().add_hook(HookEvent.STOP, CallableHook(guard, matcher))
        return
    with pytest.raises(ValueError, match="would never run"):
        AgentHooks().add_hook(HookEvent.STOP, CallableHook(guard, matcher))


def yields(_context: ToolHookContext) -> Any:
    yield HookOutcome.block("never")


async def yields_later(_context: ToolHookContext) -> Any:
    yield HookOutcome.block("never")


@pytest.mark.parametrize("function", [yields, yields_later])
def test_generator_is_a_type_error(function: Any) -> None:
    with pytest.raises(TypeError, match=r"yields\w* \(.*\) is a generator, which never runs: return a value"):
        AgentHooks().on_before_tool_use(function)


def test_coroutine_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"slow_guard\(…\) is a coroutine, which is never awaited: register the function"):
        AgentHooks().on_before_tool_use(slow_guard(ToolHookContext.before(ToolCall("x"))))  # type: ignore[arg-type]


def test_unknown_event_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=rf"{NAMED}: unknown event 'PreToolCall' \(valid: PreToolUse, "):
        AgentHooks().add_hook("PreToolCall", CallableHook(guard))  # type: ignore[arg-type]


@pytest.mark.parametrize("function", [lambda: None, lambda a, b, c: None, lambda *, context: None])
def test_function_with_wrong_parameters_is_a_type_error(function: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match=r"<lambda> .* must take \(context\) or \(context, call_next\), not \("):
        AgentHooks().on_before_tool_use(function)


@pytest.mark.parametrize("wrong", [None, "guard", HookStack()])
def test_value_that_is_not_callable_is_a_type_error(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"is not a function that takes \(context\) or \(context, call_next\)"):
        AgentHooks().on_before_tool_use(wrong)


class Guard:
    async def handle(self, _context: object) -> HookOutcome:
        return HookOutcome.block("not today")


def test_hook_in_place_of_a_function_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"Guard \(.*\) is a Hook: register it with add_hook or with_hook"):
        AgentHooks().on_before_tool_use(Guard())  # type: ignore[arg-type]


def test_class_in_place_of_an_instance_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"Guard \(.*\) is a class: register an instance"):
        HookStack().with_hook(Guard)


def test_hook_with_wrong_parameters_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"Guard.handle \(.*\) must take \(context, call_next\), not \(_context"):
        HookStack().with_hook(Guard())  # type: ignore[arg-type]


@pytest.mark.parametrize("matcher", [5, ToolNameMatcher])
def test_invalid_matcher_is_a_type_error(matcher: Any) -> None:
    with pytest.raises(TypeError, match=rf"{NAMED}: a matcher must be a tool-name pattern or an object .*, not "):
        AgentHooks().on_before_tool_use(guard, matcher=matcher)


def test_async_matcher_is_a_type_error() -> None:
    class Later:
        async def matches(self, _context: object) -> bool:
            return False

    with pytest.raises(TypeError, match=rf"{NAMED}: .*Later.matches \(.*\) is async: matchers are not awaited"):
        AgentHooks().on_before_tool_use(guard, matcher=Later())  # type: ignore[arg-type]


def test_async_matches_of_a_subclass_is_a_type_error() -> None:
    class Later(CallableHook):
        async def matches(self, _context: object) -> bool:  # type: ignore[override]
            return False

    with pytest.raises(TypeError, match=r"Later.matches \(.*\) is async: matchers are not awaited"):
        Later(guard)


def test_matcher_of_another_event_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=rf"{NAMED} would never run on Stop: its matcher requires event PreToolUse"):
        AgentHooks().add_hook(HookEvent.STOP, CallableHook(guard, EventTypeMatcher(HookEvent.PRE_TOOL_USE)))


def test_function_in_place_of_a_hook_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=rf"{NAMED} is not a Hook: it has no `handle`; wrap a function in CallableHook"):
        HookStack().with_hook(guard)  # type: ignore[arg-type]


@pytest.mark.parametrize("priority", ["high", 1.5, None, True])
def test_priority_must_be_an_integer(priority: Any) -> None:
    with pytest.raises(TypeError, match=rf"{NAMED}: priority must be an integer"):
        AgentHooks().on_before_tool_use(guard, priority)


@pytest.mark.parametrize("priority", [-1, Priority.HIGH])
def test_priority_may_be_an_enum_member(priority: int) -> None:
    assert len(HookStack().with_hook(CallableHook(guard), priority)) == 1


def test_every_registration_returns_the_object_itself() -> None:
    hooks = AgentHooks()
    for register in (hooks.on_before_tool_use, hooks.on_after_tool_use):
        assert register(lambda _context: None, 1, "bash") is hooks
    for name in ("before_step", "after_step", "execution_start", "execution_end", "stop", "subagent_stop", "agent_failed"):
        assert getattr(hooks, f"on_{name}")(lambda _context: None, priority=1) is hooks
    assert hooks.add_hook(HookEvent.STOP, CallableHook(lambda _context: None), priority=2) is hooks


async def test_every_kind_of_callable_can_be_registered() -> None:
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
