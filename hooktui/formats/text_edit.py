"""Replace spans of a text and keep every other character, line ends and the byte order mark included."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hooktui.formats.node import Node, ParsedSource, Span

    Path = tuple[str | int, ...]
    Splice = tuple[int, int, str]  # start, end, new text

BOM = "\ufeff"
APPEND = "-"  # the last step of a path that means a new element at the end of a list
LINE_END = re.compile(r"\r\n?|\n")


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """Replace spans that do not overlap. Insertions at one offset keep their order."""
    pieces, at = [], 0
    for start, end, new in sorted(splices, key=lambda splice: splice[0]):
        pieces += [text[at:start], new]
        at = end
    return "".join((*pieces, text[at:]))


def newline(text: str) -> str:
    """The first line end of a text; a line feed if there is none."""
    match = LINE_END.search(text)
    return match.group() if match else "\n"


def line_start(text: str, offset: int) -> int:
    """The offset of the start of a line."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def next_line(text: str, offset: int) -> int:
    """The offset after the next line end."""
    match = LINE_END.search(text, offset)
    return match.end() if match else len(text)


class Body:
    """A JSON or TOML text without its byte order mark, parsed. Raises ValueError if it cannot be read."""

    def __init__(self, text: str, read: ParsedSource, syntax: str) -> None:
        self.bom = text[: text.startswith(BOM)]
        self.text = text.removeprefix(BOM)
        if read.root is None:
            raise ValueError(f"not valid {syntax}: {read.fault}")
        self.root = read.root
        self.line_end = newline(self.text)

    def indent_at(self, offset: int) -> str:
        start = line_start(self.text, offset)
        return self.text[start : len(self.text) - len(self.text[start:].lstrip(" \t"))]


def walk(root: Node, path: Path) -> tuple[Node, Path, Path]:
    """The deepest existing value of a path, its path with indexes as numbers, and the remaining steps. Raises ValueError."""
    node = root
    known: Path = ()
    for at, step in enumerate(path):
        if isinstance(node.value, dict):
            values = [value for key, value in node.entries if key.value == str(step)]
            if len(values) > 1:
                raise ValueError(f"duplicate key {step}: delete one of them")
        elif isinstance(node.value, list):
            index = len(node.items) if step == APPEND else int(step) if str(step).isdecimal() else -1
            if not 0 <= index <= len(node.items):
                raise ValueError(f"no index {step} in a list of {len(node.items)}")
            values, step = list(node.items[index : index + 1]), index
        else:
            raise ValueError(f"no object or list at {shown(path[:at])}")
        if not values:
            return node, known, (step, *path[at + 1 :])
        node, known = values[0], (*known, step)
    return node, known, ()


def nested(rest: Path, value: object) -> object:
    """A value with the lists and objects that are missing around it."""
    for step in reversed(rest):
        value = [value] if isinstance(step, int) or step == APPEND else {step: value}
    return value


def members(node: Node) -> list[Span]:
    """The spans of what an object or list holds."""
    return [(key.start, value.end) for key, value in node.entries] or [item.span for item in node.items]


def shown(path: Path) -> str:
    """A path as people write it."""
    return "/" + "/".join(map(str, path))
