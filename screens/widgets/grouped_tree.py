"""A list in groups that fold: the tree of hooks and the list of problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.binding import Binding
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import ClassVar

    from rich.text import TextType
    from textual import getters
    from textual.binding import BindingType
    from textual.events import Click
    from textual.widgets.tree import TreeNode

    from hooktui.app import HooktuiApp

T = TypeVar("T")
Told = TypeVar("Told")
_INDENT = 2
_NOTHING = (("", ""),)
_DRAWN_LATER = Text("")
_GLYPH_AND_NAME = 2  # parts of a row, behind which the mark of what is unsaved stands


@dataclass(frozen=True, slots=True)
class Row(Generic[T]):
    """One line and what it stands for. Each part of it is a text and the name of its style ("" for plain).

    `right` holds what may stand on the right, from long to short: the first that leaves room for the left is shown.
    `key` stays the same when the list is made anew, so that cursor and folds stay where they are. Children stand below.
    """

    key: str
    left: tuple[tuple[str, str], ...]
    right: tuple[tuple[str, str], ...] = ()
    data: T | None = None
    children: tuple[Row[T], ...] = ()
    is_group: bool = False

    @property
    def count(self) -> int:
        """How many rows stand below, at any depth."""
        return sum(1 + child.count for child in self.children)


class GroupedTree(Tree[Row[T]], inherit_bindings=False):
    """Rows in groups. Tells of the row under the cursor, and of the row that was opened (enter, l, double click).

    A tree's own keys are said anew: `space` belongs to the screen.
    """

    ICON_NODE = "▸ "
    ICON_NODE_EXPANDED = "▾ "
    COMPONENT_CLASSES: ClassVar[set[str]] = {"row--ok", "row--muted", "row--warning", "row--error", "row--accent", "row--group"}
    BINDING_GROUP_TITLE = "List"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", show=False, id="open"),
        Binding("j,down", "cursor_down", "Down", show=False, id="down"),
        Binding("k,up", "cursor_up", "Up", show=False, id="up"),
        Binding("pagedown", "page_down", "Page down", show=False, id="page-down"),
        Binding("pageup", "page_up", "Page up", show=False, id="page-up"),
        Binding("g,home", "scroll_home", "First", show=False, id="first"),
        Binding("G,end", "scroll_end", "Last", show=False, id="last"),
        Binding("h,left", "fold", "Fold, or to the group", show=False, id="fold"),
        Binding("l,right", "unfold", "Unfold, or open", show=False, id="unfold"),
    ]

    if TYPE_CHECKING:
        app = getters.app(HooktuiApp)

    class Highlighted(Message, Generic[Told]):
        """The cursor is on another row now."""

        def __init__(self, tree: GroupedTree[Told], row: Row[Told]) -> None:
            super().__init__()
            self.tree = tree
            self.row = row

        @property
        def control(self) -> GroupedTree[Told]:
            """The tree that tells."""
            return self.tree

    class Opened(Highlighted[Told]):
        """A row was opened."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(Text(""), id=id)
        self.show_root = False
        self.show_guides = False
        self.guide_depth = _INDENT
        self._folded: set[str] = set()
        self._by_key: dict[str, TreeNode[Row[T]]] = {}  # by the key of the row
        self._shape: list[tuple[int, str]] = []  # depth and key of each row
        self._marked: frozenset[str] = frozenset()

    def show(self, groups: Sequence[Row[T]]) -> None:
        """Show other rows; the cursor stays on its row, or where that row was."""
        shape = [(depth, row.key) for depth, row in _flat(groups)]
        if shape == self._shape:
            self._refill(groups)
        else:
            self._shape = shape
            self._fill(groups)

    def _refill(self, groups: Sequence[Row[T]]) -> None:
        """Draw those rows anew that are others now, and leave the rest as it is."""
        here = self.current
        for _, row in _flat(groups):
            node = self._by_key[row.key]
            if node.data != row:
                changed, node.data = node.data, row
                node.refresh()
                if changed is here:
                    self.post_message(self.Highlighted(self, row))

    def _fill(self, groups: Sequence[Row[T]]) -> None:
        line, key = self.cursor_line, self.current.key if self.current else ""
        self.clear()
        self._by_key.clear()
        self.cursor_line = -1  # so that the row that gets the cursor is told of, even on the same line
        for group in groups:
            self._add(self.root, group)
        self.root.expand()
        if not self.go_to(key) and self.last_line >= 0:
            self.move_cursor_to_line(min(max(line, 1), self.last_line))
        if self.cursor_line == 1:  # before the first layout there is no room, and the first group would be scrolled away
            self.call_after_refresh(self.scroll_home, animate=False)

    @property
    def current(self) -> Row[T] | None:
        """The row under the cursor."""
        return self.cursor_node.data if self.cursor_node else None

    def has(self, key: str) -> bool:
        """Whether there is such a row, folded away or not."""
        return key in self._by_key

    def mark(self, *keys: str) -> None:
        """Mark these rows, and no others, as unsaved."""
        changed = self._marked.symmetric_difference(keys)
        self._marked = frozenset(keys)
        for key in changed & self._by_key.keys():
            self._by_key[key].refresh()

    def go_to(self, key: str) -> bool:
        """Put the cursor on a row, unfolding its group; whether there is such a row."""
        node = self._by_key.get(key)
        if node is None:
            return False
        parent = node.parent
        while parent is not None and parent is not self.root:
            if not parent.is_expanded:  # expanding draws the whole tree anew
                parent.expand()
            parent = parent.parent
        self.last_line  # noqa: B018  # numbers the lines anew, which moving needs
        self.move_cursor(node)
        return True

    def _add(self, parent: TreeNode[Row[T]], row: Row[T]) -> None:
        node = parent.add(_DRAWN_LATER, row, expand=row.key not in self._folded, allow_expand=row.is_group)
        self._by_key[row.key] = node
        for child in row.children:
            self._add(node, child)

    def process_label(self, label: TextType) -> Text:
        """Nothing to process: a label is made of its row when it is drawn."""
        return _DRAWN_LATER

    def render_label(self, node: TreeNode[Row[T]], base_style: Style, style: Style) -> Text:
        """One line: left parts, room, right part; the left side is cut when it is too long."""
        row = node.data
        assert row is not None
        room = self.scrollable_content_region.width - _INDENT * _depth(node)
        parts = [(self._fold_icon(node), "row--muted"), *row.left] if row.is_group else list(row.left)
        if row.key in self._marked:
            parts.insert(_GLYPH_AND_NAME, (" •", "row--accent"))
        left = Text.assemble(*((text, self._style(name)) for text, name in parts), style=style, no_wrap=True)
        shortest = (row.right or _NOTHING)[-1]
        right, name = next((part for part in row.right if left.cell_len + cell_len(part[0]) < room), shortest)
        left.truncate(max(room - cell_len(right) - 1, 1), overflow="ellipsis", pad=True)
        return Text.assemble(left, " ", (right, self._style(name)), style=style)

    def _fold_icon(self, node: TreeNode[Row[T]]) -> str:
        return self.ICON_NODE_EXPANDED if node.is_expanded else self.ICON_NODE

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(name, partial=True) if name else Style()

    def get_label_width(self, node: TreeNode[Row[T]]) -> int:
        """Labels are as wide as the tree, never wider."""
        return 1

    def render_line(self, y: int) -> Strip:
        """A line, the cursor's colour reaching to its left edge."""
        strip = super().render_line(y)
        line = y + self.scroll_offset.y
        if line != self.cursor_line or self.cursor_node is None:
            return strip
        indent = _INDENT * _depth(self.cursor_node)
        edge = Segment(" " * indent, self.get_component_rich_style("tree--cursor") + Style(meta={"line": line}))
        return Strip.join([Strip([edge]), strip.crop(indent)])

    def on_tree_node_highlighted(self, event: Tree.NodeHighlighted[Row[T]]) -> None:
        """Tell in our own words."""
        event.stop()
        if event.node.data is not None:
            self.post_message(self.Highlighted(self, event.node.data))

    def on_tree_node_collapsed(self, event: Tree.NodeCollapsed[Row[T]]) -> None:
        """Remember the fold."""
        if event.node.data is not None:
            self._folded.add(event.node.data.key)

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[Row[T]]) -> None:
        """Forget the fold."""
        if event.node.data is not None:
            self._folded.discard(event.node.data.key)

    def on_click(self, event: Click) -> None:
        """A double click opens."""
        if event.chain > 1:
            self.action_open()

    def action_open(self) -> None:
        """Open the row, or fold and unfold the group."""
        if self.current is None:
            return
        if self.current.is_group:
            self.action_toggle_node()
        else:
            self.post_message(self.Opened(self, self.current))

    def action_fold(self) -> None:
        """Fold the group, or go up to it."""
        node = self.cursor_node
        if node is not None and node.allow_expand and node.is_expanded:
            node.collapse()
        elif node is not None and node.parent is not self.root:
            self.move_cursor(node.parent)

    def action_unfold(self) -> None:
        """Unfold the group, or open the row."""
        node = self.cursor_node
        if node is not None and node.allow_expand:
            node.expand()
        else:
            self.action_open()


def _flat(rows: Iterable[Row[T]], depth: int = 0) -> Iterator[tuple[int, Row[T]]]:
    """All rows in their order, each with its depth."""
    for row in rows:
        yield depth, row
        yield from _flat(row.children, depth + 1)


def _depth(node: TreeNode[Row[T]]) -> int:
    """How deep a node is, 0 for a group."""
    depth = -1
    parent = node.parent
    while parent is not None:
        depth, parent = depth + 1, parent.parent
    return depth
