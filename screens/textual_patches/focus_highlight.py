"""Highlight the pane that holds the focus.

`:focus-within` would do, but Textual (seen in 8.0) then restyles every widget in the pane each time the focus moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.widget import Widget

if TYPE_CHECKING:
    from textual.app import App


def highlight_panes(app: App[Any], widget: Widget) -> None:
    """Restyle just the panes around a widget that got or lost the focus."""
    panes = [node for node in widget.ancestors if isinstance(node, Widget) and node.has_class("pane")]
    for pane in panes:
        pane.set_class(pane.has_focus_within, "-within", update=False)
    app.stylesheet.update_nodes(panes)
