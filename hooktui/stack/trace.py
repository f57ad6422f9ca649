"""What is noted of an event on its way. These notes remember nothing: they stand in while no Recorder listens."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Self

    from hooktui.stack.context_matchers import HookMatcher
    from hooktui.stack.contexts import HookContext
    from hooktui.stack.outcomes import HookOutcome


class Note:
    """Something that takes its time: a hook, what it called, or the action. Entered when it begins, left when it ends."""

    __slots__ = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        """An exception that goes through is noted, not held."""

    def skip(self, matcher: HookMatcher | None) -> None:
        """The hook's matcher did not want this moment."""

    def end(self, outcome: HookOutcome[Any]) -> None:
        """What came of it."""

    def away(self, _context: HookContext[Any]) -> Note:
        """The hook goes on to the rest of the chain, with this context."""
        return self


class Trace(Note):
    """One event; entered when it begins, left when it has been handled."""

    __slots__ = ()

    def run(self, _place: int, _context: HookContext[Any]) -> Note:
        """The hook at a place of the chain begins."""
        return self

    def act(self, _context: HookContext[Any]) -> Note:
        """The action in the middle begins."""
        return self


SILENT = Trace()
