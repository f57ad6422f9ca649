"""Parse shell commands with tree-sitter-bash, and evaluate the words whose value is known without running anything."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core import paths
from hooktui.scripts import analysis_budget

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tree_sitter import Language, Node

# Error recovery takes quadratic time, 160 ms for 4 KiB of pipes: longer commands are parsed in pieces of whole statements.
_PIECE = 4096  # characters
_LARGEST = 16 * 1024  # characters of a piece that begins with a long statement
_ERROR = 32  # a broken piece takes as long as a good one with so many characters fewer than its nodes squared
_NODE = 5  # characters of ordinary text for a node
_DENSE = 2  # characters for a node in a text that is no program: more of it would not help
_LIMIT = 64 * 1024  # characters of a command; the rest is ignored
_EXPANDED = 4096  # characters of a word with variables; a variable that is doubled again and again would fill the memory
_SUBSTITUTION = 200  # characters of a command in a word that is evaluated, so that few of them are nested
LITERAL_HOME = "~/"  # where no shell expands it
WINDOWS_PATH = re.compile(r"[A-Za-z]:[\\/]")
_LONGEST_PATH = 4096  # characters
_DEEPEST_PATH = 100  # directories
# The parser counts bytes. Every other character is replaced by an ASCII one that may be part of a word, but not of a name:
# then offsets in bytes are offsets in characters.
_NOT_ASCII = re.compile(r"[^\t\n\r -~]")
_STAND_IN = "."
# What follows `||` where the failure of the command before is the failure of the whole.
FAILING = re.compile(r"\s*(?:\{[^}]*|\([^)]*)?(?:\b(?:exit|return)\b(?!\s+0)|\bfalse\b)")

Span = tuple[int, int]  # of characters: from, to

WORDS = frozenset({
    "command_name", "word", "number", "string", "raw_string", "ansi_c_string", "concatenation", "simple_expansion", "expansion",
    "command_substitution", "process_substitution", "arithmetic_expansion", "brace_expression", "extglob_pattern", "$",
})  # fmt: skip
# Nodes of statements that need nothing before or after them.
_STATEMENTS = frozenset({
    "case_statement", "command", "comment", "c_style_for_statement", "compound_statement", "declaration_command",
    "for_statement", "function_definition", "if_statement", "list", "negated_command", "pipeline", "redirected_statement",
    "subshell", "test_command", "unset_command", "variable_assignment", "variable_assignments", "while_statement", "\n", ";",
})  # fmt: skip
# The named nodes of a command without redirections and substitutions, in which sh sees what bash sees.
_SIMPLE = re.compile(
    r"\(program \(command(?:[ )]|\w+: |\((?:command_name|word|number|concatenation|raw_string|string|string_content"
    r"|simple_expansion|variable_name))+"
)
# A variable, perhaps with a default value or an error message.
_VARIABLE = re.compile(r"\s*\$(?:(\w+)|\{(\w+)(?:\[0\])?(?::?[-?][^{}]*)?\})")
_ESCAPE = re.compile(r"\\(?:\n|(.))", re.DOTALL)
_ESCAPE_IN_QUOTES = re.compile(r'\\(?:\n|(["\\$`]))')
_GLOB = re.compile(r"[*?\[{]")
_SHEBANG = re.compile(r"#!.*sh\b")
_SUFFIXES = ("", ".sh", ".bash", ".zsh")


class Word(NamedTuple):
    """A word of a command as it is written, with its span in characters.

    `value` is what the shell passes on; None when that depends on an unknown variable, the file system or most commands.
    """

    text: str
    span: Span
    value: str | None


@dataclass(frozen=True, slots=True)
class Tree:
    """The syntax tree of a command, or of the piece of a long one that begins at character `start`.

    `complete`: the tree covers the whole command, without syntax errors.
    """

    root: Node
    complete: bool
    _text: str
    _start: int

    def word(self, node: Node, variables: Mapping[str, str]) -> Word:
        text, value = self.text(node), self._value(node, variables)
        if value is not None and text.startswith("~"):
            value = paths.home() + value[1:] if value == "~" or value.startswith("~/") else None
        return Word(text, (self._start + node.start_byte, self._start + node.end_byte), value)

    def text(self, node: Node) -> str:
        return self._text[node.start_byte : node.end_byte]

    def is_followed_by(self, node: Node, pattern: re.Pattern[str]) -> bool:
        return bool(pattern.match(self._text, node.end_byte))

    def _value(self, node: Node, variables: Mapping[str, str]) -> str | None:
        text = self.text(node)
        match node.type:
            case "word" | "number":
                return None if _GLOB.search(_ESCAPE.sub("", text)) else _ESCAPE.sub(r"\1", text)
            case "raw_string":
                return text[1:-1]
            case "string":
                return _joined(self._parts(node, variables), len(text))
            case "concatenation" | "command_name":
                return _joined((self._value(child, variables) for child in node.children), len(text))
            case "command_substitution":
                return self._output(node, variables)
            case _:
                variable = _VARIABLE.fullmatch(text)
                return variables.get(variable[1] or variable[2]) if variable else None

    def _parts(self, string: Node, variables: Mapping[str, str]) -> Iterator[str | None]:
        """The parts of a string in double quotes. The node of an expansion begins with the blanks before it."""
        end = string.start_byte + 1
        for child in string.named_children:
            if child.type != "string_content":
                text = self.text(child)
                begin = child.start_byte + len(text) - len(text.lstrip())
                yield _ESCAPE_IN_QUOTES.sub(r"\1", self._text[end:begin])
                yield self._value(child, variables)
                end = child.end_byte
        yield _ESCAPE_IN_QUOTES.sub(r"\1", self._text[end : string.end_byte - 1])

    def _output(self, substitution: Node, variables: Mapping[str, str]) -> str | None:
        """The path that `dirname` or `pwd` prints, perhaps after `cd`: how scripts determine their own directory."""
        directory, output = variables.get("PWD", ""), None
        left = substitution.named_children if len(self.text(substitution)) <= _SUBSTITUTION else []
        while left:
            node = left.pop(0)
            if node.type in ("list", "redirected_statement"):
                left = [*(node.children_by_field_name("body") or node.named_children), *left]
                continue
            words = [self._value(child, variables) for child in node.children if child.type in WORDS]
            match [node.type, *(word for word in words if word not in ("--", "-P"))]:
                case ["command", "cd", str(path)]:
                    directory = os.path.join(directory, path)
                case ["command", "pwd"]:
                    output = directory
                case ["command", "readlink" | "realpath", *options, str(path)] if _are_options(options):
                    output = path
                case ["command", "dirname", str(path)]:
                    output = os.path.dirname(path)
                case _:
                    return None
        return output or None


def parse(command: str) -> Sequence[Tree]:
    """The syntax trees of a command, one a piece. A broken command raises nothing: its tree holds error nodes.

    Nothing from where the limit of `analysis_budget` is exceeded.
    """
    return _trees(command, analysis_budget.current())


@lru_cache(maxsize=32)  # several rules read a text in a row, at the cost of one
def _trees(command: str, _limit: object) -> Sequence[Tree]:
    return tuple(_parsed(command))


def _parsed(command: str) -> Iterator[Tree]:
    text, start, size = command[:_LIMIT], 0, _PIECE
    largest = _LARGEST
    while start < len(text):
        piece = _piece(text, start, size)
        if not analysis_budget.spend(len(piece)):
            return
        root = _root(piece)
        is_last = start + len(piece) == len(text)
        end = len(piece) if is_last and not root.has_error else _end(root, piece)
        nodes = root.descendant_count
        cost = nodes**2 // _ERROR if root.has_error else max(0, nodes * _NODE - len(piece))
        analysis_budget.spend(cost)
        is_dense = nodes * _DENSE > len(piece)
        if end or is_last or size >= largest or is_dense or not analysis_budget.allows(4 * cost):
            piece = piece[: end or None]
            root = _root(piece)
            yield Tree(root, not root.has_error and len(command) <= _LIMIT, piece, start)
            start, size, largest = start + len(piece), _PIECE, largest if end else _PIECE
        else:
            size *= 2


def _piece(text: str, start: int, size: int) -> str:
    """Whole lines of a text, of `size` characters at most, or a part of its first line."""
    if len(text) - start <= size:
        return text[start:]
    return text[start : text.rfind("\n", start, start + size) + 1 or start + size]


def _end(root: Node, piece: str) -> int:
    """Where the last line begins before which all statements of a piece are good: what follows goes on in the next piece."""
    end = 0
    for node in root.children:
        if piece.startswith("\n", node.start_byte - 1):
            end = node.start_byte
        if node.type not in _STATEMENTS or node.has_error:
            break
    # A cut in a text in quotes or in a here-document makes statements that are none.
    return 0 if _root(piece[:end]).has_error else end


@lru_cache(maxsize=64)  # a text is read several times in a row
def _root(piece: str) -> Node:
    from tree_sitter import Parser

    return Parser(_language()).parse(_NOT_ASCII.sub(_STAND_IN, piece).encode()).root_node


def is_script(path: str, text: str) -> bool:
    """Whether a shell reads the script with this text, by its #! line or its suffix."""
    return bool(_SHEBANG.match(text)) if text.startswith("#!") else os.path.splitext(path)[1] in _SUFFIXES


def is_simple(command: str) -> bool:
    """Whether a command is one program with arguments that every shell reads alike."""
    return any(tree.complete and len(tree.root.children) == 1 and _SIMPLE.fullmatch(str(tree.root)) for tree in parse(command))


def absolute(value: str | None, directory: str | None) -> str | None:
    """The absolute path that a word's value names, or one below a literal `~`; None if it is unknown."""
    if value is None or "\0" in value or value.startswith(LITERAL_HOME):
        return value if value and "\0" not in value else None
    base = "/" if os.path.isabs(value) else directory
    if base is None or WINDOWS_PATH.match(value):
        return None
    path = os.path.normpath(os.path.join(base, value))
    return path if len(path) <= _LONGEST_PATH and path.count("/") <= _DEEPEST_PATH else None


def _are_options(words: Iterable[str | None]) -> bool:
    return all(word and word.startswith("-") for word in words)


def _joined(parts: Iterable[str | None], written: int) -> str | None:
    """The parts in one, None if one is unknown, or if variables make all of it longer than _EXPANDED and than it is written."""
    known: list[str] = []
    left = max(written, _EXPANDED)
    for part in parts:
        left -= len(part or "")
        if part is None or left < 0:
            return None
        known.append(part)
    return "".join(known)


@cache
def _language() -> Language:
    """The grammar, imported when the first command is parsed: that takes 10 to 80 ms."""
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Language(tree_sitter_bash.language())
