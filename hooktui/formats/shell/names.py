"""The programs and variables that a shell text uses, found without running it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hooktui.formats.shell import syntax
from hooktui.formats.shell.programs import from_program, shell_text
from hooktui.formats.shell.syntax import WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from hooktui.formats.node import Span
    from hooktui.formats.shell.syntax import Tree, Word

_NESTED_TEXTS = 3  # levels of `sh -c` in `sh -c`
_PROGRAM = re.compile(r"[A-Za-z][\w.+-]*")
_SIMPLE_EXPANSION = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_BUILTINS = frozenset(
    {
        "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "command", "compgen", "complete", "continue",
        "coproc", "declare", "dirs", "disown", "do", "done", "echo", "elif", "else", "enable", "esac", "eval", "exec", "exit",
        "export", "false", "fc", "fg", "fi", "for", "function", "getopts", "hash", "help", "history", "if", "in", "jobs",
        "kill", "let", "local", "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly",
        "return", "select", "set", "setopt", "shift", "shopt", "source", "suspend", "test", "then", "time", "times", "trap",
        "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "until", "wait", "while",
    }
)  # fmt: skip
_ASSIGNING = ("read", "mapfile", "readarray", "getopts", "printf")  # builtins whose arguments may name variables
_LOADING = ("source", ".", "eval")  # what they bring is unknown
# Right side of `||` when the command before it may fail.
_FORGIVING = re.compile(r"\s*\|\|\s*(?:(?:true|exit 0|return 0|echo|printf)\b|:)")
_SYSTEM = re.compile(r"uname|OSTYPE|darwin|linux|msys|cygwin|windows", re.IGNORECASE)  # a decision by the operating system
_BRANCHES = ("if_statement", "elif_clause", "case_statement", "while_statement", "list")
# An expansion in one of these is not split into words.
_WHOLE = (
    "string",
    "variable_assignment",
    "test_command",
    "case_statement",
    "heredoc_body",
    "arithmetic_expansion",
    "subscript",
)


@dataclass(frozen=True, slots=True)
class UsedName:
    """A program or variable where it is used. `split`: the shell splits the variable's value at blanks."""

    name: str
    span: Span
    split: bool = False


@dataclass(slots=True)
class ShellNames:
    """What a text uses: `programs` that must be on PATH, `variables` without a default value, in order.

    `assigned` are variables that it sets; `mentioned` words that it passes as arguments. `loads`: it sources or evaluates
    what is unknown here.
    """

    programs: list[UsedName] = field(default_factory=list)
    variables: list[UsedName] = field(default_factory=list)
    assigned: set[str] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    loads: bool = False
    complete: bool = True

    def needed(self) -> Iterator[UsedName]:
        """The programs that the text neither defines nor tests for, each once; none if its syntax is broken."""
        if "PATH" in self.assigned or self.loads or not self.complete:
            return
        known = self.functions | self.mentioned
        for used in self.programs:
            if used.name not in known:
                known.add(used.name)
                yield used


def names(text: str, depth: int = _NESTED_TEXTS) -> ShellNames:
    """The names in a shell text. `depth` limits commands that are arguments of a shell in another command."""
    collected = ShellNames()
    for tree in syntax.parse(text):
        collected.complete &= tree.complete
        _collect(tree, collected, depth)
    return collected


def _collect(tree: Tree, into: ShellNames, depth: int) -> None:
    left: list[tuple[Node, bool]] = [(tree.root, True)]  # with whether a missing program would be a failure
    while left:
        node, counts = left.pop()
        match node.type:
            case "command":
                _command(node, tree, into, counts=counts, depth=depth)
            case "simple_expansion" | "expansion":
                _expansion(node, tree, into)
            case "variable_assignment":
                into.assigned.add(tree.text(node.named_children[0]))
            case "for_statement":
                into.assigned.add(tree.text(node.named_children[0]))
                into.mentioned |= {tree.text(child) for child in node.named_children if child.type == "word"}
            case "function_definition":
                into.functions.add(tree.text(node.named_children[0]))
        left += ((child, counts and not _is_excused(child, node, tree)) for child in reversed(node.children))


def _is_excused(child: Node, parent: Node, tree: Tree) -> bool:
    """Whether a missing program at a child is harmless: its alternative follows, or another system runs it."""
    if parent.type not in _BRANCHES:
        return False
    if parent.type == "list":
        first = parent.children[0]
        return tree.is_followed_by(child, _FORGIVING) if child == first else bool(_SYSTEM.search(tree.text(first)))
    condition = tree.text(parent.named_children[0])
    return child != parent.named_children[0] and bool(_SYSTEM.search(condition))


def _command(node: Node, tree: Tree, into: ShellNames, *, counts: bool, depth: int) -> None:
    words = [tree.word(child, {}) for child in node.children if child.type in WORDS]
    rest = from_program(words)
    program = rest[0].value if rest else None
    text = shell_text(rest)
    into.mentioned |= {word.value for word in words if word.value is not None and word not in (*rest[:1], text)}
    if program is None:
        return
    if program in _ASSIGNING:
        into.assigned |= {word.text for word in rest[1:]}
    into.loads |= program in _LOADING
    if counts and _PROGRAM.fullmatch(program) and program not in _BUILTINS and "\\" not in rest[0].text:
        into.programs.append(UsedName(program, rest[0].span))
    if depth and text is not None and text.value is not None:
        _nested(text, names(text.value, depth - 1), into, counts=counts)


def _nested(text: Word, inner: ShellNames, into: ShellNames, *, counts: bool) -> None:
    """Add the names in a text that a shell gets as an argument."""
    exact = text.text[1:-1] == text.value  # otherwise offsets differ

    def placed(used: UsedName) -> UsedName:
        start, end = (text.span[0] + 1 + index for index in used.span) if exact else text.span
        return UsedName(used.name, (start, end), used.split)

    into.programs += map(placed, inner.needed()) if counts else ()
    into.variables += [placed(used) for used in inner.variables if used.name not in inner.assigned]
    into.assigned |= inner.assigned
    into.loads |= inner.loads


def _expansion(node: Node, tree: Tree, into: ShellNames) -> None:
    written = tree.text(node)
    begin = node.start_byte + len(written) - len(written.lstrip())  # in a string, the node begins with blanks
    simple = _SIMPLE_EXPANSION.fullmatch(written.strip())
    if simple is None:
        name = next((tree.text(child) for child in node.named_children if child.type == "variable_name"), "")
        into.assigned |= {name} if re.match(r"\s*\$\{\w+:?[-=?+]", written) else set()
        return
    start = tree.word(node, {}).span[0] + begin - node.start_byte
    into.variables.append(UsedName(simple[1] or simple[2], (start, start + len(written.strip())), _is_split(node)))


def _is_split(node: Node) -> bool:
    around = node.parent
    while around is not None and around.type not in ("command", "command_substitution", "program"):
        if around.type in _WHOLE:
            return False
        around = around.parent
    return around is not None and around.type == "command"
