"""Syntax colours for the editor, made from the colours of the app's theme, so that every theme fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from textual.color import Color
from textual.widgets.text_area import TextAreaTheme

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "hooktui"

# Colour of the theme, further attributes, and the tree-sitter names that get them.
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


def made_from(variables: Mapping[str, str]) -> TextAreaTheme:
    """The editor's theme for the variables of an app's theme."""
    styles = {}
    for colour, attributes, names in _STYLES:
        style = Style.parse(attributes) + Style(color=Color.parse(variables[colour]).rich_color)
        styles.update(dict.fromkeys(names.split(), style))
    styles["comment"] = Style(color=_faint(variables), italic=True)
    return TextAreaTheme(name=NAME, syntax_styles=styles)


def _faint(variables: Mapping[str, str]) -> str:
    foreground, background = Color.parse(variables["foreground"]), Color.parse(variables["background"])
    return foreground.blend(background, 0.4).hex6
