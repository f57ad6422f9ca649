"""The Diagnostics screen: everything that is wrong with the hooks, where it is, and what to do about it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.containers import Container, Vertical
from textual.reactive import var
from textual.screen import Screen

from hooktui.diagnostics import codes
from hooktui.screens.diagnostics.problem_detail import ProblemDetail
from hooktui.screens.diagnostics.problem_rows import ARRANGEMENTS, rows
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets.advice import NEEDS_APPROVAL
from hooktui.screens.widgets.empty import Empty
from hooktui.screens.widgets.failures import tell_failure
from hooktui.screens.widgets.filter import Filter
from hooktui.screens.widgets.footer import Footer
from hooktui.screens.widgets.grouped_tree import GroupedTree
from hooktui.screens.widgets.header import Header
from hooktui.screens.widgets.hook_locations import Place
from hooktui.screens.widgets.states import counted

if TYPE_CHECKING:
    from typing import ClassVar

    from textual import getters
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from hooktui.app import HooktuiApp
    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic, Hook
    from hooktui.edit.apply_fixes import FixPlan


class DiagnosticsScreen(Screen[None]):
    """List of problems, and the problem under the cursor."""

    AUTO_FOCUS = "#problems"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal")]  # noqa: RUF012  # Textual's type
    BINDING_GROUP_TITLE = "Diagnostics"
    HELP = """
    All that is wrong with the hooks, and what their runs have shown. Enter goes to the place in the editor; beside the list
    stands what a fix would change. {fix-all} applies all safe ones in one step, {take-back} takes them back.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "fix", "Fix", tooltip="Apply the fix that is shown", id="fix"),
        Binding("f", "explain", show=False, id="fix"),
        Binding("F", "mend", "Fix all", tooltip="Look at all safe fixes, and apply them in one step", id="fix-all"),
        Binding("u", "undo", "Undo", tooltip="Take the last fixes back", id="take-back"),
        Binding("p", "permit", "Approve", tooltip="Look at the project's hook and approve it", id="approve"),
        Binding("e", "external_editor", "$EDITOR", tooltip="Edit the file in your own editor", id="editor"),
        Binding("y", "copy", "Copy", show=False, tooltip="Copy the problem and its place", id="copy"),
        Binding("v", "arrange", "Group by", tooltip="Group the problems by severity, file or host", id="group"),
        Binding("slash", "filter", "Filter", key_display="/", tooltip="Filter the problems", id="filter"),
        Binding("escape", "show_all", "Show all", tooltip="Clear the filter", show=False),
    ]
    if TYPE_CHECKING:
        app = getters.app(HooktuiApp)

    on_worker_state_changed = tell_failure
    arrangement: var[str] = var("severity", init=False)
    words: var[str] = var("", init=False)

    def compose(self) -> ComposeResult:
        """Header, panes, footer."""
        yield Header("diagnostics")
        with Container(id="panes"):
            with Vertical(id="list", classes="pane"):
                tree: GroupedTree[Diagnostic] = GroupedTree(id="problems")
                yield Filter(tree, "severity, code, message, file …")
                yield tree
                yield Empty("Checking the hooks…", id="no-rows")
            yield ProblemDetail()
        yield Footer()

    def on_mount(self) -> None:
        """Follow the catalog."""
        self.watch(self.app, "catalog", self._show)

    @property
    def problems(self) -> GroupedTree[Diagnostic]:
        """The list."""
        tree: GroupedTree[Diagnostic] = self.query_one("#problems", GroupedTree)
        return tree

    @property
    def current(self) -> Diagnostic | None:
        """The problem under the cursor."""
        row = self.problems.current
        return row.data if row else None

    @property
    def hook(self) -> Hook | None:
        """The hook that the problem under the cursor is about."""
        hooks = self.app.catalog.hooks if self.app.catalog and self.current else ()
        return next((hook for hook in hooks if self.current and hook.id == self.current.hook), None)

    @on(Filter.Narrowed)
    def _narrow(self, event: Filter.Narrowed) -> None:
        self.words = event.words

    def watch_arrangement(self) -> None:
        """Group anew."""
        self._show(self.app.catalog)

    def watch_words(self) -> None:
        """Filter anew."""
        self._show(self.app.catalog)

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
            empty.tell(f"No problem has “{self.words}”.", (("esc", "shows all"),))
        elif catalog.hooks:
            empty.tell(f"No problems in {counted(len(catalog.hooks), 'hook')}.", (("{hooks-screen}", "shows them"),))
        else:
            empty.tell("No hooks yet, so no problems.", (("{hooks-screen}", hint("then {new} makes a hook")),))

    @on(GroupedTree.Highlighted, "#problems")
    def _highlight(self, event: GroupedTree.Highlighted[Diagnostic]) -> None:
        detail = self.query_one(ProblemDetail)
        if event.row.data is None:
            detail.summarize(event.row)
        elif (catalog := self.app.catalog) is not None:
            detail.show(event.row.data, catalog)
        self.refresh_bindings()

    @on(GroupedTree.Opened, "#problems")
    def _open(self, event: GroupedTree.Opened[Diagnostic]) -> None:
        problem = event.row.data
        if problem is None:
            return
        if problem.hook is None:
            self.notify(hint("No hook has been made of this file: {editor} opens it in your editor."))
        else:
            self.app.open_place(problem.hook, Place(problem.file, problem.line, problem.column))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A fix is offered where there is one, greyed out where not; approval where it is wanted."""
        if action == "fix":
            return True if self.current is not None and self.current.fix is not None else None
        if action == "permit":
            return self.current is not None and self.current.code in NEEDS_APPROVAL
        if action == "undo":
            return bool(self.app.ways_back)
        return True

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Fixing")
    async def action_fix(self) -> None:
        """Apply the fix that is shown; what cannot be seen whole there is shown first."""
        from hooktui.screens.widgets.fix_preview import agreed, fix

        problem, catalog = self.current, self.app.catalog
        if catalog is None or problem is None or problem.fix is None:
            return
        if self.query_one(ProblemDetail).shows_whole(problem) or await agreed(self, catalog, problem):
            self._fixed(await fix(self, catalog, problem))

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Fixing all")
    async def action_mend(self) -> None:
        """Show all safe fixes, and apply them."""
        from hooktui.screens.widgets.fix_preview import mend

        if self.app.catalog is not None:
            self._fixed(await mend(self, self.app.catalog, self.app.unsaved))

    def _fixed(self, back: FixPlan | None) -> None:
        from hooktui.screens.widgets.fix_preview import take_back

        if back is not None:
            self.app.ways_back.append(partial(take_back, self, back))
            self.app.reload()
            self.refresh_bindings()

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Taking the fixes back")
    async def action_undo(self) -> None:
        """Take the last change back."""
        if await self.app.ways_back[-1]():
            self.app.ways_back.pop()
            self.refresh_bindings()

    def action_explain(self) -> None:
        """Say why there is nothing to fix."""
        if self.current is None:
            self.notify("Go to one of the problems first.")
        elif self.current.code in NEEDS_APPROVAL:
            self.notify(hint("{approve} shows the hook and approves it."))
        else:
            code = self.current.code
            why = codes.CODES[code].no_fix or "what is meant here cannot be told"
            self.notify(f"No fix for {code}: {why}. Enter shows the place, enter again edits it.", markup=False)

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Approving the hook")
    async def action_permit(self) -> None:
        """Show what the project's hook would run, and approve it."""
        from hooktui.screens.dialogs.trust_dialog import permit

        hook, catalog = self.hook, self.app.catalog
        if hook is not None and catalog is not None and await permit(self, hook, catalog):
            self.app.reload()

    def action_external_editor(self) -> None:
        """Edit the file in the person's own editor."""
        if self.current is not None:
            self.app.let_edit(self.current.file, self.current.line, self.hook)

    def action_copy(self) -> None:
        """Copy the problem, as compilers write it."""
        problem = self.current
        if problem is not None:
            self.app.copy(f"{problem.file}:{problem.line}:{problem.column}: {problem.code}: {problem.message}")

    def action_show_all(self) -> None:
        """Clear the filter."""
        self.query_one(Filter).action_clear()

    def action_arrange(self) -> None:
        """Group by the next thing."""
        names = list(ARRANGEMENTS)
        self.arrangement = names[(names.index(self.arrangement) + 1) % len(names)]

    def action_filter(self) -> None:
        """Narrow the list."""
        self.query_one(Filter).open()
