"""An agent's hooks by event: what most people register with (formats.md §5; seed 002, "AgentBuilder Methods")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from hooktui.stack.callback_source import place_of
from hooktui.stack.callbacks import CallableHook
from hooktui.stack.context_matchers import may_match
from hooktui.stack.contexts import HookContext, HookEvent, S
from hooktui.stack.hook_stack import HookStack

if TYPE_CHECKING:
    from typing import Self

    from claude_agent_sdk import HookMatcher as ClaudeMatcher
    from claude_agent_sdk.types import HookEvent as ClaudeEvent

    from hooktui.stack.callbacks import Callback, Hook
    from hooktui.stack.context_matchers import HookMatcher
    from hooktui.stack.contexts import (
        ExecutionHookContext,
        FailureHookContext,
        StepHookContext,
        StopHookContext,
        ToolCall,
        ToolExecution,
        ToolHookContext,
    )
    from hooktui.stack.hook_stack import Terminal
    from hooktui.stack.outcomes import HookOutcome
    from hooktui.stack.stack_recorder import Recorder

    Matcher = HookMatcher | str | None

C = TypeVar("C", bound=HookContext[Any])


class AgentHooks(Generic[S]):
    """The hooks of an agent whose state is an S. Each registration returns the object itself, so that they can be chained.

    A callback takes (context), or (context, call_next) to control what comes after it; `matcher` is a tool-name pattern or a
    matcher. Registering what cannot work raises TypeError or ValueError with a sentence that names the function.
    """

    def __init__(self, *, recorder: Recorder | None = None) -> None:
        self._stacks = {event: HookStack(recorder=recorder) for event in HookEvent}

    def on_before_tool_use(
        self,
        callback: Callback[ToolHookContext[S], HookOutcome | ToolHookContext[S] | ToolCall],
        priority: int = 0,
        matcher: Matcher = None,
    ) -> Self:
        """Before a tool runs. A ToolCall that is returned replaces the call."""
        return self._on(HookEvent.PRE_TOOL_USE, callback, priority, matcher)

    def on_after_tool_use(
        self,
        callback: Callback[ToolHookContext[S], HookOutcome | ToolHookContext[S] | ToolExecution],
        priority: int = 0,
        matcher: Matcher = None,
    ) -> Self:
        """After a tool has run. A ToolExecution that is returned replaces what came of it."""
        return self._on(HookEvent.POST_TOOL_USE, callback, priority, matcher)

    def on_before_step(
        self,
        callback: Callback[StepHookContext[S], HookOutcome | StepHookContext[S]],
        priority: int = 0,
        matcher: Matcher = None,
    ) -> Self:
        """Before a step."""
        return self._on(HookEvent.BEFORE_STEP, callback, priority, matcher)

    def on_after_step(
        self,
        callback: Callback[StepHookContext[S], HookOutcome | StepHookContext[S]],
        priority: int = 0,
        matcher: Matcher = None,
    ) -> Self:
        """After a step."""
        return self._on(HookEvent.AFTER_STEP, callback, priority, matcher)

    def on_execution_start(
        self,
        callback: Callback[ExecutionHookContext[S], HookOutcome | ExecutionHookContext[S]],
        priority: int = 0,
        matcher: Matcher = None,
    ) -> Self:
        """When a run begins."""
        return self._on(HookEvent.EXECUTION_START, callback, priority, matcher)

    def on_execution_end(
        self,
        callback: Callback[ExecutionHookContext[S], HookOutcome | ExecutionHookContext[S]],
        priority: int = 0,
        matcher: Matcher = None,
    ) -> Self:
        """When a run has ended: to observe only."""
        return self._on(HookEvent.EXECUTION_END, callback, priority, matcher)

    def on_stop(
        self,
        callback: Callback[StopHookContext[S], HookOutcome | StopHookContext[S]],
        priority: int = 0,
        matcher: Matcher = None,
    ) -> Self:
        """When the agent is about to stop: a block makes it go on, with the reason."""
        return self._on(HookEvent.STOP, callback, priority, matcher)

    def on_subagent_stop(
        self,
        callback: Callback[StopHookContext[S], HookOutcome | StopHookContext[S]],
        priority: int = 0,
        matcher: Matcher = None,
    ) -> Self:
        """When a subagent is about to stop: likewise."""
        return self._on(HookEvent.SUBAGENT_STOP, callback, priority, matcher)

    def on_agent_failed(
        self,
        callback: Callback[FailureHookContext[S], HookOutcome | FailureHookContext[S]],
        priority: int = 0,
        matcher: Matcher = None,
    ) -> Self:
        """When the agent has failed: to observe only."""
        return self._on(HookEvent.AGENT_FAILED, callback, priority, matcher)

    def _on(self, event: HookEvent, callback: Any, priority: int, matcher: Matcher) -> Self:
        return self.add_hook(event, CallableHook(callback, matcher), priority)

    def add_hook(self, event: HookEvent, hook: Hook, priority: int = 0) -> Self:
        """Add a hook to an event. Raises ValueError for an event that there is not, or one that the hook cannot match."""
        try:
            event = HookEvent(event)
        except ValueError:
            raise ValueError(f"{place_of(hook)}: there is no event {event!r}; there are {', '.join(HookEvent)}") from None
        matcher = getattr(hook, "matcher", None)
        if not may_match(matcher, event):
            raise ValueError(f"{place_of(hook)} would never run on {event}: its matcher wants {matcher}")
        self._stacks[event] = self._stacks[event].with_hook(hook, priority)
        return self

    async def process(self, context: C, terminal: Terminal[C]) -> HookOutcome[C]:
        """Send an event through its hooks to the action, plain or async; what came of it."""
        return await self._stacks[context.event].process(context, terminal)

    def names(self, event: HookEvent) -> tuple[str, ...]:
        """The qualified names of an event's hooks, in order."""
        return self._stacks[event].names

    def as_claude_hooks(self, state: S = None) -> dict[ClaudeEvent, list[ClaudeMatcher]]:  # type: ignore[assignment]
        """These hooks for `ClaudeAgentOptions(hooks=…)` of the Claude Agent SDK.

        `state` is that of the first context; a state that hooks put in its place is handed on to the next. What Claude told
        stands in the metadata as `claude`. The SDK fires PreToolUse, PostToolUse (a tool that failed has an error), Stop and
        SubagentStop; for the others `process` is to be called, which a warning says.
        """
        from hooktui.stack.claude_sdk import claude_hooks

        return claude_hooks(self, state)
