"""One problem: its message, places, fix and explanation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from hooktui.catalog.hook_states import SEVERITY_GLYPHS, counted
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.diagnostics.codes import CODES
from hooktui.edit import hook_documents
from hooktui.screens.dialogs.reading_dialog import MARGIN, signed
from hooktui.screens.widgets.fields import FieldList
from hooktui.screens.widgets.lines import SEVERITY_COLOURS, from_project, host_names, near
from hooktui.screens.widgets.notifications import advice, notify_failure
from hooktui.screens.widgets.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from textual.app import ComposeResult

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic, Hook
    from hooktui.diagnostics.causes import Cause
    from hooktui.edit.hook_documents import TextFile
    from hooktui.screens.widgets.fields import LabelledValue
    from hooktui.screens.widgets.grouped_tree import TreeRow

_AROUND = 3  # lines of context
_LABEL_WIDTH = 7  # columns


class PlaceList(RowList["Diagnostic"]):
    """The places of a problem, a line each; hidden if there is only one."""

    BINDING_GROUP_TITLE = "Places"
    HELP = """
    The places of the problem. Enter opens one in the editor.
    """
    BINDINGS = [Binding("enter", "select", "Open", id="open")]

    def show(self, problems: Sequence[Diagnostic], catalog: Catalog) -> None:
        self.rows = problems
        self.display = len(problems) > 1
        self.clear_options()
        if self.display:
            labels = {hook.id: hook.label for hook in catalog.hooks}
            self.add_options(_place(problem, labels, catalog.project) for problem in problems)
        self.highlighted = 0 if self.display else None


class ProblemDetail(VerticalScroll):
    """Shows one problem, and what the fix of the chosen place would change; without a fix, the place in its file."""

    @dataclass
    class _Read(Message):
        """The lines to show have been read: an excerpt of the file, or the fix's diff."""

        problem: Diagnostic
        lines: Sequence[LabelledValue]

    on_worker_state_changed = notify_failure

    def __init__(self) -> None:
        super().__init__(id="problem", classes="pane")
        self._cause: Cause | None = None
        self._place: Diagnostic | None = None  # chosen
        self._hooks: Sequence[Hook] = ()
        self._read_of: Diagnostic | None = None  # the problem whose lines are shown

    def compose(self) -> ComposeResult:
        yield FieldList(_LABEL_WIDTH, id="fields")
        yield PlaceList(id="places")
        yield FieldList(MARGIN, id="excerpt")
        yield Static(id="paragraph")

    def show(self, cause: Cause, catalog: Catalog) -> None:
        if cause == self._cause:
            return
        self._cause, self._hooks = cause, catalog.hooks
        self.border_title = cause.problem.code
        self.query_one("#fields", FieldList).show(_fields(cause, catalog))
        self.query_one(PlaceList).show(cause.places, catalog)
        code = CODES.get(cause.problem.code)
        self.query_one("#paragraph", Static).update(Content.styled(code.paragraph if code else "", "$foreground 70%"))
        self.scroll_home(animate=False)
        self._choose(cause.places[0])

    def place_of(self, cause: Cause) -> Diagnostic:
        """The chosen place of a problem, by default its first."""
        chosen = self.query_one(PlaceList).current if cause == self._cause else None
        return chosen or cause.places[0]

    @on(PlaceList.OptionHighlighted)
    def _follow(self) -> None:
        if (place := self.query_one(PlaceList).current) is not None:
            self._choose(place)

    def _choose(self, place: Diagnostic) -> None:
        """Show what is to be seen at a place."""
        if place != self._place:
            self._place = place
            self._read(place, self._hooks)

    def shows_whole(self, problem: Diagnostic) -> bool:
        """Whether everything that a problem's fix would change is visible."""
        excerpt = self.query_one("#excerpt", FieldList)
        placed = self._is_placed(self.query_one("#fields", FieldList)) and self._is_placed(excerpt)
        return self._read_of == problem and placed and self.content_region.contains_region(excerpt.region)

    def _is_placed(self, part: FieldList) -> bool:
        """Whether a part is as high as its text: not until the layout after a change of the text."""
        width, height = part.content_size
        return width > 0 and height == part.get_content_height(self.size, self.screen.size, width)

    def summarize(self, group: TreeRow[Cause], catalog: Catalog) -> None:
        causes = [row.data for row in group.children if row.data is not None]
        self._cause = self._place = None
        self.border_title = Content("".join(text for text, _ in group.left))
        self.query_one("#fields", FieldList).show(_summary(causes))
        self.query_one(PlaceList).show((), catalog)
        self.query_one("#excerpt", FieldList).show(())
        self.query_one("#paragraph", Static).update("")

    @work(thread=True, exclusive=True, exit_on_error=False, group="excerpt", description="Reading the file")
    def _read(self, problem: Diagnostic, hooks: Sequence[Hook]) -> None:
        lines = _difference(problem, hooks) or list(_excerpt(problem, hook_documents.read(problem.file)))
        self.post_message(self._Read(problem, lines))

    @on(_Read)
    def _show_excerpt(self, event: _Read) -> None:
        event.stop()
        if event.problem == self._place:
            self.query_one("#excerpt", FieldList).show(event.lines)
            self._read_of = event.problem


def _fields(cause: Cause, catalog: Catalog) -> Iterator[LabelledValue]:
    problem, labels = cause.problem, {hook.id: hook.label for hook in catalog.hooks}
    severity = f"{SEVERITY_GLYPHS[problem.severity]} {problem.severity}: "
    message = from_project(problem.message, catalog.project)
    yield "", Content.assemble((severity, f"{SEVERITY_COLOURS[problem.severity]} bold"), (visible(message), "bold"))
    if guidance := _advice(cause, catalog.project):
        yield "", guidance
    if len(cause.places) == 1:
        yield "File", Content(f"{near(problem.file, catalog.project)}:{problem.line}:{problem.column}")
        if names := _hook_names(problem, labels):
            yield "Hook", Content(names)
    if problem.hosts:
        yield "Hosts", Content(host_names(problem.hosts))


def _advice(cause: Cause, project: str) -> Content | None:
    """The key that fixes the problem, in all its places if several have a fix."""
    first = next(iter(cause.fixable), cause.problem)
    if first.fix and len(cause.fixable) > 1:
        first = first.replace(fix=first.fix.replace(label=f"fix {len(cause.fixable)} places"))
    return advice(first, project)


def _place(problem: Diagnostic, labels: Mapping[str, str], project: str) -> Content:
    """File and line, and the hooks that they are about."""
    names = _hook_names(problem, labels)
    return Content.assemble(f"{near(problem.file, project)}:{problem.line}", (f"  {names}" if names else "", "$foreground 70%"))


def _hook_names(problem: Diagnostic, labels: Mapping[str, str]) -> str:
    names = [labels[hook] for hook in (problem.hook or "", *problem.other_hooks) if hook in labels]
    more = f" +{len(names) - 1}" if len(names) > 1 else ""
    return f"{one_line(names[0])}{more}" if names else ""


def _summary(causes: Sequence[Cause]) -> Iterator[LabelledValue]:
    fixable = sum(bool(cause.fixable) for cause in causes)
    with_fix = f", {fixable} with a fix" if fixable else ""
    yield "", Content(f"{counted(len(causes), 'problem')}{with_fix}")
    for code, count in Counter(cause.problem.code for cause in causes).most_common():
        yield f"{count:>5}", Content(code)


def _difference(problem: Diagnostic, hooks: Sequence[Hook]) -> Sequence[LabelledValue]:
    """The diff of a problem's fix; empty if there is no fix, or none that fits the files as they are."""
    from hooktui.edit import apply_fixes
    from hooktui.edit.file_steps import ChangeRefusedError

    if problem.fix is None:
        return ()
    try:
        changed = apply_fixes.preview(apply_fixes.plan_one(problem, hooks))
    except ChangeRefusedError:
        return ()
    return list(signed(line.expandtabs(1) for lines in changed.values() for line in lines))


def _excerpt(problem: Diagnostic, document: TextFile) -> Iterator[LabelledValue]:
    if document.problem:
        yield "", Content.styled(visible(document.problem), "$foreground 60%")
        return
    lines = document.text.split("\n")
    first = max(problem.line - _AROUND, 1)
    for number, line in enumerate(lines[first - 1 : problem.line + _AROUND], start=first):
        yield _numbered(number, visible(line).expandtabs(1), problem)


def _numbered(number: int, line: str, problem: Diagnostic) -> LabelledValue:
    colour = SEVERITY_COLOURS[problem.severity]
    if not problem.line <= number <= problem.end_line:
        return f"{number:>4}", Content.styled(line, "$foreground 70%")
    start = problem.column - 1 if number == problem.line else 0
    end = problem.end_column - 1 if number == problem.end_line else len(line)
    text = Content(line).stylize(f"{colour} underline", start, max(end, start + 1))
    return Content.styled(f"{number:>4}{SEVERITY_GLYPHS[problem.severity]}", colour), text
