"""Two sessions side by side: what was decided, what each hook did and took, and how much of the time went into hooks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.log.read.sessions import HookTimes, SessionRow, Summary


@dataclass(frozen=True, slots=True)
class HookPair:
    """One hook in both sessions; None where it did not run."""

    name: str
    first: HookTimes | None
    second: HookTimes | None

    @property
    def slower_ms(self) -> float | None:
        """How much longer its p95 is in the second; None where it did not run in both."""
        return self.second.p95_ms - self.first.p95_ms if self.first and self.second else None


@dataclass(frozen=True, slots=True)
class Comparison:
    """`decisions`: how often each was made in the first and the second; `hooks`: those first that differ most in total time."""

    first: SessionRow
    second: SessionRow
    decisions: Sequence[tuple[str, int, int]]
    hooks: Sequence[HookPair]


def compare(first: tuple[SessionRow, Summary], second: tuple[SessionRow, Summary]) -> Comparison:
    """Put two sessions side by side."""
    (one, of_one), (other, of_other) = first, second
    names = sorted({*of_one.decisions, *of_other.decisions})
    decisions = [(name, of_one.decisions.get(name, 0), of_other.decisions.get(name, 0)) for name in names]
    before, after = ({hook.key: hook for hook in summary.hooks} for summary in (of_one, of_other))
    pairs = [_pair(before.get(key), after.get(key)) for key in before.keys() | after.keys()]
    return Comparison(one, other, decisions, sorted(pairs, key=lambda pair: (-_difference(pair), pair.name)))


def _pair(first: HookTimes | None, second: HookTimes | None) -> HookPair:
    either = first or second
    assert either
    return HookPair(either.name, first, second)


def _difference(pair: HookPair) -> float:
    first, second = (one.total_ms if one else 0.0 for one in (pair.first, pair.second))
    return abs(second - first)
