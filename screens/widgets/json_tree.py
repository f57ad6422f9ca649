"""A JSON value as a foldable tree."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.binding import Binding
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from hooktui.catalog.hook_states import counted
from hooktui.core.text_sanitizer import one_line
from hooktui.log.export import exporters
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.cells import styles
from hooktui.screens.widgets.row_painter import pieces

_OPEN_LEVELS = 3
_CHILDREN_SHOWN = 500
_LETTERS_SHOWN = 2000
_PREVIEW = 60


class JsonTree(Tree[tuple[str, Any]]):
    """Keys and values; multi-line texts unfold like lists. Children are created when a node is opened."""

    BINDINGS = [
        Binding("j", "cursor_down", "Down", show=False, id="down"),
        Binding("k", "cursor_up", "Up", show=False, id="up"),
        Binding("g,home", "scroll_home", "First", show=False, id="first"),
        Binding("G,end", "scroll_end", "Last", show=False, id="last"),
        Binding("y", "copy", "Copy this value", show=False, id="copy"),
    ]
    BINDING_GROUP_TITLE = "Input"

    def __init__(self) -> None:
        super().__init__("", ("", None))
        self.show_root = False
        self.show_guides = False
        self.guide_depth = 2
        self._shown: re.Pattern[str] | None = None

    def show(self, value: Any, shown: re.Pattern[str] | None = None) -> None:
        """Show a value, with what was searched for highlighted."""
        self._shown = shown
        self.clear()
        self._grow(self.root, value, _OPEN_LEVELS)
        self.root.expand()
        self.cursor_line = 0

    def _grow(self, node: TreeNode[tuple[str, Any]], value: Any, levels: int) -> None:
        for number, (key, child) in enumerate(_children(value)):
            if number == _CHILDREN_SHOWN:
                node.add_leaf("", ("", ...))
                return
            opens = bool(child) if isinstance(child, dict | list) else isinstance(child, str) and "\n" in child
            new = node.add("", (key, child), expand=opens and levels > 1, allow_expand=opens)
            if opens and levels > 1:
                self._grow(new, child, levels - 1)

    def action_copy(self) -> None:
        if self.cursor_node is not None and self.cursor_node.data is not None:
            value = self.cursor_node.data[1]
            app_context(self).copy(value if isinstance(value, str) else exporters.json_of(value))

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[tuple[str, Any]]) -> None:
        """Create the children of a node that is opened for the first time."""
        node = event.node
        if not node.children and node.data:
            self._grow(node, node.data[1], 1)

    def render_label(self, node: TreeNode[tuple[str, Any]], base_style: Style, style: Style) -> Text:
        colours = styles(self.app.theme_variables)
        parts = ((piece, is_match, name) for text, name in _label(node) for piece, is_match in pieces(text, self._shown))
        styled = ((piece, colours["match" if is_match else name]) for piece, is_match, name in parts)
        return Text.assemble(*styled, style=style, no_wrap=True)

    def get_label_width(self, node: TreeNode[tuple[str, Any]]) -> int:
        """A label's width, without the theme's colours, which are not known yet."""
        return sum(cell_len(text) for text, _ in _label(node))


def _label(node: TreeNode[tuple[str, Any]]) -> Iterator[tuple[str, str]]:
    key, value = node.data or ("", None)
    if value is ...:
        yield "… more (`hooktui show` prints all)", "muted"
        return
    yield ("▾ " if node.is_expanded else "▸ ") if node.allow_expand else "  ", "muted"
    yield f"{one_line(key)} " if key else "", "key"
    if isinstance(value, str):
        yield from _text(value, node.is_expanded)
    elif isinstance(value, dict | list):
        noun = "field" if isinstance(value, dict) else "item"
        yield "" if node.is_expanded and value else counted(len(value), noun), "muted"
    else:
        yield json.dumps(value), "accent"


def _text(value: str, is_open: bool) -> Iterator[tuple[str, str]]:
    lines = value.split("\n")
    if len(lines) == 1:
        yield one_line(value[:_LETTERS_SHOWN]), ""
        return
    yield f"{len(lines)} lines", "muted"
    if not is_open:
        yield f"  {one_line(lines[0][:_PREVIEW])}", ""


def _children(value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, dict):
        return ((str(key), child) for key, child in value.items())
    if isinstance(value, list):
        return ((str(number), child) for number, child in enumerate(value))
    return (("", line) for line in value.split("\n")) if isinstance(value, str) else [("", value)]
