"""hooktui's two themes: calm backgrounds, and a cursor line that keeps state colours readable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.theme import Theme

if TYPE_CHECKING:
    from typing import Final

DARK: Final = Theme(
    name="hooktui-dark",
    dark=True,
    background="#15181e",
    surface="#191d24",
    panel="#222730",
    foreground="#ccd3dd",
    primary="#7ea6d9",
    secondary="#93a1b5",
    accent="#c9a26d",
    success="#8cbf88",
    warning="#e0b25c",
    error="#e5737b",
    variables={
        "button-focus-text-style": "bold",
        "border": "#7ea6d9",
        "border-blurred": "#3a424f",
        "block-cursor-background": "#2b3c54",
        "block-cursor-foreground": "#f2f5f9",
        "block-cursor-blurred-background": "#252b35",
        "block-cursor-blurred-foreground": "#ccd3dd",
        "block-hover-background": "#20252e",
        "footer-background": "#191d24",
        "footer-key-foreground": "#c9a26d",
        "footer-description-foreground": "#93a1b5",
        "input-selection-background": "#3a5070",
        "scrollbar": "#333b47",
        "scrollbar-hover": "#44505f",
        "scrollbar-background": "#191d24",
        "scrollbar-background-hover": "#191d24",
        "scrollbar-background-active": "#191d24",
    },
)

LIGHT: Final = Theme(
    name="hooktui-light",
    dark=False,
    background="#f4f2ed",
    surface="#fbfaf7",
    panel="#e9e6df",
    foreground="#2c3138",
    primary="#2f639f",
    secondary="#5b6573",
    accent="#8a5a14",
    success="#2f7035",
    warning="#8f5b00",
    error="#b12c3a",
    variables={
        "button-focus-text-style": "bold",
        "border": "#2f639f",
        "border-blurred": "#c9c4b8",
        "block-cursor-background": "#cfdef0",
        "block-cursor-foreground": "#14181d",
        "block-cursor-blurred-background": "#e6e3db",
        "block-cursor-blurred-foreground": "#2c3138",
        "block-hover-background": "#efece5",
        "footer-background": "#e9e6df",
        "footer-key-foreground": "#8a5a14",
        "footer-description-foreground": "#4a525d",
        "input-selection-background": "#bcd2ec",
        "scrollbar": "#c9c4b8",
        "scrollbar-hover": "#b3ad9f",
        "scrollbar-background": "#f0ede6",
        "scrollbar-background-hover": "#f0ede6",
        "scrollbar-background-active": "#f0ede6",
    },
)
