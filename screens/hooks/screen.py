"""The Hooks screen: browse the hooks, read and edit them, try them, approve them.

It is the first that is painted: what it and its widgets do not need for that is imported where it is used.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.containers import Horizontal, Vertical
from textual.reactive import var
from textual.widgets import TextArea

from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.hooks.first_run import FirstRun
from hooktui.screens.hooks.hook_actions import UNSAVED, HookActions
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets.empty import Empty
from hooktui.screens.widgets.failures import tell_failure
from hooktui.screens.widgets.filter import Filter
from hooktui.screens.widgets.footer import Footer
from hooktui.screens.widgets.grouped_tree import GroupedTree
from hooktui.screens.widgets.header import Header
from hooktui.screens.widgets.hook_locations import Place
from hooktui.screens.widgets.hook_tree import ARRANGEMENTS, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.app import ComposeResult
    from textual.timer import Timer
    from textual.widget import Widget
    from textual.worker import Worker

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.edit import new_hook_places
    from hooktui.edit.change_plan import ChangePlan
    from hooktui.edit.create_hook import EditPosition
    from hooktui.screens.dialogs.new_hook_dialog import NewHook, Wanted
    from hooktui.screens.hooks.hook_detail import HookDetail

_WORKED_IN = ("try-tab", "match-tab", "history-tab")  # besides the files of a hook
_REST_S = 0.12  # on a hook before it is shown: the cursor may only be passing


class HooksScreen(HookActions):
    """Tree of hooks on the left, the hook under the cursor on the right."""

    AUTO_FOCUS = "#hooks"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (140, "-wide")]  # noqa: RUF012  # Textual's type

    on_worker_state_changed = tell_failure
    arrangement: var[str] = var("event", init=False)
    words: var[str] = var("", init=False)

    def __init__(self) -> None:
        super().__init__()
        self._made: tuple[Hook, EditPosition] | None = None
        self._last_place: new_hook_places.NewHookPlace | None = None  # where the last new hook was written
        self._resting: Timer | None = None
        self._leaving: Worker[None] | None = None
        self._gone = ""  # the hook that is known to have been taken away by somebody else
        self._landed = ""  # the row where the cursor came to stand then, which nobody has chosen

    def compose(self) -> ComposeResult:
        """What the first paint shows: header, tree, footer."""
        yield Header("hooks")
        with Horizontal(id="panes"), Vertical(id="browser", classes="pane -loading"):
            tree: GroupedTree[Hook] = GroupedTree(id="hooks")
            yield Filter(tree, "name, event, scope, state …")
            yield tree
            yield Empty("Loading the hooks…", id="no-rows")
        yield FirstRun()
        yield Footer()

    def on_mount(self) -> None:
        """Paint first; a key that is hit before there are hooks is for them."""
        self._title()
        self.app.hold_keys(lambda: self._is_loading, spares=self._is_for_others)
        self.app.call_after_refresh(self._furnish)  # the screen itself does not wait for the app's first paint

    async def _furnish(self) -> None:
        """Bring in the right side, which is most of the work, and follow the catalog."""
        from hooktui.screens.hooks.hook_detail import HookDetail

        detail = HookDetail()
        await self.query_one("#panes").mount(detail)
        self._detail = detail
        self.watch(self.app, "catalog", self._show_catalog)

    @property
    def _is_loading(self) -> bool:
        catalog = self.app.catalog
        return catalog is None or self._detail is None or bool(catalog.hooks and self.detail.hook is None)

    def _is_for_others(self, key: str) -> bool:
        """Whether a key is for another screen, or for the app."""
        bound = self.active_bindings.get(key)
        return self.app.screen is not self or (bound is not None and bound.node is self.app)

    @property
    def hooks(self) -> GroupedTree[Hook]:
        """The left side."""
        tree: GroupedTree[Hook] = self.query_one("#hooks", GroupedTree)
        return tree

    @property
    def _browser(self) -> Widget:
        """The pane around it. What changes its look alone is marked here: a mark of the screen has every widget styled anew."""
        return self.query_one("#browser")

    # What is shown

    def _show_catalog(self, catalog: Catalog | None) -> None:
        if catalog is None:
            return
        self.settle()
        self._browser.remove_class("-loading")
        self.set_class(not catalog.hooks and not self._edits, "-first-run")
        self.query_one(FirstRun).greet()
        self.refresh_bindings()
        self._show_tree()
        known = self._changes.taken_result() or self.detail.hook
        shown = _again(known, catalog.hooks) if known else None
        if shown is not None:
            self._gone = self._landed = ""
            self.hooks.go_to(shown.id)
            self.detail.show(shown, catalog)
            self.on_unsaved_tabs_edited()
        elif known is not None:
            self._tell_gone(known, catalog)
        if self._made is not None:
            self._open_made(*self._made, catalog)

    def _tell_gone(self, hook: Hook, catalog: Catalog) -> None:
        """Say once that somebody else has taken a hook away; what was typed into it stays."""
        if hook.type == "callback" or hook.id == self._gone or self._changes.concern(hook):
            return
        self._gone, self._landed = hook.id, self.hooks.current.key if self.hooks.current else ""
        file = one_line(short(hook.file))
        what = f"{one_line(hook.name)} is no longer in {file}." if hook.file in catalog.files else f"{file} vanished."
        self.notify(f"{what}{' What you typed is still here.' if self._edits else ''}", severity="warning", markup=False)
        if self._edits:
            self.detail.sources.look_again()

    @on(Filter.Narrowed)
    def _narrow(self, event: Filter.Narrowed) -> None:
        self.words = event.words

    def watch_arrangement(self) -> None:
        """Group anew."""
        self._show_tree()

    def watch_words(self) -> None:
        """Filter anew."""
        self._show_tree()

    def _show_tree(self) -> None:
        catalog = self.app.catalog
        if catalog is None:
            return
        groups = rows(catalog, self.arrangement, self.words)
        if not groups and self.query_one(Filter).give_way():
            return
        self.hooks.show(groups)
        self._browser.set_class(not groups, "-no-rows")
        if self.words:
            self.query_one("#no-rows", Empty).tell(f"No hook has “{one_line(self.words)}”.", (("esc", "shows all"),))
        else:
            self.query_one("#no-rows", Empty).tell("No hooks any more.")
        self._title(sum(group.count for group in groups))

    def _title(self, found: int = 0) -> None:
        self._browser.border_title = f"Hooks by {self.arrangement}"
        self._browser.border_subtitle = f"{found} found" if self.words else ""

    @on(GroupedTree.Highlighted, "#hooks")
    def _move(self) -> None:
        """Follow the cursor once it rests; what comes first need not wait."""
        if self._resting is not None:
            self._resting.stop()
        if self.detail.hook is None:
            self.settle()
        else:
            self._resting = self.set_timer(_REST_S, self.settle)

    def settle(self) -> bool:
        """Show the hook under the cursor, if that has not come about yet; False when unsaved edits are asked about first."""
        if self._resting is not None:
            self._resting.stop()
        row = self.hooks.current
        if row is None or row.data is None:
            return True
        nobody_moved = not self.hooks.has_focus or (self._edits and row.key == self._landed)
        if (self._edits or self._gone) and nobody_moved:
            return True  # the hook that is typed into has vanished, or is just saved again
        shown = self.detail.hook
        return (shown is not None and shown.id == row.data.id) or self._visit(row.data)

    def _visit(self, hook: Hook, then: Callable[[], None] | None = None) -> bool:
        """Show a hook, and then do something; False when unsaved edits of another hook are asked about first."""
        if self._edits and self.detail.hook is not None and self.detail.hook.id != hook.id:
            if self._leaving is None or self._leaving.is_finished:  # one question at a time
                self._leaving = self._leave_for(hook, then)
            return False
        if self.app.catalog is not None:
            self.hooks.go_to(hook.id)
            self.detail.show(hook, self.app.catalog)
            if then is not None:
                then()
        return True

    @work(exclusive=True, exit_on_error=False, group="leave", description="Leaving the hook")
    async def _leave_for(self, hook: Hook, then: Callable[[], None] | None) -> None:
        if await self.detail.sources.settle():
            self.on_unsaved_tabs_edited()
            self._visit(hook, then)
        elif self.detail.hook is not None:
            self.hooks.go_to(self.detail.hook.id)

    @on(GroupedTree.Opened, "#hooks")
    def _open(self) -> None:
        self._landed = ""  # it is chosen now
        if self.settle():
            self.detail.edit()

    def on_descendant_focus(self) -> None:
        """On a narrow terminal what one types in gets the whole width: once the mouse that went there lets go of it."""
        if self.app.mouse_captured is None and self._mouse_down_offset is None:
            self.on_mouse_up()

    def on_mouse_up(self) -> None:
        """Nothing moves under a mouse that is pressed: it selects text, or would let go of something else."""
        around = self.focused.ancestors_with_self if self.focused else ()
        self._browser.set_class(any(isinstance(one, TextArea) or one.id in _WORKED_IN for one in around), "-aside")

    def on_screen_suspend(self) -> None:
        """A mouse that was pressed here, on a key of the footer, is let go of elsewhere."""
        self._mouse_down_offset = None

    # Unsaved edits

    def on_unsaved_tabs_edited(self) -> None:
        """Note which files are unsaved, and mark their hook."""
        before = self.app.unsaved
        self.app.unsaved = frozenset(editor.file.path for editor in self.detail.sources.modified)
        if self.app.unsaved != before:
            self.refresh_bindings()  # one can save now, or no longer
        self.hooks.mark(*([self.detail.hook.id] if self.detail.hook and self.app.unsaved else ()))

    def on_unsaved_tabs_saved(self) -> None:
        """Read the hooks anew."""
        self.on_unsaved_tabs_edited()
        self.app.reload()

    @work(exclusive=True, exit_on_error=False, group="leave", description="Leaving")
    async def quit(self) -> None:
        """Leave the app once the edits are settled."""
        if await self.detail.sources.settle():
            self.app.exit()

    # What one can do with the tree

    def action_browse(self) -> None:
        """Back to the tree; there, show all hooks again."""
        if self.hooks.has_focus:
            self.query_one(Filter).action_clear()
        self.set_focus(self.hooks)

    def action_filter(self) -> None:
        """Narrow the tree."""
        self.query_one(Filter).open()

    def action_arrange(self) -> None:
        """Group by the next thing."""
        names = list(ARRANGEMENTS)
        self.arrangement = names[(names.index(self.arrangement) + 1) % len(names)]

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Making the hook")
    async def action_new(self) -> None:
        """Find the way to a hook: open one that is there, or make a new one and open that."""
        from hooktui.screens.dialogs.new_hook_dialog import NewHook

        if self.app.catalog is None:
            return
        chosen = await self.app.push_screen_wait(NewHook(self.app.catalog, self._event_here, self._last_place, self._make))
        if chosen is not None:
            self.open_hook(chosen.id)

    def _make(self, dialog: NewHook, wanted: Wanted) -> None:
        """Make a hook and open it; what is typed from now on is for its command."""
        from hooktui.edit import create_hook

        self._last_place, self._made = wanted.place, (wanted.plan.hook, create_hook.opening(wanted.plan))
        self.detail.tell_sought(wanted.plan.hook, wanted.sought)
        self.app.hold_keys(lambda: self._made is not None)
        self._write(dialog, wanted.plan)

    @work(exclusive=True, exit_on_error=False, group="make", description="Making the hook")
    async def _write(self, dialog: NewHook, plan: ChangePlan) -> None:
        said = hint("Made: {try} tries it, {take-back} takes it back.", typing=True)
        if await self._changes.carry_out(lambda: plan, said=said, refuse=dialog.refuse):
            dialog.dismiss(None)
        else:
            self._made = None

    @property
    def _event_here(self) -> str:
        """The event under the cursor; most hooks guard tools."""
        row = self.hooks.current
        if row is None:
            return "pre-tool-call"
        return (row.data.event if row.data else row.left[0][0] if self.arrangement == "event" else "") or "pre-tool-call"

    def _open_made(self, made: Hook, opening: EditPosition, catalog: Catalog) -> None:
        """Open a hook that was just made where its person goes on: what they type now stands there."""
        if any(hook.id == made.id for hook in catalog.hooks):
            self._made = None
            self._visit(self._find(made.id) or made, partial(self.detail.edit, Place(*opening)))

    def on_hook_detail_moved(self, event: HookDetail.Moved) -> None:
        """Give an entry to another event."""
        if self._edits:
            self.notify(hint(UNSAVED), severity="warning")
            self.detail.look_again()
        else:
            self._changes.move(event.hook, event.event)

    def on_hook_detail_fix_wanted(self, event: HookDetail.FixWanted) -> None:
        """Mend a hook's file."""
        self._changes.fix(event.problem, event.typed, seen=event.seen)

    # What other screens ask for

    def open_hook(self, hook_id: str, line: int | None = None) -> None:
        """Show a hook, and a line of its file."""
        hook = self._find(hook_id)
        if hook is not None:
            self.set_focus(self.hooks)
            self._visit(hook, None if line is None else partial(self.detail.go_to, Place(hook.file, line)))

    def open_place(self, hook_id: str, place: Place) -> None:
        """Show a hook, and a place of its files with the cursor on it; whoever wants to type presses enter."""
        hook = self._find(hook_id)
        if hook is not None:
            self.set_focus(self.hooks)
            self._visit(hook, partial(self.detail.go_to, place))

    def _find(self, hook_id: str) -> Hook | None:
        """A hook of the catalog, no longer filtered out of the tree; says so when it is not there."""
        from hooktui.catalog import log_links

        hook = log_links.hook_of(self.app.catalog, hook_id) if self.app.catalog else None
        if hook is None:
            self.notify("That hook is not there any more.", severity="warning")
        elif not self.hooks.has(hook.id):
            self.query_one(Filter).value = self.words = ""
        return hook

    def try_event(self, report: Mapping[str, Any], listeners: Sequence[Hook], wanted: str | None) -> None:
        """Offer a logged event to one of its listeners: one that is being edited, the wanted one, else one that ran then."""
        from hooktui.catalog.log_links import keys

        ran = {run["id"] for run in report["hooks"] if run["state"] != "skipped"}
        edited = self.detail.hook if self._edits else None
        hook = min(listeners, key=lambda one: (one != edited, wanted not in keys(one), ran.isdisjoint(keys(one))))
        self._visit(hook, partial(self.detail.try_it, report["payload"]))

    def try_chosen(self, report: Mapping[str, Any], listeners: Sequence[Hook], chosen: Sequence[int]) -> None:
        """Try the hook that is shown, or the first that was asked about an event, on logged events chosen by their ids."""
        from hooktui.catalog.log_links import keys

        considered = {run["id"] for run in report["hooks"]}
        hook = min(listeners, key=lambda one: (one != self.detail.hook, considered.isdisjoint(keys(one))))
        self._visit(hook, partial(self.try_past, chosen))


def _again(known: Hook, hooks: Sequence[Hook]) -> Hook | None:
    """A hook among those that are there now, followed to where its entry stands when others came before it."""
    likely: tuple[Callable[[Hook], bool], ...] = (
        lambda hook: (hook.id, hook.text) == (known.id, known.text),
        lambda hook: (hook.file, hook.event, hook.text) == (known.file, known.event, known.text),
        lambda hook: hook.id == known.id,
        lambda hook: hook.file == known.file,
    )
    return next((hook for is_it in likely for hook in hooks if is_it(hook)), None)
