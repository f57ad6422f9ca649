"""Hooks and an action that note when they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hooktui.stack import CallableHook, HookOutcome

if TYPE_CHECKING:
    from hooktui.stack import CallNext, Hook, ToolHookContext


class Log(list[str]):
    """What happened, in order."""

    def around(self, name: str) -> Hook:
        """A hook that notes when it begins and when it ends."""

        async def around(context: Any, call_next: CallNext[Any]) -> HookOutcome:
            self.append(f"before {name}")
            outcome = await call_next(context)
            self.append(f"after {name}")
            return outcome

        return CallableHook(around)

    def plain(self, name: str, says: Any = None) -> Hook:
        """A hook that notes that it ran."""

        def plain(_context: object) -> Any:
            self.append(name)
            return says

        return CallableHook(plain)

    def act(self, _context: object) -> None:
        """The action in the middle."""
        self.append("action")


def guard(_context: ToolHookContext) -> HookOutcome:
    """Blocks every tool."""
    return HookOutcome.block("not today")


def quiet(_context: object) -> None:
    """Has nothing to say."""


def act(_context: object) -> None:
    """The action."""
