"""Apply fixes, one or all safe ones, after a review; each as one undoable step.

Functions that take a screen must run in a worker: they may ask.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from hooktui.catalog.catalog import Catalog
from hooktui.catalog.hook_states import counted
from hooktui.core.model import Diagnostic
from hooktui.core.text_sanitizer import visible
from hooktui.edit import apply_fixes
from hooktui.edit.apply_fixes import FixPlan
from hooktui.edit.file_steps import ChangeRefusedError
from hooktui.edit.hook_documents import ChangedError
from hooktui.screens.dialogs.reading_dialog import ChoiceAnswer, ReadingDialog, difference_fields
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.lines import near
from hooktui.screens.widgets.notifications import notify_refusal


async def _agreed(screen: Screen[None], plan: FixPlan, keys: str) -> bool:
    """Show what a plan changes; whether the user presses one of the `keys` that carry it out."""
    changed, project = apply_fixes.preview(plan), app_context(screen).project
    dialog = ReadingDialog(
        f"Fix {counted(len(plan.fixed), 'problem')}?",
        [part for path, lines in changed.items() for part in (_heading(path, plan, project), difference_fields(lines))],
        introduction=f"In {counted(len(changed), 'file')}, all or none. {hint('{take-back}')} undoes this.",
        answers=[ChoiceAnswer(f"y,{keys}", "fix", "Fix")],
        back="Not now",
    )
    return await screen.app.push_screen_wait(dialog) is not None


def _heading(path: str, plan: FixPlan, project: str) -> Static:
    codes = dict.fromkeys(
        problem.code for problem in plan.fixed if problem.fix and path in (problem.fix.path, problem.fix.new_path)
    )
    muted = "not bold $foreground 70%"
    return Static(Content.assemble((near(path, project), "bold"), (f"  {' '.join(codes)}", muted)), classes="file-name")


async def fix_all(screen: Screen[None]) -> None:
    """Show all safe fixes, and apply them if the user agrees."""
    from hooktui.catalog import catalog as catalogs

    if (catalog := app_context(screen).catalog) is None:
        return
    plan = await asyncio.to_thread(lambda: apply_fixes.plan(catalogs.load(catalog.project, last=catalog)))
    if not plan.steps:
        fixable = any(problem.fix for problem in catalog.diagnostics)
        screen.notify(hint("No safe fixes. {fix} fixes the selected problem.") if fixable else "No automatic fix available.")
    elif app_context(screen).unsaved.intersection(apply_fixes.preview(plan)):
        screen.notify(hint("Save ({save}) or undo your edits on the Hooks screen first."), severity="warning")
    elif await _agreed(screen, plan, "F,f") and await _carry_out(screen, catalog, lambda: plan):
        screen.notify(f"Fixed {counted(len(plan.fixed), 'problem')}{hint(' · {take-back} undo')}")


async def fix_together(screen: Screen[None], catalog: Catalog, problems: Sequence[Diagnostic]) -> None:
    """Show the fixes of problems that one row stands for, and apply them if the user agrees."""
    try:
        plan = await asyncio.to_thread(apply_fixes.plan_together, problems, catalog.hooks)
    except (ChangeRefusedError, OSError) as error:
        notify_refusal(screen, error)
        return
    if await _agreed(screen, plan, "f,F") and await _carry_out(screen, catalog, lambda: plan):
        screen.notify(f"Fixed {counted(len(plan.fixed), 'problem')}{hint(' · {take-back} undo')}")


async def confirm(
    screen: Screen[None], catalog: Catalog, problem: Diagnostic, typed: Mapping[str, bytes] = MappingProxyType({})
) -> bool:
    """Show what a problem's fix would change; whether the user agrees. `typed`: unsaved text by path."""
    try:
        plan = await asyncio.to_thread(apply_fixes.plan_one, problem, catalog.hooks, typed)
    except (ChangeRefusedError, OSError) as error:
        notify_refusal(screen, error)
        return False
    return await _agreed(screen, plan, "f,F")


async def fix(screen: Screen[None], catalog: Catalog, problem: Diagnostic) -> None:
    """Apply the fix of a problem."""
    assert problem.fix is not None
    if await _carry_out(screen, catalog, lambda: apply_fixes.plan_one(problem, catalog.hooks)):
        screen.notify(f"{visible(problem.fix.label)}: done{hint(' · {take-back} undo')}", markup=False)


async def _undo(screen: Screen[None], inverse: FixPlan) -> bool:
    catalog = app_context(screen).catalog
    return catalog is not None and await _carry_out(screen, catalog, lambda: inverse, undoable=False)


async def _carry_out(
    screen: Screen[None], catalog: Catalog, make_plan: Callable[[], FixPlan], *, undoable: bool = True
) -> bool:
    """Make a plan and carry it out in a thread; whether that succeeded."""
    try:
        inverse = await asyncio.to_thread(lambda: apply_fixes.apply(make_plan(), catalog.hooks, catalog.project))
    except (ChangeRefusedError, ChangedError, OSError) as error:
        notify_refusal(screen, error)
        return False
    services = app_context(screen)
    if undoable:
        services.undo_history.push(partial(_undo, screen, inverse))
    services.reload()
    screen.refresh_bindings()
    return True
