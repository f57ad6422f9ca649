"""`f` and `F`: the fix of one problem or all safe ones, each as one step, and the way back."""

from __future__ import annotations

import asyncio
from types import MappingProxyType
from typing import TYPE_CHECKING

from hooktui.plain import visible
from hooktui.screens.hints import hint
from hooktui.screens.widgets.states import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.screen import Screen

    from hooktui.app import HooktuiApp
    from hooktui.catalog import Catalog
    from hooktui.editing.mending import Plan
    from hooktui.model import Diagnostic


async def mend(screen: Screen[None], catalog: Catalog, unsaved: frozenset[str]) -> Plan | None:
    """Show all safe fixes and do them if the person says so; what takes them back. To be called in a worker."""
    from hooktui import catalog as catalogs
    from hooktui.editing import mending, rounds
    from hooktui.screens.dialogs.mend import MendDialog

    plan = await asyncio.to_thread(lambda: rounds.plan(catalogs.load(catalog.project, last=catalog)))
    if not plan.steps:
        screen.notify("No problem here has a fix that is safe without you.")
    elif unsaved.intersection(mending.preview(plan)):
        screen.notify(hint("Save ({save}) or undo your edits on the Hooks screen first."), severity="warning")
    elif await screen.app.push_screen_wait(MendDialog(plan)):
        back = await carry_out(screen, catalog, plan)
        if back is not None:
            screen.notify(f"{counted(len(plan.mended), 'problem')} fixed, {hint('{take-back}')} takes it back.")
        return back
    return None


async def agreed(
    screen: Screen[None], catalog: Catalog, problem: Diagnostic, typed: Mapping[str, bytes] = MappingProxyType({})
) -> bool:
    """Show what the fix of a problem would change; whether the person wants it. To be called in a worker."""
    from hooktui.changing.steps import CannotChange
    from hooktui.editing import mending
    from hooktui.screens.dialogs.mend import MendDialog

    try:
        plan = await asyncio.to_thread(mending.plan_one, problem, catalog.hooks, typed)
    except (CannotChange, OSError) as error:
        _refuse(screen, error)
        return False
    return await screen.app.push_screen_wait(MendDialog(plan, "f"))


async def fix(screen: Screen[None], catalog: Catalog, problem: Diagnostic) -> Plan | None:
    """Do the fix of a problem, which the person has seen; what takes it back. To be called in a worker."""
    from hooktui.editing import mending

    back = await _done(screen, lambda: mending.apply(mending.plan_one(problem, catalog.hooks), catalog.hooks, catalog.project))
    if back is not None and problem.fix is not None:
        screen.notify(f"{visible(problem.fix.label)}: done, {hint('{take-back}')} takes it back.", markup=False)
    return back


async def carry_out(screen: Screen[None], catalog: Catalog, plan: Plan) -> Plan | None:
    """Do what a plan says; what takes it back, None when it could not be done, which is told. To be called in a worker."""
    from hooktui.editing import mending

    return await _done(screen, lambda: mending.apply(plan, catalog.hooks, catalog.project))


async def take_back(screen: Screen[None], back: Plan) -> bool:
    """Take fixes back; whether that could be done. To be called in a worker."""
    app: HooktuiApp = screen.app  # type: ignore[assignment]
    if app.catalog is None or await carry_out(screen, app.catalog, back) is None:
        return False
    app.reload()
    return True


async def _done(screen: Screen[None], doing: Callable[[], Plan]) -> Plan | None:
    from hooktui.changing.steps import CannotChange
    from hooktui.saving import ChangedError

    try:
        return await asyncio.to_thread(doing)
    except (CannotChange, ChangedError, OSError) as error:
        _refuse(screen, error)
        return None


def _refuse(screen: Screen[None], error: Exception) -> None:
    from hooktui.saving import refusal

    screen.notify(visible(refusal(error)), title="Nothing was changed", severity="warning", markup=False)
