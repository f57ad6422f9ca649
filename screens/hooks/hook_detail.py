"""The right side of the Hooks screen: one hook's form, files, tools and problems."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, TabbedContent, TabPane

from hooktui.catalog.catalog import Catalog
from hooktui.catalog.hook_states import hook_state
from hooktui.core.model import ONLY_IN_AGENT, Diagnostic, Fix, Hook
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.edit.document import Form, FormField, concerns
from hooktui.screens.hooks.file_saving import FIRST
from hooktui.screens.hooks.hook_facts import facts_of
from hooktui.screens.hooks.hook_form import HookForm
from hooktui.screens.hooks.match_pane import MatchPane
from hooktui.screens.hooks.problem_list import ProblemList
from hooktui.screens.hooks.source_tabs import SourceTabs
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.code_area import CodeArea
from hooktui.screens.widgets.editor import Editor
from hooktui.screens.widgets.late_tab import LateTab
from hooktui.screens.widgets.lines import FilePlace
from hooktui.screens.widgets.notifications import notify_failure
from hooktui.trials.unsaved_hooks import Edit

if TYPE_CHECKING:
    from hooktui.screens.hooks.history_pane import HistoryPane
    from hooktui.screens.hooks.tests_pane import TestsPane
    from hooktui.screens.hooks.try_pane import TryPane

_WIDE = 140  # columns of the terminal from which the form is beside the files
_WIDE_ENOUGH, _TALL = 100, 36  # columns and lines from which it is above them
_FORM = "form-tab"
_MATCH = "match-tab"
_TRY = "try-tab"
_TESTS = "tests-tab"
_HISTORY = "history-tab"


class HookDetail(Vertical):
    """Shows one hook of the catalog."""

    @dataclass
    class Moved(Message):
        """The user chose another event for the hook, which moves its entry."""

        hook: Hook
        event: str

    @dataclass
    class FixWanted(Message):
        """The user wants a problem fixed. `typed`: unsaved text by path; `seen`: the whole change was visible."""

        problem: Diagnostic
        typed: Mapping[str, bytes]
        seen: bool

    on_worker_state_changed = notify_failure

    def __init__(self) -> None:
        super().__init__(id="detail", classes="pane")
        self.hook: Hook | None = None
        self._catalog: Catalog | None = None
        self._title = Content("")
        self.sources = SourceTabs(id="sources")
        self._column, self._tab = HookForm(self._fill, id="form-column"), HookForm(self._fill)
        self._try = LateTab("Try", self._new_try, id=_TRY)
        self._tests = LateTab("Tests", _new_tests, id=_TESTS)
        self._history = LateTab("History", _new_history, id=_HISTORY)
        self._script_listeners: dict[str, Hook | None] = {}  # by hook ID: what a new hook's script looks for
        self.shown = asyncio.Event()  # once a hook has been shown whole
        self._matchers: Sequence[object] = ()  # those in the text
        self._has_column = False  # whether the form is beside or above the files, instead of in a tab

    def compose(self) -> ComposeResult:
        self._find_room()
        with Horizontal(id="halves"):
            if self._has_column:
                yield self._column
            with self.sources:
                with TabPane("Form", id=_FORM):
                    if not self._has_column:
                        yield self._tab
                with TabPane("HOOK.md", id=FIRST):
                    yield self.sources.editors.first
                with TabPane("Match", id=_MATCH):
                    yield MatchPane(self.unsaved)
                yield from (self._try, self._tests, self._history)
        yield ProblemList(id="problems")

    def _new_try(self) -> TryPane:
        from hooktui.screens.hooks.try_pane import TryPane

        return TryPane(self.unsaved, self._script_listeners)

    def on_mount(self) -> None:
        self._place_form()
        self.watch(self.app, "tests", self._show_title, init=False)

    async def on_resize(self) -> None:
        typed_in = self.form.focused_row
        if self._find_room():
            if not self.form.is_attached:
                place = self.query_one("#halves" if self._has_column else f"#{_FORM}")
                await place.mount(self.form, before=0 if self._has_column else None)
            self.form.wait()
            self.read_again()
            self._place_form()
            if typed_in:
                self.action_fill(typed_in.field.label)

    def _place_form(self) -> None:
        """Show the form beside or above the files where there is room, else in a tab."""
        if self._has_column and self.sources.active == _FORM:
            self.sources.active = FIRST
        self.sources.offer(_FORM, shown=not self._has_column)

    def _find_room(self) -> bool:
        """Choose the form's place for the size of the terminal; whether it is another one."""
        width, height = self.app.size
        before = self._has_column
        beside, above = width >= _WIDE, _WIDE_ENOUGH <= width < _WIDE and height >= _TALL
        self.set_class(beside, "-beside").set_class(above, "-above")
        self._has_column = beside or above
        return self._has_column != before

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _advise(self) -> None:
        """Spell the fix keys for where the focus is: letters are text in an editor."""
        self.query_one(ProblemList).advise(typing=isinstance(self.screen.focused, CodeArea | Input))

    def read_again(self) -> None:
        if self.hook is not None and self._catalog is not None:
            self.show(self.hook, self._catalog)

    @property
    def form(self) -> HookForm:
        """The visible one of the two forms."""
        return self._column if self._has_column else self._tab

    @property
    def is_typed_in(self) -> bool:
        """Whether the focus is in an editor or in the form."""
        focused = self.screen.focused
        return isinstance(focused, Editor) or self.form.has_focus_within

    def show(self, hook: Hook, catalog: Catalog) -> None:
        if self.hook is None or self.hook.id != hook.id:
            self.form.wait()
        self.hook, self._catalog = hook, catalog
        self._show_tabs(hook)
        self.sources.show_hook(hook, catalog)
        self._show_in_tab()
        if hook.type not in ONLY_IN_AGENT:
            self.query_one(MatchPane).show(hook, catalog.project, app_context(self).db)
        if not self.sources.editors.modified:  # otherwise the problems of the edited text follow
            self._show_problems(tuple(problem for problem in catalog.diagnostics if concerns(problem, hook)))
        self._show_facts(hook, catalog)
        self._show_title()

    def _show_tabs(self, hook: Hook) -> None:
        """Hide the tester, the try and the tests tab for a hook that only its agent can run."""
        for tab in (_MATCH, _TRY, _TESTS):
            is_shown = hook.type not in ONLY_IN_AGENT
            if not is_shown and self.sources.active == tab:
                self.sources.active = FIRST
            self.sources.offer(tab, shown=is_shown)

    def go_to(self, place: FilePlace) -> None:
        if self.hook is not None:
            self.sources.go_to(place)

    def action_fill(self, first: str = "") -> None:
        if not self._has_column:
            self.sources.active = _FORM
        self.form.begin(first)

    def edit(self, place: FilePlace | None = None) -> None:
        if place is not None:
            self.go_to(place)
        if self.hook is not None:
            self.sources.edit()

    @property
    def is_trying(self) -> bool:
        return self.hook is not None and self.sources.active == _TRY

    def action_try(self, payload: Mapping[str, Any] | None = None) -> None:
        """Show the Try tab with an event, by default an example; of a mod, what Claude Code says."""
        hook, catalog = self.hook, self._catalog
        if hook is None or catalog is None:
            return
        if hook.type == "mod":
            self._validate(hook, catalog)
        elif not self._only_in_agent("run"):
            self.sources.active = _TRY
            self._try.show(lambda pane: pane.show(hook, catalog, payload))
            self._try.show(lambda pane: self.screen.set_focus(pane.query_one(CodeArea)))

    @work(exclusive=True, exit_on_error=False, group="validate", description="Asking Claude Code")
    async def _validate(self, mod: Hook, catalog: Catalog) -> None:
        from hooktui.trials import mod_validation

        self.notify("Asking Claude Code what it registers…")
        try:
            is_so, sentence = await asyncio.to_thread(mod_validation.validate, mod, catalog.hooks)
        except mod_validation.ValidationError as error:
            is_so, sentence = False, str(error)
        self.notify(visible(sentence), severity="information" if is_so else "warning", markup=False)

    def _only_in_agent(self, verb: str) -> bool:
        """Whether only its agent can run or match the hook; notify if so."""
        only_there = self.hook is not None and self.hook.type in ONLY_IN_AGENT
        if self.hook is not None and only_there:
            who = "Claude Code can {} this mod" if self.hook.type == "mod" else "the Python agent can {} this callback"
            self.notify(f"Only {who.format(verb)}.", severity="warning")
        return only_there

    def set_try_example(self, hook: Hook, script_listener: Hook | None) -> None:
        """Try a new hook on events that its script looks for."""
        self._script_listeners[hook.id] = script_listener

    def action_run(self) -> None:
        if self.is_testing:
            self._tests.show(lambda pane: pane.start())
        else:
            self._try.show(lambda pane: pane.action_run())

    @property
    def is_testing(self) -> bool:
        return self.hook is not None and self.sources.active == _TESTS

    def action_tests(self) -> None:
        if self.hook is not None and not self._only_in_agent("run"):
            self.sources.active = _TESTS
            self._tests.show(lambda pane: self.screen.set_focus(pane.rows))

    def action_prove(self) -> None:
        """Run the examples with one guard off after the other, and name those that nobody would miss."""
        self.action_tests()
        self._tests.show(lambda pane: pane.start(proves=True))

    def action_rerun(self) -> None:
        self._tests.show(lambda pane: pane.action_rerun())

    def action_keep(self) -> None:
        self._try.show(lambda pane: pane.keep_example())

    def action_match(self) -> None:
        if self.hook is not None and not self._only_in_agent("match"):
            self.sources.active = _MATCH
            self.screen.set_focus(self.query_one("#match-tool"))

    def action_history(self) -> None:
        if self.hook is not None:
            self.sources.active = _HISTORY
            self._history.show(self.screen.set_focus)

    def _show_in_tab(self) -> None:
        """Show the hook in the tab that is active."""
        hook, catalog, db = self.hook, self._catalog, app_context(self).db
        if hook is None or catalog is None:
            return
        if self.sources.active == _TRY:
            self._try.show(lambda pane: pane.show(hook, catalog))
        elif self.sources.active == _TESTS:
            self._tests.show(lambda pane: pane.show(hook))
        elif self.sources.active == _HISTORY:
            self._history.show(lambda pane: pane.show(hook, db))

    @on(MatchPane.Counted)
    def _show_counts(self, event: MatchPane.Counted) -> None:
        if self.hook is not None and event.hook_id == self.hook.id:
            self.form.show_counts(event.report.of_tools, event.report.of_logged)

    @on(MatchPane.TryWanted)
    def _try_event(self, event: MatchPane.TryWanted) -> None:
        self.action_try(event.payload)

    def unsaved(self) -> list[Edit]:
        return [Edit(editor.file.path, editor.file.stamp, editor.text) for editor in self.sources.editors.modified]

    @on(TabbedContent.TabActivated)
    def _tab_shown(self) -> None:
        self._show_in_tab()
        self.refresh_bindings()

    @on(SourceTabs.Labelled)
    def _show_title(self) -> None:
        if self.hook is not None:
            mark = ("• modified", "$accent") if self.sources.editors.modified else ("saved", "$foreground 60%")
            tests = app_context(self).tests
            counts = tests.counts(self.hook) if tests else ""
            sign = " · ", "$foreground 60%"
            counted = (sign, (counts, "$error" if "✕" in counts else "$success")) if counts else ()
            title = Content.assemble(f"{one_line(self.hook.label)} ─ ", mark, *counted)
            if not title.is_same(self._title):  # each new title repaints the whole pane
                self._title = self.border_title = title

    @on(SourceTabs.Checked)
    async def _take_form(self, event: SourceTabs.Checked) -> None:
        now = (self.hook, self.sources.document, self.sources.editors.typed)
        if (event.hook, event.document, event.typed) != now:
            return  # outdated: the current text is being checked
        self._test_again(event.form)
        differs = event.form.problems != self.problems
        self._show_problems(event.form.problems)
        if differs and self._catalog is not None:
            self._show_facts(event.hook, self._catalog)
        await self.form.show(event.form)
        self.shown.set()

    def _test_again(self, form: Form) -> None:
        """Test the matcher of the edited text, and dim the counts until then if it is another one."""
        matchers = [(field.label, field.value) for field in form.fields if field.kind == "regex"]
        if matchers != self._matchers:
            self._matchers = matchers
            self.form.expire_counts()
            self.query_one(MatchPane).expire()
        self.query_one(MatchPane).test_soon()

    def _fill(self, field: FormField, value: object) -> None:
        """Put a value into a field of the form, or move the hook to another event. Raises ValueError, with a sentence."""
        if field.moves and self.hook is not None:
            self.post_message(self.Moved(self.hook, str(value)))
            return
        if field.kind == "regex":
            self.query_one(MatchPane).test_soon()  # also of a text that is what it was
        self.sources.fill(field, value)

    @on(HookForm.Undone)
    def _undo(self, event: HookForm.Undone) -> None:
        self.sources.undo(again=event.again)

    def _show_facts(self, hook: Hook, catalog: Catalog) -> None:
        self.form.show_facts(facts_of(hook, catalog, hook_state(catalog, hook, self.problems)))

    def _show_problems(self, problems: tuple[Diagnostic, ...]) -> None:
        self.query_one(ProblemList).show(problems)
        self.sources.editors.mark(problems)

    @on(ProblemList.OptionSelected, "#problems")
    def _go_to_problem(self) -> None:
        if problem := self.query_one(ProblemList).current:
            self.edit(FilePlace(problem.file, problem.line, problem.column))

    @property
    def problems(self) -> Sequence[Diagnostic]:
        """The hook's problems, unsaved edits included."""
        return self.query_one(ProblemList).rows

    @property
    def is_fixable(self) -> bool:
        return self.query_one(ProblemList).to_fix is not None

    def action_fix(self) -> None:
        """Apply the fix of the problem under the cursor, else the first one; show it first unless it is wholly visible."""
        problems = self.query_one(ProblemList)
        problem = problems.to_fix
        if problem is None or problem.fix is None:
            return
        seen = problems.shows_whole(problem)
        if not seen or not self.fix_typed(problem.fix):
            self.post_message(self.FixWanted(problem, self.sources.editors.typed, seen=seen))

    def fix_typed(self, fix: Fix) -> bool:
        """Apply a fix to unsaved text, or notify why not; False if its file has none."""
        try:
            return self.sources.fix(fix)
        except ValueError as error:
            self.notify(str(error), severity="warning", markup=False)
            return True


def _new_tests() -> TestsPane:
    from hooktui.screens.hooks.tests_pane import TestsPane

    return TestsPane()


def _new_history() -> HistoryPane:
    from hooktui.screens.hooks.history_pane import HistoryPane

    return HistoryPane()
