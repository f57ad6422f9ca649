"""The problems of one hook, below its form and source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.advice import advice
from hooktui.screens.widgets.states import SEVERITY_GLYPHS, SIGN_COLOURS, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import ClassVar

    from textual.binding import BindingType

    from hooktui.core.model import Diagnostic, Fix

_SEVERITY_WIDTH = 10  # columns, the glyph included
_EDGES = 4  # columns of the scrollbar and of an option's own padding
_LONGEST = 40  # characters of what a fix takes and puts
_NARROWEST = 30  # columns in which a line is wrapped


class ProblemList(OptionList):
    """Severity, place and message, a line each; hidden while there are none.

    While one types it stays as tall as it was: a text that moves with each wrong word is hard to type in, and slow.
    """

    BINDING_GROUP_TITLE = "Problems"
    HELP = """
    What is wrong with the hook, as it stands here. Enter goes to the place.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Go to the place", id="open"),
        Binding("j", "cursor_down", "Down", show=False, id="down"),
        Binding("k", "cursor_up", "Up", show=False, id="up"),
        Binding("g", "first", "First", show=False, id="first"),
        Binding("G", "last", "Last", show=False, id="last"),
        Binding("escape,h", "screen.browse", "Back to the hooks", show=False),
    ]

    class Chosen(Message):
        """Go to a problem's place."""

        def __init__(self, problem: Diagnostic) -> None:
            super().__init__()
            self.problem = problem

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id, classes="pane", markup=False, compact=True)
        self.problems: Sequence[Diagnostic] = ()
        self._typing = False
        self._tall: list[int] = []  # of each problem, in lines

    def show(self, problems: Sequence[Diagnostic]) -> None:
        """Show other problems; the cursor stays at its line."""
        if problems == self.problems:
            return
        line, self.problems = self.highlighted or 0, problems
        self.can_focus = bool(problems)
        self.border_title = counted(len(problems), "problem") if problems else "nothing is wrong"
        self._make_room()
        self._fill(line)
        self.refresh_bindings()

    def on_resize(self) -> None:
        """Wrap anew."""
        self._fill(self.highlighted or 0)

    def advise(self, *, typing: bool) -> None:
        """Say how to reach the keys that mend: while one types, escape comes first."""
        if typing != self._typing:
            self._typing = typing
            self._make_room()
            self._fill(self.highlighted or 0)

    def _make_room(self) -> None:
        kept = self.outer_size.height if self._typing and self.display else 0
        self.styles.min_height = kept
        self.display = bool(self.problems or kept)

    def _fill(self, line: int) -> None:
        self.clear_options()
        width = max(self._room - _EDGES, _NARROWEST)
        before = "esc " if self._typing else ""
        told = [_line(problem, width, before) for problem in self.problems]
        self._tall = [text.plain.count("\n") + 1 for text in told]
        self.add_options(Option(text) for text in told)
        self.highlighted = min(line, len(self.problems) - 1) if self.problems else None

    @property
    def _room(self) -> int:
        """The columns there are; while the list is hidden, those that it will have."""
        assert isinstance(self.parent, Widget)
        return self.content_size.width or self.parent.content_size.width - self.gutter.width

    @property
    def current(self) -> Diagnostic | None:
        """The problem under the cursor."""
        return self.problems[self.highlighted] if self.highlighted is not None and self.problems else None

    @property
    def to_fix(self) -> Diagnostic | None:
        """The problem under the cursor, if it has a fix; before one has gone to the list, the first that has one."""
        wanted = [self.current] if self.has_focus else self.problems
        return next((problem for problem in wanted if problem and problem.fix), None)

    def shows_whole(self, problem: Diagnostic) -> bool:
        """Whether all that the fix of a problem would change can be seen here."""
        at = self.problems.index(problem)
        top = sum(self._tall[:at]) - self.scroll_offset.y
        return top >= 0 and top + self._tall[at] <= self.scrollable_content_region.height and _is_told_whole(problem.fix)

    def on_option_list_option_highlighted(self) -> None:
        """`f` is there only where there is a fix."""
        self.refresh_bindings()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Tell which problem was chosen."""
        event.stop()
        self.post_message(self.Chosen(self.problems[event.option_index]))


def _line(problem: Diagnostic, width: int, before: str) -> Content:
    """Severity, place and message; below them, under the place, what to do about it."""
    place = f"{one_line(problem.file.rpartition('/')[2])}:{problem.line}:{problem.column}"
    colour = f"${problem.severity}" if problem.severity != "info" else "$secondary"
    severity = (f"{SEVERITY_GLYPHS[problem.severity]} {problem.severity:<{_SEVERITY_WIDTH - 2}}", colour)
    said = [Content.assemble((f"{place}  ", "$foreground 60%"), one_line(problem.message))]
    if what_to_do := advice(problem, before):
        said.append(Content.assemble(what_to_do, *_difference(problem.fix)))
    lines = [line for text in said for line in text.wrap(width - _SEVERITY_WIDTH)]
    return Content.assemble(severity, Content("\n" + " " * _SEVERITY_WIDTH).join(lines))


def _is_told_whole(fix: Fix | None) -> bool:
    """Whether a line has room for what a fix does: a script that it makes has many."""
    if fix is None or fix.kind != "replace":
        return fix is None or fix.kind != "create"
    return all(len(text.strip()) <= _LONGEST and "\n" not in text for text in (fix.old, fix.text))


def _difference(fix: Fix | None) -> Iterator[tuple[str, str]]:
    """What a fix takes out of the text, and what it puts there."""
    if fix is not None and fix.kind == "replace":
        for sign, text in (("-", fix.old), ("+", fix.text)):
            if shown := one_line(text.strip()):
                yield f"  {sign} {shown[:_LONGEST]}{'…' * (len(shown) > _LONGEST)}", SIGN_COLOURS[sign]
