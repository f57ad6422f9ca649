"""The left side of the Hooks screen: a filter above the tree of hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical
from textual.reactive import var

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.hooks.hook_tree import ARRANGEMENTS, rows
from hooktui.screens.widgets.empty import Empty
from hooktui.screens.widgets.filter import Filter
from hooktui.screens.widgets.grouped_tree import GroupedTree

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook

_DEFAULT_EVENT = "pre-tool-call"  # most hooks guard tools


class HookBrowser(Vertical):
    """Hooks grouped by event, file, scope or host.

    States that change only its own look are classes of this pane: a class of the screen would restyle every widget.
    """

    arrangement: var[str] = var("event", init=False)
    words: var[str] = var("", init=False)

    def __init__(self) -> None:
        super().__init__(id="browser", classes="pane -loading")
        self._catalog: Catalog | None = None
        self.hooks: GroupedTree[Hook] = GroupedTree(id="hooks")

    def compose(self) -> ComposeResult:
        yield Filter(self.hooks, "name, event, scope, state …")
        yield self.hooks
        yield Empty("Loading hooks…", id="no-rows")

    def on_mount(self) -> None:
        self._show_title()

    def show(self, catalog: Catalog) -> None:
        """Show the hooks of a catalog."""
        self._catalog = catalog
        self.remove_class("-loading")
        self._refresh()

    def watch_arrangement(self) -> None:
        self._refresh()

    def watch_words(self) -> None:
        self._refresh()

    @on(Filter.Narrowed)
    def _narrow(self, event: Filter.Narrowed) -> None:
        event.stop()
        self.words = event.words

    def _refresh(self) -> None:
        if self._catalog is None:
            return
        groups = rows(self._catalog, self.arrangement, self.words)
        if not groups and self.query_one(Filter).give_way():
            return
        self.hooks.show(groups)
        self.set_class(not groups, "-no-rows")
        empty = self.query_one("#no-rows", Empty)
        if self.words:
            empty.show(f"No hooks match “{one_line(self.words)}”.", (("esc", "show all"),))
        else:
            empty.show("No hooks.")
        self._show_title(sum(group.count for group in groups))

    def _show_title(self, count: int = 0) -> None:
        self.border_title = f"Hooks by {self.arrangement}"
        self.border_subtitle = f"{count} found" if self.words else ""

    @property
    def event_at_cursor(self) -> str:
        """The event of the hook or group under the cursor."""
        row = self.hooks.current
        if row is None:
            return _DEFAULT_EVENT
        return (row.data.event if row.data else row.left[0][0] if self.arrangement == "event" else "") or _DEFAULT_EVENT

    def reveal(self, hook: Hook) -> None:
        """Clear the filter if it hides a hook."""
        if not self.hooks.has(hook.id):
            self.query_one(Filter).value = self.words = ""

    def focus_tree(self) -> None:
        """Focus the tree; if it has the focus already, clear the filter."""
        if self.hooks.has_focus:
            self.clear_filter()
        self.screen.set_focus(self.hooks)

    def open_filter(self) -> None:
        """Focus the filter."""
        self.query_one(Filter).open()

    def clear_filter(self) -> None:
        """Show all hooks."""
        self.query_one(Filter).action_clear()

    def next_arrangement(self) -> None:
        """Switch to the next arrangement."""
        names = list(ARRANGEMENTS)
        self.arrangement = names[(names.index(self.arrangement) + 1) % len(names)]
