"""Contexts and outcomes (formats.md §5, the table of names)."""

from __future__ import annotations

import copy
import dataclasses
import json
import operator
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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

FOREIGN = object()
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
def test_contexts_are_frozen_and_return_changed_copies(context: HookContext[object]) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        context.state = "other"  # type: ignore[misc]
    other = context.with_metadata("k", 1).with_metadata("l", 2).with_state("other")
    assert type(other) is type(context)
    assert (other.event, other.state, dict(other.metadata)) == (context.event, "other", {"k": 1, "l": 2})
    assert (context.state, dict(context.metadata)) == ("s", {})
    with pytest.raises(TypeError):
        other.metadata["k"] = 3  # type: ignore[index]


@dataclass(frozen=True, kw_only=True)
class Priced(ToolHookContext[object]):
    """A subclass with a `__dict__`."""

    price: int = 0


def test_copies_of_a_subclass_keep_its_type_and_attributes() -> None:
    assert type(Priced.before(ToolCall("bash"), "state")) is Priced
    context = Priced(event=HookEvent.PRE_TOOL_USE, state=None, tool_call=ToolCall("bash"), price=5)
    assert context.with_state("more").with_metadata("key", 1).price == 5


def test_metadata_has_defaults() -> None:
    context = StepHookContext.before(0).with_metadata("k", None)
    assert (context.get("k", 1), context.get("x"), context.get("x", 1)) == (None, None, 1)


def test_state_defaults_to_none() -> None:
    contexts = (ToolHookContext.before(CALL), ExecutionHookContext.start(), FailureHookContext(ValueError()))
    assert [context.state for context in contexts] == [None] * 3


def test_tool_context_has_call_and_execution() -> None:
    before, after = ToolHookContext.before(CALL), ToolHookContext.after(CALL, DONE)
    assert (before.tool_call, before.execution, after.execution) == (CALL, None, DONE)
    assert before.with_tool_call(ToolCall("x")).tool_call == ToolCall("x", {}, None)
    assert after.with_execution(ToolExecution(CALL, error="no")).execution == ToolExecution(CALL, None, "no")
    assert (before.tool_call, after.execution) == (CALL, DONE)


def test_call_copies_its_arguments() -> None:
    given = {"command": "ls", "paths": ["a"]}
    call = ToolCall("bash", given)
    given["command"] = "rm"
    given["paths"].append("/")  # type: ignore[attr-defined]
    assert call.args == {"command": "ls", "paths": ["a"]}


@pytest.mark.parametrize(
    "change",
    [
        lambda args: args.update(command="rm"),
        lambda args: args.pop("command"),
        lambda args: operator.setitem(args, "command", "rm"),
        lambda args: operator.delitem(args, "command"),
        lambda args: args.__ior__({"command": "rm"}),
        lambda args: args["env"].clear(),
        lambda args: args["paths"].append("/"),
        lambda args: args["paths"][0].update(path="/"),
        lambda args: operator.setitem(args["paths"], 0, "/"),
        lambda args: args["paths"].__iadd__(["/"]),
    ],
)
def test_arguments_are_read_only_at_every_level(change: Callable[[Any], object]) -> None:
    call = ToolCall("bash", {"command": "ls", "env": {"A": "1"}, "paths": [{"path": "."}]})
    with pytest.raises(TypeError, match="is read-only: pass on a changed copy"):
        change(call.args)
    assert call.args == {"command": "ls", "env": {"A": "1"}, "paths": [{"path": "."}]}


def test_arguments_are_dicts_and_lists() -> None:
    args = ToolCall("bash", {"paths": ["a"], "other": FOREIGN}).args
    assert isinstance(args, dict)
    assert json.dumps({**args, "other": 1} | {"more": 2}) == '{"paths": ["a"], "other": 1, "more": 2}'
    assert args["other"] is FOREIGN
    assert dataclasses.replace(ToolCall("bash", args), name="sh").args is args


def test_arguments_may_be_cyclic_or_deep() -> None:
    args: dict[str, Any] = {"deep": []}
    args["self"] = args
    for _ in range(5000):
        args["deep"] = [args["deep"]]
    assert ToolCall("bash", args).args.keys() == {"deep", "self"}


@pytest.mark.parametrize("context", ALL[:-1], ids=lambda context: str(context.event))
def test_contexts_compare_by_value_and_pickle(context: HookContext[object]) -> None:
    context = context.with_metadata("k", 1)
    for twin in (pickle.loads(pickle.dumps(context)), copy.deepcopy(context), copy.copy(context), dataclasses.replace(context)):
        assert (twin, hash(twin)) == (context, hash(context))
        with pytest.raises(TypeError):
            twin.metadata["k"] = 2  # type: ignore[index]
    assert dataclasses.asdict(context)["metadata"] == {"k": 1}


def test_failure_context_is_a_value_except_its_exception() -> None:
    context = FailureHookContext(ValueError("no"), "s").with_metadata("k", 1)
    assert dataclasses.replace(context, state="t") == context.with_state("t")
    twin = pickle.loads(pickle.dumps(context))
    assert (twin.error_message, twin.error_class, twin.event, twin.state) == ("no", "ValueError", context.event, "s")


def test_step_index_counts_from_0_and_step_number_from_1() -> None:
    context = StepHookContext.after(4, "said hello")
    assert (context.step_index, context.step_number, context.step, StepHookContext.before(0).step) == (4, 5, "said hello", None)


def test_execution_context_is_start_or_end() -> None:
    assert (ExecutionHookContext.start().is_start, ExecutionHookContext.end().is_start) == (True, False)


def test_stop_has_its_reason() -> None:
    assert StopHookContext.stop("max_steps").stop_reason == "max_steps"


def test_failure_has_message_and_type_name() -> None:
    error = KeyError("x")
    context = FailureHookContext(error, 3).with_metadata("k", 1)
    assert (context.exception, context.error_message, context.error_class, context.state) == (error, "'x'", "KeyError", 3)


def test_outcome_is_one_of_three() -> None:
    context = StepHookContext.before(0)
    for outcome, values in (
        (HookOutcome.proceed(context), (True, False, False, None, context)),
        (HookOutcome.proceed(), (True, False, False, None, None)),
        (HookOutcome.block("no"), (False, True, False, "no", None)),
        (HookOutcome.stop("enough"), (False, False, True, "enough", None)),
    ):
        assert (outcome.is_proceed, outcome.is_blocked, outcome.is_stopped, outcome.reason, outcome.context) == values


@pytest.mark.parametrize("kind", ["block", "stop"])
def test_block_and_stop_need_a_string_reason(kind: str) -> None:
    with pytest.raises(TypeError, match=f"HookOutcome.{kind}: the reason must be a string, not NoneType"):
        getattr(HookOutcome, kind)(None)
