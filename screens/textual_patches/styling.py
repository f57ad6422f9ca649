"""Parse the stylesheets once per theme, style each widget once, and restyle only the panes whose focus changes.

Textual (seen in 8.0) parses all sheets again for every screen that is shown for the first time, and restyles every widget then.
Its `:focus-within` (seen in 8.0) restyles every widget in a pane each time the focus moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from textual.cache import LRUCache
from textual.css.stylesheet import Stylesheet
from textual.widget import Widget

if TYPE_CHECKING:
    from textual.app import App
    from textual.css.model import RuleSet
    from textual.dom import DOMNode

_CACHE_SIZE = 256  # more sheets than all widgets bring along
_parsed: dict[frozenset[tuple[str, str]], LRUCache[tuple[object, ...], list[RuleSet]]] = {}  # by a theme's variables


class CachedStylesheet(Stylesheet):
    """The app's sheets, all known from its start."""

    def __init__(self, *, variables: dict[str, str]) -> None:
        super().__init__(variables=variables)
        self._stale = False
        self._styled: WeakSet[DOMNode] = WeakSet()
        self._use_cache()

    def set_variables(self, variables: dict[str, str]) -> None:
        """Switch to the colours of another theme."""
        if variables != self._variables:
            self._parse_cache = LRUCache(1)  # the superclass empties the current cache
            super().set_variables(variables)
            self._use_cache()
            self._stale = True

    def _use_cache(self) -> None:
        self._parse_cache = _parsed.setdefault(frozenset(self._variables.items()), LRUCache(_CACHE_SIZE))

    def reparse(self) -> None:
        """Parse again only after a change of theme."""
        if self._stale:
            self.parse()
            self._stale = False
            self._styled.clear()

    def apply(self, node: DOMNode, **options: Any) -> None:
        super().apply(node, **options)
        self._styled.add(node)

    def update(self, root: DOMNode, animate: bool = False) -> None:
        """Style the widgets that have not been styled since the sheets were parsed."""
        self.update_nodes((node for node in root.walk_children(with_self=True) if node not in self._styled), animate=animate)


def highlight_panes(app: App[Any], widget: Widget) -> None:
    """Restyle just the panes around a widget that got or lost the focus."""
    panes = [node for node in widget.ancestors if isinstance(node, Widget) and node.has_class("pane")]
    for pane in panes:
        pane.set_class(pane.has_focus_within, "-within", update=False)
    app.stylesheet.update_nodes(panes)
