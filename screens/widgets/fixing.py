"""Apply fixes, one or all safe ones, after a review; each as one undoable step.

Functions that take a screen must run in a worker: they may ask.
"""

from __future__ import annotations

import asyncio
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from hooktui.catalog.hook_states import counted
from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.edit import apply_fixes
from hooktui.screens.dialogs.reading_dialog import ReadingDialog, difference_fields
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.shell import shell
from hooktui.screens.widgets.footer import keyed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    from textual.app import ComposeResult
    from textual.screen import Screen

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic
    from hooktui.edit.apply_fixes import FixPlan


class FixAllDialog(ReadingDialog[bool]):
    """Shows a plan; returns whether to carry it out."""

    BINDINGS = [
        Binding("f,F", "dismiss(True)", "Fix"),
        Binding("escape,q", "dismiss(False)", "Not now"),
    ]

    def __init__(self, plan: FixPlan, key: Literal["f", "F"] = "F") -> None:
        super().__init__()
        self._plan = plan
        self._key = key

    def compose(self) -> ComposeResult:
        shown = apply_fixes.preview(self._plan)
        with Vertical(classes="dialog large reading") as box:
            box.border_title = f"Fix {counted(len(self._plan.fixed), 'problem')}?"
            yield Static(f"In {counted(len(shown), 'file')}, all or none. {hint('{take-back}')} undoes this.")
            with VerticalScroll(can_focus=False):
                for path, lines in shown.items():
                    yield Static(self._title(path), classes="file-name")
                    yield difference_fields(lines)
            with Horizontal(classes="buttons"):
                yield Button(keyed(self._key, "Fix"), id="fix", compact=True)
                yield Button(keyed("esc", "Not now"), id="back", compact=True)

    def _title(self, path: str) -> Content:
        codes = dict.fromkeys(one.code for one in self._plan.fixed if one.fix and path in (one.fix.path, one.fix.new_path))
        return Content.assemble((one_line(short(path)), "$accent bold"), (f"  {' '.join(codes)}", "not bold $foreground 60%"))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "fix")


async def fix_all(screen: Screen[None], catalog: Catalog) -> None:
    """Show all safe fixes, and apply them if the user agrees."""
    from hooktui.catalog import catalog as catalogs
    from hooktui.edit import apply_fixes

    plan = await asyncio.to_thread(lambda: apply_fixes.plan(catalogs.load(catalog.project, last=catalog)))
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
    from hooktui.edit.file_steps import CannotChange
    from hooktui.edit.text_files import ChangedError

    try:
        return await asyncio.to_thread(apply)
    except (CannotChange, ChangedError, OSError) as error:
        _refuse(screen, error)
        return None


def _refuse(screen: Screen[None], error: Exception) -> None:
    from hooktui.edit.text_files import error_message

    screen.notify(visible(error_message(error)), title="Nothing changed", severity="warning", markup=False)
