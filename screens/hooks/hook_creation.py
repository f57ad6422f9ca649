"""Create a hook from the Hooks screen, then open it where the user goes on writing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.screens.keys.hints import hint
from hooktui.screens.services.shell import shell
from hooktui.screens.widgets.file_place import FilePlace

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.edit import new_hook_places
    from hooktui.edit.change_plan import ChangePlan
    from hooktui.screens.hooks.hook_changes import HookChanges
    from hooktui.screens.hooks.hook_detail import HookDetail
    from hooktui.screens.hooks.new_hook_dialog import NewHookDialog, NewHookRequest


class HookCreation:
    """Runs the new-hook dialog and remembers the hook it created until the catalog has it."""

    def __init__(self, screen: Screen[None], changes: HookChanges, detail: Callable[[], HookDetail | None]) -> None:
        self._screen = screen
        self._changes = changes
        self._detail = detail
        self._created: tuple[Hook, FilePlace] | None = None
        self._last_place: new_hook_places.NewHookPlace | None = None

    async def ask(self, event: str) -> Hook | None:
        """Show the dialog, with an event preselected; an existing hook to open, if the user chose one."""
        from hooktui.screens.hooks.new_hook_dialog import NewHookDialog

        catalog = shell(self._screen).catalog
        if catalog is None:
            return None
        return await self._screen.app.push_screen_wait(NewHookDialog(catalog, event, self._last_place, self._create))

    def take_created(self, catalog: Catalog) -> tuple[Hook, FilePlace] | None:
        """Return the created hook and where to start editing, once the catalog has it."""
        if self._created is None or all(hook.id != self._created[0].id for hook in catalog.hooks):
            return None
        created, self._created = self._created, None
        return created

    def _create(self, dialog: NewHookDialog, request: NewHookRequest) -> None:
        """Create the hook; what is typed from now on goes to its editor."""
        from hooktui.edit import create_hook

        self._last_place = request.place
        self._created = (request.plan.hook, FilePlace(*create_hook.edit_position(request.plan)))
        if detail := self._detail():
            detail.set_try_example(request.plan.hook, request.script_listener)
        shell(self._screen).type_ahead.hold(lambda: self._created is not None)
        self._screen.run_worker(
            self._write(dialog, request.plan),
            group="make",
            description="Creating the hook",
            exclusive=True,
            exit_on_error=False,
        )

    async def _write(self, dialog: NewHookDialog, plan: ChangePlan) -> None:
        notice = hint("Created · {try} try · {take-back} undo", typing=True)
        if await self._changes.carry_out(lambda: plan, notice=notice, refuse=dialog.refuse):
            dialog.dismiss(None)
        else:
            self._created = None
