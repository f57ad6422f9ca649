"""Every text of both themes can be read, and its states told apart, also by people who see no red or no green.

The contrast is at least 4.5, as WCAG 2.2 (1.4.3) asks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, product
from math import dist
from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from hooktui.screens.widgets.cells import STYLES
from hooktui.screens.widgets.themes import DARK, LIGHT, calmed

LEAST, LEAST_OF_OTHERS, LEAST_APART = 4.5, 3.0, 15.0
STATES = ("success", "warning", "error")
XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
# Machado, Oliveira and Fernandes (2009), severity 1.
SIGHTS = {
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
}
ROOT = Path(__file__).parents[3]
PLAIN = ("background", "surface", "panel")
LINES = ("background", "surface", "block-cursor-background", "block-cursor-blurred-background", "block-hover-background")
SHADES = re.compile(r"\$foreground (\d+)%")


def colour(theme: Theme, name: str) -> Color:
    return Color.parse(theme.variables.get(name) or getattr(theme, name))


def linear(color: Color) -> Sequence[float]:
    values = (value / 255 for value in (color.r, color.g, color.b))
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]


def times(matrix: Sequence[Sequence[float]], values: Sequence[float]) -> list[float]:
    return [sum(factor * value for factor, value in zip(row, values, strict=True)) for row in matrix]


def luminance(color: Color) -> float:
    return times(XYZ, linear(color))[1]


def lab(color: Color, sight: str) -> Sequence[float]:
    """Lightness, red to green and yellow to blue (CIELAB, D65), as somebody sees a colour."""
    seen = [min(max(value, 0.0), 1.0) for value in times(SIGHTS[sight], linear(color))]
    x, y, z = (part / white for part, white in zip(times(XYZ, seen), map(sum, XYZ), strict=True))
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


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


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: str(theme.name))
def test_states_differ_for_people_who_see_fewer_colours(theme: Theme, sight: str) -> None:
    pairs = list(combinations(STATES, 2))
    apart = {pair: dist(*(lab(colour(theme, name), sight) for name in pair)) for pair in pairs}
    assert {pair: round(difference) for pair, difference in apart.items() if difference < LEAST_APART} == {}


def test_no_text_is_fainter_than_tested() -> None:
    files = [*ROOT.glob("screens/**/*.py"), *ROOT.glob("styles/*.tcss")]
    shares = {int(share) for file in files for share in SHADES.findall(file.read_text(encoding="utf-8"))}
    assert min(shares) == 60


@pytest.mark.parametrize(
    "theme", [theme for name, theme in BUILTIN_THEMES.items() if not name.startswith("ansi")], ids=lambda theme: theme.name
)
def test_textuals_own_themes_keep_the_cursor_line_readable(theme: Theme) -> None:
    variables = theme.to_color_system().generate()
    text, line = Color.parse(variables["foreground"]), Color.parse(calmed(variables)["block-cursor-background"])
    lighter, darker = sorted((luminance(text), luminance(line)), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= LEAST_OF_OTHERS
