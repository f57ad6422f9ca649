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


def advice(problem: Diagnostic, before: str = "") -> Content | None:
    """The key that mends a problem and what it does, else the hint, or None. `before`: keys to hit first."""
    if problem.fix:
        return _key(f"{before}f", one_line(problem.fix.label))
    if problem.code in NEEDS_APPROVAL:
        return _key(f"{before}p", "look at its files, and approve them")
    return Content.styled(one_line(problem.hint), "$foreground 70%") if problem.hint else None


def _key(key: str, does: str) -> Content:
    return Content.assemble((f"{key} ", "$footer-key-foreground"), (does, "$accent"))


async def apply_fix(widget: Widget, fix: Fix, hook: Hook | None, project: str) -> bool:
    """Do what a fix says of a hook, if it is about one, and tell of it; whether it was done. To be called in a worker."""
    from hooktui.editing import keeping

    try:
        await asyncio.to_thread(keeping.apply_fix, hook, project, fix)
    except (ValueError, OSError) as error:
        widget.notify(visible(str(error)), title="Not fixed", severity="error", markup=False)
        return False
    widget.notify(visible(fix.label), title="Fixed", markup=False)
    return True
