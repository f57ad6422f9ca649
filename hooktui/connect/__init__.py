"""Wiring hooktui into a host's own configuration, and out again to the byte (formats.md §3, contract.md).

`plan` says what would change, `writing` does it; what stands where is in `places`, `entries` and `wraps`.
"""

from __future__ import annotations

from hooktui.connect.connection_places import SCOPES, SITES, ConnectionSite, Scope
from hooktui.connect.connection_plan import Change, Plan, RefusedError, connect, disconnect
from hooktui.connect.connection_status import Connection, connections, notes
from hooktui.connect.connection_writer import carry_out
from hooktui.connect.needed_events import needed

__all__ = [
    "SCOPES",
    "SITES",
    "Change",
    "Connection",
    "ConnectionSite",
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
