"""An agent with hooks: a small loop with tools, steps, a gate on stopping, and a failure.

    python examples/agent.py               a task that it finishes
    python examples/agent.py --fail        a tool breaks for good

Its model is a script, so that it runs anywhere; hooks do not care who decides. Watch it in `hooktui`, screen Live.
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
Model = Iterator[ToolCall | None]  # what it wants next; None is to stop


@dataclass(frozen=True)
class State:
    """What the agent knows; hooks get it with every event, and may put another in its place."""

    task: str
    pending: tuple[str, ...]
    heard: tuple[str, ...] = ()
    steps: int = 0


C = TypeVar("C", bound=HookContext[State])


# The hooks -------------------------------------------------------------------------------------------------------------------


def guard(context: ToolHookContext[State]) -> HookOutcome:
    """Dangerous commands are not run."""
    command = str(context.tool_call.args.get("command", ""))
    return HookOutcome.block(f"Dangerous command blocked: {command}") if "rm -rf" in command else HookOutcome.proceed()


async def retry(context: ToolHookContext[State], call_next: CallNext[ToolHookContext[State]]) -> HookOutcome:
    """A tool that takes too long gets a second chance."""
    try:
        return await call_next(context)
    except TimeoutError:
        return await call_next(context)


def shorten(context: ToolHookContext[State]) -> ToolExecution | None:
    """The model need not read everything."""
    result = str(context.execution.result) if context.execution else ""
    return ToolExecution(context.tool_call, f"{result[:60]}…") if len(result) > 60 else None


def count(context: StepHookContext[State]) -> HookOutcome | StepHookContext[State]:
    """Steps are counted, and there are not too many of them."""
    if context.step_number > 10:
        return HookOutcome.stop("ten steps are enough")
    return context.with_state(replace(context.state, steps=context.step_number))


def unfinished(context: StopHookContext[State]) -> HookOutcome | None:
    """The agent does not stop while something is left to do."""
    return HookOutcome.block(f"Still to do: {', '.join(context.state.pending)}") if context.state.pending else None


def report_failure(context: FailureHookContext[State]) -> None:
    """Somebody should know."""
    print(f"failed in step {context.state.steps}: {context.error_class}: {context.error_message}")


def hooks_for(project: str, recorder: Recorder) -> AgentHooks[State]:
    """The agent's own hooks, and around them those on disk that a user and the project have for every agent."""
    hooks = AgentHooks[State](recorder=recorder)
    hooks.on_before_tool_use(guard, priority=100, matcher="shell").on_before_tool_use(retry, priority=-100)
    hooks.on_after_tool_use(shorten).on_before_step(count).on_stop(unfinished).on_agent_failed(report_failure)
    on_disk = FileHooks(project)
    for event in HookEvent:
        hooks.add_hook(event, on_disk, priority=50)
    return hooks


# The agent -------------------------------------------------------------------------------------------------------------------


class Stopped(Exception):
    """A hook has ended the run."""


class Agent:
    """Does what its model wants until both agree that all is done; every moment of that goes through the hooks."""

    def __init__(
        self, model: Iterator[ToolCall | None], tools: dict[str, Tool], hooks: AgentHooks[State], state: State
    ) -> None:
        self.model, self.tools, self.hooks, self.state = model, tools, hooks, state

    async def run(self) -> None:
        """Work until nothing is left to do; what breaks for good is raised, after the hooks have heard of it."""
        try:
            await self.moment(ExecutionHookContext.start(self.state))
            step = 0
            while not await self.step(step):
                step += 1
        except Stopped as stop:
            print(f"stopped: {stop}")
        except Exception as error:
            await self.moment(FailureHookContext(error, self.state))
            raise
        finally:
            await self.moment(ExecutionHookContext.end(self.state))

    async def step(self, index: int) -> bool:
        """One step; whether it was the last."""
        await self.moment(StepHookContext.before(index, self.state))
        call = next(self.model)
        if call is None:
            stopping = await self.moment(StopHookContext.stop("no_tool_calls", self.state))
            self.hear(stopping.reason)
            done = not stopping.is_blocked
        else:
            await self.use(call)
            done = False
        await self.moment(StepHookContext.after(index, call, self.state))
        return done

    async def use(self, call: ToolCall) -> None:
        """Call a tool, unless a hook prevents it; the model hears what came of it, or why it was not called."""
        before = await self.moment(ToolHookContext.before(call, self.state), self.call_tool)
        if before.context is None or before.context.execution is None:
            self.hear(before.reason)
            return
        after = await self.moment(ToolHookContext.after(before.context.tool_call, before.context.execution, self.state))
        execution = after.context.execution if after.context else None
        self.hear(after.reason or (str(execution.error or execution.result) if execution else None))

    async def call_tool(self, context: ToolHookContext[State]) -> HookOutcome[ToolHookContext[State]]:
        """The action that the hooks of PreToolUse stand around. What they return to is the execution."""
        call = context.tool_call
        try:
            execution = ToolExecution(call, await self.tools[call.name](call))
        except ValueError as error:  # a tool that says no; anything else is the agent's end
            execution = ToolExecution(call, error=error)
        return HookOutcome.proceed(context.with_execution(execution).with_state(done(context.state, call)))

    async def moment(self, context: C, action: Callable[[C], Awaitable[HookOutcome[C]]] | None = None) -> HookOutcome[C]:
        """Send a moment through the hooks, and keep the state that they leave. Raises Stopped."""
        outcome = await self.hooks.process(context, action or (lambda _context: None))
        if outcome.is_stopped:
            raise Stopped(outcome.reason)
        if outcome.context is not None:
            self.state = outcome.context.state
        return outcome

    def hear(self, text: str | None) -> None:
        """Tell the model something."""
        if text:
            self.state = replace(self.state, heard=(*self.state.heard, text))


def done(state: State, call: ToolCall) -> State:
    """The state after a call: what it was for is no longer pending."""
    return replace(state, pending=tuple(one for one in state.pending if one != call.args.get("for")))


# A task ----------------------------------------------------------------------------------------------------------------------


def script(*calls: ToolCall | None) -> Model:
    """A model that wants these things one after the other, and then to stop."""
    yield from calls
    while True:
        yield None


def make_tools() -> dict[str, Tool]:
    """A shell that only pretends, a slow search, and a deployment that breaks."""
    attempts: list[ToolCall] = []

    async def shell(call: ToolCall) -> str:
        return f"$ {call.args['command']}: " + "ok " * 30

    async def search(call: ToolCall) -> str:
        attempts.append(call)
        if len(attempts) == 1:
            raise TimeoutError("the network is slow today")
        raise ValueError("nothing found")

    async def deploy(_call: ToolCall) -> str:
        raise ConnectionError("the server is gone")

    return {"shell": shell, "search": search, "deploy": deploy}


async def main(project: str, *, fail: bool) -> None:
    """Tidy up and test: the model tries something dangerous, and wants to stop too early."""
    wishes = [
        ToolCall("shell", {"command": "rm -rf build", "for": "tidying"}),
        ToolCall("shell", {"command": "rm -r build", "for": "tidying"}),
        ToolCall("search", {"query": "how to test"}),
        None,
        ToolCall("deploy") if fail else ToolCall("shell", {"command": "pytest", "for": "testing"}),
    ]
    with Recorder(f"example-{os.getpid()}", project) as recorder:
        agent = Agent(script(*wishes), make_tools(), hooks_for(project, recorder), State("tidy up", ("tidying", "testing")))
        try:
            await agent.run()
        finally:
            print(*agent.state.heard, sep="\n")


if __name__ == "__main__":
    asyncio.run(main(os.getcwd(), fail="--fail" in sys.argv[1:]))
