"""What one can do on the Hooks screen with the hook that is shown: its keys, and when each of them can be pressed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from textual import work
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Input, Tabs, TextArea

from hooktui.screens.hooks.hook_changes import Changes
from hooktui.screens.keys.hints import hint
from hooktui.security.trust import UNAPPROVED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import ClassVar

    from textual import getters
    from textual.binding import BindingType

    from hooktui.app import HooktuiApp
    from hooktui.core.model import Hook
    from hooktui.screens.hooks.hook_detail import HookDetail

UNSAVED = "Save ({save}) or undo your edits here first."
_NEED_HOOKS = (
    *("fill", "try", "match", "history", "past", "run", "fix", "mend", "explain", "external_editor", "permit"),
    *("arrange", "filter", "save", "copy", "tab", "change"),
)


class HookActions(Screen[None]):
    """The keys of the Hooks screen; what the screen shows is in hooks.py."""

    BINDING_GROUP_TITLE = "Hooks"
    HELP = """
    The hooks of this project and your own, in the order in which they run. Beside the list stands the hook under the cursor:
    its form, its files, its matcher and a place to try it. A state is said by glyph and word; what is wrong stands below.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", tooltip="Save what is typed here", id="save"),
        Binding("a", "new", "New", tooltip="Make a new hook", id="new"),
        Binding("i", "fill", "Form", tooltip="Fill in the hook's form", id="form"),
        Binding("t,ctrl+t", "try", "Try", tooltip="Try the hook on an event, with what is edited here", id="try"),
        Binding("ctrl+r", "run", "Run the hook", tooltip="Run the hook on the event that is shown", id="run"),
        Binding(
            "space",
            "change('switch')",
            "On/off",
            key_display="␣",
            tooltip="Turn the hook off without losing it, or on again",
            id="switch",
        ),
        Binding("d", "change('delete')", "Delete", tooltip="Delete the hook; u brings it back", id="delete"),
        Binding(
            "c",
            "change('copy')",
            "Copy",
            show=False,
            tooltip="Copy or move the hook to another scope, or convert it to another format",
            id="copy-hook",
        ),
        Binding("u", "undo", "Undo", tooltip="Take the last change back, or restore a hook", id="take-back"),
        Binding("u", "restore", show=False, id="take-back"),
        Binding("ctrl+z", "undo_typed", "Undo", show=False, tooltip="Undo what is typed and not saved", id="undo"),
        Binding("f", "fix", "Fix", tooltip="Apply the fix that is shown below", id="fix"),
        Binding("f", "explain('fix')", show=False, id="fix"),
        Binding(
            "F", "mend", "Fix all", show=False, tooltip="Look at all safe fixes of all hooks, and apply them", id="fix-all"
        ),
        Binding("m", "match", "Match", tooltip="Test the matcher on typed and on logged events", show=False, id="match"),
        Binding("T", "past", "Try on the past", tooltip="Try the hook on the last logged events", show=False, id="try-past"),
        Binding("H", "history", "History", tooltip="Show what became of the hook so far", show=False, id="history"),
        Binding("p", "permit", "Approve", tooltip="Look at a project's hook and approve it", id="approve"),
        Binding("p", "explain('permit')", show=False, id="approve"),
        Binding("e", "external_editor", "$EDITOR", show=False, tooltip="Edit the file in your own editor", id="editor"),
        Binding("v", "arrange", "Group by", show=False, tooltip="Group the hooks by event, file, scope or host", id="group"),
        Binding("slash", "filter", "Filter", key_display="/", tooltip="Filter the hooks", id="filter"),
        Binding("y", "copy", "Copy the path", show=False, id="copy"),
        Binding("left_square_bracket", "tab('previous')", "Previous tab", key_display="[", show=False, id="previous-tab"),
        Binding("right_square_bracket", "tab('next')", "Next tab", key_display="]", show=False, id="next-tab"),
        Binding("escape", "browse", "Back to the hooks", show=False, tooltip="Back to the hooks; there, clear the filter"),
    ]
    if TYPE_CHECKING:
        app = getters.app(HooktuiApp)

    def __init__(self) -> None:
        super().__init__()
        self._changes = Changes(self)
        self._detail: HookDetail | None = None

    @property
    def detail(self) -> HookDetail:
        """The hook that is shown."""
        assert self._detail is not None, "it comes after the first paint"
        return self._detail

    @property
    def shown(self) -> Hook | None:
        """The hook that is shown; None before there is one."""
        return self._detail.hook if self._detail else None

    def settle(self) -> bool:
        """Show the hook under the cursor, if that was put off; whether one can go on."""
        raise NotImplementedError

    @property
    def _edits(self) -> bool:
        """Whether something is typed that is not saved."""
        return self._detail is not None and bool(self._detail.sources.modified)

    @property
    def _types(self) -> bool:
        """Whether the focus is where a hook is changed: in one of its files, or in its form."""
        return self._detail is not None and self._detail.is_typed_in

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what can be done: without hooks little, and in an editor `/` is a slash."""
        catalog = self.app.catalog
        if action in _NEED_HOOKS and not (catalog and (catalog.hooks or self._edits) and self._detail):
            return False
        wanted = self._possible.get(action)
        return wanted is None or wanted()

    @property
    def _possible(self) -> Mapping[str, Callable[[], bool | None]]:
        """When an action can be done that cannot always: True, False (not even shown) or None (greyed out)."""
        return {
            "save": lambda: self._edits or self._types,
            "filter": lambda: not isinstance(self.focused, TextArea | Input),
            "run": lambda: self.detail.is_trying,
            "fix": lambda: self.detail.fixable or None,
            "undo": lambda: bool(self.app.ways_back),
            "undo_typed": lambda: bool(self.app.unsaved),  # else the key suspends, as in any terminal program
            "permit": lambda: self._needs_approval,
        }

    @property
    def _needs_approval(self) -> bool:
        hook, catalog = self.detail.hook, self.app.catalog
        return hook is not None and catalog is not None and catalog.trust.get(hook.id) in UNAPPROVED

    def action_fill(self) -> None:
        """Fill in the form."""
        self.detail.fill()

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

    def action_history(self) -> None:
        """Show what became of the hook so far."""
        self.detail.history()

    def action_past(self) -> None:
        """Try the hook, with what is edited here, on the last logged events of its kind."""
        self.try_past()

    def try_past(self, chosen: Sequence[int] = ()) -> None:
        """Try the hook that is shown on the last logged events, or on those chosen by their ids."""
        from hooktui.screens.dialogs.past_dialog import PastDialog

        hook, catalog = self.detail.hook, self.app.catalog
        if hook is not None and catalog is not None:
            self.app.push_screen(PastDialog(catalog, hook, self.detail.unsaved(), self.app.db, chosen))

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
            self.notify(hint(UNSAVED), severity="warning")
        else:
            self.app.let_edit(place.path, place.line, self.detail.hook)

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Approving the hook")
    async def action_permit(self) -> None:
        """Show what a project's hook would run, and approve it."""
        from hooktui.screens.dialogs.trust_dialog import permit

        hook, catalog = self.detail.hook, self.app.catalog
        if hook is not None and catalog is not None and await permit(self, hook, catalog):
            self.app.reload()

    def action_change(self, how: Literal["switch", "delete", "copy"]) -> None:
        """Change the hook as a whole."""
        if self.detail.sources.modified:
            self.notify(hint(UNSAVED), severity="warning")
        elif self.detail.hook is not None:
            self._changes.start(how, self.detail.hook)

    def action_undo(self) -> None:
        """Take the last change back."""
        self._changes.start_undo()

    def action_restore(self) -> None:
        """Bring back what was deleted last; without such, say that there is nothing."""
        self._changes.start_undo()

    def action_undo_typed(self) -> None:
        """Undo what is typed and not saved, wherever the focus is."""
        self.detail.sources.undo_typed()
