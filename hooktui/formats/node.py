"""The tree that YAML and JSON share: values with their positions, and the errors of a text that cannot be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

# From and to, in characters of the text without its byte order mark; the end is exclusive.
Span = tuple[int, int]
HEADER = "[[]]"  # the style of tables and lists that TOML's headers or dotted keys define; their text need not be contiguous


class Written(str):
    """A date, a time, or a number that is not finite, as the file spells it: JSON has no such values."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        return "a date or time" if any(map(str.isdigit, self)) else "inf or nan"


@dataclass(frozen=True, slots=True)
class Node:
    """A value and its position. `style` is the quote or block indicator of a scalar, `[` or `{` in flow style, HEADER, else
    empty. `repeated` are the further places of a key in TOML's headers."""

    value: Any
    start: int
    end: int
    style: str = ""
    entries: tuple[tuple[Node, Node], ...] = ()
    items: tuple[Node, ...] = ()
    repeated: tuple[Span, ...] = ()

    @property
    def span(self) -> Span:
        """Start and end, quotes included."""
        return self.start, self.end

    @property
    def content_start(self) -> int:
        """Start without TOML's header, which changes with the list that a table belongs to."""
        return self.entries[0][0].start if self.style == HEADER and self.entries else self.start

    @property
    def members(self) -> dict[str, Node]:
        """The values of a mapping by key; for a duplicate key the last."""
        return {key.value: value for key, value in self.entries}

    def entry(self, key: str) -> tuple[Node, Node] | None:
        for pair in self.entries:  # each field of each hook asks
            if pair[0].value == key:
                return pair
        return None


class TextFix(NamedTuple):
    """A fix for a text: its label, and the new text of a span."""

    label: str
    span: Span
    text: str


class ParseError(Exception):
    """An error in a YAML or JSON text. `fix` is set if the intention is clear."""

    def __init__(self, code: str, message: str, span: Span, hint: str = "", fix: TextFix | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.hint = hint
        self.fix = fix


@dataclass(frozen=True, slots=True)
class ParsedSource:
    """A parsed text. `root` is None if there is a `fault`; `extras` are comments and trailing commas."""

    root: Node | None
    fault: ParseError | None
    extras: tuple[Span, ...]


def find(root: Node, path: tuple[str | int, ...]) -> Node | None:
    """The value at a path of keys and indexes; for a duplicate key, the last one."""
    node: Node | None = root
    for step in path:
        if node is None:
            return None
        if isinstance(step, int):
            node = node.items[step] if 0 <= step < len(node.items) else None
        else:
            node = next((value for key, value in reversed(node.entries) if key.value == step), None)
    return node


def find_unique(root: Node, path: tuple[str | int, ...]) -> Node | None:
    """The value at a path. Raises ValueError if a key on the path is duplicated."""
    for at, step in enumerate(path):
        above = find(root, path[:at])
        if above and [key.value for key, _ in above.entries].count(step) > 1:
            raise ValueError(f"duplicate key {step}: delete one of them")
    return find(root, path)
