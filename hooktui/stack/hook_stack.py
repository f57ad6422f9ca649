"""Hooks in order of priority, around what the agent is about to do (formats.md §5; seed 002, "Using HookStack Directly")."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from hooktui.stack.callback_source import place_of
from hooktui.stack.contexts import HookContext
from hooktui.stack.middleware_chain import Chain
from hooktui.stack.outcomes import HookOutcome
from hooktui.stack.signatures import checked
from hooktui.stack.trace import SILENT

if TYPE_CHECKING:
    from hooktui.core.model import Hook as LoggedHook
    from hooktui.stack.callback_source import Place
    from hooktui.stack.callbacks import Hook
    from hooktui.stack.stack_recorder import Recorder

C = TypeVar("C", bound=HookContext[Any])
# What the hooks stand around, plain or async; None is proceed.
Terminal = Callable[[C], HookOutcome[C] | Awaitable[HookOutcome[C] | None] | None]


@dataclass(frozen=True, slots=True)
class Member:
    """A hook of a stack, where it is written, and what the log has of it by event (see `dispatches`)."""

    hook: Hook
    priority: int
    place: Place
    logged: dict[str, LoggedHook] = field(default_factory=dict, compare=False, repr=False)


class HookStack:
    """Hooks, highest priority outermost, ties in order of registration. Immutable: adding makes another stack.

    `recorder`: where every event that is processed is recorded.
    """

    def __init__(self, *, recorder: Recorder | None = None) -> None:
        self._recorder = recorder
        self._members: tuple[Member, ...] = ()
        self._hooks: tuple[Hook, ...] = ()

    def with_hook(self, hook: Hook, priority: int = 0) -> HookStack:
        """A stack with one more hook; the same one added twice runs twice. Raises TypeError for what is no hook."""
        if not callable(getattr(hook, "handle", None)):
            raise TypeError(f"{place_of(hook)} is no Hook, it has no `handle`: wrap a function in CallableHook")
        if inspect.isclass(hook):
            raise TypeError(f"{place_of(hook)} is a class: register an object of it")
        checked(hook.handle, "context, call_next")
        if isinstance(priority, bool) or not isinstance(priority, int):
            raise TypeError(f"the priority of {place_of(hook)} must be a whole number, not {priority!r}")
        more = HookStack(recorder=self._recorder)
        members = (*self._members, Member(hook, priority, place_of(hook)))
        more._members = tuple(sorted(members, key=lambda member: -member.priority))
        more._hooks = tuple(member.hook for member in more._members)
        return more

    def with_all(self, hooks: Iterable[Hook | tuple[Hook, int]]) -> HookStack:
        """A stack with more hooks: each alone, or with its priority."""
        stack = self
        for hook in hooks:
            stack = stack.with_hook(*hook) if isinstance(hook, tuple) else stack.with_hook(hook)
        return stack

    @property
    def names(self) -> tuple[str, ...]:
        """The qualified names of the hooks, in order."""
        return tuple(member.place.name for member in self._members)

    def __len__(self) -> int:
        return len(self._members)

    async def process(self, context: C, terminal: Terminal[C]) -> HookOutcome[C]:
        """Send an event through the hooks to the action; what came of it. Exceptions of both propagate."""
        trace = self._recorder.begin(self._members, context) if self._recorder else SILENT
        with trace:
            outcome = await Chain(self._hooks, context.event, terminal, trace).run(context)
            trace.end(outcome)
        return outcome
