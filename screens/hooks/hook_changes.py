"""Change hooks from the Hooks screen: switch, copy, delete, fix, move to another event, and undo."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from hooktui.core.model import HookDirectory
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.lines import FilePlace, near
from hooktui.screens.widgets.notifications import notify_refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from typing import Literal

    from textual.screen import Screen

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic, Hook
    from hooktui.edit import new_hook_places
    from hooktui.edit.call_rule import CallRule
    from hooktui.edit.change_plan import AppliedChange, ChangePlan
    from hooktui.edit.copy_targets import Caller
    from hooktui.screens.hooks.gallery_dialog import GalleryDialog
    from hooktui.screens.hooks.hook_detail import HookDetail
    from hooktui.screens.hooks.new_hook_dialog import NewHookDialog, NewHookRequest

UNSAVED = "Save ({save}) or undo your edits first."
_CALLERS_SHOWN = 3


class HookChanges:
    """The changes made on one Hooks screen. Each becomes a step of the undo history."""

    def __init__(self, screen: Screen[None], detail: Callable[[], HookDetail | None]) -> None:
        """`detail` returns the pane with the current hook, None before it is mounted."""
        self._screen = screen
        self._detail = detail
        self._result: Hook | None = None
        self._files: set[str] = set()

    def start(self, how: Literal["switch", "delete", "copy"], hook: Hook) -> None:
        """Change a hook, as the last change left it even if that has not been read yet."""
        if self._result is not None and self._result.id == hook.id:
            hook = self._result
        self._files.add(hook.file)
        actions = {"switch": self._switch, "delete": self._delete, "copy": self._copy}
        self._run(actions[how](hook), f"Changing {one_line(hook.label)}")

    def touched(self, hook: Hook) -> bool:
        return hook.file in self._files

    def move(self, hook: Hook, event: str) -> None:
        self._files.add(hook.file)
        self._run(self._move(hook, event), f"Changing {one_line(hook.label)}")

    def fix(self, problem: Diagnostic, typed: Mapping[str, bytes], *, seen: bool) -> None:
        """Apply a fix, after showing what it changes unless that was `seen`. `typed`: unsaved text by path."""
        self._run(self._fix(problem, typed, seen=seen), "Fixing")

    def fix_all(self) -> None:
        """Apply all safe fixes, after showing what they change."""
        self._run(self._fix_all(), "Fixing all")

    def start_undo(self) -> None:
        """Undo the last change; if there is none, restore the hook that was deleted last."""
        self._run(self._undo(), "Undoing the last change")

    def take_result(self, catalog: Catalog) -> Hook | None:
        """Return the hook to show after the last change, once the catalog has it.

        A catalog that was being loaded during the change does not.
        """
        result = self._result
        if result is None or all(hook.id != result.id for hook in catalog.hooks):
            return None
        self._result = None
        return result

    def _run(self, change: Coroutine[None, None, None], description: str) -> None:
        self._screen.run_worker(change, group="dialog", description=description, exclusive=True, exit_on_error=False)

    @property
    def _hooks(self) -> Sequence[Hook]:
        catalog = app_context(self._screen).catalog
        return catalog.hooks if catalog else ()

    @property
    def _project(self) -> str:
        return app_context(self._screen).project

    async def _switch(self, hook: Hook) -> None:
        from hooktui.edit import switch

        await self.carry_out(lambda: switch.switch(hook, not hook.enabled))
        await asyncio.to_thread(switch.tidy)

    async def _delete(self, hook: Hook) -> None:
        from hooktui.edit import trash
        from hooktui.edit.copy_targets import callers, remaining_scripts
        from hooktui.edit.file_entries import require_editable
        from hooktui.edit.file_steps import ChangeRefusedError

        try:
            require_editable(hook)
        except ChangeRefusedError as error:
            notify_refusal(self._screen, error)
            return
        extent = ", with its whole directory" if isinstance(hook.source, HookDirectory) else "; the rest of the file stays"
        stays = "".join(f" {one_line(name)} stays." for name in remaining_scripts(hook))
        text = f"Moves the hook to the trash{extent}. {hint('{take-back}')} undoes this.{stays}"
        if await self._confirm("Delete", hook, text, await asyncio.to_thread(callers, hook, self._hooks)):
            await self.carry_out(lambda: trash.delete(hook, self._project))
            await asyncio.to_thread(trash.tidy)

    async def _copy(self, hook: Hook) -> None:
        from hooktui.edit.copy_targets import broken_by_move, targets
        from hooktui.screens.dialogs.copy_dialog import CopyDialog

        services = app_context(self._screen)
        if services.catalog is None:
            return
        choices = await asyncio.to_thread(lambda: tuple(targets(hook, self._project)))
        dialog = CopyDialog(hook, choices)
        plan = await self._screen.app.push_screen_wait(dialog)
        if plan is None:
            return
        broken = await asyncio.to_thread(broken_by_move, plan, self._hooks)
        if not broken or await self._confirm("Move", hook, "Moves the hook with its whole directory.", broken):
            await self.carry_out(lambda: plan)

    async def _confirm(self, verb: str, hook: Hook, text: str, broken: Sequence[Caller]) -> bool:
        """Ask before a hook leaves its place, listing what depends on it there; if anything does, "Back" is the default."""
        from hooktui.screens.dialogs.reading_dialog import ChoiceAnswer, ChoiceDialog

        warnings = [f"✕ {one_line(caller.consequence)}." for caller in broken[:_CALLERS_SHOWN]]
        warnings += [f"  and {len(broken) - _CALLERS_SHOWN} more"] if len(broken) > _CALLERS_SHOWN else []
        whole = "\n".join((near(hook.file, self._project), "", text, *([""] if warnings else []), *warnings))
        question = ChoiceDialog(
            f"{verb} {one_line(hook.label)}?", whole, (ChoiceAnswer("y", "go", verb),), is_grave=bool(broken)
        )
        return await self._screen.app.push_screen_wait(question) is not None

    async def _move(self, hook: Hook, event: str) -> None:
        from hooktui.edit.switch import change_event

        if not await self.carry_out(lambda: change_event(hook, event)) and (detail := self._detail()):
            detail.read_again()  # the form goes back to the event in the file

    async def _undo(self) -> None:
        history = app_context(self._screen).undo_history
        if history:
            await history.undo()
        else:
            await self.carry_out(self._restored, undoable=False)

    async def _take_back(self, change: AppliedChange) -> bool:
        from hooktui.edit.change_plan import undone

        return await self.carry_out(lambda: undone(change), undoable=False, notice=f"Undone: {one_line(change.plan.title)}.")

    async def _fix(self, problem: Diagnostic, typed: Mapping[str, bytes], *, seen: bool) -> None:
        from hooktui.screens.widgets import fixing

        catalog, detail = app_context(self._screen).catalog, self._detail()
        if catalog is None or problem.fix is None or detail is None:
            return
        if not (seen or await fixing.confirm(self._screen, catalog, problem, typed)):
            return
        if not detail.fix_typed(problem.fix):
            await fixing.fix(self._screen, catalog, problem)

    async def _fix_all(self) -> None:
        from hooktui.screens.widgets import fixing

        await fixing.fix_all(self._screen)

    def _hold_keys_for(self, result: Hook) -> None:
        """Hold the keys for a hook that the tree does not show yet."""
        services, detail = app_context(self._screen), self._detail()
        catalog, shown = services.catalog, detail.hook if detail else None
        known = catalog is not None and any(hook.id == result.id for hook in catalog.hooks)
        if not known or shown is None or shown.id != result.id:
            services.type_ahead.hold(lambda: self._result is result)

    def _restored(self) -> ChangePlan:
        from hooktui.edit import trash
        from hooktui.edit.file_steps import ChangeRefusedError

        deleted = next(trash.contents(self._project), None)
        if deleted is None:
            raise ChangeRefusedError("Nothing to undo, and no deleted hook to restore.")
        return trash.restore(deleted)

    async def carry_out(
        self,
        make_plan: Callable[[], ChangePlan],
        *,
        undoable: bool = True,
        notice: str = "",
        refuse: Callable[[str], object] | None = None,
    ) -> bool:
        """Make a plan and carry it out in a thread; whether that succeeded.

        `notice` replaces the usual one. `refuse` shows why nothing was changed, in place of a notice.
        """
        from hooktui.edit.change_plan import carry_out
        from hooktui.edit.file_steps import ChangeRefusedError
        from hooktui.edit.hook_documents import ChangedError, error_message

        try:
            change = await asyncio.to_thread(lambda: carry_out(make_plan(), self._project))
        except (ChangeRefusedError, ChangedError, OSError) as error:
            (refuse or partial(notify_refusal, self._screen))(error_message(error))
            return False
        services = app_context(self._screen)
        if undoable:
            services.undo_history.push(partial(self._take_back, change))
        self._result = change.plan.result
        if self._result is not None:
            self._files.add(self._result.file)
            self._hold_keys_for(self._result)
        undo = hint(" · {take-back} undo") if undoable else ""
        self._screen.notify(notice or f"{one_line(change.plan.title)}: done{undo}", markup=False)
        services.reload()
        return True


class HookCreation:
    """Runs the new-hook dialog and remembers the hook it created until the catalog has it."""

    def __init__(self, screen: Screen[None], changes: HookChanges, detail: Callable[[], HookDetail | None]) -> None:
        self._screen = screen
        self._changes = changes
        self._detail = detail
        self._created: tuple[Hook, FilePlace] | None = None
        self._last_place: new_hook_places.NewHookPlace | None = None

    async def ask(self, event: str, rule: CallRule | None = None) -> Hook | None:
        """Show the dialog, with an event or a rule preselected; an existing hook to open, if the user chose one."""
        from hooktui.screens.hooks.new_hook_dialog import NewHookDialog

        catalog = app_context(self._screen).catalog
        if catalog is None:
            return None
        chosen = await self._screen.app.push_screen_wait(NewHookDialog(catalog, event, self._last_place, self._create, rule))
        if isinstance(chosen, str):  # the gallery
            await self.offer_rules()
            return None
        return chosen

    async def offer_rules(self) -> None:
        from hooktui.screens.hooks.gallery_dialog import GalleryDialog

        if (catalog := app_context(self._screen).catalog) is not None:
            await self._screen.app.push_screen_wait(GalleryDialog(catalog, self._last_place, self._create))

    def take_created(self, catalog: Catalog) -> tuple[Hook, FilePlace] | None:
        """Return the created hook and where to start editing, once the catalog has it."""
        if self._created is None or all(hook.id != self._created[0].id for hook in catalog.hooks):
            return None
        created, self._created = self._created, None
        return created

    def _create(self, dialog: NewHookDialog | GalleryDialog, request: NewHookRequest) -> None:
        """Create the hook; what is typed from now on goes to its editor."""
        from hooktui.edit import create_hook

        self._last_place = request.place
        self._created = (request.plan.hook, FilePlace(*create_hook.edit_position(request.plan)))
        if detail := self._detail():
            detail.set_try_example(request.plan.hook, request.script_listener)
        app_context(self._screen).type_ahead.hold(lambda: self._created is not None)
        creation = self._write(dialog, request.plan)
        self._screen.run_worker(creation, group="make", description="Creating the hook", exclusive=True, exit_on_error=False)

    async def _write(self, dialog: NewHookDialog | GalleryDialog, plan: ChangePlan) -> None:
        notice = hint("Created · {try} try · {take-back} undo", typing=True)
        if await self._changes.carry_out(lambda: plan, notice=notice, refuse=dialog.refuse):
            dialog.dismiss(None)
        else:
            self._created = None
