"""The Hooks screen: browse the hooks, read and edit them, try them, approve them.

It is the first that is painted: what it and its widgets do not need for that is imported where it is used.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from textual import on, work
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.reactive import var
from textual.screen import Screen
from textual.widgets import Footer, Input, Tabs, TextArea

from hooktui.paths import short
from hooktui.plain import one_line
from hooktui.screens.changing import Changes
from hooktui.screens.failures import tell_failure
from hooktui.screens.header import Header
from hooktui.screens.widgets.empty import Empty
from hooktui.screens.widgets.filter import Filter
from hooktui.screens.widgets.first_run import FirstRun
from hooktui.screens.widgets.grouped_tree import GroupedTree
from hooktui.screens.widgets.hook_tree import ARRANGEMENTS, rows
from hooktui.screens.widgets.places import Place
from hooktui.trust import UNAPPROVED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import ClassVar

    from textual import getters
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from hooktui.app import HooktuiApp
    from hooktui.catalog import Catalog
    from hooktui.making import Made
    from hooktui.model import Hook
    from hooktui.screens.widgets.hook_detail import HookDetail

_NEED_HOOKS = (
    *("fill", "try", "match", "past", "run", "fix", "mend", "explain", "external_editor", "permit"),
    *("arrange", "filter", "save", "copy", "tab", "change"),
)


class HooksScreen(Screen[None]):
    """Tree of hooks on the left, the hook under the cursor on the right."""

    AUTO_FOCUS = "#hooks"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (140, "-wide")]  # noqa: RUF012  # Textual's type
    BINDING_GROUP_TITLE = "Hooks"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "new", "New", tooltip="Make a new hook"),
        Binding("i", "fill", "Form", tooltip="Fill in the hook's form"),
        Binding("t,ctrl+t", "try", "Try", tooltip="Try the hook on an event, with what is edited here"),
        Binding("ctrl+r", "run", "Run the hook", tooltip="Run the hook on the event that is shown"),
        Binding(
            "space", "change('switch')", "On/off", key_display="␣", tooltip="Turn the hook off without losing it, or on again"
        ),
        Binding("d", "change('delete')", "Delete", tooltip="Delete the hook; u brings it back"),
        Binding("c", "change('copy')", "Copy", show=False, tooltip="Copy the hook to another scope or format, or move it"),
        Binding("u", "undo", "Undo", show=False, tooltip="Take the last change of a hook back, or bring back a deleted one"),
        Binding("f", "fix", "Fix", tooltip="Apply the fix that is shown below"),
        Binding("f", "explain('fix')", show=False),
        Binding("F", "mend", "Fix all", show=False, tooltip="Look at all safe fixes of all hooks, and apply them"),
        Binding("m", "match", "Match", tooltip="Test the matcher on typed and on logged events", show=False),
        Binding("T", "past", "Try on the past", tooltip="Try the hook on the last logged events", show=False),
        Binding("p", "permit", "Approve", tooltip="Look at a project's hook and approve it"),
        Binding("p", "explain('permit')", show=False),
        Binding("e", "external_editor", "$EDITOR", show=False, tooltip="Edit the file in your own editor"),
        Binding("v", "arrange", "Group by", show=False, tooltip="Group the hooks by event, file, scope or host"),
        Binding("slash", "filter", "Filter", key_display="/", tooltip="Filter the hooks"),
        Binding("ctrl+s", "save", "Save", show=False),
        Binding("y", "copy", "Copy the path", show=False),
        Binding("left_square_bracket", "tab('previous')", "Previous tab", key_display="[", show=False),
        Binding("right_square_bracket", "tab('next')", "Next tab", key_display="]", show=False),
        Binding("escape", "browse", "Back to the hooks", show=False),
    ]
    if TYPE_CHECKING:
        app = getters.app(HooktuiApp)

    on_worker_state_changed = tell_failure
    arrangement: var[str] = var("event", init=False)
    words: var[str] = var("", init=False)

    def __init__(self) -> None:
        super().__init__(classes="-loading")
        self._made: Made | None = None
        self._changes = Changes(self)
        self._gone = ""  # the hook that is known to have been taken away by somebody else

    def compose(self) -> ComposeResult:
        """What the first paint shows: header, tree, footer."""
        yield Header("hooks")
        with Horizontal(id="panes"), Vertical(id="browser", classes="pane"):
            tree: GroupedTree[Hook] = GroupedTree(id="hooks")
            yield Filter(tree, "name, event, scope, state …")
            yield tree
            yield Empty("Loading the hooks…", id="no-rows")
        yield FirstRun()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Paint first."""
        self._title()
        self.app.call_after_refresh(self._furnish)  # the screen itself does not wait for the app's first paint

    async def _furnish(self) -> None:
        """Bring in the right side, which is most of the work, and follow the catalog."""
        from hooktui.screens.widgets.hook_detail import HookDetail

        await self.query_one("#panes").mount(HookDetail())
        self.watch(self.app, "catalog", self._show_catalog)

    @property
    def hooks(self) -> GroupedTree[Hook]:
        """The left side."""
        tree: GroupedTree[Hook] = self.query_one("#hooks", GroupedTree)
        return tree

    @property
    def detail(self) -> HookDetail:
        """The right side."""
        detail: HookDetail = self.query_one("#detail")  # type: ignore[assignment]
        return detail

    # What is shown

    def _show_catalog(self, catalog: Catalog | None) -> None:
        if catalog is None:
            return
        self.remove_class("-loading")
        self.set_class(not catalog.hooks and not self._edits, "-first-run")
        self.refresh_bindings()
        self._show_tree()
        known = self._changes.taken_result() or self.detail.hook
        same = [hook for hook in catalog.hooks if known and hook.id == known.id]
        renamed = [hook for hook in catalog.hooks if known and hook.file == known.file]
        shown = next(iter((*same, *renamed)), None)
        if shown is not None:
            self._gone = ""
            self.hooks.go_to(shown.id)
            self.detail.show(shown, catalog)
        elif known is not None:
            self._tell_gone(known, catalog)
        if self._made is not None:
            self._open_made(self._made, catalog)

    def _tell_gone(self, hook: Hook, catalog: Catalog) -> None:
        """Say once that somebody else has taken a hook away; what was typed into it stays."""
        if hook.type == "callback" or hook.id == self._gone or self._changes.concern(hook):
            return
        self._gone = hook.id
        file = one_line(short(hook.file))
        what = f"{one_line(hook.name)} is no longer in {file}." if hook.file in catalog.files else f"{file} vanished."
        self.notify(f"{what}{' What you typed is still here.' if self._edits else ''}", severity="warning", markup=False)

    @property
    def _edits(self) -> bool:
        """Whether something is typed that is not saved."""
        return bool(self.query("#detail")) and bool(self.detail.sources.modified)

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
        unsaved = {self.detail.hook.id} if self.detail.hook and self.detail.sources.modified else set()
        groups = rows(catalog, self.arrangement, self.words, unsaved)
        self.hooks.show(groups)
        self.set_class(not groups, "-no-rows")
        if self.words:
            self.query_one("#no-rows", Empty).tell(
                f"No hook has “{one_line(self.words)}”.", (("esc", "in the filter shows all"),)
            )
        else:
            self.query_one("#no-rows", Empty).tell("No hooks any more.")
        self._title(sum(group.count for group in groups))

    def _title(self, found: int = 0) -> None:
        browser = self.query_one("#browser")
        browser.border_title = f"Hooks by {self.arrangement}"
        browser.border_subtitle = f"{found} found" if self.words else ""

    @on(GroupedTree.Highlighted, "#hooks")
    def _move(self, event: GroupedTree.Highlighted[Hook]) -> None:
        shown, current = self.detail.hook, self.hooks.current
        if current is None or current.key != event.row.key:
            return  # the cursor has gone on meanwhile: following what is past would chase it for ever
        if self._edits and not self.hooks.has_focus:
            return  # nobody has moved it: the hook that is typed into has vanished
        if event.row.data is not None and (shown is None or shown.id != event.row.data.id):
            self._visit(event.row.data)

    def _visit(self, hook: Hook, then: Callable[[], None] | None = None) -> None:
        """Show a hook, and then do something; unsaved edits of another hook are settled first."""
        if self.detail.sources.modified and self.detail.hook is not None and self.detail.hook.id != hook.id:
            self._leave_for(hook, then)
        elif self.app.catalog is not None:
            self.hooks.go_to(hook.id)
            self.detail.show(hook, self.app.catalog)
            if then is not None:
                then()

    @work(exclusive=True, exit_on_error=False, group="leave", description="Leaving the hook")
    async def _leave_for(self, hook: Hook, then: Callable[[], None] | None) -> None:
        if await self.detail.sources.settle():
            self.on_source_tabs_edited()
            self._visit(hook, then)
        elif self.detail.hook is not None:
            self.hooks.go_to(self.detail.hook.id)

    @on(GroupedTree.Opened, "#hooks")
    def _open(self) -> None:
        self.detail.edit()

    def on_descendant_focus(self) -> None:
        """On a narrow terminal what one types in gets the whole width."""
        self.set_class(self.focused in [*self.query("TextArea, #match-tab *")], "-editing")

    # Unsaved edits

    def on_source_tabs_edited(self) -> None:
        """Note which files are unsaved."""
        unsaved = frozenset(editor.file.path for editor in self.detail.sources.modified)
        if bool(unsaved) != bool(self.app.unsaved):
            self.app.unsaved = unsaved
            self._show_tree()

    def on_source_tabs_saved(self) -> None:
        """Read the hooks anew."""
        self.on_source_tabs_edited()
        self.app.reload()

    @work(exclusive=True, exit_on_error=False, group="leave", description="Leaving")
    async def quit(self) -> None:
        """Leave the app once the edits are settled."""
        if await self.detail.sources.settle():
            self.app.exit()

    # What one can do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what can be done: without hooks little, and in an editor `/` is a slash."""
        catalog = self.app.catalog
        if action in _NEED_HOOKS and not (catalog and (catalog.hooks or self._edits) and self.query("#detail")):
            return False
        wanted = self._possible.get(action)
        return wanted is None or wanted()

    @property
    def _possible(self) -> Mapping[str, Callable[[], bool | None]]:
        """When an action can be done that cannot always: True, False (not even shown) or None (greyed out)."""
        return {
            "filter": lambda: not isinstance(self.focused, TextArea | Input),
            "run": lambda: self.detail.is_trying,
            "fix": lambda: self.detail.fixable or None,
            "permit": lambda: self._needs_approval,
        }

    @property
    def _needs_approval(self) -> bool:
        hook, catalog = self.detail.hook, self.app.catalog
        return hook is not None and catalog is not None and catalog.trust.get(hook.id) in UNAPPROVED

    def action_fill(self) -> None:
        """Fill in the form."""
        self.detail.fill()

    def action_browse(self) -> None:
        """Back to the tree."""
        self.set_focus(self.hooks)

    def action_filter(self) -> None:
        """Narrow the tree."""
        self.query_one(Filter).open()

    def action_arrange(self) -> None:
        """Group by the next thing."""
        names = list(ARRANGEMENTS)
        self.arrangement = names[(names.index(self.arrangement) + 1) % len(names)]

    def action_tab(self, which: str) -> None:
        """Show the next or the previous tab."""
        tabs = self.detail.sources.query_one(Tabs)
        tabs.action_next_tab() if which == "next" else tabs.action_previous_tab()

    def action_save(self) -> None:
        """Save all edits of the hook."""
        self.detail.sources.save()

    def action_try(self) -> None:
        """Try the hook on an event that fits it."""
        self.detail.try_it()

    def action_run(self) -> None:
        """Run the hook that is tried."""
        self.detail.run()

    def action_fix(self) -> None:
        """Mend what is wrong."""
        self.detail.fix()

    def action_mend(self) -> None:
        """Look at all safe fixes of all hooks, where their problems stand."""
        self.app.mend()

    def action_explain(self, action: str) -> None:
        """Say why something cannot be done."""
        if action == "fix":
            self.notify("Nothing that is wrong here has a fix." if self.detail.problems else "Nothing is wrong here.")
        else:
            self.action_permit()  # says why not

    def action_match(self) -> None:
        """Test the hook's matcher."""
        self.detail.match()

    def action_past(self) -> None:
        """Try the hook, with what is edited here, on the last logged events of its kind."""
        from hooktui.screens.dialogs.past import PastDialog

        hook, catalog = self.detail.hook, self.app.catalog
        if hook is not None and catalog is not None:
            self.app.push_screen(PastDialog(catalog, hook, self.detail.unsaved(), self.app.db))

    def action_copy(self) -> None:
        """Copy the path of the hook's file."""
        if self.detail.hook is not None:
            self.app.copy(self.detail.hook.file)

    def action_external_editor(self) -> None:
        """Edit the file in the person's own editor."""
        place = self.detail.sources.place
        if place is None:
            self.notify("There is no hook to edit.")
        elif self.detail.sources.modified:
            self.notify("Save (ctrl+s) or undo your edits here first.", severity="warning")
        else:
            self.app.let_edit(place.path, place.line, self.detail.hook)

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Approving the hook")
    async def action_permit(self) -> None:
        """Show what a project's hook would run, and approve it."""
        from hooktui.screens.dialogs.trust import permit

        hook, catalog = self.detail.hook, self.app.catalog
        if hook is not None and catalog is not None and await permit(self, hook, catalog):
            self.app.reload()

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Making the hook")
    async def action_new(self) -> None:
        """Make a hook and open it."""
        from hooktui.screens.dialogs.new_hook import make_hook

        if self.app.catalog is not None:
            self._made = await make_hook(self, self.app.catalog)
            self.app.reload()

    def action_change(self, how: Literal["switch", "delete", "copy"]) -> None:
        """Change the hook as a whole."""
        if self.detail.sources.modified:
            self.notify("Save (ctrl+s) or undo your edits here first.", severity="warning")
        elif self.detail.hook is not None:
            self._changes.start(how, self.detail.hook)

    def action_undo(self) -> None:
        """Take the last change back."""
        self._changes.start_undo()

    def _open_made(self, made: Made, catalog: Catalog) -> None:
        hook = next((hook for hook in catalog.hooks if hook.file == made.file), None)
        if hook is not None:
            self._made = None
            self.open_place(hook.id, Place(made.script, made.line))

    def on_hook_detail_fixed(self) -> None:
        """Read the hooks anew."""
        self.app.reload()

    # What other screens ask for

    def open_hook(self, hook_id: str, line: int | None = None) -> None:
        """Show a hook, and a line of its file."""
        hook = self._find(hook_id)
        if hook is not None:
            self.action_browse()
            self._visit(hook, None if line is None else partial(self.detail.go_to, Place(hook.file, line)))

    def open_place(self, hook_id: str, place: Place) -> None:
        """Show a hook, and a place of its files with the cursor on it; whoever wants to type presses enter."""
        hook = self._find(hook_id)
        if hook is not None:
            self.action_browse()
            self._visit(hook, partial(self.detail.go_to, place))

    def _find(self, hook_id: str) -> Hook | None:
        """A hook of the catalog, no longer filtered out of the tree; says so when it is not there."""
        hook = next((hook for hook in self.app.catalog.hooks if hook.id == hook_id), None) if self.app.catalog else None
        if hook is None:
            self.notify("That hook is not there any more.", severity="warning")
        elif not self.hooks.has(hook_id):
            self.query_one(Filter).value = self.words = ""
        return hook

    def try_event(self, report: Mapping[str, Any]) -> None:
        """Offer a logged event to the hook that is shown, or to the first that listened to it."""
        listened = {run["id"] for run in report["hooks"]}
        hooks = [hook for hook in self.app.catalog.hooks if hook.id in listened] if self.app.catalog else []
        hooks = [hook for hook in hooks if hook.type != "callback"]
        if not hooks:
            self.notify(f"No hook of a file here listens to {one_line(report['event'])}.", severity="warning", markup=False)
            return
        shown = self.detail.hook
        self._visit(shown if shown in hooks else hooks[0], partial(self.detail.try_it, report["payload"]))
