"""The source editor: one file with line numbers, syntax colours and marked problems."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding
from textual.color import Color
from textual.content import Content
from textual.geometry import Offset
from textual.strip import Strip

from hooktui.catalog.hook_states import SEVERITY_GLYPHS
from hooktui.core import paths
from hooktui.core.text_sanitizer import visible
from hooktui.screens.widgets.code_area import CodeArea
from hooktui.screens.widgets.lines import common_prefix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text
    from textual.events import Key

    from hooktui.core.model import Diagnostic
    from hooktui.edit.hook_documents import TextFile

_LANGUAGES = {
    ".md": "markdown", ".sh": "bash", ".bash": "bash", ".py": "python", ".js": "javascript", ".json": "json",
    ".toml": "toml", ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip
_INTERPRETERS = (("python", "python"), ("node", "javascript"), ("sh", "bash"))  # "bash", "zsh" and "dash" contain "sh"
_MARK_WIDTH = 2  # columns for a problem's glyph, after the line number
# The parts of a YAML line.
_YAML_LINE = re.compile(
    r"(?P<field>^\s*(?:- )?[\w-]+(?=:(?:\s|$)))|(?P<string>'[^']*'|\"[^\"]*\")|(?P<comment>(?:^|\s)#.*$)"
    r"|(?P<number>(?<=: )(?:-?\d+|true|false|null)\s*$)"
)
_YAML_STYLES = {"field": "yaml.field", "string": "string", "comment": "comment", "number": "number"}


class Editor(CodeArea):
    """Edits one TextFile."""

    BINDING_GROUP_TITLE = "Editor"
    HELP = """
    A file of the hook. Problems are underlined while you type and listed below with their fixes. {save} writes your changes,
    and asks first if the file has changed on disk. Tab indents, esc leaves.
    """
    BINDINGS = [
        Binding("ctrl+s", "screen.save", "Save", id="save"),
        Binding("ctrl+z", "undo", "Undo", id="undo"),
        Binding("ctrl+y", "redo", "Redo", id="redo"),
        Binding("escape", "screen.browse", "Leave", tooltip="Back to the hooks; tab indents", priority=True),
    ]

    def __init__(self, file: TextFile) -> None:
        super().__init__(tab_behavior="indent")
        self.gone = False  # the file was removed: the text is only here
        self._waiting = False
        self._problems: dict[int, list[Diagnostic]] = {}
        self._fence = 0
        self.open(file)

    def open(self, file: TextFile) -> None:
        """Edit a file, with a fresh undo history."""
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
        """Take no input until the next file has been read."""
        self._waiting = True
        self.set_reactive(Editor.read_only, True)  # without its watcher, which would restyle the editor

    def _open_up(self) -> None:
        """Take input again, if the file can be edited."""
        if self._waiting:
            self._waiting = False
            self.set_reactive(Editor.read_only, self.has_class("-read-only"))
        self.read_only = bool(self.file.problem or self.file.locked)

    def on_key(self, event: Key) -> None:
        """Ignore letters while waiting and in a file that may only be read: they are not commands either."""
        if event.is_printable and (self._waiting or self.file.locked):
            event.stop()
            if not self._waiting:
                self.notify(visible(f"This file is read-only: {self.file.locked}."), severity="warning", markup=False)

    def reopen(self, file: TextFile) -> None:
        """Edit a file as it is now; in the same file, cursor, selection and view stay."""
        same = file.path == self.file.path
        if not same or file.problem or self.file.problem:
            self.open(file)
            return
        if file.stamp != self.file.stamp:
            scrolled = self.scroll_offset
            self.take(file)
            self.history.clear()  # foreign changes are not for this user to undo
            self.scroll_to(*scrolled, animate=False)
        self._open_up()

    def take(self, file: TextFile) -> None:
        """Edit the same file as it is now; undo restores the edits."""
        self.file, self.gone = file, False
        self.become(file.text)

    def become(self, text: str) -> None:
        """Change the text by replacing only what differs, so that undo works and the cursor stays."""
        old = self.text
        start = common_prefix(old, text)
        end = common_prefix(old[start:][::-1], text[start:][::-1])
        if old != text:
            self.replace(text[start : len(text) - end], location(old, start), location(old, len(old) - end))

    def saved(self, file: TextFile) -> None:
        self.file, self.gone = file, False

    @property
    def modified(self) -> bool:
        return not self.read_only and (self.gone or self.text != self.file.text)

    def mark(self, problems: Sequence[Diagnostic]) -> None:
        marked: dict[int, list[Diagnostic]] = {}
        for problem in problems:
            marked.setdefault(problem.line - 1, []).append(problem)
        if marked != self._problems:
            self._problems = marked
            self.notify_style_update()
            self.refresh()

    def go_to(self, line: int, column: int = 1, end_column: int = 0) -> None:
        """Go to a place, or select backwards from `end_column` (all from 1), and centre its line.

        So the beginning of a long selection is what can be seen.
        """
        self.move_cursor((line - 1, max(end_column, column) - 1), center=True)
        self.move_cursor((line - 1, column - 1), select=end_column > column)
        self.call_after_refresh(self._show_beginning)  # it may have no size yet

    def on_resize(self) -> None:
        if self.has_focus:
            self.call_after_refresh(self._show_beginning)

    def _show_beginning(self) -> None:
        """Scroll left as far as the cursor stays visible."""
        self.scroll_to(x=0, animate=False, immediate=True)
        self.scroll_cursor_visible()

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        if 0 < line_index < self._fence:
            for part in _YAML_LINE.finditer(line.plain):
                style = self.code_theme.get_highlight(_YAML_STYLES[part.lastgroup or ""])
                line.stylize(style or "", *part.span())
        for problem in self._problems.get(line_index, ()):
            end = problem.end_column - 1 if problem.end_line == problem.line else len(line)
            line.stylize(Style(underline=True) + self._colour(problem), problem.column - 1, max(end, problem.column))
        return line

    def render_line(self, y: int) -> Strip:
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
        """Find the end of the frontmatter, and repaint if it moved."""
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


def _language(file: TextFile) -> str | None:
    """The language by extension, else by shebang."""
    ending = paths.extension(file.name)
    first = file.text.partition("\n")[0]
    if ending in _LANGUAGES or not first.startswith("#!"):
        return _LANGUAGES.get(ending)
    return next((language for name, language in _INTERPRETERS if name in first), None)


def location(text: str, offset: int) -> tuple[int, int]:
    """The line and column of an offset, both from 0."""
    before = text[:offset]
    return before.count("\n"), len(before) - before.rfind("\n") - 1
