"""What a handler of a mod can answer, as far as its text shows: a doubt counts as an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hooktui.formats.mods import mod_events
from hooktui.formats.mods.module_files import FUNCTIONS, bare, below, string_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from hooktui.formats.mods.module_files import ModuleFile, ModuleFiles

# The keys with which an answer lets a tool run that a hook denied.
ALLOWING = {"classic.PreToolUse": "allow", "tool.check": "decision", "tool.call": "result"}
_BRANCHES = {"ternary_expression": ("consequence", "alternative"), "binary_expression": ("left", "right")}
_NAMES = ("identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern")
_MEMBERS = ("member_expression", "subscript_expression")
_PURE = ("endsWith", "includes", "indexOf", "match", "slice", "split", "startsWith", "toLowerCase", "toString", "trim")
_READS = (
    *("return_statement", "ternary_expression", "binary_expression", "if_statement", "template_substitution"),
    *("arrow_function", "spread_element", "expression_statement"),
)


class Handler(NamedTuple):
    """`gates`: it can answer in place of what lies beneath. `allows`: its answer may let a tool run that a hook denied."""

    gates: bool = True
    allows: bool = True


def parameters(function: Node) -> list[Node]:
    """The names or patterns of a function's parameters."""
    single, listed = function.child_by_field_name("parameter"), function.child_by_field_name("parameters")
    if single is not None:
        return [single]
    given = [each for each in (listed.named_children if listed else ()) if each.type != "comment"]
    return [each.child_by_field_name("pattern") or each for each in given]


def read(all_files: ModuleFiles, file: ModuleFile, node: Node | None, event: str) -> Handler:
    """What a handler can answer to an event or pattern. Raises RefusedModuleError."""
    if node is not None and node.type == "identifier":
        file, node = all_files.function(file, file.text(node)) or (file, None)
    keys = [key for name, key in ALLOWING.items() if mod_events.covers(event, name)]
    if node is None or node.type not in FUNCTIONS:
        return Handler(allows=bool(keys))
    names = [file.text(each) for each in parameters(node)]
    for inner in below(node):
        if inner != node and inner.type in FUNCTIONS and any(file.text(each) in names[2:3] for each in parameters(inner)):
            raise file.refused(f'"{names[2]}" (the continuation) is declared again (shadowed)', inner)
    answers = _Answers(file, node)
    given = list(answers.given())
    return Handler(bool(given), any(answers.may_allow(answer, keys) for answer in given))


class _Answers:
    """The expressions that a handler returns other than what lies beneath it, unchanged."""

    def __init__(self, file: ModuleFile, function: Node) -> None:
        self._file = file
        self._function = function
        names = [file.text(each) for each in parameters(function)]
        self._event, self._next = (names[1], names[2]) if len(names) > 2 else ("", "")
        self._nodes = list(_own(function))
        self._uses: dict[str, list[Node]] = {}
        for node in below(function):
            if node.type in _NAMES:
                self._uses.setdefault(file.text(node), []).append(node)

    def given(self) -> Iterator[Node]:
        for returned in self._returned():
            for each in self._branches(returned):
                if not self._is_beneath(each):
                    yield each

    def _returned(self) -> Iterator[Node]:
        body = bare(self._function.child_by_field_name("body"))
        if body is not None and body.type != "statement_block":
            yield body
        for node in self._nodes:
            if node.type == "return_statement" and node.named_children:
                yield node.named_children[0]

    def _branches(self, node: Node) -> Iterator[Node]:
        """The values that an expression may have."""
        plain = bare(node)
        while plain is not None and plain.type == "await_expression":
            plain = bare(plain.named_children[0])
        if plain is None or self._file.text(plain) in ("undefined", "null"):
            return
        for field in _BRANCHES.get(plain.type, ()):
            if branch := plain.child_by_field_name(field):
                yield from self._branches(branch)
        if plain.type not in _BRANCHES:
            yield plain

    def may_allow(self, answer: Node, keys: list[str]) -> bool:
        """Whether an answer may allow what was denied: an object without such a key, or with another value, does not."""
        if answer.type == "call_expression" and self._is_next(answer.child_by_field_name("function")):
            return False  # what lies beneath decides on a changed input
        if answer.type != "object" or not keys:
            return bool(keys)
        return any(self._may_set(pair, keys) for pair in answer.named_children)

    def _may_set(self, pair: Node, keys: list[str]) -> bool:
        """Whether a part of an object may set one of some keys to a value that allows."""
        if pair.type == "shorthand_property_identifier":
            return self._file.text(pair) in keys
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if pair.type != "pair" or key is None or value is None:
            return pair.type != "comment"
        name = string_of(self._file, key) or self._file.text(key)
        is_key = name in keys or name == "__proto__" or key.type == "computed_property_name"
        return is_key and value.type not in ("false", "undefined") and string_of(self._file, value) not in ("deny", "ask")

    def _is_beneath(self, node: Node) -> bool:
        """Whether a value is `next(e)`, or a name for it, and nothing may have changed it."""
        if node.type == "identifier":
            values = list(self._values(name := self._file.text(node)))
            return len(values) == 1 and self._is_beneath(values[0]) and self._is_only_read(name)
        listed = node.child_by_field_name("arguments")
        if node.type != "call_expression" or listed is None or not self._is_next(node.child_by_field_name("function")):
            return False
        given = [self._file.text(each) for each in listed.named_children]
        return given == [self._event] and self._is_only_read(self._event)

    def _is_next(self, called: Node | None) -> bool:
        """Whether what is called is the continuation, which nothing replaces."""
        name = self._file.text(called)
        return bool(name) and name == self._next and all(_is_called(use) for use in self._uses[name][1:])

    def _values(self, name: str) -> Iterator[Node]:
        for node in self._nodes:
            if node.type == "variable_declarator" and self._file.text(node.child_by_field_name("name")) == name:
                value = node.child_by_field_name("value")
                yield from self._branches(value) if value else ()

    def _is_only_read(self, name: str) -> bool:
        """Whether a name is declared once, first of all, and nothing changes what it stands for."""
        return all(map(self._is_read, self._uses[name][1:]))

    def _is_read(self, use: Node) -> bool:
        node, is_part = use, False
        while (parent := node.parent) is not None and (
            parent.type in ("parenthesized_expression", "await_expression") or parent.child_by_field_name("object") == node
        ):
            is_part = is_part or parent.type in _MEMBERS
            node = parent
        if parent is None:
            return False
        if parent.type == "arguments" and parent.parent is not None:
            called = self._file.text(parent.parent.child_by_field_name("function"))
            return is_part or called == self._next or called.startswith("$.")
        if parent.type == "call_expression":
            return is_part and self._file.text(node.child_by_field_name("property")) in _PURE
        if parent.type == "unary_expression":
            return self._file.text(parent.children[0]) != "delete"
        if parent.type in ("variable_declarator", "assignment_expression", "pair", "array"):
            return (is_part and parent.child_by_field_name("left") != node) or _takes_parts(parent)
        return parent.type in _READS


def _takes_parts(declared: Node) -> bool:
    """Whether a declaration is `const { a, b } = …`."""
    name = declared.child_by_field_name("name")
    parts = name.named_children if name is not None and name.type == "object_pattern" else ()
    return bool(parts) and all(part.type == "shorthand_property_identifier_pattern" for part in parts)


def _is_called(name: Node) -> bool:
    return name.parent is not None and name.parent.child_by_field_name("function") == name


def _own(function: Node) -> Iterator[Node]:
    """The nodes of a function, those of functions inside it excepted."""
    waiting = [function]
    while waiting:
        node = waiting.pop()
        yield node
        inside = node.children if node is function or node.type not in FUNCTIONS else ()
        waiting.extend(reversed(inside))
