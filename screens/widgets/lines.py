"""A line of text and a line input that do not lay the screen out again when they change."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from textual.content import Content
from textual.geometry import Size
from textual.reactive import Reactive, reactive
from textual.widgets import Input, Static

from hooktui.catalog.hook_states import counted
from hooktui.catalog.host_support import title
from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.events import Paste

    from hooktui.core.model import Effect, Severity


class SteadyText(Static):
    """Text that is set often: only a different text causes a layout."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes, markup=False)
        self._text = Content("")

    def expire(self) -> None:
        """Dim the text, which may no longer hold, until the next one is set."""
        self.add_class("-expired")

    def set_text(self, text: Content | str) -> None:
        self.remove_class("-expired")
        content = Content(text) if isinstance(text, str) else text
        if not content.is_same(self._text):
            self._text = content
            self.update(content)


class LineInput(Input):
    """An input whose size does not depend on its text. Without the focus it shows the beginning of the text."""

    value: reactive[str] = reactive("", layout=False, init=False)
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)

    def on_paste(self, event: Paste) -> None:
        lines = [line for line in event.text.splitlines() if line.strip()]
        if len(lines) > 1:
            self.notify(f"Pasted the first line only ({counted(len(lines) - 1, 'line')} left out).", severity="warning")

    def on_blur(self) -> None:
        self._show_beginning()

    def watch_value(self) -> None:
        if not self.has_focus:
            self._show_beginning()

    def _show_beginning(self) -> None:
        self.scroll_to(x=0, animate=False, force=True, immediate=True)


# Colours of the lines of a difference, by their signs.
SIGN_COLOURS = {"+": "$success", "-": "$error"}
SEVERITY_COLOURS: dict[Severity, str] = {"error": "$error", "warning": "$warning", "info": "$secondary"}
# Glyph and colour of a decision or effect.
DECISION_SIGNS: dict[Effect, tuple[str, str]] = {
    "none": ("·", "$foreground 70%"),
    "allow": ("✔", "$success"),
    "ask": ("?", "$accent"),
    "deny": ("✕", "$error"),
    "stop": ("■", "$error"),
    "rewrite": ("✎", "$accent"),
    "context": ("+", "$foreground 70%"),
}


def common_prefix(first: Sequence[object], second: Sequence[object]) -> int:
    """The length of the prefix that two sequences share."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def host_names(hosts: Iterable[str]) -> str:
    """The names of hosts as people know them."""
    return ", ".join(map(title, hosts))


def near(path: str, project: str) -> str:
    """A path relative to the project if it is inside, else with the home directory as `~`; safe to show."""
    return one_line(paths.near(path, project))


from_project = paths.from_project


class FilePlace(NamedTuple):
    """Where to put an editor's cursor, line and columns from 1; with an `end_column`, the text up to it is selected."""

    path: str
    line: int = 1
    column: int = 1
    end_column: int = 0
