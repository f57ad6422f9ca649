"""Which hook the right side of the Hooks screen shows: the one under the cursor, unless another has unsaved edits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core.model import ONLY_IN_AGENT
from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.services.app_context import app_context

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from textual.screen import Screen
    from textual.timer import Timer
    from textual.worker import Worker

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.screens.hooks.hook_detail import HookDetail
    from hooktui.screens.widgets.grouped_tree import GroupedTree

_CURSOR_REST_S = 0.12  # before the hook under the cursor is shown


class HookVisits:
    """Shows one hook after another in the detail that it is given, which is mounted later than the tree."""

    def __init__(self, screen: Screen[None], tree: Callable[[], GroupedTree[Hook]], settled: Callable[[], object]) -> None:
        """`settled` is called once unsaved edits were saved or discarded."""
        self._screen = screen
        self._tree = tree
        self._settled = settled
        self.detail: HookDetail | None = None
        self._resting: Timer | None = None
        self._leaving: Worker[None] | None = None
        self._gone = ""  # ID of the shown hook once its entry has been removed outside hooktui
        self._landed = ""  # key of the row the cursor fell on then, which the user has not chosen

    @property
    def shown(self) -> Hook | None:
        """The hook on the right; None before there is one."""
        return self.detail.hook if self.detail else None

    @property
    def has_edits(self) -> bool:
        return self.detail is not None and bool(self.detail.sources.editors.modified)

    def follow_cursor(self) -> None:
        """Show the hook under the cursor once the cursor rests; the first at once."""
        if self._resting is not None:
            self._resting.stop()
        if self.shown is None:
            self.catch_up()
        else:
            self._resting = self._screen.set_timer(_CURSOR_REST_S, self.catch_up)

    def catch_up(self) -> bool:
        """Show the hook under the cursor at once; False if that takes a question about unsaved edits first."""
        if self._resting is not None:
            self._resting.stop()
        tree = self._tree()
        row = tree.current
        if row is None or row.data is None:
            return True
        moved_by_itself = not tree.has_focus or (self.has_edits and row.key == self._landed)
        if (self.has_edits or self._gone) and moved_by_itself:
            return True
        shown = self.shown
        return (shown is not None and shown.id == row.data.id) or self.visit(row.data)

    def choose(self) -> bool:
        """Show the hook under the cursor, which the user has chosen; False if a question comes first."""
        self._landed = ""
        return self.catch_up()

    def visit(self, hook: Hook, then: Callable[[], object] | None = None) -> bool:
        """Show a hook, then do something; False if unsaved edits of another hook are asked about first."""
        catalog, shown = app_context(self._screen).catalog, self.shown
        if self.has_edits and shown is not None and shown.id != hook.id:
            if self._leaving is None or self._leaving.is_finished:
                self._leaving = self._screen.run_worker(
                    self._leave_for(hook, then),
                    group="leave",
                    description="Leaving the hook",
                    exclusive=True,
                    exit_on_error=False,
                )
            return False
        if catalog is not None and self.detail is not None:
            self._tree().go_to(hook.id)
            self.detail.show(hook, catalog)
            if then is not None:
                then()
        return True

    async def _leave_for(self, hook: Hook, then: Callable[[], object] | None) -> None:
        assert self.detail is not None
        if await self.detail.sources.saving.resolve():
            self._settled()
            self.visit(hook, then)
        elif self.detail.hook is not None:
            self._tree().go_to(self.detail.hook.id)

    def show_again(self, hook: Hook, catalog: Catalog) -> None:
        assert self.detail is not None
        self._gone = self._landed = ""
        self._tree().go_to(hook.id)
        self.detail.show(hook, catalog)

    def notify_gone(self, hook: Hook, catalog: Catalog) -> None:
        """Say once that a hook was removed outside hooktui; unsaved edits stay."""
        if hook.type in ONLY_IN_AGENT or hook.id == self._gone:
            return
        row = self._tree().current
        self._gone, self._landed = hook.id, row.key if row else ""
        file = one_line(short(hook.file))
        change = f"{one_line(hook.label)} is no longer in {file}." if hook.file in catalog.files else f"{file} was removed."
        stays = " Your edits are still here." if self.has_edits else ""
        self._screen.notify(f"{change}{stays}", severity="warning", markup=False)
        if self.has_edits and self.detail is not None:
            self.detail.sources.read_again()


def same_hook(known: Hook, hooks: Sequence[Hook]) -> Hook | None:
    """The hook of a fresh catalog that was `known` before, even if its entry has moved within its file."""
    criteria: tuple[Callable[[Hook], bool], ...] = (
        lambda hook: (hook.id, hook.text) == (known.id, known.text),
        lambda hook: (hook.file, hook.event, hook.text) == (known.file, known.event, known.text),
        lambda hook: hook.id == known.id,
        lambda hook: hook.file == known.file,
    )
    return next((hook for matches in criteria for hook in hooks if matches(hook)), None)


def to_try_again(report: Mapping[str, Any], listeners: Sequence[Hook], edited: Hook | None, wanted: str | None) -> Hook:
    """The listener to try a logged event on: the one being edited, else the wanted one, else one that ran then."""
    ran = {run["id"] for run in report["hooks"] if run["state"] != "skipped"}
    return min(listeners, key=lambda hook: (hook != edited, wanted != hook.identity, hook.identity not in ran))


def to_try_on_past(report: Mapping[str, Any], listeners: Sequence[Hook], shown: Hook | None) -> Hook:
    """The listener to try on past events: the one shown, else the first one considered for the report's event."""
    considered = {run["id"] for run in report["hooks"]}
    return min(listeners, key=lambda hook: (hook != shown, hook.identity not in considered))
