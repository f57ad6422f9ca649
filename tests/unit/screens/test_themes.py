"""Every text of both themes can be read: its contrast is at least 4.5, as WCAG 2.2 (1.4.3) asks."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import Theme

from hooktui.screens.widgets.cells import STYLES
from hooktui.screens.widgets.themes import DARK, LIGHT

LEAST = 4.5
ROOT = Path(__file__).parents[3]
PLAIN = ("background", "surface", "panel")
LINES = ("background", "surface", "block-cursor-background", "block-cursor-blurred-background", "block-hover-background")
SHADES = re.compile(r"\$foreground (\d+)%")


def colour(theme: Theme, name: str) -> Color:
    return Color.parse(theme.variables.get(name) or getattr(theme, name))


def luminance(color: Color) -> float:
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (color.r / 255, color.g / 255, color.b / 255)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(theme: Theme, text: str, background: str, share: float = 1.0) -> float:
    """The contrast of a text in `share` of its colour."""
    behind = colour(theme, background)
    darker, lighter = sorted(map(luminance, (behind, behind.blend(colour(theme, text), share))))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: str(theme.name))
def test_text_can_be_read_on_every_background(theme: Theme) -> None:
    words = {name for name, _ in STYLES.values()} - {"border-blurred", "faint"}  # the track of a bar is no text
    ratios = {(text, behind): contrast(theme, text, behind) for text, behind in product(sorted(words), (*PLAIN, *LINES))}
    ratios |= {("ordinary", "background"): contrast(theme, "faint", "background")}
    ratios |= {("faint", behind): contrast(theme, "foreground", behind, 0.7) for behind in LINES}
    ratios |= {("fainter", behind): contrast(theme, "foreground", behind, 0.6) for behind in PLAIN}
    assert {where: round(ratio, 2) for where, ratio in ratios.items() if ratio < LEAST} == {}


def test_no_text_is_fainter_than_tested() -> None:
    files = [*ROOT.glob("screens/**/*.py"), *ROOT.glob("styles/*.tcss")]
    shares = {int(share) for file in files for share in SHADES.findall(file.read_text(encoding="utf-8"))}
    assert min(shares) == 60
