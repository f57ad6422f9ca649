"""Glyphs and colours that mean the same on every screen, and the names of hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.catalog.host_support import title

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hooktui.core.model import DecisionName

# Colours of the lines of a difference, by their signs.
SIGN_COLOURS = {"+": "$success", "-": "$error"}
# Glyph and colour of a decision.
DECISION_SIGNS: dict[DecisionName, tuple[str, str]] = {
    "none": ("∅", "$foreground 60%"),
    "allow": ("✔", "$success"),
    "ask": ("?", "$warning"),
    "deny": ("✕", "$error"),
    "stop": ("■", "$error"),
}


def host_names(hosts: Iterable[str]) -> str:
    """The names of hosts as people know them."""
    return ", ".join(map(title, hosts))
