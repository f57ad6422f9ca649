"""The outcome of a hook or of the action itself (formats.md §5; seed 002, "HookOutcome")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from hooktui.stack.contexts import HookContext

    C_co = TypeVar("C_co", bound=HookContext[Any], default=HookContext[Any], covariant=True)
    C = TypeVar("C", bound=HookContext[Any])
else:
    from typing import TypeVar

    C_co = TypeVar("C_co", covariant=True)
    C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class HookOutcome(Generic[C_co]):
    """The outcome of a hook: `proceed`, `block` or `stop`. Generic over the context that it may carry."""

    kind: Literal["proceed", "block", "stop"]
    reason: str | None = None
    context: C_co | None = None

    @staticmethod
    def proceed(context: C | None = None) -> HookOutcome[C]:
        """Continue, with a different context if given."""
        return HookOutcome("proceed", context=context)

    @staticmethod
    def block(reason: str) -> HookOutcome[Any]:
        """Prevent this action; the agent continues. On Stop and SubagentStop: do not stop yet."""
        return HookOutcome("block", _checked_reason(reason, "block"))

    @staticmethod
    def stop(reason: str) -> HookOutcome[Any]:
        """End the agent's run."""
        return HookOutcome("stop", _checked_reason(reason, "stop"))

    @property
    def is_proceed(self) -> bool:
        return self.kind == "proceed"

    @property
    def is_blocked(self) -> bool:
        return self.kind == "block"

    @property
    def is_stopped(self) -> bool:
        return self.kind == "stop"


def _checked_reason(reason: object, kind: str) -> str:
    if not isinstance(reason, str):
        raise TypeError(f"HookOutcome.{kind}: the reason must be a string, not {type(reason).__name__}")
    return reason
