"""The changes that `u` undoes, latest first, whichever screen made them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class UndoHistory:
    """A stack of undo steps. A step returns whether it succeeded; one that failed stays."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], Awaitable[bool]]] = []

    def __bool__(self) -> bool:
        return bool(self._steps)

    def push(self, step: Callable[[], Awaitable[bool]]) -> None:
        """Add the step that undoes the change just made."""
        self._steps.append(step)

    async def undo(self) -> bool:
        """Undo the latest change; whether that succeeded. Call it from a worker: a step may ask."""
        if not self._steps:
            return False
        step = self._steps[-1]
        succeeded = await step()
        if succeeded:
            self._steps.remove(step)
        return succeeded
