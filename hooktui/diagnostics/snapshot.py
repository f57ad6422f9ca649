"""What a rule may look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.model import Hook, Trust


class Snapshot(Protocol):
    """A catalog, or anything that holds hooks in firing order and the trust in each, by id."""

    @property
    def hooks(self) -> tuple[Hook, ...]:
        """All hooks, those that cannot run too."""

    @property
    def trust(self) -> Mapping[str, Trust]:
        """By hook id."""
