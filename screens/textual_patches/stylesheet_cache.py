"""The style sheets, parsed once for each set of colours: Textual does so for each screen that is shown first.

Nor is a widget styled anew then which nothing new is known for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from textual.cache import LRUCache
from textual.css.stylesheet import Stylesheet

if TYPE_CHECKING:
    from textual.css.model import RuleSet
    from textual.dom import DOMNode

_SHEETS = 256  # more than all widgets bring along
_parsed: dict[frozenset[tuple[str, str]], LRUCache[tuple[object, ...], list[RuleSet]]] = {}  # by the colours of a theme


class Sheets(Stylesheet):
    """All sheets of the app, which are known from its start."""

    def __init__(self, *, variables: dict[str, str]) -> None:
        super().__init__(variables=variables)
        self._stale = False
        self._styled: WeakSet[DOMNode] = WeakSet()
        self._remember()

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take the colours of a theme."""
        if variables != self._variables:
            self._parse_cache = LRUCache(1)  # the one that is emptied now
            super().set_variables(variables)
            self._remember()
            self._stale = True

    def _remember(self) -> None:
        self._parse_cache = _parsed.setdefault(frozenset(self._variables.items()), LRUCache(_SHEETS))

    def reparse(self) -> None:
        """Parse what was not yet parsed for these colours, if they are others."""
        if self._stale:
            self.parse()
            self._stale = False
            self._styled.clear()

    def apply(self, node: DOMNode, **options: Any) -> None:
        """Style a widget."""
        super().apply(node, **options)
        self._styled.add(node)

    def update(self, root: DOMNode, animate: bool = False) -> None:
        """Style all that were not since the sheets were parsed."""
        self.update_nodes((node for node in root.walk_children(with_self=True) if node not in self._styled), animate=animate)
