"""Hook contexts: one frozen class per kind of event (formats.md §5; seed 002, "Context Classes").

Contexts are generic over the agent's state. Metadata lives as long as its context; data that must outlive an event belongs in
the state, which the caller carries.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from typing_extensions import TypeVar

    S = TypeVar("S", default=Any)
else:
    from typing import TypeVar

    S = TypeVar("S")

_MAX_DEPTH = 100  # levels that are frozen; tool arguments are never this deep


# Read-only arguments ----------------------------------------------------------------------------------------------------------


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    raise TypeError(f"{type(self).__name__} is read-only: pass on a changed copy")


_refused: Any = _refuse  # Any, to replace methods of any type


class FrozenDict(dict[str, Any]):
    """A read-only dict. Changes raise TypeError."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refused

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:  # lets pickle and copy build one without setting items
        return FrozenDict, (dict(self),)


class FrozenList(list[Any]):
    """A read-only list. Changes raise TypeError."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refused
    append = clear = extend = insert = pop = remove = reverse = sort = _refused

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenList, (list(self),)


def freeze(value: Any, ancestors: tuple[int, ...] = ()) -> Any:
    """Copy a value with every dict and list read-only; other objects are shared.

    `ancestors` are the ids of the enclosing containers: a cycle, or anything below 100 levels, is not copied.
    """
    kind = type(value)
    if kind not in (dict, list) or id(value) in ancestors or len(ancestors) == _MAX_DEPTH:
        return value
    ancestors = (*ancestors, id(value))
    if kind is dict:
        return FrozenDict({key: freeze(item, ancestors) for key, item in value.items()})
    return FrozenList([freeze(item, ancestors) for item in value])


# Events and tools -------------------------------------------------------------------------------------------------------------


class HookEvent(StrEnum):
    """The events of an agent."""

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
        return self in (HookEvent.PRE_TOOL_USE, HookEvent.POST_TOOL_USE)

    @property
    def observe_only(self) -> bool:
        """Whether hooks can only observe: a block or stop is recorded and has no effect."""
        return self in (HookEvent.AGENT_FAILED, HookEvent.EXECUTION_END)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that the agent requests; `args` is a copy that is read-only at every level."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.args, FrozenDict):
            object.__setattr__(self, "args", freeze(dict(self.args)))


@dataclass(frozen=True, slots=True)
class ToolExecution:
    """A finished tool call: its result or its error."""

    call: ToolCall
    result: Any = None
    error: Any = None


# Contexts ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class HookContext(Generic[S]):
    """Base class of the contexts. Create one with the constructors of the subclasses."""

    event: HookEvent
    state: S
    metadata: Mapping[str, Any] = FrozenDict()

    def get(self, key: str, default: Any = None) -> Any:
        return self.metadata.get(key, default)

    def with_metadata(self, key: str, value: Any) -> Self:
        """Copy with one more metadata value."""
        return self._with(metadata=FrozenDict({**self.metadata, key: value}))

    def with_state(self, state: S) -> Self:
        return self._with(state=state)

    def _with(self, **changes: Any) -> Self:
        twin = object.__new__(type(self))
        for kind in type(self).__mro__:
            for name in getattr(kind, "__slots__", ()):
                object.__setattr__(twin, name, changes[name] if name in changes else getattr(self, name))
        for name, value in getattr(self, "__dict__", {}).items():  # attributes of subclasses without slots
            object.__setattr__(twin, name, value)
        return twin


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolHookContext(HookContext[S]):
    """A tool is about to run, or has run. `execution` is None before it runs."""

    tool_call: ToolCall
    execution: ToolExecution | None = None

    @classmethod
    def before(cls, call: ToolCall, state: S = None) -> Self:  # type: ignore[assignment]
        """PreToolUse: hooks may change or block the call."""
        return cls(event=HookEvent.PRE_TOOL_USE, state=state, tool_call=call)

    @classmethod
    def after(cls, call: ToolCall, execution: ToolExecution, state: S = None) -> Self:  # type: ignore[assignment]
        """PostToolUse: hooks may change the execution."""
        return cls(event=HookEvent.POST_TOOL_USE, state=state, tool_call=call, execution=execution)

    def with_tool_call(self, call: ToolCall) -> Self:
        return self._with(tool_call=call)

    def with_execution(self, execution: ToolExecution) -> Self:
        return self._with(execution=execution)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepHookContext(HookContext[S]):
    """A step of the agent begins, or has ended. `step` is the agent's own step object; None before the step."""

    step_index: int
    step: Any = None

    @classmethod
    def before(cls, step_index: int, state: S = None) -> Self:  # type: ignore[assignment]
        """BeforeStep; `step_index` counts from 0."""
        return cls(event=HookEvent.BEFORE_STEP, state=state, step_index=step_index)

    @classmethod
    def after(cls, step_index: int, step: Any, state: S = None) -> Self:  # type: ignore[assignment]
        return cls(event=HookEvent.AFTER_STEP, state=state, step_index=step_index, step=step)

    @property
    def step_number(self) -> int:
        """The step's number, counted from 1."""
        return self.step_index + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StopHookContext(HookContext[S]):
    """The agent, or a subagent, is about to stop; a block makes it continue."""

    stop_reason: Any

    @classmethod
    def stop(cls, reason: Any, state: S = None) -> Self:  # type: ignore[assignment]
        return cls(event=HookEvent.STOP, state=state, stop_reason=reason)

    @classmethod
    def subagent_stop(cls, reason: Any, state: S = None) -> Self:  # type: ignore[assignment]
        return cls(event=HookEvent.SUBAGENT_STOP, state=state, stop_reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionHookContext(HookContext[S]):
    """A run of the agent begins, or has ended."""

    @classmethod
    def start(cls, state: S = None) -> Self:  # type: ignore[assignment]
        return cls(event=HookEvent.EXECUTION_START, state=state)

    @classmethod
    def end(cls, state: S = None) -> Self:  # type: ignore[assignment]
        return cls(event=HookEvent.EXECUTION_END, state=state)

    @property
    def is_start(self) -> bool:
        return self.event is HookEvent.EXECUTION_START


@dataclass(frozen=True, slots=True, init=False)
class FailureHookContext(HookContext[S]):
    """The agent failed and cannot recover."""

    exception: BaseException

    def __init__(
        self,
        exception: BaseException,
        state: S = None,  # type: ignore[assignment]
        *,
        event: HookEvent = HookEvent.AGENT_FAILED,
        metadata: Mapping[str, Any] = FrozenDict(),
    ) -> None:
        for name, value in {"event": event, "state": state, "metadata": metadata, "exception": exception}.items():
            object.__setattr__(self, name, value)

    @property
    def error_message(self) -> str:
        return str(self.exception)

    @property
    def error_class(self) -> str:
        return type(self.exception).__name__
