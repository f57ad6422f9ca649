"""What is wrong with hooks beyond what their formats see while reading: rules over a catalog, each with its code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.diagnostics.rules import RULES

if TYPE_CHECKING:
    from hooktui.diagnostics.rules import Snapshot
    from hooktui.model import Diagnostic

__all__ = ["check"]


def check(catalog: Snapshot) -> tuple[Diagnostic, ...]:
    """Everything that the rules find, rule by rule. Never raises for what a file holds."""
    return tuple(found for rule in RULES for found in rule(catalog))
