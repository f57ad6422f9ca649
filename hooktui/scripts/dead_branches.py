"""Blocks in a shell text that are out of reach because the value of a variable is always the same."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from hooktui.scripts import syntax

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from hooktui.scripts.syntax import Tree

_WORD = r"[\"']?\$\{?(\w+)(?::?-[^${}]*)?\}?[\"']?"
_COMPARES = re.compile(rf"\[\[? {_WORD} (=|==|!=) [\"']?([\w*?-]*)[\"']? \]\]?")
_IS_EMPTY = re.compile(rf"\[\[? -([zn]) {_WORD} \]\]?")
_BLOCK = re.compile(r"exit +2|.*\b(?:permissionDecision\W+deny|decision\W+(?:block|deny))\b.*", re.DOTALL)
_UNKNOWN = re.compile(
    r"(?:exit|return) +[^012]|exec\b|(?:.*/)?(?:\w*sh|python[\d.]*|node|ruby|perl|bun|deno) +[^-\s]"
)  # may block, too
_END = re.compile(r"(?:exit|return)(?: 0)?[; ]*")
_LEAVES = ("command", "redirected_statement")
_BODIES = ("if_statement", "elif_clause", "list")


def never_blocks(text: str, name: str, value: str) -> bool:
    """Whether a text has blocks, and none is reached while a variable has a value. False where that is not certain."""
    trees = syntax.parse(text)
    if len(trees) != 1 or not trees[0].complete:
        return False
    tree, reach = trees[0], _Reach(trees[0], name, value)
    leaves = [(node, tree.text(node).strip()) for node in _nodes(tree.root) if node.type in _LEAVES]
    blocks = [node for node, written in leaves if _BLOCK.fullmatch(written)]
    return bool(blocks) and not any(_UNKNOWN.match(written) for _, written in leaves) and all(map(reach.is_dead, blocks))


def _nodes(root: Node) -> Iterator[Node]:
    left = [root]
    while left:
        node = left.pop()
        yield node
        left += reversed(node.children)


class _Reach:
    """What is out of reach while a variable, and those that it is assigned to, have a value."""

    def __init__(self, tree: Tree, name: str, value: str) -> None:
        self._tree = tree
        self._value = value
        self._names = {name}
        assigned: dict[str, list[str]] = {}
        for node in _nodes(tree.root):
            if node.type == "variable_assignment":
                target, _, source = tree.text(node).partition("=")
                assigned.setdefault(target, []).append(source)
        for target, sources in assigned.items():
            found = [re.fullmatch(_WORD, source) for source in sources]
            if all(match and match[1] == name for match in found):
                self._names.add(target)

    def is_dead(self, node: Node) -> bool:
        """Whether a condition around a node is never true, or one before it always ends the text."""
        while node.parent is not None:
            if node.type == "function_definition":
                return False
            before = (child for child in node.parent.children if child.end_byte <= node.start_byte)
            if self._excludes(node.parent, node) or any(map(self._ends, before)):
                return True
            node = node.parent
        return False

    def _excludes(self, parent: Node, child: Node) -> bool:
        if parent.type == "case_item" and parent.parent is not None:
            return self._is_meant(parent.parent) and not self._matches(parent)
        if parent.type not in _BODIES or child.type in ("elif_clause", "else_clause") or child == _condition(parent):
            return False
        is_true = self._truth(_condition(parent))
        return is_true is not None and is_true != _wanted(parent)

    def _ends(self, node: Node) -> bool:
        """Whether a statement always ends the text."""
        if node.type == "case_statement" and self._is_meant(node):
            items = [item for item in node.named_children if item.type == "case_item"]
            taken = next((item for item in items if self._matches(item)), None)
            return taken is not None and self._only_ends(taken.named_children[-1:])
        if node.type not in ("if_statement", "list"):
            return False
        is_taken = self._truth(_condition(node)) is _wanted(node)
        body = [child for child in node.named_children[1:] if child.type not in ("elif_clause", "else_clause")]
        return is_taken and self._only_ends(body)

    def _only_ends(self, body: list[Node]) -> bool:
        return len(body) == 1 and bool(_END.fullmatch(self._tree.text(body[0])))

    def _is_meant(self, case: Node) -> bool:
        match = re.fullmatch(_WORD, self._tree.text(case.named_children[0]))
        return match is not None and match[1] in self._names

    def _matches(self, item: Node) -> bool:
        """Whether a pattern of a `case` matches; also where that is not certain."""
        end = next((number for number, child in enumerate(item.children) if child.type == ")"), 0)
        patterns = [child for child in item.children[:end] if child.type not in ("(", "|")]
        return any(fnmatchcase(self._value, self._tree.text(pattern).strip("\"'")) for pattern in patterns)

    def _truth(self, condition: Node) -> bool | None:
        """Whether a test of the variable is true; None for any other condition."""
        if condition.type == "list":
            decides = not _wanted(condition)
            parts = [self._truth(condition.named_children[0]), self._truth(condition.named_children[-1])]
            return decides if decides in parts else None if None in parts else not decides
        text = self._tree.text(condition).strip()
        if (match := _COMPARES.fullmatch(text)) and match[1] in self._names:
            is_pattern = text.startswith("[[")
            is_same = fnmatchcase(self._value, match[3]) if is_pattern else self._value == match[3]
            return is_same == (match[2] != "!=")
        if (match := _IS_EMPTY.fullmatch(text)) and match[2] in self._names:
            return (not self._value) == (match[1] == "z")
        return None


def _condition(node: Node) -> Node:
    return node.children[0] if node.type == "list" else node.named_children[0]


def _wanted(node: Node) -> bool:
    """What a condition must be for the part behind it to run."""
    return not (node.type == "list" and node.children[1].type == "||")
