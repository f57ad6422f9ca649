"""The source editor: one file with line numbers, syntax colours and its problems marked where they are."""

from __future__ import annotations

import os
import re
from itertools import takewhile
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding
from textual.color import Color
from textual.content import Content
from textual.geometry import Offset
from textual.strip import Strip

from hooktui.core.text_sanitizer import visible
from hooktui.screens.widgets.code_area import CodeArea
from hooktui.screens.widgets.states import SEVERITY_GLYPHS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from rich.text import Text
    from textual.binding import BindingType
    from textual.events import Key

    from hooktui.core.model import Diagnostic
    from hooktui.security.documents import Document

_LANGUAGES = {
    ".md": "markdown", ".sh": "bash", ".bash": "bash", ".py": "python", ".js": "javascript", ".json": "json",
    ".toml": "toml", ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip
_INTERPRETERS = (("python", "python"), ("node", "javascript"), ("sh", "bash"))  # "bash", "zsh" and "dash" hold "sh"
_MARK_WIDTH = 2  # columns between the line number and the text, where a problem's glyph stands
# A line of YAML: what stands before a colon, and a value that is a string, a number or boolean, or a comment.
_YAML_LINE = re.compile(
    r"(?P<field>^\s*(?:- )?[\w-]+(?=:(?:\s|$)))|(?P<string>'[^']*'|\"[^\"]*\")|(?P<comment>(?:^|\s)#.*$)"
    r"|(?P<number>(?<=: )(?:-?\d+|true|false|null)\s*$)"
)
_YAML_STYLES = {"field": "yaml.field", "string": "string", "comment": "comment", "number": "number"}


class Editor(CodeArea):
    """Edits one Document."""

    BINDING_GROUP_TITLE = "Editor"
    HELP = """
    A file of the hook. What is wrong is underlined while you type, and said below with its fix. Nothing is written before
    {save}; then only what you changed, and never over what somebody else wrote meanwhile. Tab indents, esc leaves.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "screen.save", "Save", id="save"),
        Binding("ctrl+z", "undo", "Undo", id="undo"),
        Binding("ctrl+y", "redo", "Redo", id="redo"),
        Binding("escape", "screen.browse", "Leave", tooltip="Back to the hooks; tab indents", priority=True),
    ]

    def __init__(self, file: Document) -> None:
        super().__init__(tab_behavior="indent")
        self.gone = False  # there is no such file any more: the text is only here
        self._waiting = False
        self._problems: dict[int, list[Diagnostic]] = {}
        self._fence = 0
        self.open(file)

    def open(self, file: Document) -> None:
        """Edit another file; what was undone before is forgotten."""
        self.file, self.gone = file, False
        self._open_up()
        self.soft_wrap = file.name.endswith(".md")
        language = _language(file)
        if language != self.language:
            self.language = language if language in self.available_languages else None
        self.indent_width = 2 if file.name.endswith((".md", ".json", ".yaml", ".yml")) else 4
        self.placeholder = Content(visible(f"{file.name}: {file.problem}" if file.problem else ""))
        self.mark(())
        self.load_text(file.text)

    def wait(self) -> None:
        """Nobody can type until a file is opened again: what is typed belongs to a text that has not been read yet."""
        self._waiting = True
        self.set_reactive(Editor.read_only, True)  # without its watcher, which has the styles made anew

    def _open_up(self) -> None:
        """Let a person type, if the file can be edited."""
        if self._waiting:
            self._waiting = False
            self.set_reactive(Editor.read_only, self.has_class("-read-only"))
        self.read_only = bool(self.file.problem)

    def on_key(self, event: Key) -> None:
        """While the text is awaited a letter is no command either."""
        if self._waiting and event.is_printable:
            event.stop()

    def reopen(self, file: Document) -> None:
        """Edit a file as it is now: in the same one cursor and selection stay with their text, and the view where it is."""
        same = file.path == self.file.path
        if not same or file.problem or self.file.problem:
            self.open(file)
            return
        if file.stamp != self.file.stamp:
            scrolled = self.scroll_offset
            self.take(file)
            self.history.clear()  # what somebody else has written is not for this person to undo
            self.scroll_to(*scrolled, animate=False)
        self._open_up()

    def take(self, file: Document) -> None:
        """Edit the same file as it is now; undo brings back what was typed."""
        self.file, self.gone = file, False
        self.become(file.text)

    def become(self, text: str) -> None:
        """Hold another text: just what differs is replaced, so that it can be undone and the cursor stays."""
        old = self.text
        start = _common(old, text)
        end = _common(old[start:][::-1], text[start:][::-1])
        if old != text:
            self.replace(text[start : len(text) - end], location(old, start), location(old, len(old) - end))

    def saved(self, file: Document) -> None:
        """The text is now what the file holds."""
        self.file, self.gone = file, False

    @property
    def modified(self) -> bool:
        """Whether the text is not what the file holds."""
        return not self.read_only and (self.gone or self.text != self.file.text)

    def mark(self, problems: Sequence[Diagnostic]) -> None:
        """Mark these problems of the file, and no others."""
        marked: dict[int, list[Diagnostic]] = {}
        for problem in problems:
            marked.setdefault(problem.line - 1, []).append(problem)
        if marked != self._problems:
            self._problems = marked
            self.notify_style_update()
            self.refresh()

    def go_to(self, line: int, column: int = 1, end_column: int = 0) -> None:
        """Put the cursor on a place, or select it (all from 1), and show its line in the middle, from where that begins."""
        self.move_cursor((line - 1, column - 1), center=True)
        if end_column > column:
            self.move_cursor((line - 1, end_column - 1), select=True)
        self.call_after_refresh(self._show_beginning)  # it may only now come to have a size

    def on_resize(self) -> None:
        """Where one types there may be room now for the whole line."""
        if self.has_focus:
            self.call_after_refresh(self._show_beginning)

    def _show_beginning(self) -> None:
        """Show lines from their first column, as far as the cursor stays in view."""
        self.scroll_to(x=0, animate=False, immediate=True)
        self.scroll_cursor_visible()

    def get_line(self, line_index: int) -> Text:
        """A line as it is shown: the frontmatter in colours, problems underlined."""
        line = super().get_line(line_index)
        if 0 < line_index < self._fence:
            for found in _YAML_LINE.finditer(line.plain):
                style = self.code_theme.get_highlight(_YAML_STYLES[found.lastgroup or ""])
                line.stylize(style or "", *found.span())
        for problem in self._problems.get(line_index, ()):
            end = problem.end_column - 1 if problem.end_line == problem.line else len(line)
            line.stylize(Style(underline=True) + self._colour(problem), problem.column - 1, max(end, problem.column))
        return line

    def render_line(self, y: int) -> Strip:
        """A line with the glyph of its worst problem beside its number."""
        strip = super().render_line(y)
        row, _ = self.wrapped_document.offset_to_location(Offset(0, y + self.scroll_offset.y))
        problems = self._problems.get(row)
        if not problems or y + self.scroll_offset.y >= self.wrapped_document.height:
            return strip
        worst = min(problems, key=lambda problem: list(SEVERITY_GLYPHS).index(problem.severity))
        number = strip.crop(0, self.gutter_width - _MARK_WIDTH).text
        mark = Segment(f"{number}{SEVERITY_GLYPHS[worst.severity]} ", self.rich_style + self._colour(worst))
        return Strip.join([Strip([mark]), strip.crop(self.gutter_width)])

    def on_text_area_changed(self) -> None:
        """Find the end of the frontmatter anew; the lines that were painted before are painted again."""
        lines = self.document.lines
        fenced = self.file.name.endswith(".md") and lines[0].rstrip() == "---"
        fence = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0) if fenced else 0
        if fence != self._fence:
            self._fence = fence
            self.notify_style_update()
            self.refresh()

    def _colour(self, problem: Diagnostic) -> Style:
        name = problem.severity if problem.severity != "info" else "secondary"
        return Style(color=Color.parse(self.app.theme_variables[name]).rich_color)


def _language(file: Document) -> str | None:
    """By the file's ending, else by its shebang."""
    ending = os.path.splitext(file.name)[1]
    first = file.text.partition("\n")[0]
    if ending in _LANGUAGES or not first.startswith("#!"):
        return _LANGUAGES.get(ending)
    return next((language for name, language in _INTERPRETERS if name in first), None)


def _common(one: str, other: str) -> int:
    """How many characters two texts share at the front."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def location(text: str, offset: int) -> tuple[int, int]:
    """Line and column, both from 0, of an offset."""
    before = text[:offset]
    return before.count("\n"), len(before) - before.rfind("\n") - 1
