"""What should happen next, as a hook or the agent's own action says it (formats.md §5; seed 002, "HookOutcome")."""

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
    """Made by `proceed`, `block` or `stop`. Generic over the kind of context that it may carry."""

    kind: Literal["proceed", "block", "stop"]
    reason: str | None = None
    context: C_co | None = None

    @staticmethod
    def proceed(context: C | None = None) -> HookOutcome[C]:
        """Go on, with another context if one is given."""
        return HookOutcome("proceed", context=context)

    @staticmethod
    def block(reason: str) -> HookOutcome[Any]:
        """Prevent this one action; the agent goes on. On Stop and SubagentStop: do not stop yet."""
        return HookOutcome("block", _text(reason, "block"))

    @staticmethod
    def stop(reason: str) -> HookOutcome[Any]:
        """End the agent's run."""
        return HookOutcome("stop", _text(reason, "stop"))

    @property
    def is_proceed(self) -> bool:
        """Whether nothing stands in the way."""
        return self.kind == "proceed"

    @property
    def is_blocked(self) -> bool:
        """Whether the action is prevented."""
        return self.kind == "block"

    @property
    def is_stopped(self) -> bool:
        """Whether the agent's run is to end."""
        return self.kind == "stop"


def _text(reason: object, kind: str) -> str:
    if not isinstance(reason, str):
        raise TypeError(f"HookOutcome.{kind} wants a reason in words, not {type(reason).__name__}")
    return reason
