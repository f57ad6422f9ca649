"""What to do about a problem, and doing it: on the Hooks and on the Diagnostics screen."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.content import Content

from hooktui.plain import one_line, visible

if TYPE_CHECKING:
    from textual.widget import Widget

    from hooktui.model import Diagnostic, Fix, Hook

NEEDS_APPROVAL = ("untrusted", "changed-since-trusted")  # the codes of what `p` mends


def advice(problem: Diagnostic) -> Content | None:
    """The key that mends a problem and what it does, else the hint; None where nothing is known."""
    if problem.fix:
        return Content.assemble(("f ", "$footer-key-foreground"), (one_line(problem.fix.label), "$accent"))
    if problem.code in NEEDS_APPROVAL:
        return Content.assemble(("p ", "$footer-key-foreground"), ("look at its files, and approve them", "$accent"))
    return Content(visible(problem.hint)) if problem.hint else None


async def apply_fix(widget: Widget, fix: Fix, hook: Hook | None, project: str) -> bool:
    """Do what a fix says of a hook, if it is about one, and tell of it; whether it was done. To be called in a worker."""
    from hooktui import keeping

    try:
        await asyncio.to_thread(keeping.apply_fix, hook, project, fix)
    except (ValueError, OSError) as error:
        widget.notify(visible(str(error)), title="Not fixed", severity="error", markup=False)
        return False
    widget.notify(visible(fix.label), title="Fixed", markup=False)
    return True
