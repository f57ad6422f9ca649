"""A small agent with hooks around its tools, steps, stop and failure.

    python examples/agent.py               complete a task
    python examples/agent.py --fail        fail because of a broken tool

The model is scripted, so the example runs anywhere. Watch its decisions on the Live screen of `hooktui`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from hooktui.stack import (
    AgentHooks,
    CallNext,
    ExecutionHookContext,
    FailureHookContext,
    FileHooks,
    HookContext,
    HookEvent,
    HookOutcome,
    Recorder,
    StepHookContext,
    StopHookContext,
    ToolCall,
    ToolExecution,
    ToolHookContext,
)

Tool = Callable[[ToolCall], Awaitable[str]]
Model = Iterator[ToolCall | None]  # the next call; None to stop


@dataclass(frozen=True)
class State:
    """The agent's state. Hooks receive it with every event and may replace it."""

    task: str
    pending: tuple[str, ...]
    messages: tuple[str, ...] = ()
    steps: int = 0


C = TypeVar("C", bound=HookContext[State])


# The hooks -------------------------------------------------------------------------------------------------------------------


def guard(context: ToolHookContext[State]) -> HookOutcome:
    """Block dangerous commands."""
    command = str(context.tool_call.args.get("command", ""))
    return HookOutcome.block(f"Dangerous command blocked: {command}") if "rm -rf" in command else HookOutcome.proceed()


async def retry(context: ToolHookContext[State], call_next: CallNext[ToolHookContext[State]]) -> HookOutcome:
    """Call a tool again after a timeout."""
    try:
        return await call_next(context)
    except TimeoutError:
        return await call_next(context)


def shorten(context: ToolHookContext[State]) -> ToolExecution | None:
    """Shorten long results."""
    result = str(context.execution.result) if context.execution else ""
    return ToolExecution(context.tool_call, f"{result[:60]}…") if len(result) > 60 else None


def count(context: StepHookContext[State]) -> HookOutcome | StepHookContext[State]:
    """Count steps, and stop the agent after ten."""
    if context.step_number > 10:
        return HookOutcome.stop("step limit reached")
    return context.with_state(replace(context.state, steps=context.step_number))


def unfinished(context: StopHookContext[State]) -> HookOutcome | None:
    """Block stopping while tasks are pending."""
    return HookOutcome.block(f"Tasks remaining: {', '.join(context.state.pending)}") if context.state.pending else None


def report_failure(context: FailureHookContext[State]) -> None:
    """Print the failure."""
    print(f"failed in step {context.state.steps}: {context.error_class}: {context.error_message}")


def hooks_for(project: str, recorder: Recorder) -> AgentHooks[State]:
    """Combine the agent's own hooks with the hooks on disk."""
    hooks = AgentHooks[State](recorder=recorder)
    hooks.on_before_tool_use(guard, priority=100, matcher="shell").on_before_tool_use(retry, priority=-100)
    hooks.on_after_tool_use(shorten).on_before_step(count).on_stop(unfinished).on_agent_failed(report_failure)
    on_disk = FileHooks(project)
    for event in HookEvent:
        hooks.add_hook(event, on_disk, priority=50)
    return hooks


# The agent -------------------------------------------------------------------------------------------------------------------


class StoppedError(Exception):
    """A hook ended the run."""


class Agent:
    """Runs the calls of its model. Every event passes through the hooks."""

    def __init__(
        self, model: Iterator[ToolCall | None], tools: dict[str, Tool], hooks: AgentHooks[State], state: State
    ) -> None:
        self.model, self.tools, self.hooks, self.state = model, tools, hooks, state

    async def run(self) -> None:
        """Work until the task is complete. Hooks see an exception before it propagates."""
        try:
            await self.fire(ExecutionHookContext.start(self.state))
            step = 0
            while not await self.step(step):
                step += 1
        except StoppedError as stop:
            print(f"stopped: {stop}")
        except Exception as error:
            await self.fire(FailureHookContext(error, self.state))
            raise
        finally:
            await self.fire(ExecutionHookContext.end(self.state))

    async def step(self, index: int) -> bool:
        """Run one step. Returns whether it was the last."""
        await self.fire(StepHookContext.before(index, self.state))
        call = next(self.model)
        if call is None:
            stopping = await self.fire(StopHookContext.stop("no_tool_calls", self.state))
            self.receive(stopping.reason)
            done = not stopping.is_blocked
        else:
            await self.use(call)
            done = False
        await self.fire(StepHookContext.after(index, call, self.state))
        return done

    async def use(self, call: ToolCall) -> None:
        """Call a tool, unless a hook blocks it, and give the model the result or the reason."""
        before = await self.fire(ToolHookContext.before(call, self.state), self.call_tool)
        if before.context is None or before.context.execution is None:
            self.receive(before.reason)
            return
        after = await self.fire(ToolHookContext.after(before.context.tool_call, before.context.execution, self.state))
        execution = after.context.execution if after.context else None
        self.receive(after.reason or (str(execution.error or execution.result) if execution else None))

    async def call_tool(self, context: ToolHookContext[State]) -> HookOutcome[ToolHookContext[State]]:
        """Call the tool. This is the action that PreToolUse hooks wrap."""
        call = context.tool_call
        try:
            execution = ToolExecution(call, await self.tools[call.name](call))
        except ValueError as error:  # a failed tool; any other exception ends the agent
            execution = ToolExecution(call, error=error)
        return HookOutcome.proceed(context.with_execution(execution).with_state(complete(context.state, call)))

    async def fire(self, context: C, action: Callable[[C], Awaitable[HookOutcome[C]]] | None = None) -> HookOutcome[C]:
        """Send an event through the hooks and keep the resulting state. Raises StoppedError."""
        outcome = await self.hooks.process(context, action or (lambda _context: None))
        if outcome.is_stopped:
            raise StoppedError(outcome.reason)
        if outcome.context is not None:
            self.state = outcome.context.state
        return outcome

    def receive(self, text: str | None) -> None:
        """Give the model a message."""
        if text:
            self.state = replace(self.state, messages=(*self.state.messages, text))


def complete(state: State, call: ToolCall) -> State:
    """Remove the task of a call from the pending tasks."""
    return replace(state, pending=tuple(task for task in state.pending if task != call.args.get("for")))


# A task ----------------------------------------------------------------------------------------------------------------------


def script(*calls: ToolCall | None) -> Model:
    """Build a model that makes these calls in order, then stops."""
    yield from calls
    while True:
        yield None


def make_tools() -> dict[str, Tool]:
    """Build a simulated shell, a slow search, and a deployment that fails."""
    attempts: list[ToolCall] = []

    async def shell(call: ToolCall) -> str:
        return f"$ {call.args['command']}: " + "ok " * 30

    async def search(call: ToolCall) -> str:
        attempts.append(call)
        if len(attempts) == 1:
            raise TimeoutError("the network is slow")
        raise ValueError("nothing found")

    async def deploy(_call: ToolCall) -> str:
        raise ConnectionError("the server is gone")

    return {"shell": shell, "search": search, "deploy": deploy}


async def main(project: str, *, fail: bool) -> None:
    """Run the task. The model tries a dangerous command and tries to stop too early."""
    calls = [
        ToolCall("shell", {"command": "rm -rf build", "for": "tidying"}),
        ToolCall("shell", {"command": "rm -r build", "for": "tidying"}),
        ToolCall("search", {"query": "how to test"}),
        None,
        ToolCall("deploy") if fail else ToolCall("shell", {"command": "pytest", "for": "testing"}),
    ]
    with Recorder(f"example-{os.getpid()}", project) as recorder:
        agent = Agent(script(*calls), make_tools(), hooks_for(project, recorder), State("tidy up", ("tidying", "testing")))
        try:
            await agent.run()
        finally:
            print(*agent.state.messages, sep="\n")


if __name__ == "__main__":
    asyncio.run(main(os.getcwd(), fail="--fail" in sys.argv[1:]))
