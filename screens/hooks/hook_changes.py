"""What a person changes on the Hooks screen: hooks on and off, copied, deleted, mended, and all of that taken back."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.core.hook_source import HookDirectory
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.screens.keys.hints import hint

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from typing import Literal

    from hooktui.core.model import Diagnostic, Hook
    from hooktui.edit.change_plan import AppliedChange, ChangePlan
    from hooktui.edit.script_callers import Caller
    from hooktui.screens.hooks.hook_actions import HookActions

_TOLD = 3  # other hooks, by name


class Changes:
    """The changes made on one Hooks screen, the last of which `u` takes back; before the first, what lies in the trash."""

    def __init__(self, screen: HookActions) -> None:
        self._screen = screen
        self._result: Hook | None = None
        self._files: set[str] = set()

    def start(self, how: Literal["switch", "delete", "copy"], hook: Hook) -> None:
        """Change a hook, after what must be asked; as the last change left it, even if that has not been read yet."""
        if self._result is not None and self._result.id == hook.id:
            hook = self._result
        self._files.add(hook.file)
        actions = {"switch": self._switch, "delete": self._delete, "copy": self._copy}
        self._run(actions[how](hook), f"Changing {one_line(hook.name)}")

    def concern(self, hook: Hook) -> bool:
        """Whether a change was begun here in the hook's file, or made it."""
        return hook.file in self._files

    def move(self, hook: Hook, event: str) -> None:
        """Have a hook listen to another event."""
        self._files.add(hook.file)
        self._run(self._move(hook, event), f"Changing {one_line(hook.name)}")

    def fix(self, problem: Diagnostic, typed: Mapping[str, bytes], *, seen: bool) -> None:
        """Mend a problem of a hook's files, some of which may be `typed` and unsaved; what was not `seen` is shown first."""
        self._run(self._fix(problem, typed, seen=seen), "Fixing")

    def start_undo(self) -> None:
        """Take the last change back."""
        self._run(self._undo(), "Taking the last change back")

    def taken_result(self) -> Hook | None:
        """The hook to show after the last change, once; None when there is none."""
        result, self._result = self._result, None
        return result

    def _run(self, doing: Coroutine[None, None, None], what: str) -> None:
        self._screen.run_worker(doing, group="dialog", description=what, exclusive=True, exit_on_error=False)

    @property
    def _hooks(self) -> Sequence[Hook]:
        catalog = self._screen.app.catalog
        return catalog.hooks if catalog else ()

    @property
    def _project(self) -> str:
        return self._screen.app.project

    async def _switch(self, hook: Hook) -> None:
        from hooktui.edit import switch

        await self.carry_out(lambda: switch.switch(hook, not hook.enabled))
        await asyncio.to_thread(switch.tidy)

    async def _delete(self, hook: Hook) -> None:
        from hooktui.edit import trash
        from hooktui.edit.script_callers import callers, left_behind

        what = "with all files of its directory" if isinstance(hook.source, HookDirectory) else "and nothing else of its file"
        stays = "".join(f" {one_line(name)} stays." for name in left_behind(hook))
        text = f"The hook goes to the trash, {what}. {hint('{take-back} brings it back.')}{stays}"
        if await self._agreed("Delete", hook, text, await asyncio.to_thread(callers, hook, self._hooks)):
            await self.carry_out(lambda: trash.delete(hook, self._project))
            await asyncio.to_thread(trash.tidy)

    async def _copy(self, hook: Hook) -> None:
        from hooktui.edit.copy_targets import targets
        from hooktui.edit.script_callers import left_alone
        from hooktui.screens.dialogs.copy_dialog import CopyDialog

        app = self._screen.app
        if app.catalog is None:
            return
        choices = await asyncio.to_thread(lambda: tuple(targets(hook, self._project)))
        plan = await app.push_screen_wait(CopyDialog(app.catalog, hook, choices, app.db))
        if plan is None:
            return
        needed = await asyncio.to_thread(left_alone, plan, self._hooks)
        if not needed or await self._agreed("Move", hook, "The hook goes elsewhere, with all files of its directory.", needed):
            await self.carry_out(lambda: plan)

    async def _agreed(self, verb: str, hook: Hook, text: str, needed: Sequence[Caller]) -> bool:
        """Whether the person wants a hook to leave its place, told who needs it there; those make the way back come first."""
        from hooktui.screens.dialogs.choice import Answer, Choice

        told = [f"✕ {one_line(caller.told)}." for caller in needed[:_TOLD]]
        told += [f"  and {len(needed) - _TOLD} more"] if len(needed) > _TOLD else []
        whole = "\n".join((paths.short(hook.file), "", text, *([""] if told else []), *told))
        question = Choice(f"{verb} {hook.name}?", whole, (Answer("y", "go", verb),), is_grave=bool(needed))
        return await self._screen.app.push_screen_wait(question) is not None

    async def _move(self, hook: Hook, event: str) -> None:
        from hooktui.edit.event_change import listen

        if not await self.carry_out(lambda: listen(hook, event)):
            self._screen.detail.look_again()  # the form says what still holds

    async def _undo(self) -> None:
        ways_back = self._screen.app.ways_back
        if not ways_back:
            await self.carry_out(self._restored, again=False)
        elif await ways_back[-1]():
            ways_back.pop()

    async def _take_back(self, change: AppliedChange) -> bool:
        from hooktui.edit.change_plan import undone

        return await self.carry_out(lambda: undone(change), again=False, said=f"Taken back: {one_line(change.plan.title)}.")

    async def _fix(self, problem: Diagnostic, typed: Mapping[str, bytes], *, seen: bool) -> None:
        from hooktui.screens.widgets.fix_preview import agreed, fix, take_back

        catalog = self._screen.app.catalog
        if catalog is None or problem.fix is None or not (seen or await agreed(self._screen, catalog, problem, typed)):
            return
        back = None if self._screen.detail.fix_typed(problem.fix) else await fix(self._screen, catalog, problem)
        if back is not None:
            self._screen.app.ways_back.append(partial(take_back, self._screen, back))
            self._screen.app.reload()

    def _await(self, result: Hook) -> None:
        """What is typed before a hook is shown that is not there yet, or not under the cursor, is for that one."""
        catalog, shown = self._screen.app.catalog, self._screen.shown
        known = catalog is not None and any(hook.id == result.id for hook in catalog.hooks)
        if not known or shown is None or shown.id != result.id:
            self._screen.app.hold_keys(lambda: self._result is result)

    def _restored(self) -> ChangePlan:
        from hooktui.edit import trash
        from hooktui.edit.file_steps import CannotChange

        deleted = next(trash.contents(self._project), None)
        if deleted is None:
            raise CannotChange("There is nothing to take back, and no deleted hook in the trash.")
        return trash.restore(deleted)

    async def carry_out(
        self,
        planned: Callable[[], ChangePlan],
        *,
        again: bool = True,
        said: str = "",
        refuse: Callable[[str], object] | None = None,
    ) -> bool:
        """Plan and do something in a thread, and tell of it; whether it was done. `again`: `u` takes it back.

        `said` is told in place of what was done; `refuse` tells, in place of a notice, why nothing was.
        """
        from hooktui.core.atomic_write import error_message
        from hooktui.edit.change_plan import carry_out
        from hooktui.edit.file_steps import CannotChange
        from hooktui.security.documents import ChangedError

        try:
            change = await asyncio.to_thread(lambda: carry_out(planned(), self._project))
        except (CannotChange, ChangedError, OSError) as error:
            (refuse or self._tell_refusal)(error_message(error))
            return False
        if again:
            self._screen.app.ways_back.append(partial(self._take_back, change))
        self._result = change.plan.result
        if self._result is not None:
            self._files.add(self._result.file)
            self._await(self._result)
        done = f"{one_line(change.plan.title)}: done{hint(', {take-back} takes it back') if again else ''}."
        self._screen.notify(said or done, markup=False)
        self._screen.app.reload()
        return True

    def _tell_refusal(self, why: str) -> None:
        self._screen.notify(visible(why), title="Nothing was changed", severity="warning", markup=False)
