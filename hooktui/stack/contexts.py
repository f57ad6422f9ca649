"""What a hook sees of its moment: one frozen context a kind of event (formats.md §5; seed 002, "Context Classes").

Every context is generic over the agent's own state. Metadata live as long as their context: what must last from the start of a
run to its end belongs in the state, which the caller carries.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic

from hooktui.stack.frozen import FrozenDict, frozen

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from typing_extensions import TypeVar

    S = TypeVar("S", default=Any)
else:
    from typing import TypeVar

    S = TypeVar("S")


class HookEvent(StrEnum):
    """The moments of an agent's life at which hooks may run, in the seed's spelling."""

    PRE_TOOL_USE = "PreToolUse"
    POST_TOOL_USE = "PostToolUse"
    BEFORE_STEP = "BeforeStep"
    AFTER_STEP = "AfterStep"
    EXECUTION_START = "ExecutionStart"
    EXECUTION_END = "ExecutionEnd"
    STOP = "Stop"
    SUBAGENT_STOP = "SubagentStop"
    AGENT_FAILED = "AgentFailed"

    @property
    def has_tool(self) -> bool:
        """Whether a tool is what it is about."""
        return self in (HookEvent.PRE_TOOL_USE, HookEvent.POST_TOOL_USE)

    @property
    def observe_only(self) -> bool:
        """Whether there is nothing left to prevent: a block or stop is recorded and changes nothing."""
        return self in (HookEvent.AGENT_FAILED, HookEvent.EXECUTION_END)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the agent wants to call; `args` are a copy of those given, which cannot be changed at any depth."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.args, FrozenDict):
            object.__setattr__(self, "args", frozen(dict(self.args)))


@dataclass(frozen=True, slots=True)
class ToolExecution:
    """What came of a call: a result, or an error."""

    call: ToolCall
    result: Any = None
    error: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HookContext(Generic[S]):
    """What all contexts have. Made by the constructors of the kinds below."""

    event: HookEvent
    state: S
    metadata: Mapping[str, Any] = FrozenDict()

    def get(self, key: str, default: Any = None) -> Any:
        """A value of the metadata."""
        return self.metadata.get(key, default)

    def with_metadata(self, key: str, value: Any) -> Self:
        """This context with one more value."""
        return self._with(metadata=FrozenDict({**self.metadata, key: value}))

    def with_state(self, state: S) -> Self:
        """This context with another state of the agent."""
        return self._with(state=state)

    def _with(self, **changes: Any) -> Self:
        twin = object.__new__(type(self))
        for kind in type(self).__mro__:
            for name in getattr(kind, "__slots__", ()):
                object.__setattr__(twin, name, changes[name] if name in changes else getattr(self, name))
        for name, value in getattr(self, "__dict__", {}).items():  # what a subclass without slots adds
            object.__setattr__(twin, name, value)
        return twin


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolHookContext(HookContext[S]):
    """A tool is about to run, or has run. `execution` is None before."""

    tool_call: ToolCall
    execution: ToolExecution | None = None

    @classmethod
    def before(cls, call: ToolCall, state: S = None) -> Self:  # type: ignore[assignment]
        """PreToolUse: the call may be changed or blocked."""
        return cls(event=HookEvent.PRE_TOOL_USE, state=state, tool_call=call)

    @classmethod
    def after(cls, call: ToolCall, execution: ToolExecution, state: S = None) -> Self:  # type: ignore[assignment]
        """PostToolUse: the execution may be changed."""
        return cls(event=HookEvent.POST_TOOL_USE, state=state, tool_call=call, execution=execution)

    def with_tool_call(self, call: ToolCall) -> Self:
        """This context with another call."""
        return self._with(tool_call=call)

    def with_execution(self, execution: ToolExecution) -> Self:
        """This context with another execution."""
        return self._with(execution=execution)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepHookContext(HookContext[S]):
    """A step of the agent begins, or has ended. `step` is whatever the agent calls one; None before."""

    step_index: int
    step: Any = None

    @classmethod
    def before(cls, step_index: int, state: S = None) -> Self:  # type: ignore[assignment]
        """BeforeStep; `step_index` counts from 0."""
        return cls(event=HookEvent.BEFORE_STEP, state=state, step_index=step_index)

    @classmethod
    def after(cls, step_index: int, step: Any, state: S = None) -> Self:  # type: ignore[assignment]
        """AfterStep."""
        return cls(event=HookEvent.AFTER_STEP, state=state, step_index=step_index, step=step)

    @property
    def step_number(self) -> int:
        """The step as people count it, from 1."""
        return self.step_index + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StopHookContext(HookContext[S]):
    """The agent, or a subagent, is about to stop: a block makes it go on."""

    stop_reason: Any

    @classmethod
    def stop(cls, reason: Any, state: S = None) -> Self:  # type: ignore[assignment]
        """Stop."""
        return cls(event=HookEvent.STOP, state=state, stop_reason=reason)

    @classmethod
    def subagent_stop(cls, reason: Any, state: S = None) -> Self:  # type: ignore[assignment]
        """SubagentStop."""
        return cls(event=HookEvent.SUBAGENT_STOP, state=state, stop_reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionHookContext(HookContext[S]):
    """A run of the agent begins, or has ended."""

    @classmethod
    def start(cls, state: S = None) -> Self:  # type: ignore[assignment]
        """ExecutionStart."""
        return cls(event=HookEvent.EXECUTION_START, state=state)

    @classmethod
    def end(cls, state: S = None) -> Self:  # type: ignore[assignment]
        """ExecutionEnd."""
        return cls(event=HookEvent.EXECUTION_END, state=state)

    @property
    def is_start(self) -> bool:
        """Whether the run begins."""
        return self.event is HookEvent.EXECUTION_START


@dataclass(frozen=True, slots=True, init=False)
class FailureHookContext(HookContext[S]):
    """The agent failed, and cannot recover."""

    exception: BaseException

    def __init__(
        self,
        exception: BaseException,
        state: S = None,  # type: ignore[assignment]
        *,
        event: HookEvent = HookEvent.AGENT_FAILED,
        metadata: Mapping[str, Any] = FrozenDict(),  # it cannot be changed
    ) -> None:
        for name, value in {"event": event, "state": state, "metadata": metadata, "exception": exception}.items():
            object.__setattr__(self, name, value)

    @property
    def error_message(self) -> str:
        """What it says."""
        return str(self.exception)

    @property
    def error_class(self) -> str:
        """The name of its type."""
        return type(self.exception).__name__
