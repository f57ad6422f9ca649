"""hooktui's two themes: calm backgrounds, and a cursor line that keeps state colours readable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.color import Color
from textual.theme import Theme

# Colours by name: dark, light.
_COLOURS = {
    "background": ("#15181e", "#f4f2ed"),
    "surface": ("#191d24", "#fbfaf7"),
    "panel": ("#21262f", "#ebe8e1"),
    "foreground": ("#ccd3dd", "#101418"),
    "primary": ("#7ea6d9", "#2f639f"),
    "secondary": ("#93a1b5", "#56606d"),
    "accent": ("#bfa3e3", "#6b3fa3"),  # of keys
    # Those of states differ for people who see no red or no green, too.
    "success": ("#7acba6", "#1f6b4a"),
    "warning": ("#e0b25c", "#855400"),
    "error": ("#ec7f7d", "#a01830"),
}
_VARIABLES = {
    "border-blurred": ("#3a424f", "#c9c4b8"),
    "faint": ("#7f8998", "#626b76"),  # the ordinary, on plain backgrounds
    "block-cursor-background": ("#27374d", "#cfdef0"),
    "block-cursor-foreground": ("#f2f5f9", "#14181d"),
    "block-cursor-blurred-background": ("#252b35", "#e6e3db"),
    "block-hover-background": ("#20252e", "#efece5"),
    "footer-background": ("#191d24", "#e9e6df"),
    "footer-description-foreground": ("#93a1b5", "#4a525d"),
    "input-selection-background": ("#3a5070", "#bcd2ec"),
    "scrollbar": ("#333b47", "#c9c4b8"),
    "scrollbar-hover": ("#44505f", "#b3ad9f"),
    "scrollbar-background": ("#191d24", "#f0ede6"),
}


def _theme(name: str, tone: int) -> Theme:
    colours: dict[str, Any] = {colour: values[tone] for colour, values in _COLOURS.items()}
    variables = {variable: values[tone] for variable, values in _VARIABLES.items()}
    variables |= {
        "button-focus-text-style": "bold",
        "border": colours["primary"],
        "block-cursor-blurred-foreground": colours["foreground"],
        "footer-key-foreground": colours["accent"],
        "scrollbar-background-hover": variables["scrollbar-background"],
        "scrollbar-background-active": variables["scrollbar-background"],
    }
    return Theme(name=name, dark=tone == 0, **colours, variables=variables)


DARK = _theme("hooktui-dark", 0)
LIGHT = _theme("hooktui-light", 1)


def adapted(variables: dict[str, str], *, no_color: bool) -> dict[str, str]:
    """The variables of any theme, with which all texts can be read. Changes them in place: lists read `theme_variables`."""
    if "faint" not in variables:  # one of Textual's own themes
        variables.update(calmed(variables))
    if no_color:
        variables["error"] = variables["foreground"]  # as a grey, red is dimmer than what is ordinary
    return variables


def calmed(variables: Mapping[str, str]) -> dict[str, str]:
    """Variables that give one of Textual's own themes a cursor line and a footer on which its texts can be read."""
    background, foreground, primary = (Color.parse(variables[name]) for name in ("background", "foreground", "primary"))
    dim = foreground.blend(background, 0.3).hex
    return {
        "secondary": dim,
        "faint": dim,
        "block-cursor-background": background.blend(primary, 0.25).hex,
        "block-cursor-foreground": foreground.hex,
        "block-cursor-blurred-background": background.blend(primary, 0.12).hex,
        "footer-background": variables["panel"],
        "footer-key-foreground": variables["accent"],
        "footer-description-foreground": foreground.hex,
    }
