"""One hook: its form, its files, and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import events, on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, TabbedContent, TabPane

from hooktui.core.text_sanitizer import one_line
from hooktui.edit.form_edit import concerns
from hooktui.screens.hooks.editor_tabs import FIRST, EditorTabs
from hooktui.screens.hooks.history_pane import HistoryPane
from hooktui.screens.hooks.hook_facts import facts_of
from hooktui.screens.hooks.hook_form import HookForm
from hooktui.screens.hooks.problem_list import ProblemList
from hooktui.screens.hooks.source_tabs import SourceTabs
from hooktui.screens.hooks.try_pane import TryPane
from hooktui.screens.widgets.code_area import CodeArea
from hooktui.screens.widgets.editor import Editor
from hooktui.screens.widgets.failures import tell_failure
from hooktui.screens.widgets.hook_locations import Place
from hooktui.screens.widgets.match_pane import MatchPane
from hooktui.screens.widgets.states import standing
from hooktui.security.documents import Document
from hooktui.simulate import Edit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual import getters
    from textual.app import ComposeResult

    from hooktui.app import HooktuiApp
    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic, Fix, Hook

_WIDE = 140  # columns of the terminal from which the form stands beside the sources
_WIDE_ENOUGH, _TALL = 100, 36  # columns and lines from which it stands above them
_FORM = "form-tab"
_MATCH = "match-tab"
_TRY = "try-tab"
_HISTORY = "history-tab"


class HookDetail(Vertical):
    """Shows one hook of a catalog."""

    class Moved(Message):
        """A hook is to listen to another event, to whose list its entry goes."""

        def __init__(self, hook: Hook, event: str) -> None:
            super().__init__()
            self.hook = hook
            self.event = event

    class FixWanted(Message):
        """A problem of the hook's files, as they are saved or as they are `typed`, is to be fixed; `seen`: its change was."""

        def __init__(self, problem: Diagnostic, typed: Mapping[str, bytes], *, seen: bool) -> None:
            super().__init__()
            self.problem = problem
            self.typed = typed
            self.seen = seen

    on_worker_state_changed = tell_failure
    if TYPE_CHECKING:
        app = getters.app(HooktuiApp)

    def __init__(self) -> None:
        super().__init__(id="detail", classes="pane")
        self.hook: Hook | None = None
        self._catalog: Catalog | None = None
        self._title = Content("")
        self.sources = SourceTabs(id="sources")  # the files of the hook
        self._column, self._tab = HookForm(id="form-column"), HookForm()
        self._has_column = False  # for the form, beside the sources or above them

    def compose(self) -> ComposeResult:
        """Form and tabs, problems below."""
        self._find_room()
        with Horizontal(id="halves"):
            yield self._column
            with self.sources:
                with TabPane("Form", id=_FORM):
                    yield self._tab
                with TabPane("HOOK.md", id=FIRST):
                    yield Editor(Document("", ""))
                with TabPane("Match", id=_MATCH):
                    yield MatchPane(self.unsaved)
                with TabPane("Try", id=_TRY):
                    yield TryPane(self.unsaved)
                with TabPane("History", id=_HISTORY):
                    yield HistoryPane()
        yield ProblemList(id="problems")

    def on_mount(self) -> None:
        """Nothing is known to be wrong yet."""
        self.query_one(ProblemList).display = False

    def on_resize(self) -> None:
        """Where there is room, the form stands beside the sources or above them, and needs no tab."""
        self._find_room()
        self.look_again()
        if not self._has_column:
            self.sources.show_tab(_FORM)
            return
        if self.sources.active == _FORM:
            self.sources.active = FIRST
        self.sources.hide_tab(_FORM)

    def _find_room(self) -> None:
        width, height = self.app.size
        beside, above = width >= _WIDE, _WIDE_ENOUGH <= width < _WIDE and height >= _TALL
        self.set_class(beside, "-beside").set_class(above, "-above")
        self._has_column = beside or above

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _advise(self) -> None:
        """A key that mends is a letter where one types."""
        self.query_one(ProblemList).advise(typing=isinstance(self.screen.focused, CodeArea | Input))

    def look_again(self) -> None:
        """Have the form read that is shown now."""
        if self.hook is not None and self._catalog is not None:
            self.show(self.hook, self._catalog)

    @property
    def form(self) -> HookForm:
        """The one of the two forms that can be seen: beside the sources, or in their first tab."""
        return self._column if self._has_column else self._tab

    @property
    def is_typed_in(self) -> bool:
        """Whether the focus is in one of the hook's files, or in its form."""
        focused = self.screen.focused
        return isinstance(focused, Editor) or self.form.has_focus_within

    def show(self, hook: Hook, catalog: Catalog) -> None:
        """Show a hook, or the same hook as it is now."""
        if self.hook is None or self.hook.id != hook.id:
            self.form.wait()
        self.hook, self._catalog = hook, catalog
        self._show_tabs(hook)
        self.sources.show_hook(hook, catalog)
        if self.sources.active == _TRY:
            self._offer_try()
        self._show_history()
        if hook.type != "callback":
            self.query_one(MatchPane).show(hook, catalog.project, self.app.db)
        if not self.sources.modified:  # else they are those of what is typed
            self._show_problems(tuple(problem for problem in catalog.diagnostics if concerns(problem, hook)))
        self._tell_facts(hook, catalog)
        self._show_title()

    def _show_tabs(self, hook: Hook) -> None:
        """Only its agent can match and run a Python agent's function."""
        for tab in (_MATCH, _TRY):
            if hook.type != "callback":
                self.sources.show_tab(tab)
                continue
            if self.sources.active == tab:
                self.sources.active = FIRST
            self.sources.hide_tab(tab)

    def go_to(self, place: Place) -> None:
        """Show a place in one of the hook's files."""
        if self.hook is not None:
            self.sources.go_to(place)

    def fill(self) -> None:
        """Fill in the form, from its first field."""
        if not self._has_column:
            self.sources.active = _FORM
        self.form.begin()

    def edit(self, place: Place | None = None) -> None:
        """Type where the cursor of the file is, or at a place in one of the hook's files."""
        if place is not None:
            self.go_to(place)
        if self.hook is not None:
            self.sources.edit()

    @property
    def is_trying(self) -> bool:
        """Whether the hook can be run: its try is shown."""
        return self.hook is not None and self.sources.active == _TRY

    def try_it(self, payload: Mapping[str, Any] | None = None) -> None:
        """Offer to run the hook on an event, a made-up one when none is given."""
        if self.hook is not None and not self._is_elsewhere("run"):
            self.sources.active = _TRY
            self._offer_try(payload)
            self.screen.set_focus(self.query_one(TryPane).query_one(CodeArea))

    def _is_elsewhere(self, verb: str) -> bool:
        """Whether only a Python agent can do something with the hook, which is told then."""
        elsewhere = self.hook is not None and self.hook.type == "callback"
        if elsewhere:
            self.notify(f"A Python agent's own function: only the agent can {verb} it.", severity="warning")
        return elsewhere

    def tell_sought(self, hook: Hook, sought: Hook | None) -> None:
        """A new hook's script looks for this itself: its tries begin with that."""
        self.query_one(TryPane).sought[hook.id] = sought

    def run(self) -> None:
        """Run the hook on the event that is shown, or end the run under way."""
        self.query_one(TryPane).action_run()

    def _offer_try(self, payload: Mapping[str, Any] | None = None) -> None:
        if self.hook is not None and self._catalog is not None:
            self.query_one(TryPane).show(self.hook, self._catalog, payload)

    def match(self) -> None:
        """Test the matcher."""
        if self.hook is not None and not self._is_elsewhere("match"):
            self.sources.active = _MATCH
            self.screen.set_focus(self.query_one("#match-tool"))

    def history(self) -> None:
        """Show what became of the hook so far."""
        if self.hook is not None:
            self.sources.active = _HISTORY
            self.screen.set_focus(self.query_one(HistoryPane))

    def _show_history(self) -> None:
        if self.hook is not None and self.sources.active == _HISTORY:
            self.query_one(HistoryPane).show(self.hook, self.app.db)

    @on(MatchPane.Counted)
    def _show_counts(self, event: MatchPane.Counted) -> None:
        if self.hook is not None and event.hook_id == self.hook.id:
            self.form.count(event.found.of_tools, event.found.of_logged)

    @on(MatchPane.TryWanted)
    def _try_event(self, event: MatchPane.TryWanted) -> None:
        self.try_it(event.payload)

    def unsaved(self) -> list[Edit]:
        """What is typed here and not saved."""
        return [Edit(editor.file.path, editor.file.stamp, editor.text) for editor in self.sources.modified]

    @on(TabbedContent.TabActivated)
    def _tab_shown(self, event: TabbedContent.TabActivated) -> None:
        if event.pane.id == _TRY:
            self._offer_try()
        self._show_history()
        self.refresh_bindings()

    @on(EditorTabs.Labelled)
    def _show_title(self) -> None:
        if self.hook is not None:
            mark = ("• modified", "$accent") if self.sources.modified else ("saved", "$foreground 50%")
            title = Content.assemble(f"{one_line(self.hook.name)} ─ ", mark)
            if not title.is_same(self._title):  # each title paints the whole pane anew
                self._title = self.border_title = title

    @on(SourceTabs.Checked)
    async def _take_form(self, event: SourceTabs.Checked) -> None:
        editor = self.sources.own
        if editor is None or event.hook is not self.hook or (event.text, event.typed) != (editor.text, self.sources.typed):
            return  # something else stands there by now, and is being read
        self.query_one(MatchPane).look()
        others = event.form.problems != self.problems
        self._show_problems(event.form.problems)
        if others and self._catalog is not None:
            self._tell_facts(event.hook, self._catalog)
        await self.form.show(event.form)

    @on(HookForm.Filled)
    def _fill(self, event: HookForm.Filled) -> None:
        if event.field.moves and self.hook is not None:
            self.post_message(self.Moved(self.hook, str(event.value)))
            return
        try:
            self.sources.fill(event.field, event.value)
        except ValueError as error:
            event.form.refuse(event.field.label, str(error))
        event.settle()

    @on(HookForm.Undone)
    def _undo(self, event: HookForm.Undone) -> None:
        self.sources.undo(again=event.again)

    def _tell_facts(self, hook: Hook, catalog: Catalog) -> None:
        """How the hook stands, with the problems that are shown, and what else is known of it."""
        self.form.tell(facts_of(hook, catalog, standing(catalog, hook, self.problems)))

    def _show_problems(self, problems: tuple[Diagnostic, ...]) -> None:
        self.query_one(ProblemList).show(problems)
        self.sources.mark(problems)

    @on(ProblemList.Chosen)
    def _go_to_problem(self, event: ProblemList.Chosen) -> None:
        problem = event.problem
        self.edit(Place(problem.file, problem.line, problem.column))

    @property
    def problems(self) -> Sequence[Diagnostic]:
        """What is wrong with the hook as it stands here."""
        return self.query_one(ProblemList).problems

    @property
    def fixable(self) -> bool:
        """Whether `fix` does something."""
        return self.query_one(ProblemList).to_fix is not None

    def fix(self) -> None:
        """Apply the fix of the problem under the cursor, else the first there is; what cannot be seen whole is shown first."""
        problems = self.query_one(ProblemList)
        problem = problems.to_fix
        if problem is None or problem.fix is None:
            return
        seen = problems.shows_whole(problem)
        if not seen or not self.fix_typed(problem.fix):
            self.post_message(self.FixWanted(problem, self.sources.typed, seen=seen))

    def fix_typed(self, fix: Fix) -> bool:
        """Apply a fix to unsaved text, or say why not; False when its file has none."""
        try:
            return self.sources.fix(fix)
        except ValueError as error:
            self.notify(str(error), severity="warning", markup=False)
            return True
