"""A text area for code, in the app's theme, with visible control characters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from rich.style import Style
from rich.text import Text
from textual.binding import Binding
from textual.color import Color
from textual.document._syntax_aware_document import SyntaxAwareDocument
from textual.widgets import TextArea
from textual.widgets.text_area import TextAreaTheme
from tree_sitter import Query

from hooktui.core.text_sanitizer import visible

_THEME = "hooktui"

# Theme colour, attributes, and the tree-sitter names that get them.
_STYLES = (
    ("success", "", "string string.documentation string.special inline_code"),
    ("accent", "", "number float boolean constant.builtin json.null type type.class type.builtin class constructor"),
    ("primary", "", "keyword keyword.function keyword.return keyword.operator conditional repeat exception include tag"),
    ("primary", "", "yaml.field json.label toml.type css.property function.builtin"),
    ("primary", "bold", "heading"),
    ("secondary", "", "function function.call method method.call operator list.marker heading.marker info_string"),
    ("secondary", "underline", "link.uri link.label"),
    ("foreground", "bold", "bold"),
    ("foreground", "italic", "italic"),
)


class CodeArea(TextArea):
    """A text area with line numbers and no wrapping; each control character takes one column."""

    BINDINGS = [
        Binding("ctrl+home", "document_start", "First line", show=False, id="first-line"),
        Binding("ctrl+end", "document_end", "Last line", show=False, id="last-line"),
    ]

    def __init__(self, language: str | None = None, tab_behavior: Literal["focus", "indent"] = "focus") -> None:
        super().__init__(language=language, show_line_numbers=True, tab_behavior=tab_behavior, soft_wrap=False)
        self.add_class("code")
        self.cursor_blink = False
        self.code_theme = TextAreaTheme(_THEME)

    def on_mount(self) -> None:
        self._take_colours()
        self.app.theme_changed_signal.subscribe(self, lambda _theme: self._take_colours())

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_top)

    def show_top(self) -> None:
        """Take back a scroll made while there was less room, unless the cursor needs it."""
        if self.cursor_location[0] < self.scrollable_content_region.height:
            self.scroll_to(y=0, animate=False)

    def action_document_start(self) -> None:
        self.move_cursor((0, 0))

    def action_document_end(self) -> None:
        self.move_cursor(self.document.end)

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        line.plain = visible(line.plain)
        return line

    def _rewrap_and_refresh_virtual_size(self) -> None:
        """Keep the wrapped lines if only the height changes: Textual (seen in 8.0) wraps the whole text again."""
        wrapped = self.wrapped_document
        if (wrapped._width, wrapped._tab_width) == (self.wrap_width, self.indent_width):
            self._line_cache.clear()
            self._refresh_size()
        else:
            super()._rewrap_and_refresh_virtual_size()

    def _recompute_cursor_offset(self) -> None:
        """Stay inside the text: Textual (seen in 8.0) scrolls before it moves the cursor when an undo removes lines."""
        self._cursor_offset = self.wrapped_document.location_to_offset(self.clamp_visitable(self.cursor_location))

    def _take_colours(self) -> None:
        self.code_theme = _theme(self.app.theme_variables)
        self.register_theme(self.code_theme)
        self.theme = _THEME


_compiled = cache(Query)


def _prepare_query(document: SyntaxAwareDocument, query: str) -> Query:
    """The query for a language's colours, compiled once: Textual (seen in 8.2) compiles it for each text, which takes 5 ms."""
    return _compiled(document.language, query)


SyntaxAwareDocument.prepare_query = _prepare_query  # type: ignore[assignment]


def _theme(variables: Mapping[str, str]) -> TextAreaTheme:
    styles = {}
    for colour, attributes, names in _STYLES:
        style = Style.parse(attributes) + Style(color=Color.parse(variables[colour]).rich_color)
        styles.update(dict.fromkeys(names.split(), style))
    foreground, background = Color.parse(variables["foreground"]), Color.parse(variables["background"])
    styles["comment"] = Style(color=foreground.blend(background, 0.4).rich_color, italic=True)
    # A background only: TextArea lays this style over the line's colours.
    here = Style(bgcolor=Color.parse(variables["panel"]).rich_color)
    numbers = Style(color=foreground.blend(background, 0.4).rich_color)
    return TextAreaTheme(name=_THEME, cursor_line_style=here, gutter_style=numbers, syntax_styles=styles)
