"""The records of an agent's hooks (formats.md §5, row "recording")."""

from __future__ import annotations

import asyncio
import inspect
import os
from pathlib import Path
from typing import Any

import pytest

from hooktui.stack import (
    AgentHooks,
    CallableHook,
    CallNext,
    ExecutionHookContext,
    FailureHookContext,
    HookContext,
    HookEvent,
    HookOutcome,
    HookStack,
    Recorder,
    StateProcessorAdapter,
    StepHookContext,
    StopHookContext,
    ToolCall,
    ToolExecution,
    ToolHookContext,
)
from tests.unit.stack import call_log
from tests.unit.stack.call_log import act, fail, guard, pass_on, quiet
from tests.unit.stack.logged_reports import report, reports, run_values

pytestmark = pytest.mark.usefixtures("own_home")
BEFORE = ToolHookContext.before(ToolCall("bash", {"command": "ls"}, id="call-1"))


async def test_nothing_is_recorded_until_a_recorder_is_given(db: str) -> None:
    await AgentHooks().on_before_tool_use(guard).process(BEFORE, act)
    assert not os.path.exists(db)


async def test_each_process_call_is_a_dispatch_and_each_hook_a_run(recorder: Recorder) -> None:
    class Limit:
        async def handle(self, context: HookContext, call_next: CallNext) -> HookOutcome:
            return await call_next(context)

    hooks = AgentHooks(recorder=recorder).on_before_tool_use(guard, -1, "bash").on_before_tool_use(quiet)
    hooks.add_hook(HookEvent.PRE_TOOL_USE, Limit(), 100)
    assert (await hooks.process(BEFORE, act)).is_blocked
    one = await report(recorder)
    assert [one[name] for name in ("event", "host", "session_id", "project", "tool_name", "decision", "reason")] == [
        "pre-tool-call", "python", "session-1", recorder.project, "bash", "deny", "not today",
    ]  # fmt: skip
    lines = [inspect.getsourcelines(function)[1] for function in (Limit.handle, quiet, guard)]
    name = "test_each_process_call_is_a_dispatch_and_each_hook_a_run.<locals>.Limit"
    assert run_values(one, "name", "line", "format", "file", "state", "decision", "why") == [
        (name, lines[0], "python", __file__, "ok", "none", "listens to PreToolUse"),
        ("quiet", lines[1], "python", call_log.__file__, "ok", "none", "listens to PreToolUse"),
        ("guard", lines[2], "python", call_log.__file__, "ok", "deny", "matched tool bash"),
    ]
    assert one["payload"]["tool_input"] == {"command": "ls"}
    assert one["payload"]["tool_use_id"] == "call-1"


async def test_skipped_hooks_have_a_reason(recorder: Recorder) -> None:
    hooks = AgentHooks(recorder=recorder).on_before_tool_use(quiet, 2, "read_*").on_before_tool_use(guard, 1)
    await hooks.on_before_tool_use(quiet).process(BEFORE, act)
    assert run_values(await report(recorder), "name", "state", "skip", "why") == [
        ("quiet", "skipped", "tool-mismatch", "tool bash does not match tool read_*"),
        ("guard", "ok", None, "listens to PreToolUse"),
        ("quiet", "skipped", "blocked-earlier", "guard ended the chain"),
    ]


async def test_exception_is_recorded_as_a_failed_run(recorder: Recorder) -> None:
    with pytest.raises(LookupError):
        await AgentHooks(recorder=recorder).on_before_tool_use(pass_on, 1).on_before_tool_use(fail).process(BEFORE, act)
    one = await report(recorder)
    assert run_values(one, "name", "state", "problems", "why") == [
        ("pass_on", "ok", [], "listens to PreToolUse; an inner exception propagated"),
        ("fail", "failed", ["LookupError: nothing there"], "listens to PreToolUse"),
    ]
    assert 'raise LookupError("nothing there")' in one["hooks"][1]["stderr"]
    assert one["warnings"] == ["hook fail raised LookupError: nothing there"]


async def test_exception_of_the_action_is_a_warning(recorder: Recorder) -> None:
    with pytest.raises(LookupError):
        await AgentHooks(recorder=recorder).on_before_tool_use(quiet).process(BEFORE, fail)
    one = await report(recorder)
    assert (run_values(one, "state"), one["warnings"]) == ([("ok",)], ["the action raised LookupError: nothing there"])


async def test_cancelled_task_leaves_an_interrupted_run(recorder: Recorder) -> None:
    begun = asyncio.Event()

    async def waits(_context: object) -> None:
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(AgentHooks(recorder=recorder).on_before_tool_use(waits).process(BEFORE, act))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert run_values(await report(recorder), "state") == [("interrupted",)]


@pytest.mark.parametrize("context", [ExecutionHookContext.end(), FailureHookContext(ValueError("no"))])
async def test_block_of_an_observe_only_event_is_recorded_without_effect(recorder: Recorder, context: HookContext) -> None:
    stack = HookStack(recorder=recorder).with_all([CallableHook(guard), CallableHook(quiet)])
    assert (await stack.process(context, act)).is_proceed
    one = await report(recorder)
    assert one["decision"] == "none"
    assert run_values(one, "decision", "reason") == [("deny", "not today"), ("none", None)]


async def test_changed_outcome_is_recorded(recorder: Recorder) -> None:
    async def lenient(context: ToolHookContext, call_next: CallNext[ToolHookContext]) -> HookOutcome:
        await call_next(context)
        return HookOutcome.proceed(context)

    await AgentHooks(recorder=recorder).on_before_tool_use(lenient, 1).on_before_tool_use(guard).process(BEFORE, act)
    one = await report(recorder)
    assert one["decision"] == "none"
    assert run_values(one, "decision", "why") == [
        ("none", "listens to PreToolUse; turned block into proceed"),
        ("deny", "listens to PreToolUse"),
    ]


async def test_retry_is_a_separate_run(recorder: Recorder) -> None:
    async def twice(context: ToolHookContext, call_next: CallNext[ToolHookContext]) -> HookOutcome:
        await call_next(context)
        return await call_next(context)

    await AgentHooks(recorder=recorder).on_before_tool_use(twice, 1).on_before_tool_use(quiet).process(BEFORE, act)
    assert [name.split(".")[-1] for (name,) in run_values(await report(recorder), "name")] == ["twice", "quiet", "quiet"]


async def test_changed_call_is_recorded_with_its_hook(recorder: Recorder) -> None:
    async def shows_hidden(context: ToolHookContext, call_next: CallNext[ToolHookContext]) -> HookOutcome:
        return await call_next(context.with_tool_call(ToolCall("bash", {"command": "ls -a"})))

    def sh(context: ToolHookContext) -> ToolCall:
        return ToolCall("sh", context.tool_call.args)

    await AgentHooks(recorder=recorder).on_before_tool_use(shows_hidden, 1).on_before_tool_use(sh).process(BEFORE, act)
    one = await report(recorder)
    assert one["modified_input"] == {"command": "ls -a"}
    assert one["payload"]["tool_input"] == {"command": "ls"}
    assert run_values(one, "modified_input", "log") == [({"command": "ls -a"}, None), (None, "replaced tool bash with sh")]


async def test_every_event_is_recorded_by_its_canonical_name(recorder: Recorder) -> None:
    call = BEFORE.tool_call
    stack = HookStack(recorder=recorder).with_hook(StateProcessorAdapter(lambda state: state))
    for context in (
        ExecutionHookContext.start(),
        StepHookContext.before(0),
        BEFORE,
        ToolHookContext.after(call, ToolExecution(call, "a.txt")),
        ToolHookContext.after(call, ToolExecution(call, error=OSError("gone"))),
        StepHookContext.after(0, "listed"),
        StopHookContext.stop("no_tool_calls"),
        StopHookContext.subagent_stop("done"),
        FailureHookContext(LookupError("x")),
        ExecutionHookContext.end(),
    ):
        await stack.process(context, act)
    logged = await reports(recorder)
    assert [one["event"] for one in logged] == [
        "pre-session", "pre-step", "pre-tool-call", "post-tool-call", "post-tool-call", "post-step", "pre-agent-turn-stop",
        "post-subagent", "agent-failure", "post-session",
    ]  # fmt: skip
    names = ("tool_output", "error", "step_index", "step", "stop_reason")
    assert [{name: one["payload"][name] for name in names if name in one["payload"]} for one in logged] == [
        {}, {"step_index": 0}, {}, {"tool_output": "a.txt"}, {"error": "gone"}, {"step_index": 0, "step": "listed"},
        {"stop_reason": "no_tool_calls"}, {"stop_reason": "done"}, {"error": "LookupError: x"}, {},
    ]  # fmt: skip
    assert {one["hooks"][0]["skip"] for one in logged if one["event"] != "post-step"} == {"pattern-mismatch"}


async def test_duration_excludes_the_action(recorder: Recorder) -> None:
    async def waits(_context: object) -> None:
        await asyncio.sleep(0.2)

    await AgentHooks(recorder=recorder).on_before_tool_use(pass_on).process(BEFORE, waits)
    one = await report(recorder)
    assert max(one["duration_ms"] or 0, one["hooks"][0]["duration_ms"] or 0) < 150


async def test_values_that_are_not_json_are_recorded_as_repr(recorder: Recorder) -> None:
    class Odd:
        def __repr__(self) -> str:
            raise LookupError

    endless: list[Any] = []
    endless.append(endless)
    values: dict[Any, Any] = {"set": {1}, "odd": Odd(), "nan": float("nan"), "lone": "\ud800", (1, 2): 3}
    hooks = AgentHooks(recorder=recorder).on_before_tool_use(quiet)
    for args in (values, {"endless": endless}, {"set": {1}}):
        assert (await hooks.process(ToolHookContext.before(ToolCall("x", args)), act)).is_proceed
    logged = [one["payload"] for one in await reports(recorder)]
    assert len(logged) == 3
    assert logged[2]["tool_input"] == {"set": "{1}"}


async def test_secrets_are_not_recorded(recorder: Recorder, db: str, tmp_path: Path) -> None:
    secret = "ghp" + "_" + "A1" * 18
    hooks = AgentHooks(recorder=recorder).on_before_tool_use(lambda _context: HookOutcome.block(f"no {secret}"))
    await hooks.process(ToolHookContext.before(ToolCall("bash", {"command": f"echo {secret}"})), act)
    recorder.close()
    assert "[redacted]" in ((await report(db))["reason"] or "")
    assert not any(secret.encode() in path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
