"""The Hooks screen: browse, edit, try and approve hooks.

It is painted first: whatever it does not need for that is imported where it is used.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from textual import on, work
from textual.binding import Binding
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Tabs

from hooktui.catalog import hook_states
from hooktui.screens.hooks.hook_browser import NO_HOOKS, HookBrowser, first_keys
from hooktui.screens.hooks.hook_changes import UNSAVED, HookChanges, HookCreation
from hooktui.screens.hooks.hook_selection import HookVisits, same_hook, to_try_again, to_try_on_past
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.banner import Banner
from hooktui.screens.widgets.empty import Empty
from hooktui.screens.widgets.filter import Filter
from hooktui.screens.widgets.footer import Footer
from hooktui.screens.widgets.grouped_tree import GroupedTree
from hooktui.screens.widgets.header import Header
from hooktui.screens.widgets.lines import FilePlace
from hooktui.screens.widgets.notifications import notify_failure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.app import ComposeResult

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.edit.call_rule import CallRule
    from hooktui.screens.hooks.hook_detail import HookDetail

_WORK_TABS = ("source-", "try-tab", "match-tab", "tests-tab", "history-tab")  # the editors first
_BATCH_S = 0.5  # at most, for the first hook's form before the hooks are painted
_NOT_HERE = "This hook is not in this project."
_NOT_TOLD = "It is not known which hook of this project this was."
_NEED_HOOKS = (
    *("detail", "past", "fix_all", "explain", "external_editor", "permit", "arrange", "filter", "save", "copy", "tab"),
    "change",
)


def _detail_class() -> type[HookDetail]:
    from hooktui.screens.hooks.hook_detail import HookDetail

    return HookDetail


class HooksScreen(Screen[None]):
    """Tree of hooks on the left, the hook under the cursor on the right."""

    AUTO_FOCUS = "#hooks"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (140, "-wide")]
    BINDING_GROUP_TITLE = "Hooks"
    HELP = """
    The hooks of this project and your own, in firing order. The right side shows the selected hook: its form, its files, a
    matcher test, a trial and its history. Its problems are listed below.
    """
    BINDINGS = [
        Binding("ctrl+s", "save", "Save", tooltip="Save your edits", id="save"),
        Binding("a", "new", "New", tooltip="Create a hook", id="new"),
        Binding("A", "first_rule", "Popular rules", tooltip="Install a popular rule", id="gallery"),
        Binding("A", "gallery", "Gallery", show=False, tooltip="Install a popular rule", id="gallery"),
        Binding("i", "detail('fill')", "Form", tooltip="Edit the hook's form", id="form"),
        Binding("t,ctrl+t", "detail('try')", "Try", tooltip="Try the hook on an event, unsaved edits included", id="try"),
        Binding("ctrl+r", "detail('run')", "Run", tooltip="Run the hook on this event, or all examples", id="run"),
        Binding("space", "change('switch')", "On/off", tooltip="Turn the hook off or on", id="switch"),
        Binding("d", "change('delete')", "Delete", tooltip="Delete the hook", id="delete"),
        Binding("c", "change('copy')", "Copy", show=False, tooltip="Copy, move or convert the hook", id="copy-hook"),
        Binding("u", "undo", "Undo", tooltip="Undo the last change, or restore a deleted hook", id="take-back"),
        Binding("u", "restore", show=False, id="take-back"),
        Binding("ctrl+z", "undo_typed", "Undo", show=False, tooltip="Undo unsaved edits", id="undo"),
        Binding("f", "detail('fix')", "Fix", tooltip="Apply the fix shown below", id="fix"),
        Binding("f", "explain('fix')", show=False, id="fix"),
        Binding("F", "fix_all", "Fix all", show=False, tooltip="Review and apply all safe fixes", id="fix-all"),
        Binding("M", "detail('match')", "Match", tooltip="Test the matcher on typed and logged events", show=False, id="match"),
        Binding("T", "past", "Try on past events", tooltip="Try the hook on past events", show=False, id="try-past"),
        Binding("E", "detail('keep')", "Keep", tooltip="Keep the tried event as an example", show=False, id="keep-example"),
        Binding("X", "detail('tests')", "Tests", tooltip="Show the hook's examples, and run them", show=False, id="tests"),
        Binding("U", "detail('prove')", "Prove", tooltip="Find guards that no example would miss", show=False, id="prove"),
        Binding("H", "detail('history')", "History", tooltip="Show the hook's history", show=False, id="history"),
        Binding("p", "permit", "Approve", tooltip="Review and approve the hook", id="approve"),
        Binding("p", "explain('permit')", show=False, id="approve"),
        Binding("e", "external_editor", "$EDITOR", show=False, tooltip="Edit the file in your own editor", id="editor"),
        Binding("v", "arrange", "Group by", show=False, tooltip="Group by event, file, scope or host", id="group"),
        Binding("slash", "filter", "Filter", key_display="/", tooltip="Filter the hooks", id="filter"),
        Binding("y", "copy", "Copy path", show=False, id="copy"),
        Binding("left_square_bracket", "tab('previous')", "Previous tab", key_display="[", show=False, id="previous-tab"),
        Binding("right_square_bracket", "tab('next')", "Next tab", key_display="]", show=False, id="next-tab"),
        Binding("escape", "browse", "Back to the hooks", show=False, tooltip="Back to the hooks; there, clear the filter"),
    ]
    on_worker_state_changed = notify_failure

    def __init__(self) -> None:
        super().__init__()
        self._visits = HookVisits(self, lambda: self.hooks, self.on_source_tabs_edited)
        self._loaded = asyncio.Event()
        self._changes = HookChanges(self, lambda: self._visits.detail)
        self._creation = HookCreation(self, self._changes, lambda: self._visits.detail)

    def compose(self) -> ComposeResult:
        yield Header("hooks")
        with Horizontal(id="panes"):
            yield HookBrowser()
        yield Empty(id="first-run")
        yield Banner()
        yield Footer()

    def on_mount(self) -> None:
        app_context(self).type_ahead.hold(lambda: self._is_loading, passes=self._is_elsewhere)
        self.watch(self.app, "catalog", self._show_catalog)
        self.app.call_after_refresh(self._begin)  # the app's: the screen's own runs before the first paint

    @work(exit_on_error=False, group="detail", description="Showing the hooks")
    async def _begin(self) -> None:
        """Mount the right side, which is most of the work, once there are hooks, and paint it together with them."""
        detail_class = await asyncio.to_thread(_detail_class)
        await self._loaded.wait()
        with self.app.batch_update():
            detail = detail_class()
            await self.query_one("#panes").mount(detail)
            self._visits.detail = detail
            self._show_catalog(app_context(self).catalog)
            with suppress(TimeoutError):
                await asyncio.wait_for(detail.shown.wait(), _BATCH_S if self.hooks.last_line >= 0 else 0)

    @property
    def _is_loading(self) -> bool:
        catalog = app_context(self).catalog
        return catalog is None or self._visits.detail is None or bool(catalog.hooks and self.detail.hook is None)

    def _is_elsewhere(self, key: str) -> bool:
        bound = self.active_bindings.get(key)
        return self.app.screen is not self or (bound is not None and bound.node is self.app)

    @property
    def browser(self) -> HookBrowser:
        return self.query_one(HookBrowser)

    @property
    def hooks(self) -> GroupedTree[Hook]:
        return self.browser.hooks

    @property
    def detail(self) -> HookDetail:
        assert self._visits.detail is not None, "mounted after the first paint"
        return self._visits.detail

    @property
    def shown(self) -> Hook | None:
        """The hook on the right; None before there is one."""
        return self._visits.shown

    @property
    def _has_edits(self) -> bool:
        return self._visits.has_edits

    # What is shown

    def _show_catalog(self, catalog: Catalog | None) -> None:
        if catalog is None:
            return
        self._loaded.set()
        if self._visits.detail is None:
            return
        self.catch_up()
        self.set_class(not catalog.hooks and not self._has_edits, "-first-run")
        self.query_one("#first-run", Empty).show(NO_HOOKS, first_keys(catalog))
        self.refresh_bindings()
        self.browser.show(catalog)
        known = self._changes.take_result(catalog) or self.detail.hook
        shown = same_hook(known, catalog.hooks) if known else None
        if shown is not None:
            self._visits.show_again(shown, catalog)
            self.on_source_tabs_edited()
        elif known is not None and not self._changes.touched(known):
            self._visits.notify_gone(known, catalog)
        if created := self._creation.take_created(catalog):
            hook, place = created
            self._visits.visit(self._find(hook.id) or hook, partial(self.detail.edit, place))

    @on(GroupedTree.Highlighted, "#hooks")
    def _follow_cursor(self) -> None:
        self._visits.follow_cursor()

    def catch_up(self) -> bool:
        """Show the hook under the cursor at once; False if that takes a question about unsaved edits first."""
        return self._visits.catch_up()

    @on(GroupedTree.Opened, "#hooks")
    def _open(self) -> None:
        if self._visits.choose():
            self.detail.edit()

    def on_descendant_focus(self) -> None:
        """Give the editor the whole width of a narrow terminal, once no mouse button is held."""
        if self.app.mouse_captured is None and self._mouse_down_offset is None:
            self.on_mouse_up()

    def on_mouse_up(self) -> None:
        # Not while a button is held: the layout would move under the mouse and spoil a selection.
        around = self.focused.ancestors_with_self if self.focused else ()
        self.browser.set_class(any((node.id or "").startswith(_WORK_TABS) for node in around), "-aside")

    def on_screen_suspend(self) -> None:
        """Forget a mouse button pressed here, which is released on another screen."""
        self._mouse_down_offset = None

    # Unsaved edits

    def on_source_tabs_edited(self) -> None:
        """Mark the hook as unsaved, or no longer."""
        services, before = app_context(self), app_context(self).unsaved
        services.unsaved = frozenset(editor.file.path for editor in self.detail.sources.editors.modified)
        if services.unsaved != before:
            self.refresh_bindings()
        self.hooks.mark(*([self.detail.hook.id] if self.detail.hook and services.unsaved else ()))

    def on_source_tabs_saved(self) -> None:
        self.on_source_tabs_edited()
        app_context(self).reload()

    @work(exclusive=True, exit_on_error=False, group="leave", description="Leaving")
    async def quit(self) -> None:
        """Ask about unsaved edits, then quit."""
        if await self.detail.sources.saving.resolve():
            self.app.exit()

    def on_hook_detail_moved(self, event: HookDetail.Moved) -> None:
        if self._has_edits:
            self.notify(hint(UNSAVED), severity="warning")
            self.detail.read_again()
        else:
            self._changes.move(event.hook, event.event)

    def on_hook_detail_fix_wanted(self, event: HookDetail.FixWanted) -> None:
        self._changes.fix(event.problem, event.typed, seen=event.seen)

    # Requests from other screens

    def open_hook(self, hook_id: str, line: int | None = None, missing: str = _NOT_HERE) -> None:
        hook = self._find(hook_id, missing)
        if hook is not None:
            self.set_focus(self.hooks)
            self._visits.visit(hook, None if line is None else partial(self.detail.go_to, FilePlace(hook.file, line)))

    def open_run(self, _report: Mapping[str, Any], run: Mapping[str, Any]) -> None:
        self.open_hook(run["id"], run["line"], _NOT_TOLD if run["origin"] == "transcript" else _NOT_HERE)

    def open_place(self, hook_id: str, place: FilePlace) -> None:
        """Show a hook, and a place in its files; enter edits there."""
        hook = self._find(hook_id)
        if hook is not None:
            self.set_focus(self.hooks)
            self._visits.visit(hook, partial(self.detail.go_to, place))

    def _find(self, hook_id: str, missing: str = _NOT_HERE) -> Hook | None:
        """A hook of the catalog, revealed in the tree; notify of a `missing` one."""
        from hooktui.catalog import log_links

        catalog = app_context(self).catalog
        hook = log_links.hook_of(catalog, hook_id) if catalog else None
        if hook is None:
            self.notify(missing, severity="warning")
        else:
            self.browser.reveal(hook)
        return hook

    def try_event(self, report: Mapping[str, Any], listeners: Sequence[Hook], wanted: str | None) -> None:
        """Try a logged event on one of its listeners, preferably on `wanted` (an ID)."""
        hook = to_try_again(report, listeners, self.detail.hook if self._has_edits else None, wanted)
        self._visits.visit(hook, partial(self.detail.action_try, report["payload"]))

    def try_past(self, report: Mapping[str, Any], listeners: Sequence[Hook]) -> None:
        self._visits.visit(to_try_on_past(report, listeners, self.detail.hook), self.action_past)

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Creating a hook")
    async def new_hook(self, event: str, rule: CallRule | None = None) -> None:
        """Create a hook, with a rule for a logged event if given, or open an existing one."""
        if chosen := await self._creation.ask(event, rule):
            self.open_hook(chosen.id)

    # Actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide or dim what cannot be done now."""
        catalog = app_context(self).catalog
        name = str(parameters[0]) if action == "detail" else action
        if action in _NEED_HOOKS and not (catalog and (catalog.hooks or self._has_edits) and self._visits.detail):
            return False
        match name:
            case "save":
                return self._has_edits or (self._visits.detail is not None and self._visits.detail.is_typed_in)
            case "first_rule":
                return not (catalog and catalog.hooks)
            case "run" | "keep":
                return self.detail.is_trying or (name == "run" and self.detail.is_testing)
            case "fix":
                return self.detail.is_fixable or None
            case "undo":
                return bool(app_context(self).undo_history)
            case "undo_typed":
                return bool(app_context(self).unsaved)  # otherwise the key suspends, as in any terminal program
            case "permit":
                hook = self.detail.hook
                return hook is not None and catalog is not None and hook_states.needs_approval(catalog, hook)
        return True

    def action_browse(self) -> None:
        self.browser.focus_tree()

    def action_filter(self) -> None:
        self.query_one(Filter).open()

    def action_arrange(self) -> None:
        self.browser.next_arrangement()

    def action_new(self) -> None:
        self.new_hook(self.browser.event_at_cursor)

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Installing a rule")
    async def action_gallery(self) -> None:
        await self._creation.offer_rules()

    action_first_rule = action_gallery  # in the footer while there are no hooks

    def action_detail(self, action: str) -> None:
        getattr(self.detail, f"action_{action}")()

    def action_tab(self, which: str) -> None:
        tabs = self.detail.sources.query_one(Tabs)
        tabs.action_next_tab() if which == "next" else tabs.action_previous_tab()

    def action_save(self) -> None:
        self.detail.sources.save()

    def action_fix_all(self) -> None:
        self._changes.fix_all()

    def action_explain(self, action: str) -> None:
        if action == "fix":
            self.notify("No automatic fix available." if self.detail.problems else "No problems found.")
        else:
            self.action_permit()  # says why not

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Trying the hook on the past")
    async def action_past(self) -> None:
        from hooktui.screens.hooks.past_dialog import try_on_past

        hook, catalog = self.detail.hook, app_context(self).catalog
        if hook is not None and catalog is not None:
            await try_on_past(self, hook, catalog, self.detail.unsaved())

    def action_copy(self) -> None:
        if self.detail.hook is not None:
            app_context(self).copy(self.detail.hook.file)

    def action_external_editor(self) -> None:
        place = self.detail.sources.place
        if place is None:
            self.notify("No hook to edit.")
        elif self._has_edits:
            self.notify(hint(UNSAVED), severity="warning")
        else:
            app_context(self).open_editor(place.path, place.line, self.detail.hook)

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Approving the hook")
    async def action_permit(self) -> None:
        from hooktui.screens.dialogs.trust_dialog import permit

        hook, catalog = self.detail.hook, app_context(self).catalog
        if hook is not None and catalog is not None:
            await permit(self, hook, catalog)

    def action_change(self, how: Literal["switch", "delete", "copy"]) -> None:
        if self._has_edits:
            self.notify(hint(UNSAVED), severity="warning")
        elif self.detail.hook is not None:
            self._changes.start(how, self.detail.hook)

    def action_undo(self) -> None:
        self._changes.start_undo()

    action_restore = action_undo  # the same key, hidden from the footer while there is nothing to undo

    def action_undo_typed(self) -> None:
        self.detail.sources.editors.undo()
