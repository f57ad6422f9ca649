"""Read JSON hook files with positions. Comments and trailing commas are accepted and recorded.

One pass over the tokens, without recursion, with limits on depth and size. The tree consists of the same
nodes as YAML's, except that a repeated key keeps all its entries (`value` holds the last, as JSON.parse does).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hooktui.formats.node import Node, ParsedSource, ParseError, Span, TextFix

MAX_LEVELS = 100
MAX_NODES = 50_000

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
      | (?P<comment>//[^\r\n]*|/\*.*?\*/)
      | (?P<sign>[{}\[\]:,])
      | (?P<string>")
      | (?P<word>[^\s{}\[\]:,"/]+)""",
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)
_EXACT_DIGITS = (
    18  # longer integers become floats, as in JavaScript; `int` refuses 4,300 digits. What no float holds stays text
)
_CLOSES = {"{": "}", "[": "]"}
_DECODER = json.JSONDecoder()


def read(text: str) -> ParsedSource:
    """Parse the value in `text`, which has no byte order mark. Content never raises."""
    reader = _JsonParser(text)
    try:
        return ParsedSource(reader.run(), None, tuple(sorted(reader.extras)))
    except ParseError as fault:
        return ParsedSource(None, fault, tuple(reader.extras))


def offset_inside(text: str, node: Node, index: int) -> int:
    """The offset in the text of character `index` of a string's value."""
    offset = node.start + 1
    for count, piece in enumerate(_ESCAPE.finditer(text, offset, node.end - 1)):
        if count == index:
            return piece.start()
    return node.end - 1


@dataclass(slots=True)
class _OpenContainer:
    """An object or list that is not closed yet. `key` has no value yet."""

    sign: str
    start: int
    items: list[Node]
    entries: list[tuple[Node, Node]]
    key: Node | None = None


class _JsonParser:
    """The parser's state: the open containers, and the kind of token that is `wanted` next."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.extras: list[Span] = []
        self.open: list[_OpenContainer] = []
        self.root: Node | None = None
        self.wanted = "value"
        self.comma: Span | None = None
        self.nodes = 0

    def run(self) -> Node:
        for token in self._tokens():
            if isinstance(token, Node):
                self._put(token)
            else:
                self._sign(self.text[token], token)
        if self.open:
            raise self._unclosed()
        if self.root is None:
            raise _fault("the file is empty", 0, 0, "write {} for a file without hooks")
        return self.root

    def _tokens(self) -> Iterator[Node | int]:
        """Scalars as nodes, punctuation as offsets. Comments are recorded."""
        at = 0
        while at < len(self.text):
            token = _TOKEN.match(self.text, at)
            if token is None:
                raise _unreadable(self.text, at)
            start, at = token.span()
            if token.lastgroup == "sign":
                yield start
            elif token.lastgroup == "comment":
                self.extras.append((start, at))
            elif token.lastgroup == "string":
                node = self._string(start)
                at = node.end
                yield node
            elif token.lastgroup != "space":
                yield self._scalar(token.group(), start, at)

    def _string(self, start: int) -> Node:
        try:
            value, end = _DECODER.raw_decode(self.text, start)
        except json.JSONDecodeError as error:
            at = min(error.pos, len(self.text) - 1)
            message, hint = next(
                (explanation for begin, explanation in _STRING_FAULTS.items() if error.msg.startswith(begin)), _STRING_FAULT
            )
            fix = TextFix("write \\\\", (at, at + 1), "\\\\") if message is _NO_ESCAPE else None
            raise _fault(message, at, at + 1, hint, fix) from error
        return Node(_LONE_SURROGATE.sub("\ufffd", value), start, end, '"')

    def _scalar(self, written: str, start: int, end: int) -> Node:
        if written in _WORDS:
            return Node(_WORDS[written], start, end)
        if not _NUMBER.fullmatch(written):
            raise _fault(f"{written[:40]} is not a JSON value", start, end, "put text in double quotes")
        if written.lstrip("-").isdigit() and len(written) <= _EXACT_DIGITS:
            return Node(int(written), start, end)
        number = float(written)
        return Node(number if math.isfinite(number) else written, start, end)

    def _sign(self, sign: str, at: int) -> None:
        if sign in "{[":
            self._begin(sign, at)
        elif sign in "}]":
            self._finish(sign, at)
        elif sign == ":" and self.wanted == "colon":
            self.wanted = "value"
        elif sign == "," and self.wanted == "comma" and self.open:
            self.comma = (at, at + 1)
            self.wanted = "key" if self.open[-1].sign == "{" else "value"
        else:
            raise self._unexpected(sign, at)

    def _begin(self, sign: str, at: int) -> None:
        if self.wanted != "value":
            raise self._unexpected(sign, at)
        if len(self.open) >= MAX_LEVELS:
            raise _fault(f"nested deeper than {MAX_LEVELS} levels", at, at + 1)
        self.open.append(_OpenContainer(sign, at, [], []))
        self.comma = None
        self.wanted = "key" if sign == "{" else "value"

    def _finish(self, sign: str, at: int) -> None:
        begun = self.open[-1] if self.open else None
        if begun is None or sign != _CLOSES[begun.sign]:
            raise _fault(f"unmatched {sign}", at, at + 1)
        dangling = self.wanted == "colon" or begun.key is not None
        if dangling:
            raise self._unexpected(sign, at)
        if self.comma:
            self.extras.append(self.comma)
        self.open.pop()
        self.wanted = "value"
        self._put(_container(begun, at + 1))

    def _put(self, node: Node) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise _fault(f"more than {MAX_NODES:,} values", node.start, node.start + 1)
        parent = self.open[-1] if self.open else None
        if self.wanted == "key" and node.style == '"' and parent:
            parent.key, self.wanted = node, "colon"
            return
        if self.wanted != "value":
            raise self._unexpected(self.text[node.start : node.end], node.start)
        self.comma = None
        self.wanted = "comma"
        if parent is None:
            self.root, self.wanted = node, "end"
        elif parent.key is not None:
            parent.entries.append((parent.key, node))
            parent.key = None
        else:
            parent.items.append(node)

    def _unexpected(self, written: str, at: int) -> ParseError:
        message, hint = _WANTED[self.wanted]
        fix = TextFix("delete it", (at, at + 1), "") if written == "," and self.comma else None
        if self.wanted == "comma" and written not in _SIGNS:
            parent = self.open[-1]
            end = (parent.entries[-1][1] if parent.entries else parent.items[-1]).end
            fix = TextFix("add a comma", (end - 1, end), f"{self.text[end - 1]},")
        return _fault(message.format(written[:40]), at, at + len(written), hint, fix)

    def _unclosed(self) -> ParseError:
        """The error of a truncated text."""
        at, begun = len(self.text.rstrip()) - 1, self.open[-1]
        line = self.text.count("\n", 0, begun.start) + 1
        return _fault(f"the {begun.sign} on line {line} is not closed", at, at + 1, f"add a {_CLOSES[begun.sign]}")


def _container(opened: _OpenContainer, end: int) -> Node:
    if opened.sign == "[":
        return Node([item.value for item in opened.items], opened.start, end, "[", items=tuple(opened.items))
    values: dict[str, Any] = {key.value: value.value for key, value in opened.entries}
    return Node(values, opened.start, end, "{", entries=tuple(opened.entries))


_NO_ESCAPE = "invalid escape sequence"
_CONTROL = "a line break or control character inside a string"
_STRING_FAULT = ("invalid string", "")
# What Python's decoder objects to, in words that help.
_STRING_FAULTS = {
    "Unterminated": ("this string is not closed", 'close it with "; write a quote inside it as \\"'),
    "Invalid control": (_CONTROL, "write \\n for a line break, \\t for a tab"),
    "Invalid \\escape": (_NO_ESCAPE, "write a backslash as \\\\"),
    "Invalid \\uXXXX": ("\\u needs four hexadecimal digits", ""),
}
_SIGNS = (":", ",")  # where a comma is missing, these do not begin the next value
_WANTED = {
    "value": ("a value is missing before {}", ""),
    "key": ("a key must be a string in double quotes, not {}", 'write "key": value'),
    "colon": ("a colon is missing before {}", 'write "key": value'),
    "comma": ("a comma is missing before {}", ""),
    "end": ("unexpected {} after the end", "a hook file contains one object"),
}


def _unreadable(text: str, at: int) -> ParseError:
    hint = "a comment that begins with /* must end with */" if text.startswith("/*", at) else "delete it or quote the text"
    return _fault(f"U+{ord(text[at]):04X} is not valid JSON here", at, at + 1, hint)


def _fault(message: str, start: int, end: int, hint: str = "", fix: TextFix | None = None) -> ParseError:
    return ParseError("bad-json", message, (start, end), hint, fix)
