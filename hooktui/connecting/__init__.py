"""Wiring hooktui into a host's own configuration, and out again to the byte (formats.md §3, contract.md).

`plan` says what would change, `writing` does it; what stands where is in `places`, `entries` and `wraps`.
"""

from __future__ import annotations

from hooktui.connecting.needs import needed
from hooktui.connecting.places import PLACES, SCOPES, Place, Scope
from hooktui.connecting.plan import Change, Plan, RefusedError, connect, disconnect
from hooktui.connecting.standing import Connection, connections, notes
from hooktui.connecting.writing import carry_out

__all__ = [
    "PLACES",
    "SCOPES",
    "Change",
    "Connection",
    "Place",
    "Plan",
    "RefusedError",
    "Scope",
    "carry_out",
    "connect",
    "connections",
    "disconnect",
    "needed",
    "notes",
]
