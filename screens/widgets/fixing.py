"""Applying the fix of a problem: on the Hooks and on the Diagnostics screen."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hooktui.plain import visible

if TYPE_CHECKING:
    from textual.widget import Widget

    from hooktui.model import Fix


async def apply_fix(widget: Widget, fix: Fix) -> bool:
    """Do what a fix says and tell of it; whether it was done. To be called in a worker."""
    from hooktui.diagnostics import fixes

    try:
        await asyncio.to_thread(fixes.apply, fix)
    except (ValueError, OSError) as error:
        widget.notify(visible(str(error)), title="Not fixed", severity="error", markup=False)
        return False
    widget.notify(visible(fix.label), title="Fixed", markup=False)
    return True
