"""Read TOML files with positions: the tree that JSON and YAML make.

`tomllib` decides what is valid and what it means; tree-sitter-toml says where each value is (docs/decisions/0057).
"""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from hooktui.formats.node import HEADER, Node, ParsedSource, ParseError, Written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Language
    from tree_sitter import Node as Syntax

    from hooktui.core.model import EntryPath

MAX_LEVELS = 100
_LARGEST = 2**63
_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
# The parser counts bytes. Every other character is replaced by an ASCII one, so that bytes are characters.
_NOT_ASCII = re.compile(r"[^\t\n\r -~]")
_SPACE = r"(?:[ \t\r\n]|#[^\r\n]*)"
_TOKEN = re.compile(
    rf'''"""(?:\\.|[^\\])*?"{{3,5}}|\'{{3}}.*?\'{{3,5}}|"(?:\\.|[^"\\\r\n])*"|\'[^\'\r\n]*\'|[{{}}\[\]]'''
    rf"|(?P<comma>,(?={_SPACE}*}}))|(?P<gap>{_SPACE})|[^{{}}\[\],#\s\"\']+|.",
    re.DOTALL,
)
_QUOTES = ('"""', "'''", '"', "'")
# A character of a string's value as it is written; a group for what stands for none.
_ESCAPED = re.compile(r"(\\[ \t]*\r?\n[ \t\r\n]*)|\\U[0-9a-fA-F]{8}|\\u[0-9a-fA-F]{4}|\\.|\r\n|.", re.DOTALL)
_LITERAL = re.compile(r"\r\n|.", re.DOTALL)
_LINE_END = re.compile(r"\r?\n")


class Pair(NamedTuple):
    """`key = value` in a section; `path` leads to the value."""

    path: EntryPath
    start: int
    end: int


class Section(NamedTuple):
    """A header with the pairs below it; the first section has no header. `path` leads to its table.

    `keys` are those of the header. The section ends with its last pair.
    """

    path: EntryPath
    keys: tuple[Node, ...]
    start: int
    end: int
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class ParsedToml(ParsedSource):
    """A parsed text with its sections; `extras` are the comments."""

    sections: tuple[Section, ...] = ()


def read(text: str) -> ParsedToml:
    """Parse `text`, which has no byte order mark. Content never raises."""
    try:
        plain, values = _values(text)
        return _Reader(plain).run(values)
    except tomllib.TOMLDecodeError as error:
        fault = _fault(text, str(error))
    except ParseError as error:
        fault = error
    except RecursionError:
        fault = _error(f"nested deeper than {MAX_LEVELS} levels")
    except ValueError:  # more digits than `int` reads
        fault = _error("a number is too large")
    return ParsedToml(None, fault, ())


def _values(text: str) -> tuple[str, dict[str, Any]]:
    """The values of a text, and the text of the same length that tomllib reads: TOML 1.1 allows inline tables on several lines.

    Raises tomllib.TOMLDecodeError.
    """
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        joined = "".join(_joined(text))
        if joined == text:
            raise
        with suppress(tomllib.TOMLDecodeError):
            return joined, tomllib.loads(joined)
        raise


def _joined(text: str) -> Iterator[str]:
    """The parts of a text with blanks for comments, line ends and last commas inside inline tables."""
    opened = [""]
    for token in _TOKEN.finditer(text):
        written = token[0]
        if written in "{[":
            opened.append(written)
        elif written in "}]" and len(opened) > 1:
            opened.pop()
        is_inside = opened[-1] == "{" and (token.lastgroup == "gap" or (token.lastgroup == "comma" and written))
        yield " " * len(written) if is_inside else written


def offset_inside(text: str, node: Node, index: int) -> int:
    """The offset in the text of character `index` of a string's value."""
    quote = len(node.style)
    start, end = node.start + quote, node.end - quote
    if quote == len(_QUOTES[0]) and (first := _LINE_END.match(text, start)):
        start = first.end()  # a line end after the quotes is not part of the value
    characters = (_ESCAPED if '"' in node.style else _LITERAL).finditer(text, start, end)
    offsets = (written.start() for written in characters if written.lastindex is None)
    return next((offset for count, offset in enumerate(offsets) if count == index), end)


def _fault(text: str, message: str) -> ParseError:
    """tomllib's message at its place."""
    match = _PLACE.fullmatch(message)
    problem, offset = match[1] if match else message, len(text.rstrip()) - 1
    if match and match[2]:
        starts = [0, *(end.end() for end in re.finditer("\n", text))]
        offset = starts[int(match[2]) - 1] + int(match[3]) - 1
    offset = max(min(offset, len(text) - 1), 0)
    return _error(f"{problem[:1].lower()}{problem[1:]}", offset)


def _error(message: str, offset: int = 0) -> ParseError:
    return ParseError("bad-toml", message, (offset, offset + 1))


@dataclass(slots=True)
class _Draft:
    """A value whose span and content are still growing. Headers add to tables and lists wherever they stand."""

    start: int
    end: int
    style: str = HEADER
    entries: dict[str, tuple[Node, _Draft]] = field(default_factory=dict)
    items: list[_Draft] = field(default_factory=list)

    def below(self, key: Node, new: _Draft) -> _Draft:
        """The value below a key, `new` if there is none. A key that is written again remembers each place."""
        if key.value not in self.entries:
            self.entries[key.value] = (key, new)
            return new
        first, child = self.entries[key.value]
        self.entries[key.value] = (replace(first, repeated=(*first.repeated, key.span)), child)
        return child


class _Reader:
    """Gives the values of a valid text the positions of its syntax tree."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = _Draft(0, len(text))

    def run(self, values: dict[str, Any]) -> ParsedToml:
        from tree_sitter import Parser

        document = Parser(_language()).parse(_NOT_ASCII.sub("x", self.text).encode()).root_node
        comments = sorted((node.start_byte, node.end_byte) for node in _every(document) if node.type == "comment")
        tables = (child for child in document.children if child.type in ("table", "table_array_element"))
        sections = [self._section(node) for node in (document, *tables)]
        try:
            root = self._complete(self.root, values, 0)
        except (KeyError, IndexError) as error:  # the two parsers disagree
            raise _error("hooktui cannot locate the values of this file") from error
        return ParsedToml(root, None, tuple(comments), tuple(sections))

    def _section(self, node: Syntax) -> Section:
        """Read a header and the pairs below it; the document is the section without a header."""
        table, above = self.root, [self.root]
        path: EntryPath = ()
        keys: tuple[Node, ...] = ()
        start = end = 0
        if node.parent is not None:
            keys, start, end = tuple(self._keys(node.children[1])), node.start_byte, node.children[2].end_byte
            table, path, above = self._declared(keys, start, is_list=node.type == "table_array_element")
        pairs = [self._pair(child, table, path) for child in node.children if child.type == "pair"]
        end = pairs[-1].end if pairs else end
        for draft in above:
            draft.end = max(draft.end, end)
        return Section(path, keys, start, end, tuple(pairs))

    def _declared(self, keys: Sequence[Node], start: int, *, is_list: bool) -> tuple[_Draft, EntryPath, list[_Draft]]:
        """The table of a header, its path, and everything that the section belongs to."""
        table, above = self.root, [self.root]
        path: EntryPath = ()
        for number, key in enumerate(keys):
            table = table.below(key, _Draft(start, start))
            above.append(table)
            path = (*path, key.value)
            if is_list and number == len(keys) - 1:
                table.items.append(_Draft(start, start))
            if table.items:
                path = (*path, len(table.items) - 1)
                table = table.items[-1]
                above.append(table)
        return table, path, above

    def _pair(self, node: Syntax, table: _Draft, path: EntryPath) -> Pair:
        """Read `key = value`. A dotted key defines tables."""
        *above, last = self._keys(node.children[0])
        value = self._value(next(child for child in node.children[2:] if child.type != "comment"))
        for key in above:
            table = table.below(key, _Draft(node.start_byte, value.end))
            table.end = value.end
        table.entries[last.value] = (last, value)
        return Pair((*path, *(key.value for key in above), last.value), node.start_byte, value.end)

    def _value(self, node: Syntax) -> _Draft:
        start, end = node.start_byte, node.end_byte
        written = self.text[start:end]
        if node.type == "array":
            items = [self._value(child) for child in node.named_children if child.type != "comment"]
            return _Draft(start, end, "[", items=items)
        if node.type == "inline_table":
            table = _Draft(start, end, "{")
            for child in node.named_children:
                if child.type == "pair":
                    self._pair(child, table, ())
            return table
        return _Draft(start, end, next((quote for quote in _QUOTES if written.startswith(quote)), ""))

    def _keys(self, node: Syntax) -> Iterator[Node]:
        if node.type == "dotted_key":
            for child in node.named_children:
                yield from self._keys(child)
            return
        start, end = node.start_byte, node.end_byte
        written = self.text[start:end]
        if node.type == "bare_key":
            yield Node(written, start, end)
        else:
            (value,) = tomllib.loads(f"{written} = 0")
            yield Node(value, start, end, written[0])

    def _complete(self, draft: _Draft, value: Any, level: int) -> Node:
        start, end, style = draft.start, draft.end, draft.style
        if level > MAX_LEVELS:
            raise _error(f"nested deeper than {MAX_LEVELS} levels", start)
        if isinstance(value, dict):
            entries = [(key, self._complete(child, value[key.value], level + 1)) for key, child in draft.entries.values()]
            if len(entries) != len(value):
                raise KeyError
            return Node({key.value: node.value for key, node in entries}, start, end, style, entries=tuple(entries))
        if isinstance(value, list):
            if len(draft.items) != len(value):
                raise IndexError
            items = [self._complete(*pair, level + 1) for pair in zip(draft.items, value, strict=True)]
            return Node([node.value for node in items], start, end, style, items=tuple(items))
        if isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
            raise _error("a number is too large", start)
        plain = isinstance(value, (str, int)) or (isinstance(value, float) and abs(value) < float("inf"))
        return Node(value if plain else Written(self.text[start:end]), start, end, style)


def _every(node: Syntax) -> Iterator[Syntax]:
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children


@cache
def _language() -> Language:
    """The grammar, imported when the first file is parsed: that takes 10 to 80 ms."""
    import tree_sitter
    import tree_sitter_toml

    return tree_sitter.Language(tree_sitter_toml.language())
