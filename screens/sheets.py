"""The style sheets, parsed again only when the colours are others: Textual does so for each screen that is shown first.

Nor is a widget styled anew then which nothing new is known for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from textual.css.stylesheet import Stylesheet

if TYPE_CHECKING:
    from textual.dom import DOMNode


class Sheets(Stylesheet):
    """All sheets of the app, which are known from its start."""

    def __init__(self, *, variables: dict[str, str]) -> None:
        super().__init__(variables=variables)
        self._stale = False
        self._styled: WeakSet[DOMNode] = WeakSet()

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take the colours of a theme."""
        if variables != self._variables:
            super().set_variables(variables)
            self._stale = True

    def reparse(self) -> None:
        """Parse everything again, if that makes a difference."""
        if self._stale:
            super().reparse()
            self._stale = False
            self._styled.clear()

    def apply(self, node: DOMNode, **options: Any) -> None:
        """Style a widget."""
        super().apply(node, **options)
        self._styled.add(node)

    def update(self, root: DOMNode, animate: bool = False) -> None:
        """Style all that were not since the sheets were parsed."""
        self.update_nodes((node for node in root.walk_children(with_self=True) if node not in self._styled), animate=animate)
