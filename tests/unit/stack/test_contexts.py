"""Contexts and outcomes (formats.md §5, the table of names)."""

from __future__ import annotations

import dataclasses

import pytest

from hooktui.stack import (
    ExecutionHookContext,
    FailureHookContext,
    HookContext,
    HookEvent,
    HookOutcome,
    StepHookContext,
    StopHookContext,
    ToolCall,
    ToolExecution,
    ToolHookContext,
)

CALL = ToolCall("bash", {"command": "ls"})
DONE = ToolExecution(CALL, "a.txt")
ALL: list[HookContext[object]] = [
    ToolHookContext.before(CALL, "s"),
    ToolHookContext.after(CALL, DONE, "s"),
    StepHookContext.before(0, "s"),
    StepHookContext.after(0, "step", "s"),
    ExecutionHookContext.start("s"),
    ExecutionHookContext.end("s"),
    StopHookContext.stop("done", "s"),
    StopHookContext.subagent_stop("done", "s"),
    FailureHookContext(ValueError("no"), "s"),
]


def test_there_is_a_context_for_every_event() -> None:
    assert [context.event for context in ALL] == [
        HookEvent.PRE_TOOL_USE, HookEvent.POST_TOOL_USE, HookEvent.BEFORE_STEP, HookEvent.AFTER_STEP,
        HookEvent.EXECUTION_START, HookEvent.EXECUTION_END, HookEvent.STOP, HookEvent.SUBAGENT_STOP, HookEvent.AGENT_FAILED,
    ]  # fmt: skip
    assert {event.value for event in HookEvent} == {
        "PreToolUse", "PostToolUse", "BeforeStep", "AfterStep", "ExecutionStart", "ExecutionEnd", "Stop", "SubagentStop",
        "AgentFailed",
    }  # fmt: skip


@pytest.mark.parametrize("context", ALL, ids=lambda context: str(context.event))
def test_all_contexts_are_frozen_and_give_changed_copies(context: HookContext[object]) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        context.state = "other"  # type: ignore[misc]
    other = context.with_metadata("k", 1).with_metadata("l", 2).with_state("other")
    assert type(other) is type(context)
    assert (other.event, other.state, dict(other.metadata)) == (context.event, "other", {"k": 1, "l": 2})
    assert (context.state, dict(context.metadata)) == ("s", {})
    with pytest.raises(TypeError):
        other.metadata["k"] = 3  # type: ignore[index]


def test_metadata_are_read_with_a_default() -> None:
    context = StepHookContext.before(0).with_metadata("k", None)
    assert (context.get("k", 1), context.get("x"), context.get("x", 1)) == (None, None, 1)


def test_the_state_is_none_when_it_is_not_given() -> None:
    contexts = (ToolHookContext.before(CALL), ExecutionHookContext.start(), FailureHookContext(ValueError()))
    assert [context.state for context in contexts] == [None] * 3


def test_a_tool_context_knows_the_call_and_what_came_of_it() -> None:
    before, after = ToolHookContext.before(CALL), ToolHookContext.after(CALL, DONE)
    assert (before.tool_call, before.execution, after.execution) == (CALL, None, DONE)
    assert before.with_tool_call(ToolCall("x")).tool_call == ToolCall("x", {}, None)
    assert after.with_execution(ToolExecution(CALL, error="no")).execution == ToolExecution(CALL, None, "no")
    assert (before.tool_call, after.execution) == (CALL, DONE)


def test_a_call_keeps_its_arguments_when_those_given_change() -> None:
    given = {"command": "ls"}
    call = ToolCall("bash", given)
    given["command"] = "rm"
    assert call.args == {"command": "ls"}


def test_steps_count_from_0_and_for_people_from_1() -> None:
    context = StepHookContext.after(4, "said hello")
    assert (context.step_index, context.step_number, context.step, StepHookContext.before(0).step) == (4, 5, "said hello", None)


def test_an_execution_knows_whether_it_starts() -> None:
    assert (ExecutionHookContext.start().is_start, ExecutionHookContext.end().is_start) == (True, False)


def test_a_stop_has_its_reason() -> None:
    assert StopHookContext.stop("max_steps").stop_reason == "max_steps"


def test_a_failure_tells_message_and_the_name_of_the_type() -> None:
    error = KeyError("x")
    context = FailureHookContext(error, 3).with_metadata("k", 1)
    assert (context.exception, context.error_message, context.error_class, context.state) == (error, "'x'", "KeyError", 3)


def test_an_outcome_is_one_of_three() -> None:
    context = StepHookContext.before(0)
    for outcome, what in (
        (HookOutcome.proceed(context), (True, False, False, None, context)),
        (HookOutcome.proceed(), (True, False, False, None, None)),
        (HookOutcome.block("no"), (False, True, False, "no", None)),
        (HookOutcome.stop("enough"), (False, False, True, "enough", None)),
    ):
        assert (outcome.is_proceed, outcome.is_blocked, outcome.is_stopped, outcome.reason, outcome.context) == what


@pytest.mark.parametrize("kind", ["block", "stop"])
def test_an_outcome_that_prevents_wants_a_reason_in_words(kind: str) -> None:
    with pytest.raises(TypeError, match=f"HookOutcome.{kind} wants a reason in words, not NoneType"):
        getattr(HookOutcome, kind)(None)
