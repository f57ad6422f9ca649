"""Connect a host to hooktui with entries in its configuration, and restore the file (formats.md §3, contract.md)."""

from __future__ import annotations

from hooktui.connect.connection_places import SCOPES, SITES, Scope
from hooktui.connect.connection_plan import (
    ConnectionChange,
    ConnectionPlan,
    carry_out,
    connect,
    connections,
    disconnect,
    needed,
    notes,
)
from hooktui.connect.json_text import RefusedError

__all__ = [
    "SCOPES",
    "SITES",
    "ConnectionChange",
    "ConnectionPlan",
    "RefusedError",
    "Scope",
    "carry_out",
    "connect",
    "connections",
    "disconnect",
    "needed",
    "notes",
]
