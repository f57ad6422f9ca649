"""What a type checker reports to users of the API: nothing for correct code, the line of every mistake (mypy, strict)."""

from __future__ import annotations

import re

import pytest

from tests.unit.stack.type_checking import strict_mypy

pytestmark = pytest.mark.slow  # runs mypy

HEAD = """# mypy: allow-untyped-defs
from __future__ import annotations

from dataclasses import dataclass, replace

from hooktui.stack import (
    AgentHooks, CallNext, CallableHook, CallableMatcher, CompositeMatcher, ContinuationCriteriaAdapter, EventTypeMatcher,
    ExecutionHookContext, FailureHookContext, FileHooks, Hook, HookContext, HookEvent, HookOutcome, HookStack, Recorder,
    StateProcessorAdapter, StepHookContext, StopHookContext, ToolCall, ToolExecution, ToolHookContext, ToolNameMatcher,
)


@dataclass(frozen=True)
class State:
    calls: int = 0
    pending: tuple[str, ...] = ()


hooks = AgentHooks[State]()
"""
RIGHT = """
# A callback may leave the state out of it, or name it.
def guard(context: ToolHookContext) -> HookOutcome:
    if "rm -rf" in str(context.tool_call.args.get("command")):
        return HookOutcome.block("dangerous")
    return HookOutcome.proceed()


def rename(context: ToolHookContext[State]) -> ToolCall | None:
    return replace(context.tool_call, name="sh") if context.state.calls else None


async def count(context: ToolHookContext[State]) -> HookOutcome:
    return HookOutcome.proceed(context.with_state(State(context.state.calls + 1)))


async def retry(context: ToolHookContext[State], call_next: CallNext[ToolHookContext[State]]) -> HookOutcome:
    outcome = await call_next(context)
    return outcome if outcome.is_proceed else await call_next(context)


def unfinished(context: StopHookContext[State]) -> HookOutcome | None:
    return HookOutcome.block("work remains") if context.state.pending else None


def log_failure(context: FailureHookContext[State]) -> None:
    print(context.error_class, context.error_message)


class RateLimit:
    async def handle(self, context: HookContext, call_next: CallNext) -> HookOutcome:
        return await call_next(context)


limit: Hook = RateLimit()
in_shell = CallableMatcher(lambda context: context.get("shell", False) is True)
shell = CompositeMatcher.any_of("sh", ToolNameMatcher("bash"), in_shell)
hooks.on_before_tool_use(guard, priority=100, matcher=shell).on_before_tool_use(rename).on_before_tool_use(count, 1, "bash")
def is_long(context: ToolHookContext[State]) -> bool:
    return len(context.tool_call.args) > 5


class Often:
    def matches(self, context: ToolHookContext[State]) -> bool:
        return context.state.calls > 5


hooks.on_before_tool_use(guard, matcher=CallableMatcher(is_long)).on_before_tool_use(guard, matcher=Often())
hooks.on_before_tool_use(guard, matcher=CallableMatcher(lambda context: context.tool_call.name in ("sh", "bash")))
hooks.on_before_tool_use(retry).on_before_tool_use(lambda context: None)
hooks.on_before_tool_use(lambda context, call_next: call_next(context))
hooks.on_after_tool_use(lambda context: ToolExecution(context.tool_call, "…"))
hooks.on_before_step(lambda context: context.with_state(State())).on_after_step(lambda context: None)
hooks.on_execution_start(lambda context: None).on_execution_end(lambda context: None)
hooks.on_stop(unfinished).on_subagent_stop(unfinished).on_agent_failed(log_failure)
hooks.add_hook(HookEvent.PRE_TOOL_USE, RateLimit(), priority=5).add_hook(HookEvent.STOP, FileHooks("."))
hooks.add_hook(HookEvent.AFTER_STEP, StateProcessorAdapter(lambda state: state))
hooks.add_hook(HookEvent.STOP, ContinuationCriteriaAdapter(lambda state: bool(state.pending)))
stack = HookStack().with_all([CallableHook(guard, EventTypeMatcher(HookEvent.PRE_TOOL_USE)), (RateLimit(), -100)])


def run_tool(context: ToolHookContext[State]) -> None:
    print(context.tool_call.name)


async def main() -> None:
    with Recorder("s") as recorder:
        own = AgentHooks[State](recorder=recorder)
        outcome = await own.process(ToolHookContext.before(ToolCall("bash"), State()), run_tool)
        if outcome.context is not None:
            print(outcome.context.tool_call.name, outcome.context.state.calls + 1)
        await stack.process(ExecutionHookContext.start(), lambda context: HookOutcome.proceed(context))
"""
# Each marked line is wrong; the comment has the beginning of mypy's message.
WRONG = """
def says_bool(context: ToolHookContext[State]) -> bool: return True
def of_a_stop(context: StopHookContext[State]) -> None: ...
def of_another_state(context: ToolHookContext[int]) -> None: ...
def takes_nothing() -> None: ...
async def ends_a_step(context: StepHookContext[State]) -> ToolCall: return ToolCall("x")
class NoHook: ...
hooks.on_before_tool_use(says_bool)  # E: Argument 1 to "on_before_tool_use"
hooks.on_before_tool_use(of_a_stop)  # E: Argument 1 to "on_before_tool_use"
hooks.on_before_tool_use(of_another_state)  # E: Argument 1 to "on_before_tool_use"
hooks.on_before_tool_use(takes_nothing)  # E: Argument 1 to "on_before_tool_use"
hooks.on_before_step(ends_a_step)  # E: Argument 1 to "on_before_step"
def asks_the_state(context: StopHookContext[State]) -> None: context.state.open  # E: "State" has no attribute "open"
def asks_for_a_tool(context: StopHookContext[State]) -> None: context.tool_call  # E: "StopHookContext[State]" has no attribute
hooks.on_stop(of_a_stop, matcher=5)  # E: Argument "matcher" to "on_stop"
hooks.on_stop(of_a_stop, priority="high")  # E: Argument "priority" to "on_stop"
hooks.add_hook(HookEvent.STOP, NoHook())  # E: Argument 2 to "add_hook"
hooks.add_hook("Stop", FileHooks("."))  # E: Argument 1 to "add_hook"
def changes(context: ToolHookContext[State]) -> None: context.tool_call.args["x"] = 1  # E: Unsupported target for indexed
HookStack().with_hook(takes_nothing)  # E: Argument 1 to "with_hook"
StateProcessorAdapter(lambda state: state, "during")  # E: Argument 2 to "StateProcessorAdapter"
HookOutcome.block()  # E: Missing positional argument "reason"
HookOutcome.proceed("context")  # E: Argument 1 to "proceed"
ToolHookContext.before("bash")  # E: Argument 1 to "before"
async def wrong_action(): await hooks.process(StopHookContext.stop("x", State()), says_bool)  # E: Argument 2 to "process"
"""


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[int, str]]:
    """The messages of strict mypy for code that uses the installed package, by file and line."""
    directory = tmp_path_factory.mktemp("typing")
    (directory / "right.py").write_text(HEAD + RIGHT)
    (directory / "wrong.py").write_text(HEAD + WRONG)
    done = strict_mypy(directory, "--no-error-summary", "right.py", "wrong.py")
    reported = re.findall(r"^(\w+)\.py:(\d+): error: (.*)$", done.stdout, re.MULTILINE)
    assert done.stdout.count("error:") == len(reported), done.stdout
    assert done.stderr == ""
    return {name: {int(line): message for file, line, message in reported if file == name} for name in ("right", "wrong")}


def test_correct_code_has_no_errors(errors: dict[str, dict[int, str]]) -> None:
    assert errors["right"] == {}


def test_every_mistake_is_reported_at_its_line(errors: dict[str, dict[int, str]]) -> None:
    expected = {
        number: line.partition("  # E: ")[2] for number, line in enumerate((HEAD + WRONG).splitlines(), 1) if "  # E: " in line
    }
    reported = {number: message[: len(expected.get(number, message))] for number, message in errors["wrong"].items()}
    assert reported == expected
