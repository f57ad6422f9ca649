"""Connect a host to hooktui with entries in its configuration, and restore the file (formats.md §3, contract.md).

`connect` and `disconnect` make a plan, `summary` describes it, `carry_out` writes it. `states` tells which hosts call hooktui.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.connect.connection_places import SCOPES, SITES, ConnectionSite, Scope
from hooktui.connect.connection_states import ConnectionState, called, installed, problems, remedy, states
from hooktui.connect.json_text import RefusedError

if TYPE_CHECKING:
    from hooktui.connect.connection_notes import gains, notes, observable, remaining, unobserved
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
    from hooktui.connect.recording import RecordedHooks, recorded_hooks, status_lines

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
    "called",
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

# Imported on first use: `list` and `check` only ask for states.
_LAZY = {
    "connection_notes": ("gains", "notes", "observable", "remaining", "unobserved"),
    "connection_plan": (
        *("ConnectionChange", "ConnectionPlan", "carry_out", "connect", "disconnect", "needed", "summary", "trust_steps"),
    ),
    "recording": ("RecordedHooks", "recorded_hooks", "status_lines"),
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    for module, names in _LAZY.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
