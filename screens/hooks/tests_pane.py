"""The Tests tab: the examples that reach a hook, what they expect, and what running them gave."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from hooktui.catalog.hook_states import counted
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.hook_tests.example import FileProblem
from hooktui.screens.dialogs.reading_dialog import ReadingDialog
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.app_context import app_context
from hooktui.screens.services.hook_tests import HookTestState, tally
from hooktui.screens.widgets.cells import fit
from hooktui.screens.widgets.fields import FieldList
from hooktui.screens.widgets.footer import KeyedButton
from hooktui.screens.widgets.lines import SteadyText, near
from hooktui.screens.widgets.notifications import notify_failure
from hooktui.screens.widgets.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from textual.app import ComposeResult

    from hooktui.core.model import Hook
    from hooktui.hook_tests.example import Example, Result, Results
    from hooktui.screens.widgets.fields import LabelledValue

    Row = FileProblem | tuple[Example, Result | None]

_LABEL_WIDTH = 10  # columns
_NARROWEST = 20  # columns of a name
_FAINT = "$foreground 70%"
_KEEP = "{keep-example} on a call in Live, in a session or in a try keeps it as an example."


class TestsPane(Vertical):
    """What is known above, a line for each example, and the one under the cursor in full."""

    BINDING_GROUP_TITLE = "Tests"
    HELP = """
    The examples in .agents/hook-tests that reach this hook, with what they expect and what came out. {run} runs all examples of
    the project in copies of it, {prove} finds guards that no example would miss. Enter opens an example in your editor.
    """
    BINDINGS = [
        Binding("enter", "open", "Open", tooltip="Open the example in your editor", id="open"),
        Binding("L", "rerun", "Auto-run", tooltip="Run the examples again after each change, or not", id="rerun"),
        Binding("escape", "cancel", "Cancel", tooltip="Cancel the examples that run"),
        Binding("escape", "screen.browse", "Leave", tooltip="Back to the hooks"),
    ]

    on_worker_state_changed = notify_failure

    def __init__(self) -> None:
        super().__init__()
        self._hook: Hook | None = None

    def compose(self) -> ComposeResult:
        yield SteadyText(id="tests-state")
        yield RowList["Row"](id="tests-rows")
        with VerticalScroll(id="tests-details", can_focus=False):
            yield FieldList(_LABEL_WIDTH)
        with Horizontal(classes="buttons"):
            yield KeyedButton(_key("run"), "Run all", "screen.detail('run')", id="tests-run")
            yield KeyedButton(_key("prove"), "Unproved", "screen.detail('prove')", id="tests-prove")
            yield KeyedButton(_key("rerun"), "", "screen.detail('rerun')", id="tests-again")

    def on_mount(self) -> None:
        self.watch(self.app, "tests", self._refresh)
        self._show_rerun()

    @property
    def rows(self) -> RowList[Row]:
        return self.query_one("#tests-rows", RowList)

    @property
    def _tests(self) -> HookTestState:
        return app_context(self).tests or HookTestState()

    @property
    def _project(self) -> str:
        return app_context(self).project

    def show(self, hook: Hook) -> None:
        self._hook = hook
        self._refresh()

    def on_resize(self) -> None:
        self._refresh()

    def _refresh(self) -> None:
        if self._hook is None:
            return
        tests, rows = self._tests, self.rows
        at, width = rows.highlighted or 0, rows.scrollable_content_region.width
        problems = tests.examples.suite.problems if tests.examples else ()
        rows.rows = [*problems, *tests.of_hook(self._hook)]
        rows.clear_options()
        rows.add_options([Option(_line(row, width, self._project)) for row in rows.rows])
        rows.highlighted = min(at, len(rows.rows) - 1) if rows.rows else None
        self.query_one("#tests-state", SteadyText).set_text(Content("\n").join(_state(self._hook, tests)))
        self.query_one("#tests-run", KeyedButton).says(_key("run"), "Run all" if tests.done is None else "Cancel")
        self._show_row()
        self.refresh_bindings()

    @on(OptionList.OptionHighlighted, "#tests-rows")
    def _show_row(self) -> None:
        row, details = self.rows.current, self.query_one("#tests-details")
        details.display = row is not None
        if row is not None:
            self.query_one(FieldList).show(_details(row, self._project))

    @on(OptionList.OptionSelected, "#tests-rows")
    def action_open(self) -> None:
        if (row := self.rows.current) is not None:
            place = row if isinstance(row, FileProblem) else row[0]
            app_context(self).open_editor(place.file, place.line, None)

    def start(self, *, proves: bool = False) -> None:
        """Run all examples, or cancel them if they run."""
        if self._tests.done is not None:
            self.action_cancel()
        else:
            self._run(proves=proves)

    @work(exclusive=True, exit_on_error=False, group="tests", description="Running the examples")
    async def _run(self, *, proves: bool) -> None:
        """Ask about each hook that would run and is not approved; without approval its examples fail, with that reason."""
        from hooktui.screens.services import example_keeping

        catalog, examples = app_context(self).catalog, self._tests.examples
        if catalog is not None and examples is not None:
            await example_keeping.approved(self.screen, examples.suite, catalog)
        results = await app_context(self).hook_tests.run(proves=proves)
        if results is not None and proves:
            await self._show_proof(results)

    async def _show_proof(self, results: Results) -> None:
        """Name the guards that nobody would miss."""
        failed = f"{counted(len(results.failed), 'example')} failed, and proved nothing. " if results.failed else ""
        if not results.unproved:
            self.notify(f"{failed}Every guard has an example that notices when it is off.")
            return
        names = Static("\n".join(f"  {one_line(label)}" for label in results.unproved), markup=False)
        has, their = ("guard has", "its") if len(results.unproved) == 1 else ("guards have", "their")
        title = f"{len(results.unproved):,} {has} no example that would notice {their} absence"
        about = f"{failed}The examples ran again with one guard after the other switched off."
        await self.app.push_screen_wait(ReadingDialog(title, [names], introduction=about, back_keys="enter"))

    def action_rerun(self) -> None:
        app_context(self).hook_tests.toggle()
        self._show_rerun()

    def _show_rerun(self) -> None:
        mark = "☑" if app_context(self).hook_tests.runs_again else "☐"
        self.query_one("#tests-again", KeyedButton).says(_key("rerun"), f"{mark} Auto-run")

    def action_cancel(self) -> None:
        app_context(self).hook_tests.cancel()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "cancel" or self._tests.done is not None


def _key(action: str) -> str:
    return hint(f"{{{action}}}")


def _state(hook: Hook, tests: HookTestState) -> Iterator[Content]:
    """How many examples there are and passed, of the hook and in the project, and what keeps them from running."""
    if tests.trouble:
        yield Content.styled(f"✕ {visible(tests.trouble)}", "$error")
    examples = tests.examples.suite.examples if tests.examples else ()
    own = tests.of_hook(hook)
    if tests.done is not None:
        yield Content.styled(f"Running… {tests.done:,} of {counted(len(examples), 'example')}", "$accent")
    elif not examples:
        yield Content.styled(f"No examples yet. {hint(_KEEP)}", _FAINT)
    else:
        some = f"{counted(len(own), 'example')} {'reaches' if len(own) == 1 else 'reach'} this hook"
        here = some if own else "No example reaches this hook"
        yield Content.assemble(here, *_tally(hook, tests), (f" · {len(examples):,} in the project", _FAINT))
        if not own:
            yield Content.styled(hint(_KEEP), _FAINT)


def _tally(hook: Hook, tests: HookTestState) -> Iterator[tuple[str, str]]:
    results = [result for _, result in tests.of_hook(hook)]
    if counts := tally(results):
        failed = any(result is not None and not result.passed for result in results)
        yield f": {counts}", ("$error" if failed else "$success") if tests.is_current else _FAINT
        yield "" if tests.is_current else " before the last change", _FAINT


def _line(row: Row, width: int, project: str) -> Content:
    """Sign and name, then what is expected and what came out, where there is room."""
    if isinstance(row, FileProblem):
        place = f"{near(row.file, project)}:{row.line}"
        return Content.assemble(("▲ ", "$warning bold"), f"{place}  {one_line(row.message)}")
    example, result = row
    sign = ("· ", _FAINT) if result is None else ("✔ ", "$success") if result.passed else ("✕ ", "$error")
    told = _told(example, result)
    room = width - len(told) - 3
    name = one_line(example.name)
    return Content.assemble(sign, fit(name, room) if room >= _NARROWEST else name, " ", (told, _FAINT))


def _told(example: Example, result: Result | None) -> str:
    expected = one_line(str(example.expect.get("decision") or example.expect.get("by") or example.expect.get("state") or "…"))
    if result is None:
        return f"expects {expected}"
    if result.passed:
        return expected
    return f"expects {expected}, got {result.got['decision'] if result.got else 'nothing'}"


def _details(row: Row, project: str) -> Iterator[LabelledValue]:
    if isinstance(row, FileProblem):
        yield "problem", Content.styled(visible(row.message), "$warning")
        yield "file", Content(f"{near(row.file, project)}:{row.line}")
        return
    example, result = row
    for sentence in result.why if result else ():
        yield "", Content.styled(visible(sentence), "$error")
    for sentence in (*result.differences, *result.notes) if result else ():
        yield "", Content.styled(visible(sentence), _FAINT)
    yield (
        "call",
        Content(one_line(" ".join(filter(None, (example.event, example.tool, _words(example.input or example.payload)))))),
    )
    yield "expects", Content(visible(_words(example.expect)))
    if result and result.got:
        told = {key: value for key, value in result.got.items() if value and (key != "state" or key in example.expect)}
        yield "got", Content(visible(_words(told)))
    yield "file", Content(f"{near(example.file, project)}:{example.line}")


def _words(values: Mapping[str, object]) -> str:
    return ", ".join(f"{key}: {_spelled(value)}" for key, value in values.items())


def _spelled(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_spelled, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
