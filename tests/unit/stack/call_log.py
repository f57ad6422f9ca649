"""Hooks and an action that log their calls."""

from __future__ import annotations

from typing import Any

from hooktui.stack import CallableHook, CallNext, Hook, HookOutcome, ToolHookContext


class Log(list[str]):
    """Calls, in order."""

    def around(self, name: str) -> Hook:
        """A hook that logs its beginning and end."""

        async def around(context: Any, call_next: CallNext[Any]) -> HookOutcome:
            self.append(f"before {name}")
            outcome = await call_next(context)
            self.append(f"after {name}")
            return outcome

        return CallableHook(around)

    def plain(self, name: str, says: Any = None) -> Hook:
        """A hook that logs its call."""

        def plain(_context: object) -> Any:
            self.append(name)
            return says

        return CallableHook(plain)

    def act(self, _context: object) -> None:
        """The action."""
        self.append("action")


def guard(_context: ToolHookContext) -> HookOutcome:
    """Block every tool."""
    return HookOutcome.block("not today")


def fail(_context: object) -> None:
    """Raise an exception."""
    raise LookupError("nothing there")


async def pass_on(context: Any, call_next: CallNext[Any]) -> HookOutcome:
    """Continue with the rest of the chain."""
    return await call_next(context)


def quiet(_context: object) -> None:
    """Return nothing."""


def act(_context: object) -> None:
    """The action."""
