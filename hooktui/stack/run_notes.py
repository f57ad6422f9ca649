"""What is noted of an event on its way while a Recorder listens. Times are seconds of `time.perf_counter`.

Notes are taken on the agent's time: they only hold what happened. `dispatches` makes rows of it later, in another thread.
"""

from __future__ import annotations

import time
import traceback as tracebacks
from typing import TYPE_CHECKING, Any, NamedTuple

from hooktui.stack.contexts import ToolHookContext
from hooktui.stack.event_payloads import plain, said
from hooktui.stack.trace import Note, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from hooktui.core.model import Event, Run, State
    from hooktui.stack.context_matchers import HookMatcher
    from hooktui.stack.contexts import HookContext, ToolCall
    from hooktui.stack.hook_stack import Member
    from hooktui.stack.outcomes import HookOutcome


class Failure(NamedTuple):
    """An exception, in words."""

    state: State
    problem: str
    traceback: str


class Change(NamedTuple):
    """What a hook changed of what later ones see."""

    modified_input: Mapping[str, Any] | None = None
    log: str | None = None


UNCHANGED = Change()


class Timed(Note):
    """Something with a beginning and an end, an outcome or an exception: its own, unless it came from further in."""

    __slots__ = ("began", "ended", "failure", "from_within", "outcome")

    def __init__(self) -> None:
        self.began = self.ended = time.perf_counter()
        self.outcome: HookOutcome[Any] | None = None
        self.failure: Failure | None = None
        self.from_within: BaseException | None = None

    @property
    def lasted(self) -> float:
        """From beginning to end."""
        return self.ended - self.began

    def end(self, outcome: HookOutcome[Any]) -> None:
        """Remember what came of it."""
        self.outcome = outcome

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _traceback: TracebackType | None, /
    ) -> None:
        self.ended = time.perf_counter()
        if error is not None and error is not self.from_within:
            state: State = "failed" if isinstance(error, Exception) else "interrupted"
            self.failure = Failure(state, f"{type(error).__name__}: {said(error)}", _in_full(error))


class HookNote(Timed):
    """One hook, at a place of the chain; `away_s` is the time that the rest of the chain took, `inner` what came of that.

    `runs` and `warnings` are told by a hook that stands for several, as FileHooks does. It does not know its event, which knows
    it: in a circle both would wait for the garbage collector.
    """

    __slots__ = ("_context", "away_s", "change", "inner", "place", "runs", "skipped", "warnings")

    def __init__(self, place: int, context: HookContext[Any]) -> None:
        super().__init__()
        self.place = place
        self.skipped: HookMatcher | None = None
        self.away_s = 0.0
        self.inner: HookOutcome[Any] | None = None
        self.change = UNCHANGED
        self.runs: Sequence[Run] | None = None
        self.warnings: Sequence[str] = ()
        self._context = context

    def skip(self, matcher: HookMatcher | None) -> None:
        """Remember who did not want it."""
        self.skipped = matcher

    def end(self, outcome: HookOutcome[Any]) -> None:
        """Remember what came of it, and how it changed the context."""
        super().end(outcome)
        if self.inner is None and outcome.context is not None:
            self.change = changed(self._context, outcome.context)

    def away(self, context: HookContext[Any]) -> Note:
        """Remember how the context is handed on."""
        self.change = changed(self._context, context)
        return _Away(self)


class _Away(Timed):
    """The rest of the chain, as a hook waits for it."""

    __slots__ = ("_owner",)

    def __init__(self, owner: HookNote) -> None:
        super().__init__()
        self._owner = owner

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        self.ended = time.perf_counter()
        self._owner.away_s += self.lasted
        self._owner.from_within = error
        self._owner.inner = self.outcome


class Recording(Timed, Trace):
    """One event; `finish` is called with it when it has been handled. `number` is the dispatch's, `db` the log's path."""

    __slots__ = ("_context", "_finish", "acts", "change", "db", "event", "hooks", "members", "number")

    def __init__(
        self,
        db: str,
        number: int,
        event: Event,
        members: Sequence[Member],
        context: HookContext[Any],
        finish: Callable[[Recording], None],
    ) -> None:
        super().__init__()
        self.db = db
        self.number = number
        self.event = event
        self.members = members
        self.hooks: list[HookNote] = []
        self.acts: list[Timed] = []
        self.change = UNCHANGED
        self._context = context
        self._finish = finish

    def run(self, place: int, context: HookContext[Any]) -> HookNote:
        """A hook begins."""
        self.hooks.append(HookNote(place, context))
        return self.hooks[-1]

    def act(self, context: HookContext[Any]) -> Timed:
        """The action begins, with the context that the hooks made."""
        self.change = changed(self._context, context)
        self.acts.append(Timed())
        return self.acts[-1]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        super().__exit__(kind, error, traceback)
        self._finish(self)


def changed(before: HookContext[Any], after: HookContext[Any]) -> Change:
    """What is different about a tool's call or its execution."""
    if before is after or not (isinstance(before, ToolHookContext) and isinstance(after, ToolHookContext)):
        return UNCHANGED
    call, other = before.tool_call, after.tool_call
    notes = [f"calls {other.name} in place of {call.name}"] if call.name != other.name else []
    if before.execution is not after.execution:
        notes.append("replaced what came of the tool")
    return Change(_replaced(call, other), "; ".join(notes) or None)


def _replaced(before: ToolCall, after: ToolCall) -> Any:
    """The arguments that a call has got, as JSON has them: whatever they are, those can be compared."""
    if before is after:
        return None
    args = plain(after.args)
    return args if args != plain(before.args) else None


def _in_full(error: BaseException) -> str:
    try:
        return "".join(tracebacks.format_exception(error))
    except Exception:  # noqa: BLE001  # anybody's exception, made of anything
        return ""
