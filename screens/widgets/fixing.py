"""Apply fixes, one or all safe ones, each as one undoable step. Every function here must run in a worker: it may ask."""

from __future__ import annotations

import asyncio
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from hooktui.catalog.hook_states import counted
from hooktui.core.text_sanitizer import visible
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.shell import shell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.screen import Screen

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic
    from hooktui.edit.apply_fixes import FixPlan


async def fix_all(screen: Screen[None], catalog: Catalog) -> None:
    """Show all safe fixes, and apply them if the user agrees."""
    from hooktui.catalog import catalog as catalogs
    from hooktui.edit import apply_fixes, fix_all
    from hooktui.screens.dialogs.fix_all_dialog import FixAllDialog

    plan = await asyncio.to_thread(lambda: fix_all.plan(catalogs.load(catalog.project, last=catalog)))
    if not plan.steps:
        screen.notify("No problem can be fixed automatically.")
    elif shell(screen).unsaved.intersection(apply_fixes.preview(plan)):
        screen.notify(hint("Save ({save}) or undo your edits on the Hooks screen first."), severity="warning")
    elif await screen.app.push_screen_wait(FixAllDialog(plan)) and await _carry_out(screen, catalog, plan):
        screen.notify(f"Fixed {counted(len(plan.fixed), 'problem')}{hint(' · {take-back} undo')}")


async def confirm(
    screen: Screen[None], catalog: Catalog, problem: Diagnostic, typed: Mapping[str, bytes] = MappingProxyType({})
) -> bool:
    """Show what a problem's fix would change; whether the user agrees. `typed`: unsaved text by path."""
    from hooktui.edit import apply_fixes
    from hooktui.edit.file_steps import CannotChange
    from hooktui.screens.dialogs.fix_all_dialog import FixAllDialog

    try:
        plan = await asyncio.to_thread(apply_fixes.plan_one, problem, catalog.hooks, typed)
    except (CannotChange, OSError) as error:
        _refuse(screen, error)
        return False
    return await screen.app.push_screen_wait(FixAllDialog(plan, "f"))


async def fix(screen: Screen[None], catalog: Catalog, problem: Diagnostic) -> None:
    """Apply the fix of a problem."""
    from hooktui.edit import apply_fixes

    assert problem.fix is not None
    back = await _apply(
        screen, lambda: apply_fixes.apply(apply_fixes.plan_one(problem, catalog.hooks), catalog.hooks, catalog.project)
    )
    if back is not None:
        _done(screen, back)
        screen.notify(f"{visible(problem.fix.label)}: done{hint(' · {take-back} undo')}", markup=False)


async def _carry_out(screen: Screen[None], catalog: Catalog, plan: FixPlan) -> bool:
    from hooktui.edit import apply_fixes

    back = await _apply(screen, lambda: apply_fixes.apply(plan, catalog.hooks, catalog.project))
    if back is not None:
        _done(screen, back)
    return back is not None


def _done(screen: Screen[None], back: FixPlan) -> None:
    services = shell(screen)
    services.undo_history.push(partial(_undo, screen, back))
    services.reload()
    screen.refresh_bindings()


async def _undo(screen: Screen[None], back: FixPlan) -> bool:
    from hooktui.edit import apply_fixes

    services = shell(screen)
    catalog = services.catalog
    if catalog is None:
        return False
    if await _apply(screen, lambda: apply_fixes.apply(back, catalog.hooks, catalog.project)) is None:
        return False
    services.reload()
    return True


async def _apply(screen: Screen[None], apply: Callable[[], FixPlan]) -> FixPlan | None:
    """Apply a plan in a thread; the plan that undoes it, None if nothing was changed."""
    from hooktui.edit.documents import ChangedError
    from hooktui.edit.file_steps import CannotChange

    try:
        return await asyncio.to_thread(apply)
    except (CannotChange, ChangedError, OSError) as error:
        _refuse(screen, error)
        return None


def _refuse(screen: Screen[None], error: Exception) -> None:
    from hooktui.edit.documents import error_message

    screen.notify(visible(error_message(error)), title="Nothing changed", severity="warning", markup=False)
