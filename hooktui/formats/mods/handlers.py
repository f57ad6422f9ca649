"""What a handler of a mod can answer, as far as its text shows: a doubt counts as an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hooktui.formats.mods import mod_events
from hooktui.formats.mods.module_files import FUNCTIONS, bare, below

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from hooktui.formats.mods.module_files import ModuleFile, ModuleFiles

# The keys with which an answer lets a tool run that a hook denied.
ALLOWING = {"classic.PreToolUse": "allow", "tool.check": "decision", "tool.call": "result"}
_BRANCHES = {"ternary_expression": ("consequence", "alternative"), "binary_expression": ("left", "right")}
_WRITES = ("assignment_expression", "augmented_assignment_expression", "update_expression")


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
    answers = list(_Answers(file, node).given())
    return Handler(bool(answers), any(_may_allow(file, answer, keys) for answer in answers))


def _may_allow(file: ModuleFile, answer: Node, keys: list[str]) -> bool:
    """Whether an answer may allow what was denied: an object without such a key, or with another value, does not."""
    if answer.type == "call_expression" and file.text(answer.child_by_field_name("function")) == "next":
        return False  # what lies beneath decides on a changed input
    if answer.type != "object":
        return bool(keys)
    for pair in answer.named_children:
        if pair.type in ("spread_element", "shorthand_property_identifier"):
            if pair.type == "spread_element" or file.text(pair) in keys:
                return bool(keys)
            continue
        key = file.text(pair.child_by_field_name("key")).strip("'\"")
        value = file.text(pair.child_by_field_name("value")).strip("'\"`")
        if (key in keys or key.startswith("[")) and value not in ("false", "undefined", "deny", "ask"):
            return True
    return False


class _Answers:
    """The expressions that a handler returns other than what lies beneath it, unchanged."""

    def __init__(self, file: ModuleFile, function: Node) -> None:
        self._file = file
        self._function = function
        names = [file.text(each) for each in parameters(function)]
        self._event, self._next = (names[1], names[2]) if len(names) > 2 else ("", "")
        self._nodes = list(_own(function))
        self._written = set(self._changed())

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

    def _is_beneath(self, node: Node, names: frozenset[str] = frozenset()) -> bool:
        """Whether a value is `next(e)`, or a name for it, and nothing changes it. `names` lead to it."""
        if node.type == "identifier":
            name = self._file.text(node)
            is_new = name not in self._written and name not in names
            return is_new and any(self._is_beneath(value, names | {name}) for value in self._values(name))
        called, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if node.type != "call_expression" or self._file.text(called) != self._next or not self._next or listed is None:
            return False
        given = [self._file.text(each) for each in listed.named_children]
        return given == [self._event] and self._event not in self._written

    def _values(self, name: str) -> Iterator[Node]:
        for node in self._nodes:
            if node.type == "variable_declarator" and self._file.text(node.child_by_field_name("name")) == name:
                value = node.child_by_field_name("value")
                yield from self._branches(value) if value else ()

    def _changed(self) -> Iterator[str]:
        """The names that are assigned to, in part or whole, or given to functions other than those of Claude Code."""
        for node in self._nodes:
            if node.type in _WRITES:
                target = node.child_by_field_name("left") or node.child_by_field_name("argument")
                yield self._file.text(target).partition(".")[0].partition("[")[0]
            elif node.type == "call_expression":
                called = self._file.text(node.child_by_field_name("function"))
                listed = node.child_by_field_name("arguments")
                if called != self._next and not called.startswith("$."):
                    yield from (self._file.text(each) for each in (listed.named_children if listed else ()))


def _own(function: Node) -> Iterator[Node]:
    """The nodes of a function, those of functions inside it excepted."""
    waiting = [function]
    while waiting:
        node = waiting.pop()
        yield node
        inside = node.children if node is function or node.type not in FUNCTIONS else ()
        waiting.extend(reversed(inside))
