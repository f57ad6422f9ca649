"""The Claude Agent SDK bridge, against the shapes of its `types.py`; tests/sdk has the real one."""

from __future__ import annotations

from typing import Any

import pytest

from hooktui.stack import (
    AgentHooks,
    CallableHook,
    HookContext,
    HookEvent,
    HookOutcome,
    StopHookContext,
    ToolCall,
    ToolExecution,
    ToolHookContext,
)
from tests.unit.stack.call_log import fail

BASE = {"session_id": "s", "transcript_path": "/t", "cwd": "/w"}
TOOL = {**BASE, "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1"}
INPUTS: dict[str, dict[str, Any]] = {
    "UserPromptSubmit": {**BASE, "prompt": "do it"},
    "PreToolUse": TOOL,
    "PostToolUse": {**TOOL, "tool_response": {"stdout": "a.txt"}},
    "PostToolUseFailure": {**TOOL, "error": "Command failed"},
    "Stop": {**BASE, "stop_hook_active": False},
    "SubagentStop": {**BASE, "stop_hook_active": False, "agent_id": "a", "agent_type": "t", "agent_transcript_path": "/t"},
}


class Claude:
    """Fires events as the SDK does."""

    def __init__(self, hooks: AgentHooks[Any], state: Any = None) -> None:
        self.mapping = hooks.as_claude_hooks(state)

    async def fires(self, event: str, **more: str) -> dict[str, Any]:
        (matcher,) = self.mapping[event]
        (callback,) = matcher.hooks
        sdk_input = {**INPUTS[event], "hook_event_name": event, **more}
        answer = await callback(sdk_input, INPUTS[event].get("tool_use_id"), {"signal": None})
        assert isinstance(answer, dict)
        return answer


def says(outcome: Any) -> AgentHooks[Any]:
    """Hooks with the same outcome on every event of the SDK."""
    hooks = AgentHooks[Any]()
    for event in (HookEvent.PRE_TOOL_USE, HookEvent.POST_TOOL_USE, HookEvent.STOP, HookEvent.SUBAGENT_STOP):
        hooks.add_hook(event, CallableHook(lambda _context: outcome))
    return hooks


def test_mapping_has_one_matcher_for_all_tools_per_event() -> None:
    mapping = AgentHooks().as_claude_hooks()
    assert {event: [(each.matcher, len(each.hooks)) for each in matchers] for event, matchers in mapping.items()} == {
        event: [(None, 1)] for event in INPUTS
    }


@pytest.mark.parametrize("event", INPUTS)
async def test_proceeding_hooks_return_an_empty_answer(event: str) -> None:
    assert await Claude(says(None)).fires(event) == {}


@pytest.mark.parametrize(
    ("event", "answer"),
    [
        (
            "PreToolUse",
            {"hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no",
            }},
        ),
        ("PostToolUse", {"decision": "block", "reason": "no"}),
        ("PostToolUseFailure", {"hookSpecificOutput": {"hookEventName": "PostToolUseFailure", "additionalContext": "no"}}),
        ("Stop", {"decision": "block", "reason": "no"}),
        ("SubagentStop", {"decision": "block", "reason": "no"}),
    ],
)  # fmt: skip
async def test_block_has_the_answer_that_claude_obeys(event: str, answer: dict[str, Any]) -> None:
    assert await Claude(says(HookOutcome.block("no"))).fires(event) == answer


@pytest.mark.parametrize("event", ["PostToolUse", "PostToolUseFailure", "Stop", "SubagentStop"])
async def test_stop_stops_claude(event: str) -> None:
    assert await Claude(says(HookOutcome.stop("enough"))).fires(event) == {"continue_": False, "stopReason": "enough"}


async def test_exception_before_a_tool_denies_it_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    hooks = AgentHooks().on_before_tool_use(fail).on_after_tool_use(fail)
    answer = await Claude(hooks).fires("PreToolUse")
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert answer["hookSpecificOutput"]["permissionDecisionReason"] == "a hook failed: LookupError: nothing there"
    with pytest.raises(LookupError):
        await Claude(hooks).fires("PostToolUse")
    assert [record.getMessage().split()[-1] for record in caplog.records] == ["PreToolUse", "PostToolUse"]


DENIED = {"hookSpecificOutput": {
    "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "enough",
}}  # fmt: skip
STOPPED = {"continue_": False, "stopReason": "enough"}


def stops_once() -> Claude:
    """Hooks that stop at the first tool, and block the stop of the agent."""
    outcomes = [HookOutcome.stop("enough")]
    hooks = AgentHooks().on_before_tool_use(lambda _context: outcomes.pop() if outcomes else None)
    return Claude(hooks.on_stop(lambda _context: HookOutcome.block("work remains")))


async def test_stop_before_a_tool_denies_it_and_later_ones() -> None:
    claude = stops_once()
    assert [await claude.fires("PreToolUse") for _ in range(3)] == [DENIED] * 3
    assert await claude.fires("PreToolUse", session_id="another") == {}
    assert await claude.fires("Stop") == STOPPED


async def test_stop_in_a_subagent_ends_the_run() -> None:
    claude = stops_once()
    assert await claude.fires("PreToolUse", agent_id="a") == DENIED
    assert await claude.fires("SubagentStop") == STOPPED
    assert [await claude.fires(event) for event in ("PreToolUse", "Stop")] == [DENIED, STOPPED]


async def test_background_subagent_is_stopped_and_does_not_wake_the_agent() -> None:
    claude = stops_once()
    await claude.fires("PreToolUse")
    assert await claude.fires("Stop") == STOPPED
    assert await claude.fires("PreToolUse", agent_id="a") == DENIED
    assert await claude.fires("UserPromptSubmit", prompt="<task-notification>\n<task-id>a</task-id>") == STOPPED
    assert await claude.fires("PreToolUse") == DENIED


@pytest.mark.parametrize("ending", [["Stop"], []], ids=["ended", "interrupted"])
async def test_stop_ends_with_the_next_prompt(ending: list[str]) -> None:
    claude = stops_once()
    for event in ("PreToolUse", *ending):
        await claude.fires(event)
    assert [await claude.fires(event) for event in ("UserPromptSubmit", "PreToolUse")] == [{}, {}]
    assert await claude.fires("Stop") == {"decision": "block", "reason": "work remains"}


async def test_changed_call_is_an_updated_input() -> None:
    hooks = AgentHooks().on_before_tool_use(lambda context: ToolCall(context.tool_call.name, {"command": "ls -l"}))
    answer = await Claude(hooks).fires("PreToolUse")
    assert answer == {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "ls -l"}}}


async def test_error_of_a_changed_execution_replaces_the_output() -> None:
    failed = says(ToolExecution(ToolCall("Bash"), error=ValueError("not for the model")))
    answer = await Claude(failed).fires("PostToolUse")
    assert answer["hookSpecificOutput"]["updatedToolOutput"] == "not for the model"


@pytest.mark.parametrize("left", ["one text", ("one", "text")])
async def test_metadata_texts_reach_the_model_and_the_user(left: Any) -> None:
    hooks = AgentHooks().on_before_tool_use(
        lambda context: context.with_metadata("additional_context", left).with_metadata("system_messages", left)
    )
    answer = await Claude(hooks).fires("PreToolUse")
    assert answer["hookSpecificOutput"]["additionalContext"].split() == answer["systemMessage"].split() == ["one", "text"]


async def test_replaced_tool_is_denied() -> None:
    answer = await Claude(AgentHooks().on_before_tool_use(lambda _context: ToolCall("Read"))).fires("PreToolUse")
    reason = "a hook replaced tool Bash with Read: Claude cannot do that"
    assert answer["hookSpecificOutput"]["permissionDecisionReason"] == reason


async def test_replaced_execution_is_an_updated_tool_output() -> None:
    hooks = AgentHooks().on_after_tool_use(lambda context: ToolExecution(context.tool_call, {"stdout": "…"}))
    answer = await Claude(hooks).fires("PostToolUse")
    assert answer == {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": {"stdout": "…"}}}


@pytest.mark.parametrize(
    ("event", "answer"),
    [
        (
            "PreToolUse",
            {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "a\nb"}, "systemMessage": "m"},
        ),
        ("Stop", {"systemMessage": "m\na\nb"}),
    ],
)
async def test_texts_of_hooks_on_disk_reach_the_model_or_the_user(event: str, answer: dict[str, Any]) -> None:
    def talks(context: HookContext) -> HookContext:
        return context.with_metadata("additional_context", ("a", "b")).with_metadata("system_messages", ("m",))

    hooks = AgentHooks().add_hook(HookEvent(event), CallableHook(talks))
    assert await Claude(hooks).fires(event) == answer


async def test_hooks_see_the_sdk_input() -> None:
    seen: list[Any] = []
    hooks = AgentHooks().on_before_tool_use(lambda context: seen.append(context.tool_call), matcher="Bash")
    hooks.on_after_tool_use(lambda context: seen.append(context.execution))
    hooks.on_stop(lambda context: seen.append(context.get("claude")["transcript_path"]))
    for event in INPUTS:
        await Claude(hooks).fires(event)
    call = ToolCall("Bash", {"command": "ls"}, "toolu_1")
    assert seen == [call, ToolExecution(call, {"stdout": "a.txt"}), ToolExecution(call, error="Command failed"), "/t"]


async def test_state_is_passed_to_the_next_event() -> None:
    def count(context: ToolHookContext[int]) -> ToolHookContext[int]:
        return context.with_state(context.state + 1)

    def enough(context: StopHookContext[int]) -> HookOutcome | None:
        return HookOutcome.block(f"{context.state} calls are not enough") if context.state < 2 else None

    claude = Claude(AgentHooks[int]().on_before_tool_use(count).on_stop(enough), 0)
    await claude.fires("PreToolUse")
    assert (await claude.fires("Stop"))["reason"] == "1 calls are not enough"
    await claude.fires("PreToolUse")
    assert await claude.fires("Stop") == {}


def test_hooks_of_events_that_the_sdk_does_not_fire_are_warned_about(caplog: pytest.LogCaptureFixture) -> None:
    def timing(_context: object) -> None:
        """Never called by the SDK."""

    AgentHooks().on_before_step(timing).on_stop(timing).as_claude_hooks()
    (line,) = caplog.messages
    assert line.startswith("the Claude Agent SDK does not fire BeforeStep: call process yourself for test_hooks_of_events")
