"""The hooks of a dispatch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from hooktui.screens.widgets import report_text

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence
    from typing import ClassVar

    from textual.binding import BindingType

    from hooktui.core.report import RunReport

    Line = Callable[[RunReport, int], Content]


class RunList(OptionList):
    """The hooks of a dispatch, one per line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False, id="down"),
        Binding("k", "cursor_up", "Up", show=False, id="up"),
        Binding("g", "first", "First", show=False, id="first"),
        Binding("G", "last", "Last", show=False, id="last"),
    ]

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id, markup=False, compact=True)
        self.runs: Sequence[RunReport] = ()
        self._line: Line = report_text.hook_line
        self._note = Content("")
        self._shown: re.Pattern[str] | None = None

    def show(self, runs: Sequence[RunReport], line: Line, note: Content, shown: re.Pattern[str] | None = None) -> None:
        """Show runs and a note below them, with search results highlighted."""
        self.runs, self._line, self._note, self._shown = runs, line, note, shown
        self._write(0)

    def on_resize(self) -> None:
        self._write(self.highlighted or 0)

    def _write(self, cursor: int) -> None:
        width = self.scrollable_content_region.width
        self.clear_options()
        self.add_options([Option(report_text.marked(self._line(run, width), self._shown)) for run in self.runs])
        if self._note:
            self.add_option(Option(self._note, disabled=True))
        self.highlighted = cursor if self.runs else None

    @property
    def current(self) -> RunReport | None:
        """The run under the cursor."""
        return self.runs[self.highlighted] if self.runs and self.highlighted is not None else None
