"""Connect a host to hooktui with entries in its configuration, and restore the file (formats.md §3, contract.md).

`connect` and `disconnect` make a plan, `summary` describes it, `carry_out` writes it. `states` tells which hosts call hooktui.
"""

from __future__ import annotations

from hooktui.connect.connection_notes import gains, notes, observable, remaining, unobserved
from hooktui.connect.connection_places import SCOPES, SITES, ConnectionSite, Scope
from hooktui.connect.connection_plan import (
    ConnectionChange,
    ConnectionPlan,
    carry_out,
    connect,
    disconnect,
    needed,
    summary,
    trust_steps,
)
from hooktui.connect.connection_states import ConnectionState, installed, problems, remedy, states
from hooktui.connect.json_text import RefusedError
from hooktui.connect.recorded_hooks import RecordedHooks, recorded_hooks, status_lines

__all__ = [
    "SCOPES",
    "SITES",
    "ConnectionChange",
    "ConnectionPlan",
    "ConnectionSite",
    "ConnectionState",
    "RecordedHooks",
    "RefusedError",
    "Scope",
    "carry_out",
    "connect",
    "disconnect",
    "gains",
    "installed",
    "needed",
    "notes",
    "observable",
    "problems",
    "recorded_hooks",
    "remaining",
    "remedy",
    "states",
    "status_lines",
    "summary",
    "trust_steps",
    "unobserved",
]
