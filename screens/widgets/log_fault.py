"""What a screen shows while the log is unreadable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.screens.services.shell import shell

if TYPE_CHECKING:
    from hooktui.screens.widgets.empty import Empty

_SAFE = "Agents are not blocked: decisions are spooled in a file beside the log until it works again."
_DOCTOR = (("hooktui doctor", "in a shell: find out what is wrong"),)


def explain_fault(nothing: Empty) -> bool:
    """Explain an unreadable log in an empty pane; whether there is anything to explain."""
    fault = shell(nothing).log_monitor.fault
    if fault:
        nothing.show(f"Cannot read the log.\n\n{fault}.\n\n{_SAFE}", _DOCTOR)
    return bool(fault)
