"""The pane that has the focus, lit up."""

from __future__ import annotations

from textual import on
from textual.events import DescendantBlur, DescendantFocus
from textual.widget import Widget

from hooktui.screens.textual_patches.typed_ahead import TypedAhead


class LitPanes(TypedAhead):
    """An app that marks the panes around the focused widget.

    Only they look different then. `:focus-within` would have all that stands in them styled anew with each move of the focus.
    """

    @on(DescendantFocus)
    @on(DescendantBlur)
    def _light_panes(self, event: DescendantFocus | DescendantBlur) -> None:
        panes = [node for node in event.widget.ancestors if isinstance(node, Widget) and node.has_class("pane")]
        for pane in panes:
            pane.set_class(pane.has_focus_within, "-within", update=False)
        self.stylesheet.update_nodes(panes)
