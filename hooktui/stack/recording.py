"""Spans: the timing, outcome and exception of each hook while an event passes through a stack.

`Span` and `Trace` record nothing: a stack without a Recorder uses them. The others run on the agent's time, so they only keep
references; `python_dispatch` turns them into rows in another thread. Times are seconds of `time.perf_counter`.
"""

from __future__ import annotations

import time
import traceback as tracebacks
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from hooktui.stack.contexts import ToolHookContext
from hooktui.stack.event_payloads import error_text, json_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

    from hooktui.core.model import Event, Run, State
    from hooktui.core.model import Hook as LoggedHook
    from hooktui.stack.callbacks import Hook
    from hooktui.stack.context_matchers import HookMatcher
    from hooktui.stack.contexts import HookContext, ToolCall
    from hooktui.stack.introspection import SourceLocation
    from hooktui.stack.outcomes import HookOutcome


@dataclass(frozen=True, slots=True)
class RegisteredHook:
    """A hook of a stack, its location, and its log records by event (`python_dispatch`)."""

    hook: Hook
    priority: int
    location: SourceLocation
    logged: dict[str, LoggedHook] = field(default_factory=dict, compare=False, repr=False)


class Span:
    """A hook, its call of the next hook, or the action; entered when it begins and left when it ends."""

    __slots__ = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object, /) -> None:
        """Note an exception; it propagates."""

    def skip(self, matcher: HookMatcher | None) -> None:
        """Note that the hook's matcher did not match."""

    def end(self, outcome: HookOutcome[Any]) -> None:
        """Note the outcome."""

    def next_span(self, _context: HookContext[Any]) -> Span:
        """Begin the span of the rest of the chain, called with this context."""
        return self


class Trace(Span):
    """The span of one event."""

    __slots__ = ()

    def hook_span(self, _position: int, _context: HookContext[Any]) -> Span:
        return self

    def action_span(self, _context: HookContext[Any]) -> Span:
        return self


NO_TRACE = Trace()


class Failure(NamedTuple):
    """An exception as text."""

    state: State
    problem: str
    traceback: str


class ContextChange(NamedTuple):
    """The changes that a hook made for the hooks after it."""

    modified_input: Mapping[str, Any] | None = None
    log: str | None = None


UNCHANGED = ContextChange()


class TimedSpan(Span):
    """A span with times, and its outcome or its own exception; `inner_error` is one that came from an inner span."""

    __slots__ = ("began", "ended", "failure", "inner_error", "outcome")

    def __init__(self) -> None:
        self.began = self.ended = time.perf_counter()
        self.outcome: HookOutcome[Any] | None = None
        self.failure: Failure | None = None
        self.inner_error: BaseException | None = None

    @property
    def duration_s(self) -> float:
        return self.ended - self.began

    def end(self, outcome: HookOutcome[Any]) -> None:
        self.outcome = outcome

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object, /) -> None:
        self.ended = time.perf_counter()
        if error is not None and error is not self.inner_error:
            state: State = "failed" if isinstance(error, Exception) else "interrupted"
            self.failure = Failure(state, f"{type(error).__name__}: {error_text(error)}", _traceback_text(error))


class HookSpan(TimedSpan):
    """A hook at a position of the chain; `next_s` is the time spent in the rest of the chain and `inner` its outcome.

    A hook that runs others, as FileHooks does, sets `runs` and `warnings`. A span does not refer to its Recording, which
    refers to it: a cycle would keep both until the next garbage collection.
    """

    __slots__ = ("_context", "change", "inner", "next_s", "position", "runs", "skipped", "warnings")

    def __init__(self, position: int, context: HookContext[Any]) -> None:
        super().__init__()
        self.position = position
        self.skipped: HookMatcher | None = None
        self.next_s = 0.0
        self.inner: HookOutcome[Any] | None = None
        self.change = UNCHANGED
        self.runs: Sequence[Run] | None = None
        self.warnings: Sequence[str] = ()
        self._context = context

    def skip(self, matcher: HookMatcher | None) -> None:
        self.skipped = matcher

    def end(self, outcome: HookOutcome[Any]) -> None:
        super().end(outcome)
        if self.inner is None and outcome.context is not None:
            self.change = compare(self._context, outcome.context)

    def next_span(self, context: HookContext[Any]) -> Span:
        self.change = compare(self._context, context)
        return _NextSpan(self)


class _NextSpan(TimedSpan):
    """The rest of the chain, which a hook awaits."""

    __slots__ = ("_owner",)

    def __init__(self, owner: HookSpan) -> None:
        super().__init__()
        self._owner = owner

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object, /) -> None:
        self.ended = time.perf_counter()
        self._owner.next_s += self.duration_s
        self._owner.inner_error = error
        self._owner.inner = self.outcome


class Recording(TimedSpan, Trace):
    """The spans of one event. `number` is the dispatch's id, `db` the log's path; `finish` gets the complete recording."""

    __slots__ = ("_context", "_finish", "actions", "change", "db", "event", "number", "registered", "spans")

    def __init__(
        self,
        db: str,
        number: int,
        event: Event,
        registered: Sequence[RegisteredHook],
        context: HookContext[Any],
        finish: Callable[[Recording], None],
    ) -> None:
        super().__init__()
        self.db = db
        self.number = number
        self.event = event
        self.registered = registered
        self.spans: list[HookSpan] = []
        self.actions: list[TimedSpan] = []
        self.change = UNCHANGED
        self._context = context
        self._finish = finish

    def hook_span(self, position: int, context: HookContext[Any]) -> HookSpan:
        self.spans.append(HookSpan(position, context))
        return self.spans[-1]

    def action_span(self, context: HookContext[Any]) -> TimedSpan:
        self.change = compare(self._context, context)
        self.actions.append(TimedSpan())
        return self.actions[-1]

    def __exit__(self, kind: object, error: BaseException | None, traceback: object, /) -> None:
        super().__exit__(kind, error, traceback)
        self._finish(self)


def compare(before: HookContext[Any], after: HookContext[Any]) -> ContextChange:
    """Compare two contexts' tool calls and executions."""
    if before is after or not (isinstance(before, ToolHookContext) and isinstance(after, ToolHookContext)):
        return UNCHANGED
    call, new_call = before.tool_call, after.tool_call
    changes = [f"replaced tool {call.name} with {new_call.name}"] if call.name != new_call.name else []
    if before.execution is not after.execution:
        changes.append("replaced the tool's result")
    return ContextChange(_new_arguments(call, new_call), "; ".join(changes) or None)


def _new_arguments(before: ToolCall, after: ToolCall) -> Any:
    """The arguments of the new call as JSON values, which always compare; None if unchanged."""
    if before is after:
        return None
    arguments = json_value(after.args)
    return arguments if arguments != json_value(before.args) else None


def _traceback_text(error: BaseException) -> str:
    try:
        return "".join(tracebacks.format_exception(error))
    except Exception:  # noqa: BLE001  # the agent's own exception class may fail to format
        return ""
