"""Wiring hooktui into a host's own configuration, and out again to the byte (formats.md §3, contract.md).

`connection_plan` says what changes and writes it; `connection_places`, `connection_entries` and `command_wrapping` say what
stands where.
"""

from __future__ import annotations

from hooktui.connect.connection_places import SCOPES, SITES, ConnectionSite, Scope
from hooktui.connect.connection_plan import (
    Connection,
    ConnectionChange,
    ConnectionPlan,
    RefusedError,
    carry_out,
    connect,
    connections,
    disconnect,
    needed,
    notes,
)

__all__ = [
    "SCOPES",
    "SITES",
    "Connection",
    "ConnectionChange",
    "ConnectionPlan",
    "ConnectionSite",
    "RefusedError",
    "Scope",
    "carry_out",
    "connect",
    "connections",
    "disconnect",
    "needed",
    "notes",
]
