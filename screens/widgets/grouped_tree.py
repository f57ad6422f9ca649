"""A list in groups that fold, for hooks and problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text, TextType
from textual.binding import Binding
from textual.events import Click
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from hooktui.core.text_sanitizer import one_line

T = TypeVar("T")
Data = TypeVar("Data")
_INDENT = 2
_NOTHING = (("", ""),)
_DRAWN_LATER = Text("")
_GLYPH_AND_NAME = 2  # parts of a row before the mark for unsaved edits


@dataclass(frozen=True, slots=True)
class TreeRow(Generic[T]):
    """A line and its data. Each part of a line is a text and the name of its style ("" for plain).

    `right` holds texts for the right side, from long to short: the first that leaves room for the left is shown.
    `key` identifies the row when the list is rebuilt, so that cursor and folds stay. Children are shown below.
    """

    key: str
    left: tuple[tuple[str, str], ...]
    right: tuple[tuple[str, str], ...] = ()
    data: T | None = None
    children: tuple[TreeRow[T], ...] = ()
    is_group: bool = False

    @property
    def count(self) -> int:
        """The number of rows below, at any depth."""
        return sum(1 + child.count for child in self.children)


def grouped(groups: Mapping[str, Sequence[TreeRow[T]]], *, by_name: bool) -> list[TreeRow[T]]:
    """A row for each group, with its count; in the given order unless sorted `by_name`."""
    rows = []
    for name in sorted(groups, key=str.lower) if by_name else groups:
        group = TreeRow(f"group:{name}", ((one_line(name), "row--group"),), children=tuple(groups[name]), is_group=True)
        rows.append(replace(group, right=((str(group.count), "row--muted"),)))
    return rows


class GroupedTree(Tree[TreeRow[T]], inherit_bindings=False):
    """Rows in groups. Posts the row under the cursor, and the row that was opened (enter, l, double click).

    Declares all keys anew, without the tree's `space`, which belongs to the screen.
    """

    ICON_NODE = "▸ "
    ICON_NODE_EXPANDED = "▾ "
    COMPONENT_CLASSES = {"row--ok", "row--muted", "row--warning", "row--error", "row--accent", "row--group"}
    BINDING_GROUP_TITLE = "List"
    BINDINGS = [
        Binding("enter", "open", "Open", show=False, id="open"),
        Binding("j,down", "cursor_down", "Down", show=False, id="down"),
        Binding("k,up", "cursor_up", "Up", show=False, id="up"),
        Binding("pagedown", "page_down", "Page down", show=False, id="page-down"),
        Binding("pageup", "page_up", "Page up", show=False, id="page-up"),
        Binding("g,home", "scroll_home", "First", show=False, id="first"),
        Binding("G,end", "scroll_end", "Last", show=False, id="last"),
        Binding("h,left", "fold", "Fold, or go to the group", show=False, id="fold"),
        Binding("l,right", "unfold", "Unfold, or open", show=False, id="unfold"),
    ]

    _is_filling = False  # the superclass asks while it is made

    @dataclass
    class Highlighted(Message, Generic[Data]):
        """The cursor moved to another row."""

        tree: GroupedTree[Data]
        row: TreeRow[Data]

        @property
        def control(self) -> GroupedTree[Data]:
            return self.tree

    class Opened(Highlighted[Data]):
        """A row was opened."""

    def __init__(self, *, id: str, folded: Sequence[str] = ()) -> None:  # noqa: A002  # Textual's name
        """`folded` are the names of groups that are folded at first."""
        super().__init__(Text(""), id=id)
        self.show_root = False
        self.show_guides = False
        self.guide_depth = _INDENT
        self._folded = {f"group:{name}" for name in folded}
        self._by_key: dict[str, TreeNode[TreeRow[T]]] = {}  # by row key
        self._shape: list[tuple[int, str]] = []  # depth and key of each row
        self._marked: frozenset[str] = frozenset()

    def show(self, groups: Sequence[TreeRow[T]]) -> None:
        """Show rows; the cursor stays on its row, or where that row was."""
        shape = [(depth, row.key) for depth, row in _flat(groups)]
        if shape == self._shape:
            self._refill(groups)
        else:
            self._shape = shape
            self._fill(groups)

    def _refill(self, groups: Sequence[TreeRow[T]]) -> None:
        here = self.current
        for _, row in _flat(groups):
            node = self._by_key[row.key]
            if node.data != row:
                changed, node.data = node.data, row
                node.refresh()
                if changed is here:
                    self.post_message(self.Highlighted(self, row))

    def _fill(self, groups: Sequence[TreeRow[T]]) -> None:
        line, key = self.cursor_line, self.current.key if self.current else ""
        self.clear()
        self._by_key.clear()
        self.cursor_line = -1  # so that `Highlighted` is posted even for the same line
        self._is_filling = True
        for group in groups:
            self._add(self.root, group)
        self._is_filling = False
        self.root.expand()
        self._invalidate()
        if not self.go_to(key) and self.last_line >= 0:
            self.move_cursor_to_line(min(max(line, 1), self.last_line))

    @property
    def current(self) -> TreeRow[T] | None:
        return self.cursor_node.data if self.cursor_node else None

    def has(self, key: str) -> bool:
        return key in self._by_key

    def mark(self, *keys: str) -> None:
        """Mark these rows and no others as unsaved."""
        changed = self._marked.symmetric_difference(keys)
        self._marked = frozenset(keys)
        for key in changed & self._by_key.keys():
            self._by_key[key].refresh()

    def go_to(self, key: str) -> bool:
        """Go to a row, unfolding its group; whether it exists."""
        node = self._by_key.get(key)
        if node is None:
            return False
        parent = node.parent
        while parent is not None and parent is not self.root:
            if not parent.is_expanded:  # expanding redraws the whole tree
                parent.expand()
            parent = parent.parent
        self.last_line  # noqa: B018  # numbers the lines anew, which moving needs
        self.move_cursor(node)
        return True

    def _invalidate(self) -> None:
        """Redraw the tree; once for all rows of a new list, as each time costs more than adding a row."""
        if not self._is_filling:
            super()._invalidate()

    def _add(self, parent: TreeNode[TreeRow[T]], row: TreeRow[T]) -> None:
        node = parent.add(_DRAWN_LATER, row, expand=row.key not in self._folded, allow_expand=row.is_group)
        self._by_key[row.key] = node
        for child in row.children:
            self._add(node, child)

    def scroll_to_line(self, line: int, animate: bool = True) -> None:  # as Textual's
        """Scroll to a line. Before the first layout no line is in view, and the first group would be scrolled out of it."""
        if self.size:
            super().scroll_to_line(line, animate)

    def on_show(self) -> None:
        self.scroll_to_line(self.cursor_line, animate=False)

    def process_label(self, label: TextType) -> Text:
        """Skip: a label is made from its row when it is drawn."""
        return _DRAWN_LATER

    def render_label(self, node: TreeNode[TreeRow[T]], base_style: Style, style: Style) -> Text:
        """One line: left parts, space, right part; the left side is cut if it is too long."""
        row = node.data
        assert row is not None
        room = self.scrollable_content_region.width - _INDENT * _depth(node)
        icon = self.ICON_NODE_EXPANDED if node.is_expanded else self.ICON_NODE
        parts = [(icon, "row--muted"), *row.left] if row.is_group else list(row.left)
        if row.key in self._marked:
            parts.insert(_GLYPH_AND_NAME, (" •", "row--accent"))
        left = Text.assemble(*((text, self._style(name)) for text, name in parts), style=style, no_wrap=True)
        shortest = (row.right or _NOTHING)[-1]
        right, name = next((part for part in row.right if left.cell_len + cell_len(part[0]) < room), shortest)
        left.truncate(max(room - cell_len(right) - 1, 1), overflow="ellipsis", pad=True)
        return Text.assemble(left, " ", (right, self._style(name)), style=style)

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(name, partial=True) if name else Style()

    def get_label_width(self, node: TreeNode[TreeRow[T]]) -> int:
        """Labels are never wider than the tree."""
        return 1

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        line = y + self.scroll_offset.y
        if line != self.cursor_line or self.cursor_node is None:
            return strip
        indent = _INDENT * _depth(self.cursor_node)
        edge = Segment(" " * indent, self.get_component_rich_style("tree--cursor") + Style(meta={"line": line}))
        return Strip.join([Strip([edge]), strip.crop(indent)])

    def on_tree_node_highlighted(self, event: Tree.NodeHighlighted[TreeRow[T]]) -> None:
        event.stop()
        if event.node.data is not None:
            self.post_message(self.Highlighted(self, event.node.data))

    def on_tree_node_collapsed(self, event: Tree.NodeCollapsed[TreeRow[T]]) -> None:
        if event.node.data is not None:
            self._folded.add(event.node.data.key)

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[TreeRow[T]]) -> None:
        if event.node.data is not None:
            self._folded.discard(event.node.data.key)

    def on_click(self, event: Click) -> None:
        if event.chain > 1:
            self.action_open()

    def action_open(self) -> None:
        if self.current is None:
            return
        if self.current.is_group:
            self.action_toggle_node()
        else:
            self.post_message(self.Opened(self, self.current))

    def action_fold(self) -> None:
        node = self.cursor_node
        if node is not None and node.allow_expand and node.is_expanded:
            node.collapse()
        elif node is not None and node.parent is not self.root:
            self.move_cursor(node.parent)

    def action_unfold(self) -> None:
        node = self.cursor_node
        if node is not None and node.allow_expand:
            node.expand()
        else:
            self.action_open()


def _flat(rows: Iterable[TreeRow[T]], depth: int = 0) -> Iterator[tuple[int, TreeRow[T]]]:
    """All rows in order, each with its depth."""
    for row in rows:
        yield depth, row
        yield from _flat(row.children, depth + 1)


def _depth(node: TreeNode[TreeRow[T]]) -> int:
    """How deep a node is, 0 for a group."""
    depth = -1
    parent = node.parent
    while parent is not None:
        depth, parent = depth + 1, parent.parent
    return depth
