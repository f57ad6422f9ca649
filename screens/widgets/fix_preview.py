"""`f` and `F`: the fix of one problem or all safe ones, each as one step, and the way back."""

from __future__ import annotations

import asyncio
from types import MappingProxyType
from typing import TYPE_CHECKING

from hooktui.core.text_sanitizer import visible
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets.states import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.screen import Screen

    from hooktui.app import HooktuiApp
    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic
    from hooktui.edit.apply_fixes import FixPlan


async def mend(screen: Screen[None], catalog: Catalog, unsaved: frozenset[str]) -> FixPlan | None:
    """Show all safe fixes and do them if the person says so; what takes them back. To be called in a worker."""
    from hooktui.catalog import catalog as catalogs
    from hooktui.edit import apply_fixes, fix_all
    from hooktui.screens.dialogs.fix_all_dialog import MendDialog

    plan = await asyncio.to_thread(lambda: fix_all.plan(catalogs.load(catalog.project, last=catalog)))
    if not plan.steps:
        screen.notify("No problem here has a fix that is safe without you.")
    elif unsaved.intersection(apply_fixes.preview(plan)):
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
    from hooktui.edit import apply_fixes
    from hooktui.edit.file_steps import CannotChange
    from hooktui.screens.dialogs.fix_all_dialog import MendDialog

    try:
        plan = await asyncio.to_thread(apply_fixes.plan_one, problem, catalog.hooks, typed)
    except (CannotChange, OSError) as error:
        _refuse(screen, error)
        return False
    return await screen.app.push_screen_wait(MendDialog(plan, "f"))


async def fix(screen: Screen[None], catalog: Catalog, problem: Diagnostic) -> FixPlan | None:
    """Do the fix of a problem, which the person has seen; what takes it back. To be called in a worker."""
    from hooktui.edit import apply_fixes

    back = await _done(
        screen, lambda: apply_fixes.apply(apply_fixes.plan_one(problem, catalog.hooks), catalog.hooks, catalog.project)
    )
    if back is not None and problem.fix is not None:
        screen.notify(f"{visible(problem.fix.label)}: done, {hint('{take-back}')} takes it back.", markup=False)
    return back


async def carry_out(screen: Screen[None], catalog: Catalog, plan: FixPlan) -> FixPlan | None:
    """Do what a plan says; what takes it back, None when it could not be done, which is told. To be called in a worker."""
    from hooktui.edit import apply_fixes

    return await _done(screen, lambda: apply_fixes.apply(plan, catalog.hooks, catalog.project))


async def take_back(screen: Screen[None], back: FixPlan) -> bool:
    """Take fixes back; whether that could be done. To be called in a worker."""
    app: HooktuiApp = screen.app  # type: ignore[assignment]
    if app.catalog is None or await carry_out(screen, app.catalog, back) is None:
        return False
    app.reload()
    return True


async def _done(screen: Screen[None], doing: Callable[[], FixPlan]) -> FixPlan | None:
    from hooktui.edit.file_steps import CannotChange
    from hooktui.security.documents import ChangedError

    try:
        return await asyncio.to_thread(doing)
    except (CannotChange, ChangedError, OSError) as error:
        _refuse(screen, error)
        return None


def _refuse(screen: Screen[None], error: Exception) -> None:
    from hooktui.core.atomic_write import error_message

    screen.notify(visible(error_message(error)), title="Nothing was changed", severity="warning", markup=False)
