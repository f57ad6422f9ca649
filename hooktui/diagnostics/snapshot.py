"""What a rule may look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.core.model import Hook, Trust
    from hooktui.diagnostics.json_places import HostPlaces


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Some or all hooks of a catalog, in firing order, those that cannot run too, and the trust in each by its id.

    `places` tells where values stand in their files, `connected` names the formats of the hosts that call hooktui. Until
    `deadline`, in `time.thread_time` seconds, suspicious patterns are tried.
    """

    hooks: tuple[Hook, ...]
    trust: Mapping[str, Trust]
    places: HostPlaces
    connected: frozenset[str]
    deadline: float
