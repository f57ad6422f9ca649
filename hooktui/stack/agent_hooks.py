"""AgentHooks: the hooks of an agent by event, the main API (formats.md §5; seed 002, "AgentBuilder Methods")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from hooktui.stack.callbacks import CallableHook
from hooktui.stack.context_matchers import may_match
from hooktui.stack.contexts import HookContext, HookEvent, S
from hooktui.stack.hook_stack import HookStack
from hooktui.stack.introspection import location_of

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
    BeforeToolCallback = Callback[ToolHookContext[S], HookOutcome | ToolHookContext[S] | ToolCall]
    AfterToolCallback = Callback[ToolHookContext[S], HookOutcome | ToolHookContext[S] | ToolExecution]
    StepCallback = Callback[StepHookContext[S], HookOutcome | StepHookContext[S]]
    ExecutionCallback = Callback[ExecutionHookContext[S], HookOutcome | ExecutionHookContext[S]]
    StopCallback = Callback[StopHookContext[S], HookOutcome | StopHookContext[S]]
    FailureCallback = Callback[FailureHookContext[S], HookOutcome | FailureHookContext[S]]

C = TypeVar("C", bound=HookContext[Any])


class AgentHooks(Generic[S]):
    """The hooks of an agent whose state is an S. Each registration returns the object itself, for chaining.

    A callback takes (context), or (context, call_next) to control the rest of the chain; `matcher` is a tool-name pattern or a
    matcher. An invalid registration raises TypeError or ValueError with a message that names the function.
    """

    def __init__(self, *, recorder: Recorder | None = None) -> None:
        self._stacks = {event: HookStack(recorder=recorder) for event in HookEvent}

    def on_before_tool_use(self, callback: BeforeToolCallback[S], priority: int = 0, matcher: Matcher = None) -> Self:
        """Before a tool runs. A returned ToolCall replaces the call."""
        return self._on(HookEvent.PRE_TOOL_USE, callback, priority, matcher)

    def on_after_tool_use(self, callback: AfterToolCallback[S], priority: int = 0, matcher: Matcher = None) -> Self:
        """After a tool has run. A returned ToolExecution replaces the execution."""
        return self._on(HookEvent.POST_TOOL_USE, callback, priority, matcher)

    def on_before_step(self, callback: StepCallback[S], priority: int = 0, matcher: Matcher = None) -> Self:
        return self._on(HookEvent.BEFORE_STEP, callback, priority, matcher)

    def on_after_step(self, callback: StepCallback[S], priority: int = 0, matcher: Matcher = None) -> Self:
        return self._on(HookEvent.AFTER_STEP, callback, priority, matcher)

    def on_execution_start(self, callback: ExecutionCallback[S], priority: int = 0, matcher: Matcher = None) -> Self:
        return self._on(HookEvent.EXECUTION_START, callback, priority, matcher)

    def on_execution_end(self, callback: ExecutionCallback[S], priority: int = 0, matcher: Matcher = None) -> Self:
        """When a run has ended. Observe only."""
        return self._on(HookEvent.EXECUTION_END, callback, priority, matcher)

    def on_stop(self, callback: StopCallback[S], priority: int = 0, matcher: Matcher = None) -> Self:
        """When the agent is about to stop. A block makes it continue, with the reason."""
        return self._on(HookEvent.STOP, callback, priority, matcher)

    def on_subagent_stop(self, callback: StopCallback[S], priority: int = 0, matcher: Matcher = None) -> Self:
        """When a subagent is about to stop. A block makes it continue, with the reason."""
        return self._on(HookEvent.SUBAGENT_STOP, callback, priority, matcher)

    def on_agent_failed(self, callback: FailureCallback[S], priority: int = 0, matcher: Matcher = None) -> Self:
        """When the agent has failed. Observe only."""
        return self._on(HookEvent.AGENT_FAILED, callback, priority, matcher)

    def _on(self, event: HookEvent, callback: Any, priority: int, matcher: Matcher) -> Self:
        return self.add_hook(event, CallableHook(callback, matcher), priority)

    def add_hook(self, event: HookEvent, hook: Hook, priority: int = 0) -> Self:
        """Add a hook to an event. Raises ValueError for an unknown event, or one that the hook can never match."""
        try:
            event = HookEvent(event)
        except ValueError:
            raise ValueError(f"{location_of(hook)}: unknown event {event!r} (valid: {', '.join(HookEvent)})") from None
        matcher = getattr(hook, "matcher", None)
        if not may_match(matcher, event):
            raise ValueError(f"{location_of(hook)} would never run on {event}: its matcher requires {matcher}")
        self._stacks[event] = self._stacks[event].with_hook(hook, priority)
        return self

    async def process(self, context: C, terminal: Terminal[C]) -> HookOutcome[C]:
        """Send an event through its hooks to the action, plain or async, and return the outcome."""
        return await self._stacks[context.event].process(context, terminal)

    def names(self, event: HookEvent) -> tuple[str, ...]:
        """The qualified names of an event's hooks, outermost first."""
        return self._stacks[event].names

    def as_claude_hooks(self, state: S = None) -> dict[ClaudeEvent, list[ClaudeMatcher]]:  # type: ignore[assignment]
        """Return these hooks for `ClaudeAgentOptions(hooks=…)` of the Claude Agent SDK.

        `state` is the first context's state; each context starts with the state that hooks left. The SDK's input is in the
        metadata as `claude`. The SDK fires PreToolUse, PostToolUse (with an error if the tool failed), Stop and SubagentStop;
        for other events call `process`, as a warning says.
        """
        from hooktui.stack.claude_sdk import claude_hooks

        return claude_hooks(self, state)
