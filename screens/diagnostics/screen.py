"""The Diagnostics screen: the causes of all problems, their places, and how to fix them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.containers import Container, Vertical
from textual.screen import Screen

from hooktui.catalog.hook_states import counted
from hooktui.diagnostics import codes
from hooktui.screens.diagnostics.problem_detail import PlaceList, ProblemDetail
from hooktui.screens.diagnostics.problem_rows import ARRANGEMENTS, rows
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.empty import Empty
from hooktui.screens.widgets.filter import Filter
from hooktui.screens.widgets.footer import Footer
from hooktui.screens.widgets.grouped_tree import GroupedTree
from hooktui.screens.widgets.header import Header
from hooktui.screens.widgets.lines import FilePlace
from hooktui.screens.widgets.notifications import NEEDS_APPROVAL, notify_failure

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic, Hook
    from hooktui.diagnostics.causes import Cause


class DiagnosticsScreen(Screen[None]):
    """A list of problems, one for each cause, and the problem under the cursor with its places."""

    AUTO_FOCUS = "#problems"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (140, "-normal")]  # messages and diffs need some 60 columns each
    BINDING_GROUP_TITLE = "Diagnostics"
    HELP = """
    Every problem in your hooks, including what their runs have shown; a mistake in several places is one problem. Enter opens
    the first place, or the one chosen in the list of places, in the editor. {fix} fixes all places of a problem, {fix-all}
    applies all safe fixes in one step, {take-back} undoes them.
    """
    BINDINGS = [
        Binding("f", "fix", "Fix", tooltip="Fix all places of the problem", id="fix"),
        Binding("f", "explain", show=False, id="fix"),
        Binding("F", "fix_all", "Fix all", tooltip="Review and apply all safe fixes", id="fix-all"),
        Binding("u", "undo", "Undo", tooltip="Undo the last change", id="take-back"),
        Binding("p", "permit", "Approve", tooltip="Review and approve the hook", id="approve"),
        Binding("e", "external_editor", "$EDITOR", tooltip="Edit the file in your own editor", id="editor"),
        Binding("y", "copy", "Copy", show=False, tooltip="Copy the problem and its location", id="copy"),
        Binding("v", "arrange", "Group by", tooltip="Group by severity, file or host", id="group"),
        Binding("slash", "filter", "Filter", key_display="/", tooltip="Filter the problems", id="filter"),
        Binding("escape", "show_all", "Show all", tooltip="Clear the filter", show=False),
    ]

    on_worker_state_changed = notify_failure
    arrangement, words = "severity", ""

    def compose(self) -> ComposeResult:
        yield Header("diagnostics")
        with Container(id="panes"):
            with Vertical(id="list", classes="pane"):
                tree: GroupedTree[Cause] = GroupedTree(id="problems")
                yield Filter(tree, "severity, code, message, file …")
                yield tree
                yield Empty("Checking hooks…", id="no-rows")
            yield ProblemDetail()
        yield Footer()

    def on_mount(self) -> None:
        self.watch(self.app, "catalog", self._show)

    @property
    def problems(self) -> GroupedTree[Cause]:
        tree: GroupedTree[Cause] = self.query_one("#problems", GroupedTree)
        return tree

    @property
    def current(self) -> Cause | None:
        row = self.problems.current
        return row.data if row else None

    @property
    def place(self) -> Diagnostic | None:
        """The chosen place of the problem under the cursor."""
        return self.query_one(ProblemDetail).place_of(self.current) if self.current else None

    @property
    def hook(self) -> Hook | None:
        catalog, place = app_context(self).catalog, self.place
        hooks = catalog.hooks if catalog and place else ()
        return next((hook for hook in hooks if place and hook.id == place.hook), None)

    @on(Filter.Narrowed)
    def _apply_filter(self, event: Filter.Narrowed) -> None:
        if event.words != self.words:
            self.words = event.words
            self._show(app_context(self).catalog)

    def _show(self, catalog: Catalog | None) -> None:
        pane = self.query_one("#list")
        pane.border_title = f"Problems by {self.arrangement}"
        groups = rows(catalog, self.arrangement, self.words) if catalog else []
        if not groups and self.query_one(Filter).give_way():
            return
        self.set_class(not groups, "-empty")
        if catalog is None:
            return
        pane.border_subtitle = f"{sum(group.count for group in groups)} found" if self.words else ""
        self.problems.show(groups)
        if not groups:
            self._explain_emptiness(catalog)
        self.refresh_bindings()

    def _explain_emptiness(self, catalog: Catalog) -> None:
        empty = self.query_one("#no-rows", Empty)
        if catalog.diagnostics:
            empty.show(f"No problems match “{self.words}”.", (("esc", "show all"),))
        elif catalog.hooks:
            empty.show(f"No problems in {counted(len(catalog.own_hooks), 'hook')}.", (("{hooks-screen}", "show the hooks"),))
        else:
            empty.show("No hooks yet.", (("{hooks-screen}", hint("then {new} to create one")),))

    @on(GroupedTree.Highlighted, "#problems")
    def _highlight(self, event: GroupedTree.Highlighted[Cause]) -> None:
        detail, catalog = self.query_one(ProblemDetail), app_context(self).catalog
        if catalog is None:
            return
        if event.row.data is None:
            detail.summarize(event.row, catalog)
        else:
            detail.show(event.row.data, catalog)
        self.refresh_bindings()

    @on(GroupedTree.Opened, "#problems")
    @on(PlaceList.OptionSelected)
    def _open(self) -> None:
        problem = self.place
        if problem is None:
            return
        catalog = app_context(self).catalog
        in_file = (hook.id for hook in catalog.hooks if hook.file == problem.file) if catalog else ()
        hook_id = problem.hook or next(iter(in_file), None)
        if hook_id is None:
            self.notify(hint("This file contains no hook. {editor} opens it in your editor."))
        else:
            app_context(self).navigator.open_place(hook_id, FilePlace(problem.file, problem.line, problem.column))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Dim "Fix" for problems without a fix; show "Approve" only for hooks that need it."""
        if action == "fix":
            return True if self.current is not None and self.current.fixable else None
        if action == "permit":
            return self.current is not None and self.current.problem.code in NEEDS_APPROVAL
        if action == "undo":
            return bool(app_context(self).undo_history)
        return True

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Fixing")
    async def action_fix(self) -> None:
        """Fix all places that have a fix; confirm that in a dialog unless all of it is visible."""
        from hooktui.screens.widgets import fixing

        cause, catalog = self.current, app_context(self).catalog
        if catalog is None or cause is None or not cause.fixable:
            return
        first, *others = cause.fixable
        if others:
            await fixing.fix_together(self, catalog, cause.fixable)
        elif self.query_one(ProblemDetail).shows_whole(first) or await fixing.confirm(self, catalog, first):
            await fixing.fix(self, catalog, first)

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Fixing all")
    async def action_fix_all(self) -> None:
        from hooktui.screens.widgets import fixing

        await fixing.fix_all(self)

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Undoing the last change")
    async def action_undo(self) -> None:
        if await app_context(self).undo_history.undo():
            self.refresh_bindings()

    def action_explain(self) -> None:
        if self.current is None:
            self.notify("Select a problem first.")
        elif self.current.problem.code in NEEDS_APPROVAL:
            self.notify(hint("Review and approve the hook ({approve})."))
        else:
            code = self.current.problem.code
            why = codes.CODES[code].no_fix or "ambiguous: choose one"
            self.notify(f"No automatic fix for {code}: {why}. Press enter twice to edit the file.", markup=False)

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Approving the hook")
    async def action_permit(self) -> None:
        from hooktui.screens.dialogs.trust_dialog import permit

        hook, catalog = self.hook, app_context(self).catalog
        if hook is not None and catalog is not None:
            await permit(self, hook, catalog)

    def action_external_editor(self) -> None:
        if (place := self.place) is not None:
            app_context(self).open_editor(place.file, place.line, self.hook)

    def action_copy(self) -> None:
        if (problem := self.place) is not None:
            app_context(self).copy(f"{problem.file}:{problem.line}:{problem.column}: {problem.code}: {problem.message}")

    def action_show_all(self) -> None:
        self.query_one(Filter).action_clear()

    def action_arrange(self) -> None:
        names = list(ARRANGEMENTS)
        self.arrangement = names[(names.index(self.arrangement) + 1) % len(names)]
        self._show(app_context(self).catalog)

    def action_filter(self) -> None:
        self.query_one(Filter).open()
