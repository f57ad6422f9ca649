"""The problems of one hook, below its form and source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget

from hooktui.catalog.hook_states import SEVERITY_GLYPHS, counted
from hooktui.core.model import Diagnostic, Fix
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.lines import SEVERITY_COLOURS, SIGN_COLOURS, from_project
from hooktui.screens.widgets.notifications import advice
from hooktui.screens.widgets.row_list import RowList

_SEVERITY_WIDTH = 10  # columns, including the glyph
_EDGES = 4  # columns of the scrollbar and an option's padding
_LONGEST = 120  # characters shown of a fix's old and new text
_NARROWEST = 30  # columns to wrap a line in


class ProblemList(RowList["Diagnostic"]):
    """Severity, place and message, a line each; hidden while there are none.

    While the user types the list never shrinks: text that moves with each wrong word is hard to edit, and slow.
    """

    BINDING_GROUP_TITLE = "Problems"
    HELP = """
    The hook's problems, unsaved edits included. Enter goes to the place.
    """
    BINDINGS = [
        Binding("enter", "select", "Go to problem", id="open"),
        Binding("escape,h", "screen.browse", "Back to the hooks", show=False),
    ]

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id, classes="pane")
        self.display = False
        self._typing = False
        self._tall: list[int] = []  # lines of each problem

    def show(self, problems: Sequence[Diagnostic]) -> None:
        """Show problems; the cursor stays on its line."""
        if problems == self.rows:
            return
        line, self.rows = self.highlighted or 0, problems
        self.can_focus = bool(problems)
        self.border_title = counted(len(problems), "problem") if problems else "no problems"
        self._make_room()
        self._fill(line)
        self.refresh_bindings()

    def on_resize(self) -> None:
        self._fill(self.highlighted or 0)

    def advise(self, *, typing: bool) -> None:
        """Prefix the keys with `esc` while the focus is in a text field."""
        if typing != self._typing:
            self._typing = typing
            self._make_room()
            self._fill(self.highlighted or 0)

    def _make_room(self) -> None:
        kept = self.outer_size.height if self._typing and self.display else 0
        self.styles.min_height = kept
        self.display = bool(self.rows or kept)

    def _fill(self, line: int) -> None:
        self.clear_options()
        width = max(self._room - _EDGES, _NARROWEST)
        before = "esc " if self._typing else ""
        catalog = app_context(self).catalog
        project = catalog.project if catalog else ""
        lines = [_line(problem, project, width, before) for problem in self.rows]
        self._tall = [text.plain.count("\n") + 1 for text in lines]
        self.add_options(lines)
        self.highlighted = min(line, len(self.rows) - 1) if self.rows else None

    @property
    def _room(self) -> int:
        """The list's width, even while it is hidden."""
        assert isinstance(self.parent, Widget)
        return self.content_size.width or self.parent.content_size.width - self.gutter.width

    @property
    def to_fix(self) -> Diagnostic | None:
        """The problem under the cursor if it has a fix; without the focus, the first that has one."""
        wanted = [self.current] if self.has_focus else self.rows
        return next((problem for problem in wanted if problem and problem.fix), None)

    def shows_whole(self, problem: Diagnostic) -> bool:
        """Whether everything that a problem's fix would change is visible."""
        at = self.rows.index(problem)
        top = sum(self._tall[:at]) - self.scroll_offset.y
        return top >= 0 and top + self._tall[at] <= self.scrollable_content_region.height and _is_short(problem.fix)

    def on_option_list_option_highlighted(self) -> None:
        self.refresh_bindings()


def _line(problem: Diagnostic, project: str, width: int, before: str) -> Content:
    """Severity, message and place; below them, how to fix it."""
    place = f"{one_line(problem.file.rpartition('/')[2])}:{problem.line}:{problem.column}"
    words = f"{SEVERITY_GLYPHS[problem.severity]} {problem.severity:<{_SEVERITY_WIDTH - 2}}"
    parts = [Content.assemble((f"{place}  ", "$foreground 70%"), one_line(from_project(problem.message, project)))]
    room = width - _SEVERITY_WIDTH
    if guidance := advice(problem, project, before):
        changes = [guidance, *_difference(problem.fix)]
        together = Content("  ").join(changes)
        parts += [together] if together.cell_length <= room else changes
    lines = [line for text in parts for line in text.wrap(room)]
    return Content.assemble((words, SEVERITY_COLOURS[problem.severity]), Content("\n" + " " * _SEVERITY_WIDTH).join(lines))


def _is_short(fix: Fix | None) -> bool:
    if fix is None or fix.kind != "replace":
        return fix is None or fix.kind != "create"
    return all(len(text.strip()) <= _LONGEST and "\n" not in text for text in (fix.old, fix.text))


def _difference(fix: Fix | None) -> Iterator[Content]:
    if fix is not None and fix.kind == "replace":
        for sign, text in (("-", fix.old), ("+", fix.text)):
            if shown := one_line(text.strip()):
                yield Content.styled(f"{sign} {shown[:_LONGEST]}{'…' * (len(shown) > _LONGEST)}", SIGN_COLOURS[sign])
